// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import org.softrdma.verbs.VerbsException;

/**
 * A change of state of a child process, as waitpid(2) reports it.
 *
 * @param kind   kind of the change
 * @param number exit status, or the signal that ended or stopped the child; 0 if it continued
 */
public record ChildStatus(Kind kind, int number) {
    private static final int UNTRACED_AND_CONTINUED = 2 | 8;
    private static final int STOPPED_BYTE = 0x7f;
    private static final int CONTINUED_WORD = 0xffff;

    private static final MethodHandle WAITPID =
        CLibrary.function("waitpid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

    /** Kinds of changes. */
    public enum Kind {
        EXITED,
        /** Ended by a signal. */
        KILLED,
        /** Stopped by a signal: the child still exists. */
        STOPPED,
        CONTINUED;

        /** Whether the child is no more. */
        public boolean isEnd() {
            return this == EXITED || this == KILLED;
        }
    }

    /**
     * Waits for the next change of state.
     *
     * @param pid a child of this process that was not waited for
     * @throws VerbsException ECHILD as EIO: there is no such child
     */
    public static ChildStatus await(int pid) {
        CLibrary library = CLibrary.current();
        int result;
        do {
            try {
                result = library.result((int) WAITPID.invokeExact(library.state, pid, library.small, UNTRACED_AND_CONTINUED));
            } catch (Throwable t) {
                throw CLibrary.impossible(t);
            }
        } while (result == -CLibrary.EINTR);
        CLibrary.check(result, "run", "waitpid for process " + pid);
        return of(library.small.get(JAVA_INT, 0));
    }

    /** Decodes the status word: the macros of {@code sys/wait.h}. */
    static ChildStatus of(int status) {
        int signal = status & 0x7f;
        int upper = status >> 8 & 0xff;
        if (signal == 0) {
            return new ChildStatus(Kind.EXITED, upper);
        }
        if (status == CONTINUED_WORD) {
            return new ChildStatus(Kind.CONTINUED, 0);
        }
        return signal == STOPPED_BYTE ? new ChildStatus(Kind.STOPPED, upper) : new ChildStatus(Kind.KILLED, signal);
    }
}
