// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

/** Hears how the set-up of a connection goes, and of its end. Called with the device's lock held; does not block. */
interface HandshakeListener {
    /** The peer asks: {@link Handshake#accept} or {@link Handshake#reject} follows, now or later. Responders only. */
    void onRequest(Handshake handshake);

    /** Both sides agree, and the queue pair is in RTS. */
    void onAgreed(Handshake handshake, Agreement agreement);

    /** The peer's application refused. */
    void onRejected(Handshake handshake, byte[] privateData);

    /**
     * There will be no connection: the peer said nothing in time, ended the stream, or broke the rules.
     *
     * @param timedOut it said nothing
     */
    void onFailed(Handshake handshake, boolean timedOut);

    /** A connection that was agreed on is over. Once. */
    void onDisconnected(Handshake handshake);
}
