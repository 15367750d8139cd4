// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The operations of the data path, called through the tables of context, completion queue and queue pair as the inline functions of
 * {@code infiniband/verbs.h} do: the first argument is the function. Polling, posting receives and building requests access memory only,
 * so they are called without a change of the thread's state; posting sends rings a doorbell, with some drivers by a system call, which must
 * not hold up the JVM.
 * Drivers lock a queue in some of these calls, or from one to another: callers exclude each other before, for a thread that waits in such
 * a call would hold up the JVM as well.
 */
final class DataPath {
    private static final MethodHandle POLL_CQ = Linker.nativeLinker()
        .downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG), Linker.Option.critical(false));
    private static final MethodHandle POST_RECEIVE = Linker.nativeLinker()
        .downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG), Linker.Option.critical(false));
    private static final MethodHandle POST_SEND =
        Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle REQ_NOTIFY_CQ =
        Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    private static final MethodHandle VOID = critical();
    private static final MethodHandle VOID_INT = critical(JAVA_INT);
    private static final MethodHandle VOID_INT_LONG = critical(JAVA_INT, JAVA_LONG);
    private static final MethodHandle VOID_INT_LONG_INT = critical(JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle VOID_INT_LONG_LONG = critical(JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle VOID_INT_LONG_LONG_LONG = critical(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle VOID_LONG_LONG = critical(JAVA_LONG, JAVA_LONG);
    private static final MethodHandle VOID_LONG_INT_INT = critical(JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle VOID_LONG_INT_LONG = critical(JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final MethodHandle FLUSH = critical(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_BYTE, JAVA_BYTE);
    private static final MethodHandle READ_INT = Linker.nativeLinker()
        .downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG), Linker.Option.critical(false));
    private static final MethodHandle READ_LONG = Linker.nativeLinker()
        .downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG), Linker.Option.critical(false));
    private static final MethodHandle START_POLL = Linker.nativeLinker()
        .downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG), Linker.Option.critical(false));
    private static final MethodHandle COMPLETE = Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

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

    /** Posts a list to a send queue. Returns 0 or an errno value. */
    static int postSend(MemorySegment function, long queue, long first, long bad) {
        try {
            return (int) POST_SEND.invokeExact(function, queue, first, bad);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Posts a list to a receive queue or a shared one. Returns 0 or an errno value. */
    static int postReceive(MemorySegment function, long queue, long first, long bad) {
        try {
            return (int) POST_RECEIVE.invokeExact(function, queue, first, bad);
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

    // ---- completions in place: cq is struct ibv_cq_ex ----

    /** Returns 0, ENOENT, or another errno value. */
    static int startPoll(MemorySegment function, long cq, long attributes) {
        try {
            return (int) START_POLL.invokeExact(function, cq, attributes);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Reads a field of the current completion, or makes the next one current. */
    static int readInt(MemorySegment function, long cq) {
        try {
            return (int) READ_INT.invokeExact(function, cq);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static long readLong(MemorySegment function, long cq) {
        try {
            return (long) READ_LONG.invokeExact(function, cq);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // ---- building requests: the object is struct ibv_qp_ex, its arguments in the order of C ----

    /** Calls a function without arguments; {@code end_poll} is one as well. */
    static void call(MemorySegment function, long object) {
        try {
            VOID.invokeExact(function, object);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static void call(MemorySegment function, long qp, int a) {
        try {
            VOID_INT.invokeExact(function, qp, a);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static void call(MemorySegment function, long qp, int a, long b) {
        try {
            VOID_INT_LONG.invokeExact(function, qp, a, b);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static void call(MemorySegment function, long qp, int a, long b, int c) {
        try {
            VOID_INT_LONG_INT.invokeExact(function, qp, a, b, c);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static void call(MemorySegment function, long qp, int a, long b, long c) {
        try {
            VOID_INT_LONG_LONG.invokeExact(function, qp, a, b, c);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static void call(MemorySegment function, long qp, int a, long b, long c, long d) {
        try {
            VOID_INT_LONG_LONG_LONG.invokeExact(function, qp, a, b, c, d);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static void call(MemorySegment function, long qp, long a, long b) {
        try {
            VOID_LONG_LONG.invokeExact(function, qp, a, b);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static void call(MemorySegment function, long qp, long a, int b, int c) {
        try {
            VOID_LONG_INT_INT.invokeExact(function, qp, a, b, c);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static void call(MemorySegment function, long qp, long a, int b, long c) {
        try {
            VOID_LONG_INT_LONG.invokeExact(function, qp, a, b, c);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    static void flush(MemorySegment function, long qp, int rkey, long address, long length, byte placement, byte selectivity) {
        try {
            FLUSH.invokeExact(function, qp, rkey, address, length, placement, selectivity);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Posts the requests that were built. Returns 0 or an errno value. */
    static int complete(MemorySegment function, long qp) {
        try {
            return (int) COMPLETE.invokeExact(function, qp);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    private static MethodHandle critical(MemoryLayout... arguments) {
        return Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG).appendArgumentLayouts(arguments),
            Linker.Option.critical(false));
    }

    private static IllegalStateException impossible(Throwable t) {
        return new IllegalStateException("a native call does not throw", t);
    }
}
