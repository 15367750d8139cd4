// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.storage.export.FileHandle;

/** Files that clients have open, and what these opens forbid others. One thread at a time. Source: RFC 8881, sections 9.7 to 9.11. */
public final class OpenStates {
    public static final int READ = 1;
    public static final int WRITE = 2;
    /** Opens and locks of one client at most. */
    static final int MAX_STATES = 65536;

    private final Clients clients;
    private final Map<FileHandle, List<OpenState>> files = new HashMap<>();

    public OpenStates(Clients clients) {
        this.clients = clients;
        clients.watch(this::onRemoved);
    }

    /**
     * Opens a file, or adds to what its owner has open of it.
     *
     * @param owner  of the client
     * @param access {@link #READ}, {@link #WRITE} or both
     * @param deny   what others must not have open: bits of the same kind, or 0
     * @param reclaim whether it was open before the server's restart
     * @throws Nfs4Exception SHARE_DENIED, RECLAIM_CONFLICT, GRACE, NO_GRACE; DELAY: too many
     */
    public StateId open(Client client, byte[] owner, FileHandle file, int access, int deny, boolean reclaim, long nowNs)
            throws Nfs4Exception {
        clients.checkReclaim(client, reclaim, nowNs);
        if (!reclaim && deny != 0 && clients.isGrace(nowNs)) {
            // It could forbid what another client had open and is about to claim.
            throw new Nfs4Exception(Nfs4Status.GRACE);
        }
        ByteBuffer key = ByteBuffer.wrap(owner);
        OpenState own = null;
        for (OpenState each : List.copyOf(of(file))) {
            if (each.client == client && each.owner.equals(key)) {
                own = each;
            } else if ((each.access & deny) != 0 || (each.deny & access) != 0) {
                makeRoom(each, reclaim ? Nfs4Status.RECLAIM_CONFLICT : Nfs4Status.SHARE_DENIED, nowNs);
            }
        }
        if (own == null) {
            requireRoom(client);
            own = new OpenState(client, key, file, clients.newStateId());
            files.computeIfAbsent(file, none -> new ArrayList<>(1)).add(own);
            own.access = access;
            own.deny = deny;
            return own.id;
        }
        own.access |= access;
        own.deny |= deny;
        return own.changed();
    }

    private List<OpenState> of(FileHandle file) {
        return files.getOrDefault(file, List.of());
    }

    /** Removes a client that is in the way, if its lease has run out. */
    private void makeRoom(State state, Nfs4Status otherwise, long nowNs) throws Nfs4Exception {
        if (!clients.hasLapsed(state.client, nowNs)) {
            throw new Nfs4Exception(otherwise);
        }
        clients.remove(state.client);
    }

    static void requireRoom(Client client) throws Nfs4Exception {
        if (client.removed || client.states.size() >= MAX_STATES) {
            throw new Nfs4Exception(Nfs4Status.DELAY);
        }
    }

    /**
     * Gives up a part of what is open.
     *
     * @throws Nfs4Exception BAD_STATEID, OLD_STATEID; INVAL: it is not open in that way
     */
    public StateId downgrade(Client client, StateId id, FileHandle file, int access, int deny) throws Nfs4Exception {
        OpenState open = find(client, id, file);
        if (access == 0 || (access & ~open.access) != 0 || (deny & ~open.deny) != 0) {
            throw new Nfs4Exception(Nfs4Status.INVAL);
        }
        open.access = access;
        open.deny = deny;
        return open.changed();
    }

    /** Closes a file; its locks end with it. */
    public void close(Client client, StateId id, FileHandle file) throws Nfs4Exception {
        OpenState open = find(client, id, file);
        open.locks.forEach(each -> client.states.remove(each.id.number()));
        client.states.remove(open.id.number());
        remove(open);
    }

    private void remove(OpenState open) {
        List<OpenState> all = files.get(open.file);
        all.remove(open);
        if (all.isEmpty()) {
            files.remove(open.file);
        }
    }

    OpenState find(Client client, StateId id, FileHandle file) throws Nfs4Exception {
        if (clients.state(client, id) instanceof OpenState open && open.file.equals(file)) {
            return open;
        }
        throw new Nfs4Exception(Nfs4Status.BAD_STATEID);
    }

    /**
     * Checks that data of a file may be read or written.
     *
     * @param wanted {@link #READ} or {@link #WRITE}. An open for writing may also be read, as clients do to fill pages
     * @throws Nfs4Exception OPENMODE, BAD_STATEID, OLD_STATEID; LOCKED: an open forbids it
     */
    public void checkAccess(Client client, StateId id, FileHandle file, int wanted, long nowNs) throws Nfs4Exception {
        if (id.isAnonymous()) {
            for (OpenState each : List.copyOf(of(file))) {
                if ((each.deny & wanted) != 0) {
                    makeRoom(each, Nfs4Status.LOCKED, nowNs);
                }
            }
            return;
        }
        State state = clients.state(client, id);
        if (!state.file.equals(file)) {
            throw new Nfs4Exception(Nfs4Status.BAD_STATEID);
        }
        int access = switch (state) {
            case OpenState open -> open.access;
            case LockState locks -> locks.open.access;
        };
        if (wanted == WRITE && (access & WRITE) == 0) {
            throw new Nfs4Exception(Nfs4Status.OPENMODE);
        }
    }

    private void onRemoved(Client client) {
        for (State each : client.states.values()) {
            if (each instanceof OpenState open) {
                remove(open);
            }
        }
    }

    /** Locks on a file, of all clients. */
    List<LockState> locks(FileHandle file) {
        return of(file).stream().flatMap(each -> each.locks.stream()).toList();
    }

    /** Number of files that are open. */
    int size() {
        return files.size();
    }
}
