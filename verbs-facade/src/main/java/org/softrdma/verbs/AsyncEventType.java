// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Unaffiliated and affiliated asynchronous events ({@code enum ibv_event_type}; texts of {@code ibv_event_type_str}). */
public enum AsyncEventType {
    /** A completion queue overran; its queue pairs are in ERR. */
    CQ_ERR(0, "CQ error"),
    /** A queue pair failed without a work request to report it. */
    QP_FATAL(1, "local work queue catastrophic error"),
    /** A peer's invalid request put a queue pair into ERR. */
    QP_REQ_ERR(2, "invalid request local work queue error"),
    /** A peer's request without the right to memory put a queue pair into ERR. */
    QP_ACCESS_ERR(3, "local access violation work queue error"),
    /** The first packet arrived at a queue pair in RTR. */
    COMM_EST(4, "communication established"),
    /** A send queue in SQD has no more work in flight. */
    SQ_DRAINED(5, "send queue drained"),
    /** A queue pair moved to its alternate path. */
    PATH_MIG(6, "path migrated"),
    /** A queue pair could not move to its alternate path. */
    PATH_MIG_ERR(7, "path migration request error"),
    /** The device is gone: every further call fails with EIO. */
    DEVICE_FATAL(8, "local catastrophic error"),
    /** A port can be used. */
    PORT_ACTIVE(9, "port active"),
    /** A port cannot be used: its interface is down or without carrier. */
    PORT_ERR(10, "port error"),
    /** A port's LID changed. */
    LID_CHANGE(11, "LID change"),
    /** A port's table of P_Keys changed. */
    PKEY_CHANGE(12, "P_Key change"),
    /** Another subnet manager manages the port. */
    SM_CHANGE(13, "SM change"),
    /** A shared receive queue failed. */
    SRQ_ERR(14, "SRQ catastrophic error"),
    /** A shared receive queue has fewer receives than its armed limit; the limit is disarmed. */
    SRQ_LIMIT_REACHED(15, "SRQ limit reached"),
    /** A queue pair in ERR takes no more receives from its shared receive queue. */
    QP_LAST_WQE_REACHED(16, "last WQE reached"),
    /** The subnet manager requests that subscriptions be renewed. */
    CLIENT_REREGISTER(17, "client reregistration"),
    /** A port's table of GIDs changed. */
    GID_CHANGE(18, "GID table change"),
    /** A work queue of packets failed; no device here has them. */
    WQ_FATAL(19, "WQ fatal");

    private static final AsyncEventType[] BY_VALUE = byValue();

    private final int value;
    private final String text;

    AsyncEventType(int value, String text) {
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
    public static AsyncEventType of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
    }

    private static AsyncEventType[] byValue() {
        int highest = 0;
        for (AsyncEventType each : values()) {
            highest = Math.max(highest, each.value);
        }
        AsyncEventType[] table = new AsyncEventType[highest + 1];
        for (AsyncEventType each : values()) {
            table[each.value] = each;
        }
        return table;
    }
}
