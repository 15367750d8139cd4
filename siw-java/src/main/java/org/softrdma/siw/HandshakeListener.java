// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.siw.mpa.Agreement;

/** Receives the events of a connection's set-up, and its end. Called with the device's lock held; must not block. */
interface HandshakeListener {
    /** Reason of a failed set-up. */
    enum Failure {
        /** The peer's start-up frame was not complete in time. */
        TIMED_OUT,
        /** The peer ended the stream. */
        PEER_LEFT,
        /** The peer's start-up frame violates the protocol. */
        BROKE_RULES,
        /** The application has destroyed the queue pair, or it is not in INIT any more. */
        QP_LOST,
        /** An internal error of ours. */
        FAULT
    }

    /** The request was received: {@link Handshake#accept} or {@link Handshake#reject} must follow, now or later. Responders only. */
    void onRequest(Handshake handshake);

    /** Both sides agreed, and the queue pair is in RTS. The handshake is done. */
    void onAgreed(Handshake handshake, Agreement agreement);

    /** The peer's application rejected the request. Initiators only. */
    void onRejected(Handshake handshake, byte[] privateData);

    /** The set-up failed. Not called after a rejection. */
    void onFailed(Handshake handshake, Failure failure);

    /** The connection that was agreed on has ended. Called once, by the connection itself. */
    void onDisconnected();
}
