// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import org.softrdma.storage.export.Change;
import org.softrdma.storage.export.Changes;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.FileType;
import org.softrdma.storage.export.Located;
import org.softrdma.storage.export.NewAttributes;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.export.NfsStatus;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.nfs4.state.OpenStates;
import org.softrdma.storage.nfs4.state.StateId;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;

/** Opening, creating and closing files. Delegations are not given. Source: RFC 8881, sections 18.2, 18.16, 18.18. */
final class OpenOperations implements Operations {
    private static final int BOTH = OpenStates.READ | OpenStates.WRITE;

    private static final int NO_CREATE = 0;
    private static final int CREATE = 1;

    private static final int UNCHECKED = 0;
    private static final int GUARDED = 1;
    private static final int EXCLUSIVE = 2;
    private static final int EXCLUSIVE_WITH_ATTRIBUTES = 3;

    private static final int BY_NAME = 0;
    private static final int RECLAIM = 1;
    private static final int BY_HANDLE = 4;
    private static final int LAST_CLAIM = 6;

    private static final int POSIX_LOCKS = 4;
    private static final int NO_DELEGATION = 0;

    private final Export export;
    private final Changes changes;
    private final FileAttributesCodec codec;
    private final OpenStates opens;
    private final Object lock;

    /** How a file is created. */
    private record Creation(int mode, long verifier, FileAttributesCodec.Settable attributes) {
    }

    /** A file to be opened, the change of its directory, what was set of its attributes, and whether it may be opened in any case. */
    private record Opened(Located file, Change directory, AttributeSet set, boolean permitted) {
    }

    OpenOperations(Export export, Changes changes, FileAttributesCodec codec, OpenStates opens, Object lock) {
        this.export = export;
        this.changes = changes;
        this.codec = codec;
        this.opens = opens;
        this.lock = lock;
    }

    @Override
    public Nfs4Status execute(Operation operation, Call call) throws NfsException, Nfs4Exception {
        switch (operation) {
            case OPEN -> open(call);
            case OPEN_DOWNGRADE -> {
                StateId id = call.stateId();
                call.arguments.u32();
                int access = call.arguments.u32() & BOTH;
                int deny = call.arguments.u32();
                synchronized (lock) {
                    id = opens.downgrade(call.client(), id, call.current(), access, deny);
                }
                finish(call, id);
            }
            case CLOSE -> {
                call.arguments.u32();
                StateId id = call.stateId();
                synchronized (lock) {
                    opens.close(call.client(), id, call.current());
                }
                finish(call, StateId.INVALID);
            }
            default -> throw new IllegalStateException(operation.name());
        }
        return Nfs4Status.OK;
    }

    private static void finish(Call call, StateId id) {
        call.write(id);
        call.setCurrentState(id);
    }

    private void open(Call call) throws NfsException, Nfs4Exception {
        XdrReader arguments = call.arguments;
        arguments.u32();
        int access = arguments.u32() & BOTH;
        int deny = arguments.u32();
        arguments.u64();
        byte[] owner = Nfs4Types.owner(arguments);
        Creation creation = switch (arguments.u32()) {
            case NO_CREATE -> null;
            case CREATE -> creation(arguments);
            default -> throw XdrException.unknown("whether to create");
        };
        int claim = arguments.u32();
        if (access == 0 || (deny & ~BOTH) != 0) {
            throw new Nfs4Exception(Nfs4Status.INVAL);
        }
        Opened opened = switch (claim) {
            case BY_NAME -> creation == null ? find(call.current(), call.name()) : create(call.current(), call.name(), creation);
            case RECLAIM -> {
                arguments.u32();
                yield itself(call.current(), true);
            }
            case BY_HANDLE -> itself(call.current(), false);
            default -> {
                if (claim < 0 || claim > LAST_CLAIM) {
                    throw XdrException.unknown("claim");
                }
                // Of a delegation, which was not given.
                throw new Nfs4Exception(Nfs4Status.NOTSUPP);
            }
        };
        check(opened, access);
        FileHandle file = opened.file.handle();
        StateId id;
        synchronized (lock) {
            id = opens.open(call.client(), owner, file, access, deny, claim == RECLAIM, call.nowNs);
        }
        call.setCurrent(file);
        finish(call, id);
        Nfs4Types.change(call.results, opened.directory);
        call.results.u32(POSIX_LOCKS);
        opened.set.write(call.results);
        call.results.u32(NO_DELEGATION);
    }

