// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Signals that this process was started to ignore or to block, as sets: bit n-1 is signal n. Read once, before this package changes any.
 * The JVM leaves the mask of the first thread, in which it does not run Java, as it was.
 */
final class InheritedSignals {
    static final long IGNORED;
    static final long BLOCKED;

    private static final int SIGKILL = 9;
    private static final int SIGSTOP = 19;

    static {
        List<String> status;
        try {
            status = Files.readAllLines(Path.of("/proc/self/status"));
        } catch (IOException hidden) {
            status = List.of();
        }
        IGNORED = set(status, "SigIgn:");
        BLOCKED = set(status, "SigBlk:");
    }

    private InheritedSignals() {
    }

    /** Reads a set from a process's status; empty if it is not there. */
    static long set(List<String> status, String name) {
        for (String line : status) {
            if (line.startsWith(name)) {
                return Long.parseUnsignedLong(line.substring(name.length()).strip(), 16);
            }
        }
        return 0;
    }

    static long bit(int signal) {
        return 1L << signal - 1;
    }

    /**
     * Signals that a program starts with at their defaults. Those that the C library keeps for itself are among them: posix_spawn(3)
     * would let the program ignore them.
     */
    static long defaults() {
        return ~(IGNORED | bit(SIGKILL) | bit(SIGSTOP));
    }
}
