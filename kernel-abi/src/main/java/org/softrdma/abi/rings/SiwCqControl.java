// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Arming of a completion queue, behind the last {@link SiwCompletion}: the program arms without a system call. The device disarms when it
 * raises the event.
 *
 * <p>Source: {@code struct siw_cq_ctrl}.
 */
public final class SiwCqControl {
    /** Size in bytes. */
    public static final int BYTES = 8;
    /** u32. */
    public static final int FLAGS_OFFSET = 0;
    /** Not armed. */
    public static final int NOTIFY_NOT = 0;
    /** Armed for solicited completions and errors. */
    public static final int NOTIFY_SOLICITED = 1;
    /** Armed for the next completion. */
    public static final int NOTIFY_NEXT_COMPLETION = 1 << 1;
    /** Reports whether completions wait already; libsiw does not set it. */
    public static final int NOTIFY_MISSED_EVENTS = 1 << 2;

    private static final VarHandle FLAGS = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private SiwCqControl() {
    }

    /** Bits of NOTIFY_*; a completion whose flags were stored before is visible to a program that arms after this load. */
    public static int flags(MemorySegment m, long at) {
        return (int) FLAGS.getVolatile(m, at + FLAGS_OFFSET);
    }

    /** Stores with a full fence. */
    public static void flags(MemorySegment m, long at, int value) {
        FLAGS.setVolatile(m, at + FLAGS_OFFSET, value);
    }

    /** Disarms, and returns what was armed, in one atomic step. */
    public static int disarm(MemorySegment m, long at) {
        return (int) FLAGS.getAndSet(m, at + FLAGS_OFFSET, NOTIFY_NOT);
    }
}
