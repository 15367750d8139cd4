// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Clients, their sessions and leases. One thread at a time. A client whose lease has run out keeps its state for as long as it is in
 * nobody's way: until another client needs what it has opened or locked, the table is full, or an hour has passed.
 *
 * <p>Source: RFC 8881, sections 2.4, 2.10, 8.3, 8.4.
 */
public final class Clients {
    static final int MAX_CLIENTS = 1024;
    static final int MAX_SESSIONS = 4;
    static final long COURTESY_NS = 3_600_000_000_000L;

    private final int boot;
    private final long leaseNs;
    private final long graceEndNs;
    private final ChannelAttributes limits;
    private final Map<Long, Client> clients = new HashMap<>();
    private final Map<SessionId, Session> sessions = new HashMap<>();
    private final List<Watcher> watchers = new ArrayList<>();
    private int lastClient;
    private long lastSession;
    private long lastState;

    /** Is notified of clients whose state is gone. */
    interface Watcher {
        void onRemoved(Client client);
    }

    /** Outcome of EXCHANGE_ID. */
    public record Exchanged(long clientId, int nextCreate, boolean confirmed) {
    }

    /** A call in its session; {@code replay} is not null if it was executed before. */
    public record Started(Session session, byte[] replay) {
    }

    /**
     * @param boot       another one for each start, u32, not 0 or all ones
     * @param graceEndNs until when clients may claim what they had before the start
     */
    public Clients(int boot, ChannelAttributes limits, long leaseNs, long graceEndNs) {
        this.boot = boot;
        this.limits = limits;
        this.leaseNs = leaseNs;
        this.graceEndNs = graceEndNs;
    }

    void watch(Watcher watcher) {
        watchers.add(watcher);
    }

    // ---- clients ----

    /**
     * Makes a client known, or finds it.
     *
     * @param verifier another one for each start of the client, u64
     * @param update   whether it must be known
     * @throws Nfs4Exception NOENT, NOT_SAME; DELAY: there are too many
     */
    public Exchanged exchangeId(byte[] owner, long verifier, boolean update, long nowNs) throws Nfs4Exception {
        forgetAbsent(nowNs);
        ByteBuffer key = ByteBuffer.wrap(owner);
        Client confirmed = find(key, true);
        if (update) {
            if (confirmed == null) {
                throw new Nfs4Exception(Nfs4Status.NOENT);
            }
            if (confirmed.verifier != verifier) {
                throw new Nfs4Exception(Nfs4Status.NOT_SAME);
            }
        } else if (confirmed == null || confirmed.verifier != verifier) {
            Client unconfirmed = find(key, false);
            if (unconfirmed != null) {
                remove(unconfirmed);
            }
            if (clients.size() >= MAX_CLIENTS) {
                throw new Nfs4Exception(Nfs4Status.DELAY);
            }
            Client added = new Client((long) boot << 32 | ++lastClient & 0xffffffffL, key, verifier, nowNs);
            clients.put(added.id, added);
            return new Exchanged(added.id, added.nextCreate, false);
        }
        confirmed.renewedNs = nowNs;
        return new Exchanged(confirmed.id, confirmed.nextCreate, true);
    }

    private Client find(ByteBuffer owner, boolean confirmed) {
        for (Client each : clients.values()) {
            if (each.confirmed == confirmed && each.owner.equals(owner)) {
                return each;
            }
        }
        return null;
    }

    private void forgetAbsent(long nowNs) {
        boolean full = clients.size() >= MAX_CLIENTS;
        for (Client each : List.copyOf(clients.values())) {
            if (hasLapsed(each, nowNs) && (full || !each.confirmed || nowNs - each.renewedNs > COURTESY_NS)) {
                remove(each);
            }
        }
    }

    /** Whether a client's lease has run out. */
    boolean hasLapsed(Client client, long nowNs) {
        return nowNs - client.renewedNs > leaseNs && !client.isBusy();
    }

    void remove(Client client) {
        clients.remove(client.id);
        sessions.keySet().removeAll(client.sessions.keySet());
        watchers.forEach(each -> each.onRemoved(client));
        client.states.clear();
        client.removed = true;
    }

    /** @throws Nfs4Exception STALE_CLIENTID, CLIENTID_BUSY */
    public void destroyClient(long id) throws Nfs4Exception {
        Client client = client(id);
        if (!client.sessions.isEmpty() || !client.states.isEmpty()) {
            throw new Nfs4Exception(Nfs4Status.CLIENTID_BUSY);
        }
        remove(client);
    }

