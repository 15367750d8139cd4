// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.nio.ByteBuffer;

/**
 * Datagram sockets of one end of ibsim's protocol. Socket 0 is for control messages, the others are for packets. Used by one thread, but
 * for {@link #wakeup}.
 */
interface SimSockets extends AutoCloseable {
    /** Socket of control messages. */
    int CONTROL = 0;

    /** Waits until a datagram may have been received, there may be room again for one that {@link #send} refused, or a wake-up. */
    void await(long timeoutNs);

    /** Ends the current or next {@link #await}. Any thread. */
    void wakeup();

    /**
     * Receives a datagram.
     *
     * @param into overwritten from its beginning
     * @return its length, or -1 if there is none
     */
    int receive(int socket, ByteBuffer into);

    /** Sends a control message of {@link SimControl#LENGTH} bytes to the sender of the last one received, or to the server. */
    void sendControl(ByteBuffer message);

    /**
     * Connects a socket of packets to its peer.
     *
     * @param session what names the peer's socket, as its {@link SimControl#CONNECT} says
     * @throws org.softrdma.verbs.VerbsException there is no such socket
     */
    void connect(int socket, int session);

    /** Result of {@link #send}. */
    enum Sent {
        /** The host has it. */
        YES,
        /** There is no room now. */
        LATER,
        /** The peer is gone. */
        DEAD
    }

    /** Sends a packet of {@link SimPacket#LENGTH} bytes. */
    Sent send(int socket, ByteBuffer packet);

    @Override
    void close();
}
