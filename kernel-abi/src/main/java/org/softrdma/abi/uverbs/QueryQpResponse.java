// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Answer to QUERY_QP.
 *
 * <p>Source: {@code struct ib_uverbs_query_qp_resp}.
 */
public final class QueryQpResponse {
    /** Size in bytes. */
    public static final int BYTES = 128;
    /** {@link QpDestination}: primary path. */
    public static final int DEST_OFFSET = 0;
    /** {@link QpDestination}: alternate path. */
    public static final int ALT_DEST_OFFSET = 32;
    /** u32. */
    public static final int MAX_SEND_WR_OFFSET = 64;
    /** u32. */
    public static final int MAX_RECV_WR_OFFSET = 68;
    /** u32. */
    public static final int MAX_SEND_SGE_OFFSET = 72;
    /** u32. */
    public static final int MAX_RECV_SGE_OFFSET = 76;
    /** u32. */
    public static final int MAX_INLINE_DATA_OFFSET = 80;
    /** u32. */
    public static final int QKEY_OFFSET = 84;
    /** u32. */
    public static final int RQ_PSN_OFFSET = 88;
    /** u32. */
    public static final int SQ_PSN_OFFSET = 92;
    /** u32. */
    public static final int DEST_QP_NUM_OFFSET = 96;
    /** u32. */
    public static final int QP_ACCESS_FLAGS_OFFSET = 100;
    /** u16. */
    public static final int PKEY_INDEX_OFFSET = 104;
    /** u16. */
    public static final int ALT_PKEY_INDEX_OFFSET = 106;
    /** u8. */
    public static final int QP_STATE_OFFSET = 108;
    /** u8. */
    public static final int CUR_QP_STATE_OFFSET = 109;
    /** u8. */
    public static final int PATH_MTU_OFFSET = 110;
    /** u8. */
    public static final int PATH_MIG_STATE_OFFSET = 111;
    /** u8. */
    public static final int SQ_DRAINING_OFFSET = 112;
    /** u8. */
    public static final int MAX_RD_ATOMIC_OFFSET = 113;
    /** u8. */
    public static final int MAX_DEST_RD_ATOMIC_OFFSET = 114;
    /** u8. */
    public static final int MIN_RNR_TIMER_OFFSET = 115;
    /** u8. */
    public static final int PORT_NUM_OFFSET = 116;
    /** u8. */
    public static final int TIMEOUT_OFFSET = 117;
    /** u8. */
    public static final int RETRY_CNT_OFFSET = 118;
    /** u8. */
    public static final int RNR_RETRY_OFFSET = 119;
    /** u8. */
    public static final int ALT_PORT_NUM_OFFSET = 120;
    /** u8. */
    public static final int ALT_TIMEOUT_OFFSET = 121;
    /** u8. */
    public static final int SQ_SIG_ALL_OFFSET = 122;

    private QueryQpResponse() {
    }

