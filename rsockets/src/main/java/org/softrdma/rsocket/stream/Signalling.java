// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import org.softrdma.verbs.Transport;

/** How a message goes with the transfer it is about. */
public enum Signalling {
    /** As immediate data of the RDMA WRITE. */
    IMMEDIATE(1),
    /** In a SEND behind it: iWARP has no immediate data. */
    SEND(2);

    private final int requests;

    Signalling(int requests) {
        this.requests = requests;
    }

    public static Signalling of(Transport transport) {
        return transport == Transport.IWARP ? SEND : IMMEDIATE;
    }

    /** Work requests that a transfer takes. */
    int requests() {
        return requests;
    }
}
