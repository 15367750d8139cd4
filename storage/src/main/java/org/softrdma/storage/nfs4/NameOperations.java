// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.softrdma.storage.export.Changes;
import org.softrdma.storage.export.Change;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.FileType;
import org.softrdma.storage.export.Located;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.export.NfsStatus;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;

/** Names in directories. Source: RFC 8881, sections 18.4, 18.9, 18.24 to 18.26. */
final class NameOperations implements Operations {
    private static final int DIRECTORY = 2;
    private static final int BLOCK_DEVICE = 3;
    private static final int CHARACTER_DEVICE = 4;
    private static final int LINK = 5;
    private static final int SOCKET = 6;
    private static final int PIPE = 7;
    private static final int MAX_PATH = 4096;

    private final Export export;
    private final Changes changes;
    private final FileAttributesCodec codec;

    NameOperations(Export export, Changes changes, FileAttributesCodec codec) {
        this.export = export;
        this.changes = changes;
        this.codec = codec;
    }

    @Override
    public Nfs4Status execute(Operation operation, Call call) throws NfsException, Nfs4Exception {
        FileHandle file = call.current();
        switch (operation) {
            case CREATE -> create(file, call);
            case REMOVE -> Nfs4Types.change(call.results, remove(file, call.name()));
            case RENAME -> {
                Changes.Moved moved = changes.rename(call.saved(), call.name(), file, call.name());
                Nfs4Types.change(call.results, moved.from());
                Nfs4Types.change(call.results, moved.to());
            }
            case LINK -> Nfs4Types.change(call.results, changes.link(call.saved(), file, call.name()).directory());
            case READLINK -> readLink(file, call);
            default -> throw new IllegalStateException(operation.name());
        }
        return Nfs4Status.OK;
    }

    private void create(FileHandle directory, Call call) throws NfsException, Nfs4Exception {
        int type = call.arguments.u32();
        String target = null;
        switch (type) {
            case LINK -> target = Export.text(call.arguments.opaque(MAX_PATH));
            case BLOCK_DEVICE, CHARACTER_DEVICE -> call.arguments.u64();
            case DIRECTORY, SOCKET, PIPE -> { }
            default -> throw new Nfs4Exception(Nfs4Status.BADTYPE);
        }
        String name = call.name();
        FileAttributesCodec.Settable wanted = codec.read(call.arguments);
        Changes.Created created = switch (type) {
            case DIRECTORY -> changes.createDirectory(directory, name, wanted.values());
            case LINK -> changes.createSymbolicLink(directory, name, target);
            default -> throw new Nfs4Exception(Nfs4Status.NOTSUPP);
        };
        Nfs4Types.change(call.results, created.directory());
        (type == DIRECTORY ? wanted.numbers().and(AttributeSet.of(FileAttributesCodec.MODE)) : AttributeSet.of()).write(call.results);
        call.setCurrent(created.file().handle());
    }

    private Change remove(FileHandle directory, String name) throws NfsException {
        try {
            return changes.remove(directory, name);
        } catch (NfsException failed) {
            if (failed.status() != NfsStatus.ISDIR) {
                throw failed;
            }
            return changes.removeDirectory(directory, name);
        }
    }

    private void readLink(FileHandle file, Call call) throws NfsException {
        byte[] target = export.reading(() -> {
            Located link = export.locate(file);
            if (link.attributes().type() != FileType.SYMBOLIC_LINK) {
                throw new NfsException(NfsStatus.INVAL);
            }
            return Files.readSymbolicLink(link.path()).toString().getBytes(StandardCharsets.UTF_8);
        });
        if (call.items.nextBytes() >= target.length) {
            call.items.next().put(target);
            call.items.done(target.length);
            call.results.u32(target.length);
        } else {
            call.results.opaque(target);
        }
    }
}
