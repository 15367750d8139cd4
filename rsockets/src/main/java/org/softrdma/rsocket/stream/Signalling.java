// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import org.softrdma.verbs.Transport;

/** Way to send a message together with its transfer. */
public enum Signalling {
    /** As immediate data of the RDMA WRITE. */
    IMMEDIATE(1),
    /** In a SEND after the RDMA WRITE: iWARP has no immediate data. */
    SEND(2);

    private final int requests;

    Signalling(int requests) {
        this.requests = requests;
    }

    /**
     * Selects the transport's way.
     *
     * @param transport of the device
     * @return how messages reach the peer
     */
    public static Signalling of(Transport transport) {
        return transport == Transport.IWARP ? SEND : IMMEDIATE;
    }

    /** {@return work requests of one transfer} */
    int requests() {
        return requests;
    }
}
