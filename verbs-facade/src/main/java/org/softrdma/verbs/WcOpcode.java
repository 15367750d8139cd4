// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Completed operation ({@code enum ibv_wc_opcode}); valid on success only. */
public enum WcOpcode {
    /** A SEND was acknowledged. */
    SEND(0, "SEND"),
    /** A WRITE was acknowledged. */
    RDMA_WRITE(1, "RDMA_WRITE"),
    /** The data of a READ are there. */
    RDMA_READ(2, "RDMA_READ"),
    /** The old value of a compare-and-swap is there. */
    COMP_SWAP(3, "COMP_SWAP"),
    /** The old value of a fetch-and-add is there. */
    FETCH_ADD(4, "FETCH_ADD"),
    /** A window is bound. */
    BIND_MW(5, "BIND_MW"),
    /** A key is invalid. */
    LOCAL_INV(6, "LOCAL_INV"),
    /** A FLUSH was confirmed. */
    FLUSH(8, "FLUSH"),
    /** An ATOMIC WRITE was confirmed. */
    ATOMIC_WRITE(9, "ATOMIC_WRITE"),
    /** A SEND filled a receive. */
    RECV(128, "RECV"),
    /** A WRITE with immediate data consumed a receive; the data are where the peer wrote them. */
    RECV_RDMA_WITH_IMM(129, "RECV_RDMA_WITH_IMM");

    private static final WcOpcode[] BY_VALUE = byValue();

    private final int value;
    private final String text;

    WcOpcode(int value, String text) {
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
    public static WcOpcode of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
    }

    private static WcOpcode[] byValue() {
        int highest = 0;
        for (WcOpcode each : values()) {
            highest = Math.max(highest, each.value);
        }
        WcOpcode[] table = new WcOpcode[highest + 1];
        for (WcOpcode each : values()) {
            table[each.value] = each;
        }
        return table;
    }
}
