// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Encapsulation of a GID's packets ({@code enum ibv_gid_type}); the text is that of the kernel's {@code gid_attrs/types}. */
public enum GidType {
    /** InfiniBand. */
    IB(0, "IB"),
    /** RoCE in Ethernet frames of its own type. IBA annex A16 */
    ROCE_V1(1, "IB/RoCE v1"),
    /** RoCE in UDP datagrams. IBA annex A17 */
    ROCE_V2(2, "RoCE v2");

    private final int value;
    private final String text;

    GidType(int value, String text) {
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
}
