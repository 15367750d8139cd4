// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.siw.mpa.Agreement;

/** Hears how the set-up of a connection goes, and of its end. Called with the device's lock held; does not block. */
interface HandshakeListener {
    /** Why there will be no connection. */
    enum Failure {
        /** The peer said nothing in time. */
        TIMED_OUT,
        /** The peer ended the stream. */
        PEER_LEFT,
        BROKE_RULES,
        /** The application has destroyed the queue pair, or it is not in INIT any more. */
        QP_LOST,
        /** Ours: something was in a state that cannot be. */
        FAULT
    }

    /** The peer asks: {@link Handshake#accept} or {@link Handshake#reject} follows, now or later. Responders only. */
    void onRequest(Handshake handshake);

    /** Both sides agree, and the queue pair is in RTS. */
    void onAgreed(Handshake handshake, Agreement agreement);

    /** The peer's application refused. */
    void onRejected(Handshake handshake, byte[] privateData);

    /** There will be no connection. Not called for one that was refused. */
    void onFailed(Handshake handshake, Failure failure);

    /** The connection that was agreed on is over. Called once, not by the handshake, which is over itself, but by the connection. */
    void onDisconnected();
}
