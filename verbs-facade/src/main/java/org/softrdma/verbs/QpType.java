// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Transport services ({@code enum ibv_qp_type}). */
public enum QpType {
    /** Reliable connection. */
    RC(2, "RC"),
    /** Unreliable connection. */
    UC(3, "UC"),
    /** Unreliable datagram. */
    UD(4, "UD"),
    /** Sends to shared receive queues of an {@link XrcDomain} through a target, and receives nothing. */
    XRC_SEND(9, "XRC_INI"),
    /** The target of an XRC_SEND queue pair: see {@link XrcDomain#createTarget}. */
    XRC_RECV(10, "XRC_TGT");

    private static final QpType[] BY_VALUE = byValue();

    private final int value;
    private final String text;

    QpType(int value, String text) {
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
    public static QpType of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
    }

    /**
     * Looks whether a set contains this service ({@code is_qpt_supported}).
     *
     * @param services one bit for each number
     * @return whether its bit is set
     */
    public boolean isIn(int services) {
        return (services & 1 << value) != 0;
    }

    private static QpType[] byValue() {
        int highest = 0;
        for (QpType each : values()) {
            highest = Math.max(highest, each.value);
        }
        QpType[] table = new QpType[highest + 1];
        for (QpType each : values()) {
            table[each.value] = each;
        }
        return table;
    }
}
