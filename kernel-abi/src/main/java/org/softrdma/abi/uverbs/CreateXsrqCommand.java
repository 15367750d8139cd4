// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Command CREATE_XSRQ.
 *
 * <p>Source: {@code struct ib_uverbs_create_xsrq}.
 */
public final class CreateXsrqCommand {
    /** Size in bytes. */
    public static final int BYTES = 48;
    /** u64. */
    public static final int RESPONSE_OFFSET = 0;
    /** u64. */
    public static final int USER_HANDLE_OFFSET = 8;
    /** u32. */
    public static final int SRQ_TYPE_OFFSET = 16;
    /** u32. */
    public static final int PD_HANDLE_OFFSET = 20;
    /** u32. */
    public static final int MAX_WR_OFFSET = 24;
    /** u32. */
    public static final int MAX_SGE_OFFSET = 28;
    /** u32. */
    public static final int SRQ_LIMIT_OFFSET = 32;
    /** u32. */
    public static final int MAX_NUM_TAGS_OFFSET = 36;
    /** u32. */
    public static final int XRCD_HANDLE_OFFSET = 40;
    /** u32. */
    public static final int CQ_HANDLE_OFFSET = 44;

    private CreateXsrqCommand() {
    }

    /** Address for the response in the legacy write interface; unused inside the ioctl, where CORE_OUT says it. */
    public static long response(MemorySegment m, long at) {
        return m.get(U64, at + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment m, long at, long value) {
        m.set(U64, at + RESPONSE_OFFSET, value);
    }

    /** Cookie of the library, which events name. */
    public static long userHandle(MemorySegment m, long at) {
        return m.get(U64, at + USER_HANDLE_OFFSET);
    }

    public static void userHandle(MemorySegment m, long at, long value) {
        m.set(U64, at + USER_HANDLE_OFFSET, value);
    }

    /** 0 basic, 1 XRC, 2 tag matching. */
    public static int srqType(MemorySegment m, long at) {
        return m.get(U32, at + SRQ_TYPE_OFFSET);
    }

    public static void srqType(MemorySegment m, long at, int value) {
        m.set(U32, at + SRQ_TYPE_OFFSET, value);
    }

    /** Protection domain. */
    public static int pdHandle(MemorySegment m, long at) {
        return m.get(U32, at + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + PD_HANDLE_OFFSET, value);
    }

    /** Receives. */
    public static int maxWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_WR_OFFSET);
    }

    public static void maxWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_WR_OFFSET, value);
    }

    /** Scatter-gather elements of a receive. */
    public static int maxSge(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SGE_OFFSET);
    }

    public static void maxSge(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SGE_OFFSET, value);
    }

    /** Limit to arm; 0 for none. */
    public static int srqLimit(MemorySegment m, long at) {
        return m.get(U32, at + SRQ_LIMIT_OFFSET);
    }

    public static void srqLimit(MemorySegment m, long at, int value) {
        m.set(U32, at + SRQ_LIMIT_OFFSET, value);
    }

    /** Tags; 0 without tag matching. */
    public static int maxNumTags(MemorySegment m, long at) {
        return m.get(U32, at + MAX_NUM_TAGS_OFFSET);
    }

    public static void maxNumTags(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_NUM_TAGS_OFFSET, value);
    }

    /** XRC domain. */
    public static int xrcdHandle(MemorySegment m, long at) {
        return m.get(U32, at + XRCD_HANDLE_OFFSET);
    }

    public static void xrcdHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + XRCD_HANDLE_OFFSET, value);
    }

    /** Completion queue of XRC receives. */
    public static int cqHandle(MemorySegment m, long at) {
        return m.get(U32, at + CQ_HANDLE_OFFSET);
    }

    public static void cqHandle(MemorySegment m, long at, int value) {
        m.set(U32, at + CQ_HANDLE_OFFSET, value);
    }
}
