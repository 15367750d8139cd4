// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;

/** The process that sends and receives packets by a port: what is behind its queue pairs from 1 on. */
public interface PortDevice {
    /** Parts of a port that change. */
    enum Change {
        /** State, LID, LMC, subnet manager or another field of PortInfo. */
        PORT_INFO,
        /** The P_Key table. */
        PKEYS,
        /** The GUID table. */
        GUIDS,
        /** The subnet manager wants clients of subnet administration to register again. */
        CLIENT_REREGISTER
    }

    /**
     * Delivers a packet, LRH to ICRC; the bytes are valid until the call returns.
     *
     * @return false if there was no room for it, and it is lost
     */
    boolean onPacket(ByteBuffer packet, int at, int length);

    /** Registers of the port changed. */
    void onChange(FabricPort port, Change change);
}
