// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import org.softrdma.storage.nfs4.state.ChannelAttributes;
import org.softrdma.storage.nfs4.state.Clients;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.nfs4.state.Session;
import org.softrdma.storage.nfs4.state.SessionId;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** Clients and their sessions. Source: RFC 8881, sections 18.34 to 18.37, 18.46, 18.50, 18.51. */
final class SessionOperations implements Operations {
    private static final int UPDATE_CONFIRMED = 0x40000000;
    private static final int CONFIRMED = 0x80000000;
    private static final int NO_LAYOUTS = 0x00010000;
    private static final int NO_PROTECTION = 0;
    private static final int MAX_TEXT = 1024;

    private static final int FORE = 1;
    private static final int BACK = 2;

    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;
    private static final int GSS = 6;
    private static final int MAX_SECURITY = 16;
    private static final int MAX_GROUPS = 16;
    private static final int MAX_HANDLE = 400;

    private final Clients clients;
    private final Object lock;
    private final byte[] name;

    SessionOperations(Clients clients, Object lock, byte[] name) {
        this.clients = clients;
        this.lock = lock;
        this.name = name.clone();
    }

    @Override
    public Nfs4Status execute(Operation operation, Call call) throws Nfs4Exception {
        synchronized (lock) {
            switch (operation) {
                case EXCHANGE_ID -> exchangeId(call);
                case CREATE_SESSION -> createSession(call);
                case DESTROY_SESSION -> clients.destroySession(sessionId(call.arguments));
                case DESTROY_CLIENTID -> clients.destroyClient(call.arguments.u64());
                case BIND_CONN_TO_SESSION -> bind(call);
                case SEQUENCE -> sequence(call);
                case RECLAIM_COMPLETE -> {
                    if (call.arguments.bool()) {
                        // One file system only, of which there is nothing to note.
                        call.current();
                    } else {
                        clients.reclaimComplete(call.client());
                    }
                }
                default -> throw new IllegalStateException(operation.name());
            }
        }
        return Nfs4Status.OK;
    }

    private void exchangeId(Call call) throws Nfs4Exception {
        XdrReader arguments = call.arguments;
        long verifier = arguments.u64();
        byte[] owner = Nfs4Types.owner(arguments);
        int flags = arguments.u32();
        if (arguments.u32() != NO_PROTECTION) {
            throw new Nfs4Exception(Nfs4Status.INVAL);
        }
        if (arguments.bool()) {
            arguments.opaque(MAX_TEXT);
            arguments.opaque(MAX_TEXT);
            arguments.u64();
            arguments.u32();
        }
        Clients.Exchanged known = clients.exchangeId(owner, verifier, (flags & UPDATE_CONFIRMED) != 0, call.nowNs);
        call.results.u64(known.clientId()).u32(known.nextCreate()).u32(NO_LAYOUTS | (known.confirmed() ? CONFIRMED : 0)).u32(NO_PROTECTION);
        // Owner and scope of the server, and no implementation.
        call.results.u64(0).opaque(name).opaque(name).u32(0);
    }

    private void createSession(Call call) throws Nfs4Exception {
        XdrReader arguments = call.arguments;
        long client = arguments.u64();
        int sequence = arguments.u32();
        arguments.u32();
        ChannelAttributes fore = channel(arguments);
        ChannelAttributes back = channel(arguments);
        arguments.u32();
        skipSecurity(arguments);
        Session session = clients.createSession(client, sequence, fore, call.nowNs);
        write(session.id(), call.results);
        // No flags: the session ends with the server, and the server does not call the client.
        call.results.u32(session.createSequence()).u32(0);
        write(session.attributes(), call.results);
        write(back, call.results);
    }

    private static ChannelAttributes channel(XdrReader arguments) {
        arguments.u32();
        ChannelAttributes channel = new ChannelAttributes(arguments.u32(), arguments.u32(), arguments.u32(), arguments.u32(),
            arguments.u32());
        if (arguments.bool()) {
            arguments.u32();
        }
        return channel;
    }

    private static void write(ChannelAttributes channel, XdrWriter results) {
        results.u32(0).u32(channel.maxRequest()).u32(channel.maxResponse()).u32(channel.maxCached()).u32(channel.maxOperations())
            .u32(channel.maxRequests()).u32(0);
    }

    /** Reads over the credentials of calls to the client. */
    private static void skipSecurity(XdrReader arguments) {
        int count = arguments.u32();
        if (count < 0 || count > MAX_SECURITY) {
            throw XdrException.unknown(Integer.toUnsignedString(count) + " credentials");
        }
        for (int i = 0; i < count; i++) {
            switch (arguments.u32()) {
                case AUTH_NONE -> { }
                case AUTH_SYS -> {
                    arguments.u32();
                    arguments.opaque(MAX_TEXT);
                    arguments.u64();
                    arguments.skipWords(MAX_GROUPS);
                }
                case GSS -> {
                    arguments.u32();
                    arguments.opaque(MAX_HANDLE);
                    arguments.opaque(MAX_HANDLE);
                }
                default -> throw XdrException.unknown("flavor of credentials");
            }
        }
    }

    private void bind(Call call) throws Nfs4Exception {
        Session session = clients.session(sessionId(call.arguments));
        int direction = call.arguments.u32();
        call.arguments.bool();
        if (direction == BACK) {
            throw new Nfs4Exception(Nfs4Status.INVAL);
        }
        write(session.id(), call.results);
        call.results.u32(FORE).bool(false);
    }

    private void sequence(Call call) throws Nfs4Exception {
        SessionId id = sessionId(call.arguments);
        int sequence = call.arguments.u32();
        int slot = call.arguments.u32();
        call.arguments.u32();
        boolean cached = call.arguments.bool();
        Clients.Started started = clients.begin(id, slot, sequence, call.nowNs);
        call.session = started.session();
        call.slot = slot;
        call.cached = cached;
        call.replay = started.replay();
        int last = call.session.slots() - 1;
        write(id, call.results);
        call.results.u32(sequence).u32(slot).u32(last).u32(last).u32(0);
        if (call.operations > call.session.attributes().maxOperations()) {
            throw new Nfs4Exception(Nfs4Status.TOO_MANY_OPS);
        }
    }

    private static SessionId sessionId(XdrReader arguments) {
        return new SessionId(arguments.u64(), arguments.u64());
    }

    private static void write(SessionId id, XdrWriter results) {
        results.u64(id.high()).u64(id.low());
    }
}
