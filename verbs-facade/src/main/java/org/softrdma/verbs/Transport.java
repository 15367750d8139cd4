// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Transport family of a device ({@code enum ibv_transport_type}). */
public enum Transport {
    /** InfiniBand and RoCE. */
    INFINIBAND(0, "InfiniBand"),
    /** RDMAP over TCP. RFC 5040 */
    IWARP(1, "iWARP");

    private final int value;
    private final String text;

    Transport(int value, String text) {
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
