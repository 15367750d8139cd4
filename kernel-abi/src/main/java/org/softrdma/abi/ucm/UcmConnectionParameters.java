// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Parameters of a connection in CONNECT, ACCEPT and events.
 *
 * <p>Source: {@code struct rdma_ucm_conn_param}.
 */
public final class UcmConnectionParameters {
    /** Size in bytes. */
    public static final int BYTES = 272;
    /** u32. */
    public static final int QP_NUM_OFFSET = 0;
    /** u32. */
    public static final int QKEY_OFFSET = 4;
    /** 256 bytes: private data; the valid part comes first. */
    public static final int PRIVATE_DATA_OFFSET = 8;
    /** u8. */
    public static final int PRIVATE_DATA_LEN_OFFSET = 264;
    /** u8. */
    public static final int SRQ_OFFSET = 265;
    /** u8. */
    public static final int RESPONDER_RESOURCES_OFFSET = 266;
    /** u8. */
    public static final int INITIATOR_DEPTH_OFFSET = 267;
    /** u8. */
    public static final int FLOW_CONTROL_OFFSET = 268;
    /** u8. */
    public static final int RETRY_COUNT_OFFSET = 269;
    /** u8. */
    public static final int RNR_RETRY_COUNT_OFFSET = 270;
    /** u8. */
    public static final int VALID_OFFSET = 271;

    private UcmConnectionParameters() {
    }

    /** Queue pair number, u24: the sender's own. */
    public static int qpNum(MemorySegment m, long at) {
        return m.get(U32, at + QP_NUM_OFFSET);
    }

    public static void qpNum(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_NUM_OFFSET, value);
    }

    /** Queue key of datagrams. */
    public static int qkey(MemorySegment m, long at) {
        return m.get(U32, at + QKEY_OFFSET);
    }

    public static void qkey(MemorySegment m, long at, int value) {
        m.set(U32, at + QKEY_OFFSET, value);
    }

    /** Bytes of private data that are valid. */
    public static int privateDataLen(MemorySegment m, long at) {
        return m.get(U8, at + PRIVATE_DATA_LEN_OFFSET) & 0xFF;
    }

    public static void privateDataLen(MemorySegment m, long at, int value) {
        m.set(U8, at + PRIVATE_DATA_LEN_OFFSET, (byte) value);
    }

    /** 1 if the queue pair has a shared receive queue. */
    public static int srq(MemorySegment m, long at) {
        return m.get(U8, at + SRQ_OFFSET) & 0xFF;
    }

    public static void srq(MemorySegment m, long at, int value) {
        m.set(U8, at + SRQ_OFFSET, (byte) value);
    }

    /** READs and atomics that this side accepts at once. */
    public static int responderResources(MemorySegment m, long at) {
        return m.get(U8, at + RESPONDER_RESOURCES_OFFSET) & 0xFF;
    }

    public static void responderResources(MemorySegment m, long at, int value) {
        m.set(U8, at + RESPONDER_RESOURCES_OFFSET, (byte) value);
    }

    /** READs and atomics that this side starts at once. */
    public static int initiatorDepth(MemorySegment m, long at) {
        return m.get(U8, at + INITIATOR_DEPTH_OFFSET) & 0xFF;
    }

    public static void initiatorDepth(MemorySegment m, long at, int value) {
        m.set(U8, at + INITIATOR_DEPTH_OFFSET, (byte) value);
    }

    /** 1 if end-to-end flow control is wanted. */
    public static int flowControl(MemorySegment m, long at) {
        return m.get(U8, at + FLOW_CONTROL_OFFSET) & 0xFF;
    }

    public static void flowControl(MemorySegment m, long at, int value) {
        m.set(U8, at + FLOW_CONTROL_OFFSET, (byte) value);
    }

    /** Repetitions without an answer, 0..7. */
    public static int retryCount(MemorySegment m, long at) {
        return m.get(U8, at + RETRY_COUNT_OFFSET) & 0xFF;
    }

    public static void retryCount(MemorySegment m, long at, int value) {
        m.set(U8, at + RETRY_COUNT_OFFSET, (byte) value);
    }

    /** Repetitions after receiver-not-ready, 0..7. */
    public static int rnrRetryCount(MemorySegment m, long at) {
        return m.get(U8, at + RNR_RETRY_COUNT_OFFSET) & 0xFF;
    }

    public static void rnrRetryCount(MemorySegment m, long at, int value) {
        m.set(U8, at + RNR_RETRY_COUNT_OFFSET, (byte) value);
    }

    /** 0 in the ACCEPT of the active side, which has no parameters: it only answers the peer's reply. */
    public static int valid(MemorySegment m, long at) {
        return m.get(U8, at + VALID_OFFSET) & 0xFF;
    }

    public static void valid(MemorySegment m, long at, int value) {
        m.set(U8, at + VALID_OFFSET, (byte) value);
    }
}
