// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import org.softrdma.fabric.mad.ManagementPacket;

/** Software that receives management datagrams at a port: a subnet manager, or a tool. */
public interface MadClient {
    /**
     * Whether a datagram that reached the port is this client's: an answer to a request of its own, or a request of a class that it
     * serves.
     */
    boolean accepts(ManagementPacket packet);

    /** Delivers a datagram that it accepts. */
    void deliver(ManagementPacket packet);
}
