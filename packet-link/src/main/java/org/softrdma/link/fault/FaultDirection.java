// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

/** Direction of the packets with faults. */
public enum FaultDirection {
    /** Packets that the device sends. */
    TX,
    /** Packets that the device receives. */
    RX,
    BOTH;

    public boolean sends() {
        return this != RX;
    }

    public boolean receives() {
        return this != TX;
    }
}
