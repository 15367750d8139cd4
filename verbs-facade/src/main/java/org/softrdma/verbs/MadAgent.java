// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Sends and receives the management datagrams of one class, at the queue pair 1 of a device's port: what libibumad's agents do. Nothing is
 * repeated and nothing is matched here; requests are told from responses by their method, and belong together by their transaction id. Any
 * thread. Source: IBA vol 1 §13.4, §13.5.
 */
public interface MadAgent extends AutoCloseable {
    /** Bytes of every management datagram. */
    int MAD_BYTES = 256;

    /**
     * One that came in.
     *
     * @param from the sender's GID
     * @param to   the one of ours it was sent to: an answer goes from there
     * @param mad  {@link #MAD_BYTES}, the receiver's; base version and class are right, nothing else was looked at
     */
    record Received(Gid from, Gid to, byte[] mad) {
    }

    /** Management class, u8. */
    int managementClass();

    /**
     * Sends one. It is gone when this returns, and may be lost.
     *
     * @param from one of the port's GIDs
     * @param mad  {@link #MAD_BYTES} of this agent's class, copied
     * @throws VerbsException EINVAL: another length, version or class, or not a GID of ours; ENOMEM: too many wait to be sent;
     *     EHOSTUNREACH, ENETUNREACH: no way there
     */
    void send(Gid from, Gid to, byte[] mad);

    /**
     * Waits for the next one. Of those that nobody takes, 64 are kept; further ones are lost, counted as {@code drop_mad_agent_full}.
     *
     * @param timeoutNs nanoseconds to wait, 0 to look only, negative for ever
     * @return null when the time is over
     * @throws VerbsException EINTR if the thread is interrupted
     */
    Received receive(long timeoutNs);

    /** Ends it; what nobody took is lost. */
    @Override
    void close();
}