    private Creation creation(XdrReader arguments) throws Nfs4Exception {
        int mode = arguments.u32();
        return switch (mode) {
            case UNCHECKED, GUARDED -> new Creation(mode, 0, codec.read(arguments));
            case EXCLUSIVE -> new Creation(mode, arguments.u64(), new FileAttributesCodec.Settable(AttributeSet.of(), NewAttributes.NONE));
            case EXCLUSIVE_WITH_ATTRIBUTES -> new Creation(mode, arguments.u64(), codec.read(arguments));
            default -> throw XdrException.unknown("how to create");
        };
    }

    private Opened find(FileHandle directory, String name) throws NfsException {
        return export.reading(() -> {
            Located parent = export.locateDirectory(directory);
            return new Opened(export.lookup(parent, name), new Change(parent.attributes(), parent.attributes()), AttributeSet.of(), false);
        });
    }

    private Opened itself(FileHandle handle, boolean permitted) throws NfsException {
        Located file = export.reading(() -> export.locate(handle));
        return new Opened(file, new Change(file.attributes(), file.attributes()), AttributeSet.of(), permitted);
    }

    private Opened create(FileHandle directory, String name, Creation creation) throws NfsException, Nfs4Exception {
        AttributeSet wanted = creation.attributes.numbers();
        NewAttributes values = creation.attributes.values();
        return switch (creation.mode) {
            case UNCHECKED -> {
                try {
                    yield opened(changes.create(directory, name, values, true), wanted, true);
                } catch (NfsException failed) {
                    if (failed.status() != NfsStatus.EXIST) {
                        throw failed;
                    }
                    yield existing(directory, name, values);
                }
            }
            case GUARDED -> opened(changes.create(directory, name, values, true), wanted, true);
            default -> {
                if (!wanted.isWithin(AttributeSet.of(FileAttributesCodec.MODE))) {
                    throw new Nfs4Exception(Nfs4Status.ATTRNOTSUPP);
                }
                Changes.Created created = changes.createOnce(directory, name, creation.verifier);
                if (values.mode() != null) {
                    changes.setAttributes(created.file().handle(), values, null);
                }
                // The times hold the verifier until the client sets them: RFC 8881, section 18.16.3.
                yield opened(created, AttributeSet.of(FileAttributesCodec.TIME_ACCESS_SET, FileAttributesCodec.TIME_MODIFY_SET)
                    .or(wanted), true);
            }
        };
    }

    /** Opens a file that is there: its size is set, and no other attribute. */
    private Opened existing(FileHandle directory, String name, NewAttributes values) throws NfsException, Nfs4Exception {
        Opened found = find(directory, name);
        if (values.size() == null || found.file.attributes().type() != FileType.REGULAR) {
            return found;
        }
        check(found, OpenStates.WRITE);
        return opened(changes.create(directory, name, values, false), AttributeSet.of(FileAttributesCodec.SIZE), false);
    }

    private static Opened opened(Changes.Created created, AttributeSet set, boolean isNew) {
        return new Opened(created.file(), created.directory(), set.and(FileAttributesCodec.SET_AT_CREATION), isNew);
    }

    /** Checks that a file can be opened: its type, and unless it is new or was open before a restart, what the server's user may do. */
    private void check(Opened opened, int access) throws NfsException, Nfs4Exception {
        switch (opened.file.attributes().type()) {
            case REGULAR -> { }
            case DIRECTORY -> throw new NfsException(NfsStatus.ISDIR);
            case SYMBOLIC_LINK -> throw new Nfs4Exception(Nfs4Status.SYMLINK);
            default -> throw new Nfs4Exception(Nfs4Status.WRONG_TYPE);
        }
        if (export.isReadOnly() && (access & OpenStates.WRITE) != 0) {
            throw new NfsException(NfsStatus.ROFS);
        }
        int granted = opened.permitted ? Export.ACCESS_ALL : export.access(opened.file);
        if ((access & OpenStates.READ) != 0 && (granted & (Export.ACCESS_READ | Export.ACCESS_EXECUTE)) == 0
            || (access & OpenStates.WRITE) != 0 && (granted & Export.ACCESS_MODIFY) == 0) {
            throw new NfsException(NfsStatus.ACCES);
        }
    }
}