    private Client client(long id) throws Nfs4Exception {
        Client client = clients.get(id);
        if (client == null) {
            throw new Nfs4Exception(Nfs4Status.STALE_CLIENTID);
        }
        return client;
    }

    // ---- sessions ----

    /**
     * Creates a session. The client's first one confirms it, which ends an earlier start of it.
     *
     * @throws Nfs4Exception STALE_CLIENTID, SEQ_MISORDERED, INVAL; DELAY: it has too many
     */
    public Session createSession(long id, int sequence, ChannelAttributes wanted, long nowNs) throws Nfs4Exception {
        Client client = client(id);
        if (sequence == client.nextCreate - 1 && client.lastCreated != null) {
            return client.lastCreated;
        }
        if (sequence != client.nextCreate) {
            throw new Nfs4Exception(Nfs4Status.SEQ_MISORDERED);
        }
        if (wanted.maxRequests() == 0 || wanted.maxOperations() == 0) {
            throw new Nfs4Exception(Nfs4Status.INVAL);
        }
        if (client.sessions.size() >= MAX_SESSIONS) {
            throw new Nfs4Exception(Nfs4Status.DELAY);
        }
        if (!client.confirmed) {
            Client earlier = find(client.owner, true);
            if (earlier != null) {
                remove(earlier);
            }
            client.confirmed = true;
        }
        client.nextCreate++;
        client.renewedNs = nowNs;
        Session session = new Session(new SessionId(client.id, ++lastSession), client, wanted.within(limits), sequence);
        client.sessions.put(session.id, session);
        client.lastCreated = session;
        sessions.put(session.id, session);
        return session;
    }

    /** @throws Nfs4Exception BADSESSION; DELAY: calls are under way in it */
    public void destroySession(SessionId id) throws Nfs4Exception {
        Session session = session(id);
        if (session.isBusy()) {
            throw new Nfs4Exception(Nfs4Status.DELAY);
        }
        sessions.remove(id);
        session.client.sessions.remove(id);
    }

    /** @throws Nfs4Exception BADSESSION */
    public Session session(SessionId id) throws Nfs4Exception {
        Session session = sessions.get(id);
        if (session == null) {
            throw new Nfs4Exception(Nfs4Status.BADSESSION);
        }
        return session;
    }

    /** Begins a call and renews the client's lease. See {@link Session#begin}. */
    public Started begin(SessionId id, int slot, int sequence, long nowNs) throws Nfs4Exception {
        Session session = session(id);
        session.client.renewedNs = nowNs;
        return new Started(session, session.begin(slot, sequence));
    }

    // ---- state ----

    /** @throws Nfs4Exception COMPLETE_ALREADY */
    public void reclaimComplete(Client client) throws Nfs4Exception {
        if (client.reclaimed) {
            throw new Nfs4Exception(Nfs4Status.COMPLETE_ALREADY);
        }
        client.reclaimed = true;
    }

    boolean isGrace(long nowNs) {
        return nowNs - graceEndNs < 0;
    }

    /** @throws Nfs4Exception NO_GRACE; GRACE: the client has not yet said that it claims no more */
    void checkReclaim(Client client, boolean reclaim, long nowNs) throws Nfs4Exception {
        if (reclaim && (client.reclaimed || !isGrace(nowNs))) {
            throw new Nfs4Exception(Nfs4Status.NO_GRACE);
        }
        if (!reclaim && !client.reclaimed) {
            throw new Nfs4Exception(Nfs4Status.GRACE);
        }
    }

    StateId newStateId() {
        return new StateId(1, boot, ++lastState);
    }

    /**
     * Finds a client's state.
     *
     * @throws Nfs4Exception BAD_STATEID, OLD_STATEID
     */
    State state(Client client, StateId id) throws Nfs4Exception {
        State state = id.boot() == boot ? client.states.get(id.number()) : null;
        if (state == null) {
            throw new Nfs4Exception(Nfs4Status.BAD_STATEID);
        }
        int ahead = id.sequence() == 0 ? 0 : id.sequence() - state.id.sequence();
        if (ahead != 0) {
            throw new Nfs4Exception(ahead > 0 ? Nfs4Status.BAD_STATEID : Nfs4Status.OLD_STATEID);
        }
        return state;
    }

    /** Status of a state, as TEST_STATEID reports it. */
    public Nfs4Status test(Client client, StateId id) {
        try {
            state(client, id);
            return Nfs4Status.OK;
        } catch (Nfs4Exception failed) {
            return failed.status();
        }
    }
}
