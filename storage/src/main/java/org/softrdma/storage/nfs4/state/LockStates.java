// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.softrdma.storage.export.FileHandle;

/**
 * Locks of byte ranges. They are advisory: they exclude other locks, and no reads or writes. One thread at a time.
 *
 * <p>Source: RFC 8881, sections 9.1 to 9.6, 18.10 to 18.12.
 */
public final class LockStates {
    /** Ranges of one owner on a file, from which on it may only lock or unlock whole ones. */
    static final int MAX_RANGES = 4096;

    private final Clients clients;
    private final OpenStates opens;

    /** A lock that is in the way, and its owner. */
    public record Conflict(LockRange range, long clientId, ByteBuffer owner) {
    }

    /** Outcome of a lock: its state, or what is in the way. */
    public record Locked(StateId id, Conflict conflict) {
    }

    public LockStates(Clients clients, OpenStates opens) {
        this.clients = clients;
        this.opens = opens;
    }

    /**
     * Locks a range for an owner who has no lock on the file yet, or is not known to have one.
     *
     * @param open the open of the file
     * @throws Nfs4Exception BAD_STATEID, OLD_STATEID, OPENMODE, GRACE, NO_GRACE; DELAY: too many
     */
    public Locked lockFirst(Client client, StateId open, byte[] owner, FileHandle file, LockRange range, boolean reclaim, long nowNs)
            throws Nfs4Exception {
        OpenState opened = opens.find(client, open, file);
        ByteBuffer key = ByteBuffer.wrap(owner);
        checkLock(opened, range, reclaim, nowNs);
        Optional<Conflict> conflict = conflict(client, key, file, range, nowNs);
        if (conflict.isPresent()) {
            return new Locked(null, conflict.get());
        }
        for (LockState each : opened.locks) {
            if (each.owner.equals(key)) {
                return new Locked(add(each, range), null);
            }
        }
        OpenStates.requireRoom(client);
        LockState state = new LockState(opened, key, clients.newStateId());
        opened.locks.add(state);
        state.add(range);
        return new Locked(state.id, null);
    }

    /** Locks a further range of an owner. */
    public Locked lockMore(Client client, StateId id, FileHandle file, LockRange range, boolean reclaim, long nowNs)
            throws Nfs4Exception {
        LockState state = find(client, id, file);
        checkLock(state.open, range, reclaim, nowNs);
        Optional<Conflict> conflict = conflict(client, state.owner, file, range, nowNs);
        return conflict.isPresent() ? new Locked(null, conflict.get()) : new Locked(add(state, range), null);
    }

    private static StateId add(LockState state, LockRange range) throws Nfs4Exception {
        requireRoom(state, range);
        state.add(range);
        return state.changed();
    }

    /** A range that is set or removed within another one divides it. */
    private static void requireRoom(LockState state, LockRange range) throws Nfs4Exception {
        if (state.ranges.size() >= MAX_RANGES && state.ranges.stream().noneMatch(range::contains)) {
            throw new Nfs4Exception(Nfs4Status.DELAY);
        }
    }

    private void checkLock(OpenState open, LockRange range, boolean reclaim, long nowNs) throws Nfs4Exception {
        clients.checkReclaim(open.client, reclaim, nowNs);
        if (!reclaim && clients.isGrace(nowNs)) {
            throw new Nfs4Exception(Nfs4Status.GRACE);
        }
        if ((open.access & (range.write() ? OpenStates.WRITE : OpenStates.READ)) == 0) {
            throw new Nfs4Exception(Nfs4Status.OPENMODE);
        }
    }

    /** Finds a lock of another owner that is in the way. Clients whose leases have run out are removed instead. */
    public Optional<Conflict> test(Client client, byte[] owner, FileHandle file, LockRange range, long nowNs) {
        return conflict(client, ByteBuffer.wrap(owner), file, range, nowNs);
    }

    private Optional<Conflict> conflict(Client client, ByteBuffer owner, FileHandle file, LockRange range, long nowNs) {
        for (LockState each : opens.locks(file)) {
            if (each.client == client && each.owner.equals(owner)) {
                continue;
            }
            for (LockRange other : each.ranges) {
                if (other.overlaps(range) && (other.write() || range.write())) {
                    if (!clients.hasLapsed(each.client, nowNs)) {
                        return Optional.of(new Conflict(other, each.client.id, each.owner));
                    }
                    clients.remove(each.client);
                    break;
                }
            }
        }
        return Optional.empty();
    }

    /** Unlocks a range, which need not be locked. */
    public StateId unlock(Client client, StateId id, FileHandle file, LockRange range) throws Nfs4Exception {
        LockState state = find(client, id, file);
        requireRoom(state, range);
        state.remove(range);
        return state.changed();
    }

    private LockState find(Client client, StateId id, FileHandle file) throws Nfs4Exception {
        if (clients.state(client, id) instanceof LockState locks && locks.file.equals(file)) {
            return locks;
        }
        throw new Nfs4Exception(Nfs4Status.BAD_STATEID);
    }

    /** @throws Nfs4Exception BAD_STATEID, OLD_STATEID; LOCKS_HELD: it is an open, or has ranges */
    public void free(Client client, StateId id) throws Nfs4Exception {
        if (!(clients.state(client, id) instanceof LockState state) || !state.ranges.isEmpty()) {
            throw new Nfs4Exception(Nfs4Status.LOCKS_HELD);
        }
        state.open.locks.remove(state);
        client.states.remove(state.id.number());
    }
}
