// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** The name of a file below /proc, written as a C string into the same memory again and again. One thread. */
final class ProcPath {
    private static final int MAX_BYTES = 64;
    private static final byte[] PROC = ascii("/proc/");
    private static final byte[] SELF_FD = ascii("/proc/self/fd/");

    private final MemorySegment memory;
    private final byte[] digits = new byte[Integer.toString(Integer.MAX_VALUE).length()];
    private int length;

    ProcPath(Arena arena) {
        memory = arena.allocate(MAX_BYTES);
    }

    /** Bytes of a constant part of a path. */
    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Writes {@code /proc/PID} and a suffix, which begins with a slash. */
    MemorySegment of(int pid, byte[] suffix) {
        begin(PROC);
        decimal(pid);
        return append(suffix);
    }

    /** Writes {@code /proc/PID}, a middle with a slash at both ends, and a number. */
    MemorySegment of(int pid, byte[] middle, int number) {
        of(pid, middle);
        decimal(number);
        return memory;
    }

    /** Writes the path of one of this process's descriptors. */
    MemorySegment own(int fd) {
        begin(SELF_FD);
        decimal(fd);
        return memory;
    }

    private void begin(byte[] prefix) {
        length = 0;
        append(prefix);
    }

    private MemorySegment append(byte[] bytes) {
        MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, length, bytes.length);
        length += bytes.length;
        memory.set(JAVA_BYTE, length, (byte) 0);
        return memory;
    }

    /** A negative number leaves no path of an existing file: its sign is written. */
    private void decimal(int number) {
        if (number < 0) {
            memory.set(JAVA_BYTE, length++, (byte) '-');
        }
        int at = digits.length;
        int rest = number;
        do {
            digits[--at] = (byte) ('0' + Math.abs(rest % 10));
            rest /= 10;
        } while (rest != 0);
        MemorySegment.copy(digits, at, memory, JAVA_BYTE, length, digits.length - at);
        length += digits.length - at;
        memory.set(JAVA_BYTE, length, (byte) 0);
    }
}
