// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Logical state of a port ({@code enum ibv_port_state}). */
public enum PortState {
    /** No change; not a state of a port. */
    NOP(0, "NOP"),
    /** The interface is down, or without carrier. */
    DOWN(1, "DOWN"),
    /** The link is up, and the port not yet configured by a subnet manager. */
    INIT(2, "INIT"),
    /** Configured, and about to be active. */
    ARMED(3, "ARMED"),
    /** Packets can be sent and received. */
    ACTIVE(4, "ACTIVE"),
    /** Active, while the link is down for a moment. */
    ACTIVE_DEFER(5, "ACTIVE_DEFER");

    private static final PortState[] BY_VALUE = byValue();

    private final int value;
    private final String text;

    PortState(int value, String text) {
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
    public static PortState of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
    }

    private static PortState[] byValue() {
        int highest = 0;
        for (PortState each : values()) {
            highest = Math.max(highest, each.value);
        }
        PortState[] table = new PortState[highest + 1];
        for (PortState each : values()) {
            table[each.value] = each;
        }
        return table;
    }
}
