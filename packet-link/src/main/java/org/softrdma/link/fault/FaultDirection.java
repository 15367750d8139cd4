// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

/** Direction of the packets with faults. */
public enum FaultDirection {
    /** Packets that the device sends. */
    TX,
    /** Packets that the device receives. */
    RX,
    /** Packets of both directions. */
    BOTH;

    /** {@return whether packets that the device sends have faults} */
    public boolean sends() {
        return this != RX;
    }

    /** {@return whether packets that the device receives have faults} */
    public boolean receives() {
        return this != TX;
    }
}
