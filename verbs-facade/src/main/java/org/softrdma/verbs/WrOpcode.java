// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Operations of a send work request ({@code enum ibv_wr_opcode}). */
public enum WrOpcode {
    /** Writes into the peer's memory. */
    RDMA_WRITE(0, "RDMA_WRITE"),
    /** Writes into the peer's memory and consumes one of its receives, for four bytes. */
    RDMA_WRITE_WITH_IMM(1, "RDMA_WRITE_WITH_IMM"),
    /** Fills one of the peer's receives. */
    SEND(2, "SEND"),
    /** Fills one of the peer's receives, with four bytes more. */
    SEND_WITH_IMM(3, "SEND_WITH_IMM"),
    /** Reads the peer's memory. */
    RDMA_READ(4, "RDMA_READ"),
    /** Replaces eight bytes of the peer's memory if they have a value. */
    ATOMIC_CMP_AND_SWP(5, "ATOMIC_CMP_AND_SWP"),
    /** Adds to eight bytes of the peer's memory. */
    ATOMIC_FETCH_AND_ADD(6, "ATOMIC_FETCH_AND_ADD"),
    /** Invalidates a key of this side. */
    LOCAL_INV(7, "LOCAL_INV"),
    /** Binds a memory window. */
    BIND_MW(8, "BIND_MW"),
    /** Fills one of the peer's receives, and invalidates one of its keys. */
    SEND_WITH_INV(9, "SEND_WITH_INV"),
    /** Makes earlier WRITEs visible or persistent in the peer's memory. IBA annex A19 */
    FLUSH(14, "FLUSH"),
    /** Writes eight bytes of the peer's memory in one step. IBA annex A19 */
    ATOMIC_WRITE(15, "ATOMIC_WRITE");

    private static final WrOpcode[] BY_VALUE = byValue();

    private final int value;
    private final String text;

    WrOpcode(int value, String text) {
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
