// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** A client, from its EXCHANGE_ID on, and all that it has. */
public final class Client {
    final long id;
    final ByteBuffer owner;
    final long verifier;
    final Map<SessionId, Session> sessions = new HashMap<>();
    /** Opens and locks, by number. */
    final Map<Long, State> states = new HashMap<>();
    /** Whether it has created a session, and so is known to exist. */
    boolean confirmed;
    /** Sequence of its next CREATE_SESSION, u32. */
    int nextCreate = 1;
    /** Result of the last CREATE_SESSION. */
    Session lastCreated;
    /** Whether it claims no more of what it had before the server's restart. */
    boolean reclaimed;
    /** Whether it was removed while a call of it was being executed. */
    boolean removed;
    long renewedNs;

    Client(long id, ByteBuffer owner, long verifier, long nowNs) {
        this.id = id;
        this.owner = owner;
        this.verifier = verifier;
        renewedNs = nowNs;
    }

    public long id() {
        return id;
    }

    boolean isBusy() {
        return sessions.values().stream().anyMatch(Session::isBusy);
    }
}
