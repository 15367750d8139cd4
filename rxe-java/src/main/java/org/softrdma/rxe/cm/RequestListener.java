// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import org.softrdma.device.cm.RequestVerdict;

/** Told what comes in for a service id, while the owner calls the {@link CommunicationManager}; may be answered from inside, or later. */
public interface RequestListener {
    /**
     * A peer asks for a connection. If taken, the connection waits until {@link Connection#accept} or {@link Connection#reject}, and has
     * been told by {@link Connection#setListener} who wants to know what becomes of it.
     */
    RequestVerdict onRequest(Connection connection);

    /** A peer asks for a queue pair for datagrams. If taken, it waits until {@link SidrRequest#answer}. */
    RequestVerdict onSidrRequest(SidrRequest request);
}
