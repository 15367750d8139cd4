// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

/** Consequences of changes to ports: what the agents of the fabric do. */
interface FabricEvents {
    /**
     * A port's state changed.
     *
     * @param byItself the link did it, and not subnet management
     */
    void onPortState(FabricPort port, int before, boolean byItself);

    /** Subnet management wrote registers of a port. */
    void onRegisters(FabricPort port, PortDevice.Change change);

    /** A port got another LID. */
    void onLid(FabricPort port);

    /** A block of a forwarding table was written. */
    void onForwarding(FabricSwitch changed);
}
