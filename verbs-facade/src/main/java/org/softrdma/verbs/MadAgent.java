// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Sends and receives the management datagrams of one class, at queue pair 1 of a device's port, like an agent of libibumad. There is no
 * retransmission and no matching here: the method distinguishes requests from responses, the transaction id pairs them. On an InfiniBand
 * subnet the addresses are LIDs, as {@link Gid#ofLid} makes them. Any thread.
 * Source: IBA vol 1 §13.4, §13.5.
 */
public interface MadAgent extends AutoCloseable {
    /** Size of every management datagram in bytes. */
    int MAD_BYTES = 256;

    /**
     * A received datagram.
     *
     * @param from the sender's GID
     * @param to   our GID that it was sent to, and the source of a response
     * @param mad  {@link #MAD_BYTES}, owned by the receiver; base version and class are correct, nothing else was checked
     */
    record Received(Gid from, Gid to, byte[] mad) {
    }

    /** {@return the management class, u8} */
    int managementClass();

    /**
     * Sends a datagram, unreliably: it has left the device when this returns, and may be lost.
     *
     * @param from one of the port's GIDs
     * @param to   GID of the peer
     * @param mad  {@link #MAD_BYTES} of this agent's class, copied
     * @throws VerbsException EINVAL: another length, version or class, or not a GID of this port; ENOMEM: too many are queued;
     *     EHOSTUNREACH, ENETUNREACH: no route
     */
    void send(Gid from, Gid to, byte[] mad);

    /**
     * Waits for the next datagram. At most 64 wait to be received; further ones are lost and counted as {@code drop_mad_agent_full}.
     *
     * @param timeoutNs nanoseconds to wait, 0 to return at once, negative for no limit
     * @return null on timeout
     * @throws VerbsException EINTR if the thread is interrupted
     */
    Received receive(long timeoutNs);

    /** Closes the agent; datagrams not received are lost. */
    @Override
    void close();
}
