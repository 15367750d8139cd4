// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import org.softrdma.storage.export.FileHandle;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.export.NfsStatus;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.rpc.CallTrace;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;

/** Operations of a COMPOUND as text, with the arguments that say most. */
final class Nfs4Trace {
    private static final int MAX_HANDLE = 128;

    private Nfs4Trace() {
    }

    static void describe(int number, XdrReader arguments, CallTrace trace) {
        Operation operation = Operation.of(number);
        if (operation == null) {
            trace.number("operation", Integer.toUnsignedLong(number));
            return;
        }
        trace.word(operation.name());
        try {
            arguments(operation, arguments, trace);
        } catch (XdrException | NfsException | Nfs4Exception malformed) {
            // The outcome says so.
        }
    }

    private static void arguments(Operation operation, XdrReader arguments, CallTrace trace) throws NfsException, Nfs4Exception {
        switch (operation) {
            case PUTFH -> trace.number("inode", FileHandle.parse(arguments.opaque(MAX_HANDLE)).inode());
            case LOOKUP, REMOVE, LINK, SECINFO -> trace.name(Nfs4Types.name(arguments));
            case RENAME -> trace.name(Nfs4Types.name(arguments)).word("to").name(Nfs4Types.name(arguments));
            case READ -> {
                state(arguments);
                trace.number("offset", arguments.u64()).number("count", Integer.toUnsignedLong(arguments.u32()));
            }
            case WRITE -> {
                state(arguments);
                trace.number("offset", arguments.u64()).number("stable", arguments.u32())
                    .number("count", Integer.toUnsignedLong(arguments.u32()));
            }
            case COMMIT -> trace.number("offset", arguments.u64()).number("count", Integer.toUnsignedLong(arguments.u32()));
            case READDIR -> trace.number("cookie", arguments.u64());
            default -> {
                // The current file is all.
            }
        }
    }

    /** Reads over the name of a state. */
    private static void state(XdrReader arguments) {
        arguments.u64();
        arguments.u64();
    }

    /** Name of a status. */
    static String status(int code) {
        for (Nfs4Status each : Nfs4Status.values()) {
            if (each.code() == code) {
                return each.name();
            }
        }
        for (NfsStatus each : NfsStatus.values()) {
            if (each.code() == code) {
                return each.name();
            }
        }
        return Integer.toString(code);
    }
}
