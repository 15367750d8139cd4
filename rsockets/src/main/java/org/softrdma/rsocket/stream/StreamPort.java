// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

/**
 * The connection below a {@link StreamMachine}. Work requests are executed in the order of these calls, and each completion is reported
 * to {@link StreamMachine#onSent}. The machine has no more work requests outstanding than its {@link StreamSettings} permit.
 */
public interface StreamPort {
    /**
     * Writes bytes of the send ring into the peer's memory, and sends the message.
     *
     * @param offset  in the send ring; bytes beyond its end continue at its start
     * @param length  bytes
     * @param address of the peer's memory
     * @param key     of the peer's memory
     * @param message u32
     */
    void write(int offset, int length, long address, int key, int message);

    /**
     * Writes a target, the free half of the receive ring, into the peer's list, and sends the message.
     *
     * @param offset  of the half in the receive ring
     * @param length  of the half
     * @param address of the entry in the peer's list
     * @param key     of the peer's list
     * @param message u32
     */
    void grant(int offset, int length, long address, int key, int message);

    /**
     * Sends the message alone.
     *
     * @param message u32
     */
    void send(int message);

    /** Posts an empty write without a message: its acknowledgement shows that the peer is alive. */
    void keepAlive();
}
