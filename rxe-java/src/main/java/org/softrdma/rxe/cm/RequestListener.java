// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/** Told what comes in for a service id, while the owner calls the {@link CommunicationManager}; may be answered from inside, or later. */
public interface RequestListener {
    /** What becomes of a request. */
    enum Verdict {
        /** It will be answered. */
        TAKEN,
        /** An application's refusal: REJ with reason 28, SIDR_REP with status 2. */
        REFUSED,
        /** As if it had been lost: the peer will repeat it. */
        DROPPED
    }

    /**
     * A peer asks for a connection. If taken, the connection waits until {@link Connection#accept} or {@link Connection#reject}, and has
     * been told by {@link Connection#setListener} who wants to know what becomes of it.
     */
    Verdict onRequest(Connection connection);

    /** A peer asks for a queue pair for datagrams. If taken, it waits until {@link SidrRequest#answer}. */
    Verdict onSidrRequest(SidrRequest request);
}
