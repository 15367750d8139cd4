// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import java.util.List;

/** Work requests and memory of a queue. All buffers are little-endian. */
public interface QueuePort extends QueueHandle {
    /** Posts the receive of a slot. */
    void postReceive(int slot);

    /** Posts an RDMA READ from the host into a buffer; {@link QueueMachine#onRead} reports its completion. */
    void postRead(int slot, int buffer, int length, long address, int key);

    /** Posts an RDMA WRITE from a buffer to the host, which reports nothing. */
    void postWrite(int buffer, int length, long address, int key);

    /**
     * Posts the SEND of a response; {@link QueueMachine#onSent} reports its completion.
     *
     * @param key key of the host to invalidate, if {@code invalidate}
     */
    void postResponse(int response, boolean invalidate, int key);

    /** The capsule that was received into a slot. */
    ByteBuffer capsule(int slot);

    /** Memory of a response. */
    ByteBuffer response(int index);

    /** Addresses at which the host of this queue can reach the subsystem: those of the family that it has connected by, and all others. */
    List<Portal> portals();

    /** A buffer for the data of a command, of the largest transfer's length. */
    ByteBuffer data(int buffer);
}
