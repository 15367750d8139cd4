// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Outcome of a work request ({@code enum ibv_wc_status}); the text is {@code ibv_wc_status_str}'s. */
public enum WcStatus {
    /** The operation was executed. */
    SUCCESS(0, "success"),
    /** A message longer than its receive, or a length that the operation does not have. */
    LOC_LEN_ERR(1, "local length error"),
    /** The queue pair cannot execute the operation: no READ depth, a key that cannot be invalidated. */
    LOC_QP_OP_ERR(2, "local QP operation error"),
    /** Of reliable datagrams, which no device here has. */
    LOC_EEC_OP_ERR(3, "local EE context operation error"),
    /** Local memory: the lkey is unknown, of another protection domain, without the right, or does not cover the element. */
    LOC_PROT_ERR(4, "local protection error"),
    /** Not executed: the queue pair was in ERR, or went there. The first completion that failed has the cause. */
    WR_FLUSH_ERR(5, "Work Request Flushed Error"),
    /** A memory window could not be bound. */
    MW_BIND_ERR(6, "memory management operation error"),
    /** A response that does not fit the request: the peer violates the protocol. */
    BAD_RESP_ERR(7, "bad response error"),
    /** The peer's request was not permitted here: a key that it cannot invalidate. */
    LOC_ACCESS_ERR(8, "local access error"),
    /** The peer refused the request as invalid: an operation it does not have, or a message longer than its receive. */
    REM_INV_REQ_ERR(9, "remote invalid request error"),
    /** The peer refused access to its memory: rkey, range or rights. */
    REM_ACCESS_ERR(10, "remote access error"),
    /** The peer could not complete the request: its own error. */
    REM_OP_ERR(11, "remote operation error"),
    /** No acknowledgement after timeout and retries: the peer is gone, unreachable, or not ready. */
    RETRY_EXC_ERR(12, "transport retry counter exceeded"),
    /** The peer posted no receive in time. */
    RNR_RETRY_EXC_ERR(13, "RNR retry counter exceeded"),
    /** Of reliable datagrams, which no device here has. */
    LOC_RDD_VIOL_ERR(14, "local RDD violation error"),
    /** Of reliable datagrams, which no device here has. */
    REM_INV_RD_REQ_ERR(15, "remote invalid RD request"),
    /** The peer aborted the operation. */
    REM_ABORT_ERR(16, "aborted error"),
    /** Of reliable datagrams, which no device here has. */
    INV_EECN_ERR(17, "invalid EE context number"),
    /** Of reliable datagrams, which no device here has. */
    INV_EEC_STATE_ERR(18, "invalid EE context state"),
    /** The device failed. */
    FATAL_ERR(19, "fatal error"),
    /** No response in time. */
    RESP_TIMEOUT_ERR(20, "response timeout error"),
    /** Another error; the vendor error says more. */
    GENERAL_ERR(21, "general error"),
    /** Of tag matching, which no device here has. */
    TM_ERR(22, "TM error"),
    /** Of tag matching, which no device here has. */
    TM_RNDV_INCOMPLETE(23, "TM software rendezvous");

    private static final WcStatus[] BY_VALUE = byValue();

    private final int value;
    private final String text;

    WcStatus(int value, String text) {
        this.value = value;
        this.text = text;
    }

    /** {@return the number the C API uses} */
    public int value() {
        return value;
    }

    /** {@return the text rdma-core's tools print for it} */
    public String text() {
        return text;
    }

    /**
     * Finds a constant by its number.
     *
     * @param value a number of the C API
     * @return the constant, or null when the API knows no such number
     */
    public static WcStatus of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
    }

    private static WcStatus[] byValue() {
        int highest = 0;
        for (WcStatus each : values()) {
            highest = Math.max(highest, each.value);
        }
        WcStatus[] table = new WcStatus[highest + 1];
        for (WcStatus each : values()) {
            table[each.value] = each;
        }
        return table;
    }
}
