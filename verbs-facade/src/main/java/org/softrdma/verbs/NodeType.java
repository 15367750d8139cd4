// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Kind of node ({@code enum ibv_node_type}). */
public enum NodeType {
    /** A channel adapter: InfiniBand and RoCE. */
    CA(1, "InfiniBand channel adapter"),
    /** An iWARP adapter. */
    RNIC(4, "iWARP NIC");

    private final int value;
    private final String text;

    NodeType(int value, String text) {
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
