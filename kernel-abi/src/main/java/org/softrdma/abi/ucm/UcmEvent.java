// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Event, the answer to GET_EVENT.
 *
 * <p>Source: {@code struct rdma_ucm_event_resp}.
 */
public final class UcmEvent {
    /** Size in bytes. */
    public static final int BYTES = 336;
    /** u64. */
    public static final int UID_OFFSET = 0;
    /** u32. */
    public static final int ID_OFFSET = 8;
    /** u32. */
    public static final int EVENT_OFFSET = 12;
    /** u32. */
    public static final int STATUS_OFFSET = 16;
    /** {@link UcmConnectionParameters}: parameters of connections. */
    public static final int CONNECTION_PARAMETERS_OFFSET = 20;
    /** {@link UcmDatagramParameters}: parameters of datagrams, in the same place. */
    public static final int DATAGRAM_PARAMETERS_OFFSET = 20;
    /** u32. */
    public static final int VENDOR_ID_OFFSET = 328;
    /** u32. */
    public static final int ATTR_MOD_OFFSET = 332;

    private UcmEvent() {
    }

    /** Cookie of the identifier; of the listener in a connection request, of the membership in a multicast event. */
    public static long uid(MemorySegment m, long at) {
        return m.get(U64, at + UID_OFFSET);
    }

    public static void uid(MemorySegment m, long at, long value) {
        m.set(U64, at + UID_OFFSET, value);
    }

    /** Identifier; the new one in a connection request. */
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

    /** 0, a reject reason, or -errno. */
    public static int status(MemorySegment m, long at) {
        return m.get(U32, at + STATUS_OFFSET);
    }

    public static void status(MemorySegment m, long at, int value) {
        m.set(U32, at + STATUS_OFFSET, value);
    }

    /** Enhanced connection establishment: vendor; 0 without. */
    public static int vendorId(MemorySegment m, long at) {
        return m.get(U32, at + VENDOR_ID_OFFSET);
    }

    public static void vendorId(MemorySegment m, long at, int value) {
        m.set(U32, at + VENDOR_ID_OFFSET, value);
    }

    /** Enhanced connection establishment: modifier. */
    public static int attrMod(MemorySegment m, long at) {
        return m.get(U32, at + ATTR_MOD_OFFSET);
    }

    public static void attrMod(MemorySegment m, long at, int value) {
        m.set(U32, at + ATTR_MOD_OFFSET, value);
    }
}
