// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs;

import java.nio.ByteBuffer;
import java.time.Clock;
import org.softrdma.storage.export.Change;
import org.softrdma.storage.export.Changes;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.NewAttributes;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.export.NfsStatus;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.rpc.RpcProgram;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** NFS version 3 on an export. Procedures that change nothing are in {@link Queries}. Source: RFC 1813, section 3.3. */
public final class Nfs3Program implements RpcProgram {
    /** Data of one READ or WRITE at most, bytes. */
    public static final int MAX_DATA = 1 << 20;

    private static final int PROGRAM = 100003;
    private static final int VERSION = 3;
    private static final int MAX_PATH = 4096;

    private static final int UNCHECKED = 0;
    private static final int GUARDED = 1;
    private static final int EXCLUSIVE = 2;

    private static final int UNSTABLE = 0;
    private static final int FILE_SYNC = 2;

    /** By number. */
    private static final Nfs3Procedure[] PROCEDURES = Nfs3Procedure.values();

    private final Changes changes;
    private final Export export;
    private final Queries queries;
    private final Clock clock;
    private final long writeVerifier;

    /**
     * @param clock         for times that clients set to the server's
     * @param writeVerifier another one for each start of the server: clients write again what was not committed before
     */
    public Nfs3Program(Export export, Clock clock, long writeVerifier) {
        this.export = export;
        this.clock = clock;
        this.writeVerifier = writeVerifier;
        changes = new Changes(export);
        queries = new Queries(export);
    }

    @Override
    public int number() {
        return PROGRAM;
    }

    @Override
    public int version() {
        return VERSION;
    }

    @Override
    public int procedures() {
        return PROCEDURES.length;
    }

    @Override
    public boolean isNonIdempotent(int procedure) {
        return PROCEDURES[procedure].nonIdempotent;
    }

    @Override
    public boolean isShort(int procedure, XdrReader arguments) {
        if (procedure == Nfs3Procedure.READ.ordinal()) {
            arguments.opaque(FileHandle.MAX_BYTES);
            arguments.u64();
            return Integer.compareUnsigned(arguments.u32(), SHORT_DATA) <= 0;
        }
        if (procedure == Nfs3Procedure.WRITE.ordinal()) {
            arguments.opaque(FileHandle.MAX_BYTES);
            arguments.u64();
            return Integer.compareUnsigned(arguments.u32(), SHORT_DATA) <= 0 && arguments.u32() == UNSTABLE;
        }
        return procedure == Nfs3Procedure.GETATTR.ordinal() || procedure == Nfs3Procedure.ACCESS.ordinal();
    }

    @Override
    public void execute(int number, XdrReader arguments, XdrWriter results, ResultItems items) {
        Nfs3Procedure procedure = PROCEDURES[number];
        if (items.trace() != null) {
            Nfs3Trace.describe(procedure, arguments.copy(), items.trace());
        }
        if (procedure == Nfs3Procedure.NULL) {
            return;
        }
        int start = results.position();
        results.u32(NfsStatus.OK.code());
        try {
            execute(procedure, arguments, results, items);
            if (items.trace() != null) {
                items.trace().outcome(NfsStatus.OK.name());
            }
        } catch (NfsException failed) {
            if (items.trace() != null) {
                items.trace().outcome(failed.status().name());
            }
            results.position(start);
            results.u32(failed.status().code());
            for (int i = 0; i < procedure.failureWords; i++) {
                results.u32(0);
            }
        }
    }

