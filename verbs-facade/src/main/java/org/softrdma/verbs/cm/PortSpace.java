// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import org.softrdma.verbs.QpType;

/** Name space of port numbers ({@code enum rdma_port_space}). Its ports are independent of those of the host's TCP and UDP. */
public enum PortSpace {
    /** Datagrams in the manner of IP over InfiniBand. */
    IPOIB(0x0002, QpType.UD),
    /** Reliable connections. */
    TCP(0x0106, QpType.RC),
    /** Datagrams: the peer's queue pair is resolved, without a connection. */
    UDP(0x0111, QpType.UD),
    /** Any service; reliable connections unless another is requested. */
    IB(0x013f, QpType.RC);

    private final int value;
    private final QpType usualType;

    PortSpace(int value, QpType usualType) {
        this.value = value;
        this.usualType = usualType;
    }

    /** {@return the number the C API uses, which is also on the wire} */
    public int value() {
        return value;
    }

    /** {@return the service of identifiers that request no other} */
    public QpType usualType() {
        return usualType;
    }

    /**
     * Finds a constant by its number.
     *
     * @param value a number of the C API
     * @return the constant, or null when the API knows no such number
     */
    public static PortSpace of(int value) {
        for (PortSpace each : values()) {
            if (each.value == value) {
                return each;
            }
        }
        return null;
    }
}
