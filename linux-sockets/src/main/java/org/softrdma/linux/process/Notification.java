// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A view of one system call that waits for an answer: struct seccomp_notif. Reused for one notification after the other by one thread.
 * The contents are those of the moment of the call; the thread may have been killed since ({@link SeccompListener#isValid}).
 */
public final class Notification {
    /** Arguments of a system call. */
    public static final int ARGUMENTS = 6;

    static final int BYTES = 80;

    private static final int ID = 0;
    private static final int PID = 8;
    private static final int NUMBER = 16;
    private static final int ARCH = 20;
    private static final int INSTRUCTION_POINTER = 24;
    private static final int ARGUMENT = 32;

    final MemorySegment memory = Arena.ofAuto().allocate(BYTES, 8);

    /** Names the call in answers; never reused by the listener. */
    public long id() {
        return memory.get(JAVA_LONG, ID);
    }

    /** The calling thread, in this process's PID namespace; 0 if it is not visible there. */
    public int tid() {
        return memory.get(JAVA_INT, PID);
    }

    /** Number of the system call, by architecture; see {@link Architecture#call}. */
    public int number() {
        return memory.get(JAVA_INT, NUMBER);
    }

    /** Constant AUDIT_ARCH_… of the caller. */
    public int auditArch() {
        return memory.get(JAVA_INT, ARCH);
    }

    /** Address of the caller's next instruction, which the process can read. */
    public long instructionPointer() {
        return memory.get(JAVA_LONG, INSTRUCTION_POINTER);
    }

    /**
     * An argument of the call.
     *
     * @param index 0 to 5
     */
    public long argument(int index) {
        return memory.get(JAVA_LONG, ARGUMENT + (long) index * Long.BYTES);
    }

    /**
     * An argument that the kernel takes as an int: a descriptor, flags, a command.
     *
     * @param index 0 to 5
     */
    public int intArgument(int index) {
        return (int) argument(index);
    }
}
