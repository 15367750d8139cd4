// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

/** Which packets of a device have faults. */
public enum FaultDirection {
    /** Those it sends. */
    TX,
    /** Those it receives. */
    RX,
    BOTH;

    public boolean sends() {
        return this != RX;
    }

    public boolean receives() {
        return this != TX;
    }
}
