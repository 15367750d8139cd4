// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The operations of the data path, called through the context's table as the inline functions of {@code infiniband/verbs.h} do: the first
 * argument is the function. Polling reads memory only, so it is called without a change of the thread's state; posting rings a doorbell,
 * with some drivers by a system call, which must not hold up the JVM.
 */
final class DataPath {
    private static final MethodHandle POLL_CQ = Linker.nativeLinker()
        .downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG), Linker.Option.critical(false));
    private static final MethodHandle POST =
        Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle REQ_NOTIFY_CQ =
        Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    private DataPath() {
    }

    /** Returns the number of completions, or a negative number. */
    static int pollCq(MemorySegment function, long cq, int max, long completions) {
        try {
            return (int) POLL_CQ.invokeExact(function, cq, max, completions);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Posts a list to a send, receive or shared receive queue. Returns 0 or an errno value. */
    static int post(MemorySegment function, long queue, long first, long bad) {
        try {
            return (int) POST.invokeExact(function, queue, first, bad);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static int reqNotifyCq(MemorySegment function, long cq, int solicitedOnly) {
        try {
            return (int) REQ_NOTIFY_CQ.invokeExact(function, cq, solicitedOnly);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    private static IllegalStateException impossible(Throwable t) {
        return new IllegalStateException("a native call does not throw", t);
    }
}
