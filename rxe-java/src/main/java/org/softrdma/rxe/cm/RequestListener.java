// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import org.softrdma.cm.RequestVerdict;

/**
 * Receives the requests for a service ID. Called while the owner calls the {@link CommunicationManager}; requests may be answered from
 * inside or later.
 */
public interface RequestListener {
    /**
     * A peer requests a connection. If taken, the connection waits for {@link Connection#accept} or {@link Connection#reject}, and its
     * listener has been set by {@link Connection#setListener}.
     */
    RequestVerdict onRequest(Connection connection);

    /** A peer requests the queue pair of a datagram service. If taken, the request waits for {@link SidrRequest#answer}. */
    RequestVerdict onSidrRequest(SidrRequest request);
}