    private void execute(Nfs3Procedure procedure, XdrReader arguments, XdrWriter results, ResultItems items) throws NfsException {
        FileHandle handle = Nfs3Types.handle(arguments);
        switch (procedure) {
            case GETATTR -> queries.getAttributes(handle, results);
            case SETATTR -> setAttributes(handle, arguments, results);
            case LOOKUP -> queries.lookup(handle, Nfs3Types.name(arguments), results);
            case ACCESS -> queries.access(handle, arguments.u32(), results);
            case READLINK -> queries.readLink(handle, results, items);
            case READ -> queries.read(handle, arguments.u64(), arguments.u32(), results, items);
            case WRITE -> write(handle, arguments, results);
            case CREATE -> create(handle, arguments, results);
            case MKDIR -> created(changes.createDirectory(handle, Nfs3Types.name(arguments), Nfs3Types.newAttributes(arguments, clock)),
                results);
            case SYMLINK -> createSymbolicLink(handle, arguments, results);
            case MKNOD -> throw new NfsException(NfsStatus.NOTSUPP);
            case REMOVE -> Nfs3Types.change(results, changes.remove(handle, Nfs3Types.name(arguments)));
            case RMDIR -> Nfs3Types.change(results, changes.removeDirectory(handle, Nfs3Types.name(arguments)));
            case RENAME -> rename(handle, arguments, results);
            case LINK -> link(handle, arguments, results);
            case READDIR -> {
                long cookie = arguments.u64();
                arguments.u64();
                new Listing(export, handle, cookie).write(arguments.u32(), results);
            }
            case READDIRPLUS -> {
                long cookie = arguments.u64();
                arguments.u64();
                new Listing(export, handle, cookie).writeWithAttributes(arguments.u32(), arguments.u32(), results);
            }
            case FSSTAT -> queries.fileSystemStatus(handle, results);
            case FSINFO -> queries.fileSystemInformation(handle, results);
            case PATHCONF -> queries.pathConfiguration(handle, results);
            case COMMIT -> {
                arguments.u64();
                arguments.u32();
                Nfs3Types.change(results, export.commit(handle));
                results.u64(writeVerifier);
            }
            default -> throw new IllegalStateException(procedure.name());
        }
    }

    private void setAttributes(FileHandle file, XdrReader arguments, XdrWriter results) throws NfsException {
        NewAttributes wanted = Nfs3Types.newAttributes(arguments, clock);
        Nfs3Types.change(results, changes.setAttributes(file, wanted, arguments.bool() ? Nfs3Types.time(arguments) : null));
    }

    private void write(FileHandle file, XdrReader arguments, XdrWriter results) throws NfsException {
        long offset = arguments.u64();
        int count = arguments.u32();
        int stable = arguments.u32();
        ByteBuffer data = arguments.opaque(MAX_DATA);
        if (count != data.remaining()) {
            throw new NfsException(NfsStatus.INVAL);
        }
        Change change = export.write(file, offset, data, stable != UNSTABLE);
        Nfs3Types.change(results, change);
        results.u32(count).u32(stable == UNSTABLE ? UNSTABLE : FILE_SYNC).u64(writeVerifier);
    }

    private void create(FileHandle directory, XdrReader arguments, XdrWriter results) throws NfsException {
        String name = Nfs3Types.name(arguments);
        switch (arguments.u32()) {
            case UNCHECKED -> created(changes.create(directory, name, Nfs3Types.newAttributes(arguments, clock), false), results);
            case GUARDED -> created(changes.create(directory, name, Nfs3Types.newAttributes(arguments, clock), true), results);
            case EXCLUSIVE -> created(changes.createOnce(directory, name, arguments.u64()), results);
            default -> throw XdrException.unknown("how to create");
        }
    }

    private void createSymbolicLink(FileHandle directory, XdrReader arguments, XdrWriter results) throws NfsException {
        String name = Nfs3Types.name(arguments);
        Nfs3Types.newAttributes(arguments, clock);
        created(changes.createSymbolicLink(directory, name, Export.text(arguments.opaque(MAX_PATH))), results);
    }

    private static void created(Changes.Created created, XdrWriter results) {
        results.bool(true).opaque(created.file().handle().toBytes());
        Nfs3Types.optional(results, created.file().attributes());
        Nfs3Types.change(results, created.directory());
    }

    private void rename(FileHandle from, XdrReader arguments, XdrWriter results) throws NfsException {
        String name = Nfs3Types.name(arguments);
        FileHandle to = Nfs3Types.handle(arguments);
        Changes.Moved moved = changes.rename(from, name, to, Nfs3Types.name(arguments));
        Nfs3Types.change(results, moved.from());
        Nfs3Types.change(results, moved.to());
    }

    private void link(FileHandle file, XdrReader arguments, XdrWriter results) throws NfsException {
        FileHandle directory = Nfs3Types.handle(arguments);
        Changes.Linked linked = changes.link(file, directory, Nfs3Types.name(arguments));
        Nfs3Types.optional(results, linked.file());
        Nfs3Types.change(results, linked.directory());
    }
}
