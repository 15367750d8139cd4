// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import org.softrdma.storage.export.Changes;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.nfs4.state.OpenStates;
import org.softrdma.storage.nfs4.state.StateId;

/** Attributes of the current file. Source: RFC 8881, sections 18.1, 18.7, 18.15, 18.30, 18.31. */
final class AttributeOperations implements Operations {
    private final Export export;
    private final Changes changes;
    private final FileAttributesCodec codec;
    private final OpenStates opens;
    private final Object lock;

    AttributeOperations(Export export, Changes changes, FileAttributesCodec codec, OpenStates opens, Object lock) {
        this.export = export;
        this.changes = changes;
        this.codec = codec;
        this.opens = opens;
        this.lock = lock;
    }

    @Override
    public Nfs4Status execute(Operation operation, Call call) throws NfsException, Nfs4Exception {
        FileHandle file = call.current();
        return switch (operation) {
            case ACCESS -> access(file, call);
            case GETATTR -> getAttributes(file, call);
            case SETATTR -> setAttributes(file, call);
            case VERIFY -> isSame(file, call) ? Nfs4Status.OK : Nfs4Status.NOT_SAME;
            case NVERIFY -> isSame(file, call) ? Nfs4Status.SAME : Nfs4Status.OK;
            default -> throw new IllegalStateException(operation.name());
        };
    }

    private Nfs4Status access(FileHandle file, Call call) throws NfsException {
        int wanted = call.arguments.u32() & Export.ACCESS_ALL;
        int granted = export.reading(() -> export.access(export.locate(file)));
        call.results.u32(wanted).u32(wanted & granted);
        return Nfs4Status.OK;
    }

    private Nfs4Status getAttributes(FileHandle file, Call call) throws NfsException {
        AttributeSet wanted = AttributeSet.read(call.arguments);
        export.reading(() -> {
            codec.write(wanted, export.locate(file).attributes(), call.results);
            return null;
        });
        return Nfs4Status.OK;
    }

    private boolean isSame(FileHandle file, Call call) throws NfsException, Nfs4Exception {
        FileAttributesCodec.Comparable given = codec.readComparable(call.arguments);
        return export.reading(() -> codec.isSame(given, export.locate(file).attributes()));
    }

    private Nfs4Status setAttributes(FileHandle file, Call call) throws NfsException, Nfs4Exception {
        StateId state = call.stateId();
        FileAttributesCodec.Settable wanted = codec.read(call.arguments);
        if (wanted.values().size() != null) {
            synchronized (lock) {
                opens.checkAccess(call.client(), state, file, OpenStates.WRITE, call.nowNs);
            }
        }
        changes.setAttributes(file, wanted.values(), null);
        wanted.numbers().write(call.results);
        return Nfs4Status.OK;
    }
}