    /** Work requests in the send queue. */
    public static int maxSendWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SEND_WR_OFFSET);
    }

    public static void maxSendWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SEND_WR_OFFSET, value);
    }

    /** Receives in the receive queue. */
    public static int maxRecvWr(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RECV_WR_OFFSET);
    }

    public static void maxRecvWr(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RECV_WR_OFFSET, value);
    }

    /** Scatter-gather elements of a send. */
    public static int maxSendSge(MemorySegment m, long at) {
        return m.get(U32, at + MAX_SEND_SGE_OFFSET);
    }

    public static void maxSendSge(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_SEND_SGE_OFFSET, value);
    }

    /** Scatter-gather elements of a receive. */
    public static int maxRecvSge(MemorySegment m, long at) {
        return m.get(U32, at + MAX_RECV_SGE_OFFSET);
    }

    public static void maxRecvSge(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_RECV_SGE_OFFSET, value);
    }

    /** Bytes of inline data. */
    public static int maxInlineData(MemorySegment m, long at) {
        return m.get(U32, at + MAX_INLINE_DATA_OFFSET);
    }

    public static void maxInlineData(MemorySegment m, long at, int value) {
        m.set(U32, at + MAX_INLINE_DATA_OFFSET, value);
    }

    /** Queue key. */
    public static int qkey(MemorySegment m, long at) {
        return m.get(U32, at + QKEY_OFFSET);
    }

    public static void qkey(MemorySegment m, long at, int value) {
        m.set(U32, at + QKEY_OFFSET, value);
    }

    /** Packet sequence number expected next, u24. */
    public static int rqPsn(MemorySegment m, long at) {
        return m.get(U32, at + RQ_PSN_OFFSET);
    }

    public static void rqPsn(MemorySegment m, long at, int value) {
        m.set(U32, at + RQ_PSN_OFFSET, value);
    }

    /** Packet sequence number sent next, u24. */
    public static int sqPsn(MemorySegment m, long at) {
        return m.get(U32, at + SQ_PSN_OFFSET);
    }

    public static void sqPsn(MemorySegment m, long at, int value) {
        m.set(U32, at + SQ_PSN_OFFSET, value);
    }

    /** Number of the peer's queue pair, u24. */
    public static int destQpNum(MemorySegment m, long at) {
        return m.get(U32, at + DEST_QP_NUM_OFFSET);
    }

    public static void destQpNum(MemorySegment m, long at, int value) {
        m.set(U32, at + DEST_QP_NUM_OFFSET, value);
    }

    /** Remote operations allowed. */
    public static int qpAccessFlags(MemorySegment m, long at) {
        return m.get(U32, at + QP_ACCESS_FLAGS_OFFSET);
    }

    public static void qpAccessFlags(MemorySegment m, long at, int value) {
        m.set(U32, at + QP_ACCESS_FLAGS_OFFSET, value);
    }

    /** Index of the partition key. */
    public static int pkeyIndex(MemorySegment m, long at) {
        return m.get(U16, at + PKEY_INDEX_OFFSET) & 0xFFFF;
    }

    public static void pkeyIndex(MemorySegment m, long at, int value) {
        m.set(U16, at + PKEY_INDEX_OFFSET, (short) value);
    }

    /** Index of the partition key of the alternate path. */
    public static int altPkeyIndex(MemorySegment m, long at) {
        return m.get(U16, at + ALT_PKEY_INDEX_OFFSET) & 0xFFFF;
    }

    public static void altPkeyIndex(MemorySegment m, long at, int value) {
        m.set(U16, at + ALT_PKEY_INDEX_OFFSET, (short) value);
    }

    /** State, {@code enum ibv_qp_state}. */
    public static int qpState(MemorySegment m, long at) {
        return m.get(U8, at + QP_STATE_OFFSET) & 0xFF;
    }

    public static void qpState(MemorySegment m, long at, int value) {
        m.set(U8, at + QP_STATE_OFFSET, (byte) value);
    }

    /** State that the queue pair is in, or is expected to be in. */
    public static int curQpState(MemorySegment m, long at) {
        return m.get(U8, at + CUR_QP_STATE_OFFSET) & 0xFF;
    }

    public static void curQpState(MemorySegment m, long at, int value) {
        m.set(U8, at + CUR_QP_STATE_OFFSET, (byte) value);
    }

    /** {@code enum ibv_mtu}. */
    public static int pathMtu(MemorySegment m, long at) {
        return m.get(U8, at + PATH_MTU_OFFSET) & 0xFF;
    }

    public static void pathMtu(MemorySegment m, long at, int value) {
        m.set(U8, at + PATH_MTU_OFFSET, (byte) value);
    }

    /** Path migration, {@code enum ibv_mig_state}. */
    public static int pathMigState(MemorySegment m, long at) {
        return m.get(U8, at + PATH_MIG_STATE_OFFSET) & 0xFF;
    }

    public static void pathMigState(MemorySegment m, long at, int value) {
        m.set(U8, at + PATH_MIG_STATE_OFFSET, (byte) value);
    }

    /** 1 while the send queue drains. */
    public static int sqDraining(MemorySegment m, long at) {
        return m.get(U8, at + SQ_DRAINING_OFFSET) & 0xFF;
    }

    public static void sqDraining(MemorySegment m, long at, int value) {
        m.set(U8, at + SQ_DRAINING_OFFSET, (byte) value);
    }

    /** READs and atomics outstanding as initiator. */
    public static int maxRdAtomic(MemorySegment m, long at) {
        return m.get(U8, at + MAX_RD_ATOMIC_OFFSET) & 0xFF;
    }

    public static void maxRdAtomic(MemorySegment m, long at, int value) {
        m.set(U8, at + MAX_RD_ATOMIC_OFFSET, (byte) value);
    }

    /** READs and atomics outstanding as responder. */
    public static int maxDestRdAtomic(MemorySegment m, long at) {
        return m.get(U8, at + MAX_DEST_RD_ATOMIC_OFFSET) & 0xFF;
    }

    public static void maxDestRdAtomic(MemorySegment m, long at, int value) {
        m.set(U8, at + MAX_DEST_RD_ATOMIC_OFFSET, (byte) value);
    }

    /** Wait that a receiver-not-ready NAK requires, coded, 0..31. */
    public static int minRnrTimer(MemorySegment m, long at) {
        return m.get(U8, at + MIN_RNR_TIMER_OFFSET) & 0xFF;
    }

    public static void minRnrTimer(MemorySegment m, long at, int value) {
        m.set(U8, at + MIN_RNR_TIMER_OFFSET, (byte) value);
    }

    /** Port, from 1. */
    public static int portNum(MemorySegment m, long at) {
        return m.get(U8, at + PORT_NUM_OFFSET) & 0xFF;
    }

    public static void portNum(MemorySegment m, long at, int value) {
        m.set(U8, at + PORT_NUM_OFFSET, (byte) value);
    }

    /** Wait for acknowledgements, 4.096 µs times a power of two; 0 is for ever. */
    public static int timeout(MemorySegment m, long at) {
        return m.get(U8, at + TIMEOUT_OFFSET) & 0xFF;
    }

    public static void timeout(MemorySegment m, long at, int value) {
        m.set(U8, at + TIMEOUT_OFFSET, (byte) value);
    }

    /** Repetitions without an answer, 0..7. */
    public static int retryCnt(MemorySegment m, long at) {
        return m.get(U8, at + RETRY_CNT_OFFSET) & 0xFF;
    }

    public static void retryCnt(MemorySegment m, long at, int value) {
        m.set(U8, at + RETRY_CNT_OFFSET, (byte) value);
    }

    /** Repetitions after receiver-not-ready, 0..7; 7 is without limit. */
    public static int rnrRetry(MemorySegment m, long at) {
        return m.get(U8, at + RNR_RETRY_OFFSET) & 0xFF;
    }

    public static void rnrRetry(MemorySegment m, long at, int value) {
        m.set(U8, at + RNR_RETRY_OFFSET, (byte) value);
    }

    /** Port of the alternate path. */
    public static int altPortNum(MemorySegment m, long at) {
        return m.get(U8, at + ALT_PORT_NUM_OFFSET) & 0xFF;
    }

    public static void altPortNum(MemorySegment m, long at, int value) {
        m.set(U8, at + ALT_PORT_NUM_OFFSET, (byte) value);
    }

    /** Wait for acknowledgements on the alternate path. */
    public static int altTimeout(MemorySegment m, long at) {
        return m.get(U8, at + ALT_TIMEOUT_OFFSET) & 0xFF;
    }

    public static void altTimeout(MemorySegment m, long at, int value) {
        m.set(U8, at + ALT_TIMEOUT_OFFSET, (byte) value);
    }

    /** 1 if every send completes. */
    public static int sqSigAll(MemorySegment m, long at) {
        return m.get(U8, at + SQ_SIG_ALL_OFFSET) & 0xFF;
    }

    public static void sqSigAll(MemorySegment m, long at, int value) {
        m.set(U8, at + SQ_SIG_ALL_OFFSET, (byte) value);
    }
}
