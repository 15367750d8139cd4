// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Body of WRITE_CM_EVENT, as far as its argument; unions of other events make it longer.
 *
 * <p>Source: {@code struct rdma_ucm_write_cm_event} of Linux 6.17, which Debian 12's headers do not have.
 */
public final class UcmWriteEvent {
    /** Size in bytes up to the argument's end. */
    public static final int BYTES = 24;
    /** u32. */
    public static final int ID_OFFSET = 0;
    /** u32. */
    public static final int EVENT_OFFSET = 8;
    /** u32. */
    public static final int STATUS_OFFSET = 12;
    /** u64. */
    public static final int ARG_OFFSET = 16;

    private UcmWriteEvent() {
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
    }

    /** {@code enum rdma_cm_event_type}. */
    public static int event(MemorySegment m, long at) {
        return m.get(U32, at + EVENT_OFFSET);
    }

    public static void event(MemorySegment m, long at, int value) {
        m.set(U32, at + EVENT_OFFSET, value);
    }

    /** Status that the event reports. */
    public static int status(MemorySegment m, long at) {
        return m.get(U32, at + STATUS_OFFSET);
    }

    public static void status(MemorySegment m, long at, int value) {
        m.set(U32, at + STATUS_OFFSET, value);
    }

    /** Argument that the event delivers unchanged. */
    public static long arg(MemorySegment m, long at) {
        return m.get(U64, at + ARG_OFFSET);
    }

    public static void arg(MemorySegment m, long at, long value) {
        m.set(U64, at + ARG_OFFSET, value);
    }
}
