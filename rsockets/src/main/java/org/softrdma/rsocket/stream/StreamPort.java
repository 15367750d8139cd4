// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

/**
 * What a {@link StreamMachine} asks of the connection beneath it. Everything goes out in the order it was asked for, and
 * {@link StreamMachine#onSent} hears of each work request when it is complete; the machine asks for no more than its
 * {@link StreamSettings} say.
 */
public interface StreamPort {
    /**
     * Writes bytes of the send ring into the peer's memory, and tells the message.
     *
     * @param offset in the send ring; what is beyond its end goes on at its beginning
     */
    void write(int offset, int length, long address, int key, int message);

    /**
     * Writes a target, this end's half of the receive ring that is free, into the peer's list, and tells the message.
     *
     * @param offset in the receive ring, of the half
     * @param length of the half
     */
    void grant(int offset, int length, long address, int key, int message);

    /** Tells the message. */
    void tell(int message);

    /** Writes nothing, for the sake of the acknowledgement; nobody is told. */
    void keepAlive();
}
