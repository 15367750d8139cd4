// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** An identifier's membership of a multicast group, which has a number and a cookie of its own. */
final class UcmMembership {
    private final UcmIdentifier identifier;
    private final InetAddress group;
    private final long uid;
    private final int number;
    private final AtomicInteger eventsReported = new AtomicInteger();

    /**
     * Creates a membership and gives it a number.
     *
     * @param uid the library's cookie
     * @throws org.softrdma.verbs.VerbsException ENOMEM: there are too many
     */
    UcmMembership(UcmIdentifier identifier, InetAddress group, long uid) {
        this.identifier = identifier;
        this.group = group;
        this.uid = uid;
        number = identifier.file().device().memberships().add(this);
    }

    UcmIdentifier identifier() {
        return identifier;
    }

    InetAddress group() {
        return group;
    }

    long uid() {
        return uid;
    }

    int number() {
        return number;
    }

    /** Counts an event that the program has read. */
    void countEvent() {
        eventsReported.incrementAndGet();
    }

    int eventsReported() {
        return eventsReported.get();
    }
}
