// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

import org.softrdma.verbs.QpType;

/** What a port number belongs to ({@code enum rdma_port_space}). Each has its own ports, apart from those of the host's TCP and UDP. */
public enum PortSpace {
    /** Datagrams in the manner of IP over InfiniBand. */
    IPOIB(0x0002, QpType.UD),
    /** Reliable connections. */
    TCP(0x0106, QpType.RC),
    /** Datagrams: a peer's queue pair is looked up, nothing is connected. */
    UDP(0x0111, QpType.UD),
    /** Of any service; reliable connections if nothing else is asked for. */
    IB(0x013f, QpType.RC);

    private final int value;
    private final QpType usualType;

    PortSpace(int value, QpType usualType) {
        this.value = value;
        this.usualType = usualType;
    }

    /** The number the C API uses, which is also on the wire. */
    public int value() {
        return value;
    }

    /** The service of identifiers that are not asked for another. */
    public QpType usualType() {
        return usualType;
    }

    /**
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
