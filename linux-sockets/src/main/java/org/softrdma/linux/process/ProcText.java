// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import org.softrdma.linux.LinuxSockets;

/** Files below /proc with a line for each fact: {@code name:<white space>value}. Nothing is allocated. */
final class ProcText {
    private ProcText() {
    }

    /**
     * Reads the beginning of a file.
     *
     * @return bytes read, or minus errno
     */
    static int read(MemorySegment path, MemorySegment text) {
        int fd = Descriptors.open(Descriptors.AT_FDCWD, path, Descriptors.O_RDONLY | CLibrary.O_CLOEXEC, 0);
        if (fd < 0) {
            return fd;
        }
        int length = (int) Descriptors.read(fd, text, text.byteSize());
        LinuxSockets.close(fd);
        return length;
    }

    /**
     * Finds a line.
     *
     * @param name with the colon
     * @return where its value begins, or -1
     */
    static int find(MemorySegment text, int length, byte[] name) {
        int line = 0;
        while (line + name.length < length) {
            int same = 0;
            while (same < name.length && text.get(JAVA_BYTE, line + same) == name[same]) {
                same++;
            }
            if (same == name.length) {
                return skipSpace(text, length, line + same);
            }
            while (line < length && text.get(JAVA_BYTE, line) != '\n') {
                line++;
            }
            line++;
        }
        return -1;
    }

    private static int skipSpace(MemorySegment text, int length, int from) {
        int at = from;
        while (at < length && (text.get(JAVA_BYTE, at) == '\t' || text.get(JAVA_BYTE, at) == ' ')) {
            at++;
        }
        return at < length ? at : -1;
    }

    /** Reads the number that a line's value begins with, or {@code otherwise} if there is no such line. */
    static long number(MemorySegment text, int length, byte[] name, int radix, long otherwise) {
        int at = find(text, length, name);
        if (at < 0) {
            return otherwise;
        }
        long number = 0;
        while (at < length) {
            int digit = Character.digit(text.get(JAVA_BYTE, at++), radix);
            if (digit < 0) {
                break;
            }
            number = number * radix + digit;
        }
        return number;
    }
}
