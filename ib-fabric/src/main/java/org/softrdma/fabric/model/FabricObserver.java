// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import org.softrdma.fabric.mad.ManagementPacket;

/** Watches a fabric. Called with the fabric in the middle of a change: an observer only reads. */
public interface FabricObserver {
    /** A port's state changed, as in {@link org.softrdma.wire.ib.PortInfo}. */
    default void onPortState(FabricPort port, int before, int now) {
    }

    /** A cable was pulled or plugged in. */
    default void onCable(Cable cable) {
    }

    /** A port got another LID. */
    default void onLid(FabricPort port) {
    }

    /** A block of a forwarding table was written. */
    default void onForwarding(FabricSwitch changed) {
    }

    /**
     * A management datagram arrived.
     *
     * @param from port it was sent by
     * @param to   port it was received by
     */
    default void onManagement(ManagementPacket packet, FabricPort from, FabricPort to) {
    }

    /** A packet left by a port. */
    default void onHop(FabricPort from, FabricPort to) {
    }

    /** A packet was dropped. */
    default void onDrop(FabricPort where, FabricCounter reason) {
    }
}
