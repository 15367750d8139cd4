// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Body of ACCEPT. Libraries before rdma-core 30 send it without the last 8 bytes.
 *
 * <p>Source: {@code struct rdma_ucm_accept}.
 */
public final class UcmAccept {
    /** Size in bytes. */
    public static final int BYTES = 296;
    /** u64. */
    public static final int UID_OFFSET = 0;
    /** {@link UcmConnectionParameters}: parameters. */
    public static final int CONN_PARAM_OFFSET = 8;
    /** u32. */
    public static final int ID_OFFSET = 280;
    /** u32. */
    public static final int VENDOR_ID_OFFSET = 288;
    /** u32. */
    public static final int ATTR_MOD_OFFSET = 292;

    private UcmAccept() {
    }

    /** Cookie of the library for the identifier, from now on. */
    public static long uid(MemorySegment m, long at) {
        return m.get(U64, at + UID_OFFSET);
    }

    public static void uid(MemorySegment m, long at, long value) {
        m.set(U64, at + UID_OFFSET, value);
    }

    /** Identifier of rdma_ucm. */
    public static int id(MemorySegment m, long at) {
        return m.get(U32, at + ID_OFFSET);
    }

    public static void id(MemorySegment m, long at, int value) {
        m.set(U32, at + ID_OFFSET, value);
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
