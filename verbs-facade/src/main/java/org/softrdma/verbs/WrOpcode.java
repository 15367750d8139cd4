// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Operations of a send work request ({@code enum ibv_wr_opcode}). */
public enum WrOpcode {
    RDMA_WRITE(0, "RDMA_WRITE"),
    RDMA_WRITE_WITH_IMM(1, "RDMA_WRITE_WITH_IMM"),
    SEND(2, "SEND"),
    SEND_WITH_IMM(3, "SEND_WITH_IMM"),
    RDMA_READ(4, "RDMA_READ"),
    ATOMIC_CMP_AND_SWP(5, "ATOMIC_CMP_AND_SWP"),
    ATOMIC_FETCH_AND_ADD(6, "ATOMIC_FETCH_AND_ADD"),
    LOCAL_INV(7, "LOCAL_INV"),
    BIND_MW(8, "BIND_MW"),
    SEND_WITH_INV(9, "SEND_WITH_INV"),
    FLUSH(14, "FLUSH"),
    ATOMIC_WRITE(15, "ATOMIC_WRITE");

    private static final WrOpcode[] BY_VALUE = byValue();

    private final int value;
    private final String text;

    WrOpcode(int value, String text) {
        this.value = value;
        this.text = text;
    }

    /** The number the C API uses. */
    public int value() {
        return value;
    }

    /** The text rdma-core's tools print for it. */
    public String text() {
        return text;
    }

    /**
     * @param value a number of the C API
     * @return the constant, or null when the API knows no such number
     */
    public static WrOpcode of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
    }

    private static WrOpcode[] byValue() {
        int highest = 0;
        for (WrOpcode each : values()) {
            highest = Math.max(highest, each.value);
        }
        WrOpcode[] table = new WrOpcode[highest + 1];
        for (WrOpcode each : values()) {
            table[each.value] = each;
        }
        return table;
    }
}
