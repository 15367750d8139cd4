// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs;

import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.rpc.CallTrace;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;

/** A call of version 3 as text: its procedure and the arguments that say most. */
final class Nfs3Trace {
    private Nfs3Trace() {
    }

    static void describe(Nfs3Procedure procedure, XdrReader arguments, CallTrace trace) {
        trace.word(procedure.name());
        try {
            if (procedure != Nfs3Procedure.NULL) {
                handle(arguments, trace);
                rest(procedure, arguments, trace);
            }
        } catch (XdrException | NfsException malformed) {
            // The outcome says so.
        }
    }

    private static void handle(XdrReader arguments, CallTrace trace) throws NfsException {
        FileHandle handle = Nfs3Types.handle(arguments);
        trace.number("inode", handle.inode());
    }

    private static void rest(Nfs3Procedure procedure, XdrReader arguments, CallTrace trace) throws NfsException {
        switch (procedure) {
            case LOOKUP, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR -> trace.name(Nfs3Types.name(arguments));
            case RENAME -> {
                trace.name(Nfs3Types.name(arguments)).word("to");
                handle(arguments, trace);
                trace.name(Nfs3Types.name(arguments));
            }
            case LINK -> {
                trace.word("in");
                handle(arguments, trace);
                trace.name(Nfs3Types.name(arguments));
            }
            case READ, COMMIT -> trace.number("offset", arguments.u64()).number("count", Integer.toUnsignedLong(arguments.u32()));
            case WRITE -> trace.number("offset", arguments.u64()).number("count", Integer.toUnsignedLong(arguments.u32()))
                .number("stable", arguments.u32());
            case READDIR, READDIRPLUS -> trace.number("cookie", arguments.u64());
            default -> {
                // The file is all.
            }
        }
    }
}
