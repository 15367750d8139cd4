// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** States of a queue pair (IBA vol 1 §10.3.1; {@code enum ibv_qp_state}). */
public enum QpState {
    /** Created; nothing can be posted. */
    RESET(0, "RESET"),
    /** Receives can be posted. */
    INIT(1, "INIT"),
    /** Receives packets; nothing is sent but responses. */
    RTR(2, "RTR"),
    /** Receives and sends. */
    RTS(3, "RTS"),
    /** Sends nothing new: the send queue drains, or is drained. */
    SQD(4, "SQD"),
    /** The send queue failed (UC, UD); receives go on. */
    SQE(5, "SQE"),
    /** Failed, or ended: everything posted is flushed. */
    ERR(6, "ERR");

    private static final QpState[] BY_VALUE = byValue();

    private final int value;
    private final String text;

    QpState(int value, String text) {
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
    public static QpState of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
    }

    private static QpState[] byValue() {
        int highest = 0;
        for (QpState each : values()) {
            highest = Math.max(highest, each.value);
        }
        QpState[] table = new QpState[highest + 1];
        for (QpState each : values()) {
            table[each.value] = each;
        }
        return table;
    }
}
