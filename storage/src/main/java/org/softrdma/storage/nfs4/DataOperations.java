// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import java.nio.ByteBuffer;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileAttributes;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.nfs4.state.OpenStates;
import org.softrdma.storage.nfs4.state.StateId;
import org.softrdma.storage.xdr.XdrWriter;

/** Data of the current file. Source: RFC 8881, sections 18.3, 18.22, 18.32; where they go: RFC 8267. */
final class DataOperations implements Operations {
    private static final int UNSTABLE = 0;
    private static final int FILE_SYNC = 2;
    /** End and length, before the data. */
    private static final int READ_WORDS = 8;

    private final Export export;
    private final OpenStates opens;
    private final Object lock;
    private final long writeVerifier;

    DataOperations(Export export, OpenStates opens, Object lock, long writeVerifier) {
        this.export = export;
        this.opens = opens;
        this.lock = lock;
        this.writeVerifier = writeVerifier;
    }

    @Override
    public Nfs4Status execute(Operation operation, Call call) throws NfsException, Nfs4Exception {
        FileHandle file = call.current();
        switch (operation) {
            case READ -> read(file, call);
            case WRITE -> write(file, call);
            case COMMIT -> {
                call.arguments.u64();
                call.arguments.u32();
                export.commit(file);
                call.results.u64(writeVerifier);
            }
            default -> throw new IllegalStateException(operation.name());
        }
        return Nfs4Status.OK;
    }

    private void check(Call call, StateId state, FileHandle file, int wanted) throws Nfs4Exception {
        synchronized (lock) {
            opens.checkAccess(call.client(), state, file, wanted, call.nowNs);
        }
    }

    private void read(FileHandle file, Call call) throws NfsException, Nfs4Exception {
        StateId state = call.stateId();
        long offset = call.arguments.u64();
        int wanted = call.arguments.u32();
        check(call, state, file, OpenStates.READ);
        XdrWriter results = call.results;
        int count = wanted < 0 ? Nfs4Program.MAX_DATA : Math.min(wanted, Nfs4Program.MAX_DATA);
        boolean inChunk = call.items.nextBytes() > 0;
        ByteBuffer data;
        if (inChunk) {
            data = call.items.next();
            data.limit(data.position() + Math.min(count, call.items.nextBytes()));
            data = data.slice();
        } else {
            int room = results.remaining() - READ_WORDS & ~3;
            data = results.room(READ_WORDS, Math.min(count, Math.max(room, 0)));
        }
        FileAttributes attributes = export.read(file, offset, data);
        int length = data.position();
        results.bool(offset + length >= attributes.size()).u32(length);
        if (inChunk) {
            call.items.done(length);
        } else {
            results.position(results.position() + length);
            results.pad(length);
        }
    }

    private void write(FileHandle file, Call call) throws NfsException, Nfs4Exception {
        StateId state = call.stateId();
        long offset = call.arguments.u64();
        boolean stable = call.arguments.u32() != UNSTABLE;
        ByteBuffer data = call.arguments.opaque(Nfs4Program.MAX_DATA);
        check(call, state, file, OpenStates.WRITE);
        int count = data.remaining();
        export.write(file, offset, data, stable);
        call.results.u32(count).u32(stable ? FILE_SYNC : UNSTABLE).u64(writeVerifier);
    }
}
