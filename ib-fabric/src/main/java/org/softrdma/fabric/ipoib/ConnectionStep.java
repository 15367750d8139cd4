// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;

/** A step of connection management that an interface in connected mode wants to be done. */
public sealed interface ConnectionStep {
    /** Number of the connection, from 1. */
    int connection();

    /**
     * Makes a queue pair and requests a connection.
     *
     * @param path        PathRecord, from offset 0
     * @param serviceId   of the peer, u64
     * @param privateData of the REQ
     */
    record Connect(int connection, ByteBuffer path, long serviceId, byte[] privateData) implements ConnectionStep {
    }

    /** Ends a connection in any state, and closes its queue pair. */
    record Close(int connection) implements ConnectionStep {
    }
}
