// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.nfs4.state.Clients;
import org.softrdma.storage.nfs4.state.LockRange;
import org.softrdma.storage.nfs4.state.LockStates;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.nfs4.state.StateId;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;

/** Locks of byte ranges, and names of states. Source: RFC 8881, sections 18.10 to 18.12, 18.38, 18.48. */
final class LockOperations implements Operations {
    private static final int READ = 1;
    private static final int WRITE = 2;
    /** As the two above, by clients that wait: there is no queue for them. */
    private static final int READ_WAITING = 3;
    private static final int WRITE_WAITING = 4;
    private static final int MAX_TESTED = 1024;

    private final Clients clients;
    private final LockStates locks;
    private final Object lock;

    LockOperations(Clients clients, LockStates locks, Object lock) {
        this.clients = clients;
        this.locks = locks;
        this.lock = lock;
    }

    @Override
    public Nfs4Status execute(Operation operation, Call call) throws Nfs4Exception {
        synchronized (lock) {
            return switch (operation) {
                case LOCK -> lock(call);
                case LOCKT -> test(call);
                case LOCKU -> unlock(call);
                case TEST_STATEID -> testStates(call);
                case FREE_STATEID -> {
                    locks.free(call.client(), call.stateId());
                    yield Nfs4Status.OK;
                }
                default -> throw new IllegalStateException(operation.name());
            };
        }
    }

    private static boolean isWrite(XdrReader arguments) {
        return switch (arguments.u32()) {
            case READ, READ_WAITING -> false;
            case WRITE, WRITE_WAITING -> true;
            default -> throw XdrException.unknown("type of lock");
        };
    }

    private Nfs4Status lock(Call call) throws Nfs4Exception {
        XdrReader arguments = call.arguments;
        FileHandle file = call.current();
        boolean write = isWrite(arguments);
        boolean reclaim = arguments.bool();
        LockRange range = LockRange.of(arguments.u64(), arguments.u64(), write);
        LockStates.Locked locked;
        if (arguments.bool()) {
            arguments.u32();
            StateId open = call.stateId();
            arguments.u32();
            arguments.u64();
            locked = locks.lockFirst(call.client(), open, Nfs4Types.owner(arguments), file, range, reclaim, call.nowNs);
        } else {
            StateId state = call.stateId();
            arguments.u32();
            locked = locks.lockMore(call.client(), state, file, range, reclaim, call.nowNs);
        }
        if (locked.conflict() != null) {
            return denied(call, locked.conflict());
        }
        call.write(locked.id());
        call.setCurrentState(locked.id());
        return Nfs4Status.OK;
    }

    private static Nfs4Status denied(Call call, LockStates.Conflict conflict) {
        byte[] owner = new byte[conflict.owner().remaining()];
        conflict.owner().get(conflict.owner().position(), owner);
        call.results.u64(conflict.range().first()).u64(conflict.range().length()).u32(conflict.range().write() ? WRITE : READ)
            .u64(conflict.clientId()).opaque(owner);
        return Nfs4Status.DENIED;
    }

    private Nfs4Status test(Call call) throws Nfs4Exception {
        FileHandle file = call.current();
        boolean write = isWrite(call.arguments);
        LockRange range = LockRange.of(call.arguments.u64(), call.arguments.u64(), write);
        call.arguments.u64();
        return locks.test(call.client(), Nfs4Types.owner(call.arguments), file, range, call.nowNs)
            .map(conflict -> denied(call, conflict)).orElse(Nfs4Status.OK);
    }

    private Nfs4Status unlock(Call call) throws Nfs4Exception {
        XdrReader arguments = call.arguments;
        FileHandle file = call.current();
        isWrite(arguments);
        arguments.u32();
        StateId state = call.stateId();
        StateId id = locks.unlock(call.client(), state, file, LockRange.of(arguments.u64(), arguments.u64(), false));
        call.write(id);
        call.setCurrentState(id);
        return Nfs4Status.OK;
    }

    private Nfs4Status testStates(Call call) {
        int count = call.arguments.u32();
        if (count < 0 || count > MAX_TESTED) {
            throw XdrException.unknown(Integer.toUnsignedString(count) + " states");
        }
        call.results.u32(count);
        for (int i = 0; i < count; i++) {
            call.results.u32(clients.test(call.client(), call.stateId()).code());
        }
        return Nfs4Status.OK;
    }
}
