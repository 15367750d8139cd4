// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Bits of {@code enum ibv_qp_attr_mask}. {@link QpAttributes} sets them itself; front ends with the C API's masks use them directly. */
public final class QpAttributeMask {
    /** {@link QpAttributes#state}. */
    public static final int STATE = 1;
    /** {@link QpAttributes#curState}. */
    public static final int CUR_STATE = 1 << 1;
    /** {@link QpAttributes#sqdAsyncNotify}. */
    public static final int EN_SQD_ASYNC_NOTIFY = 1 << 2;
    /** {@link QpAttributes#accessFlags}. */
    public static final int ACCESS_FLAGS = 1 << 3;
    /** {@link QpAttributes#pkeyIndex}. */
    public static final int PKEY_INDEX = 1 << 4;
    /** {@link QpAttributes#port}. */
    public static final int PORT = 1 << 5;
    /** {@link QpAttributes#qkey}. */
    public static final int QKEY = 1 << 6;
    /** {@link QpAttributes#addressVector}. */
    public static final int AV = 1 << 7;
    /** {@link QpAttributes#pathMtu}. */
    public static final int PATH_MTU = 1 << 8;
    /** {@link QpAttributes#timeout}. */
    public static final int TIMEOUT = 1 << 9;
    /** {@link QpAttributes#retryCount}. */
    public static final int RETRY_CNT = 1 << 10;
    /** {@link QpAttributes#rnrRetry}. */
    public static final int RNR_RETRY = 1 << 11;
    /** {@link QpAttributes#rqPsn}. */
    public static final int RQ_PSN = 1 << 12;
    /** {@link QpAttributes#maxRdAtomic}. */
    public static final int MAX_QP_RD_ATOMIC = 1 << 13;
    /** Alternate path; no device here has one. */
    public static final int ALT_PATH = 1 << 14;
    /** {@link QpAttributes#minRnrTimer}. */
    public static final int MIN_RNR_TIMER = 1 << 15;
    /** {@link QpAttributes#sqPsn}. */
    public static final int SQ_PSN = 1 << 16;
    /** {@link QpAttributes#maxDestRdAtomic}. */
    public static final int MAX_DEST_RD_ATOMIC = 1 << 17;
    /** State of path migration; no device here has one. */
    public static final int PATH_MIG_STATE = 1 << 18;
    /** Sizes of the queues; no device here changes them. */
    public static final int CAP = 1 << 19;
    /** {@link QpAttributes#destQpn}. */
    public static final int DEST_QPN = 1 << 20;

    private static final String[] NAMES = {
        "STATE", "CUR_STATE", "EN_SQD_ASYNC_NOTIFY", "ACCESS_FLAGS", "PKEY_INDEX", "PORT", "QKEY", "AV", "PATH_MTU", "TIMEOUT",
        "RETRY_CNT", "RNR_RETRY", "RQ_PSN", "MAX_QP_RD_ATOMIC", "ALT_PATH", "MIN_RNR_TIMER", "SQ_PSN", "MAX_DEST_RD_ATOMIC",
        "PATH_MIG_STATE", "CAP", "DEST_QPN"};

    private QpAttributeMask() {
    }

    /**
     * Names the bits that are set.
     *
     * @param mask bits of this class
     * @return comma separated, lowest bit first
     */
    public static String names(int mask) {
        return BitNames.list(mask, ", ", NAMES);
    }
}
