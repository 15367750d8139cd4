// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.LongSupplier;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.nfs4.state.Nfs4Exception;
import org.softrdma.storage.nfs4.state.Nfs4Status;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/** Executes COMPOUND: operations one after another, up to the first that fails. Source: RFC 8881, sections 2.10.6 and 16.2. */
final class Compound {
    static final int MAX_OPERATIONS = 64;

    private static final int MAX_TAG = 1024;
    private static final int MINOR_VERSION = 1;
    private static final int ILLEGAL = 10044;
    /** Longest result of an operation that changes something, bytes. */
    private static final int RESULT_OF_CHANGE = 128;
    /** Number and status of an operation. */
    private static final int RESULT_HEADER = 8;

    private final Map<Operation.Theme, Operations> themes;
    private final Object lock;
    private final LongSupplier nanoTime;

    Compound(Map<Operation.Theme, Operations> themes, Object lock, LongSupplier nanoTime) {
        this.themes = themes;
        this.lock = lock;
        this.nanoTime = nanoTime;
    }

    void execute(XdrReader arguments, XdrWriter results, ResultItems items) {
        int start = results.position();
        byte[] tag = bytes(arguments.opaque(MAX_TAG));
        int minorVersion = arguments.u32();
        int operations = arguments.u32();
        results.u32(Nfs4Status.OK.code()).opaque(tag);
        int countAt = results.position();
        results.u32(0);
        if (minorVersion != MINOR_VERSION) {
            patch(results, start, Nfs4Status.MINOR_VERS_MISMATCH.code());
            return;
        }
        if (operations < 0 || operations > MAX_OPERATIONS) {
            patch(results, start, Nfs4Status.TOO_MANY_OPS.code());
            return;
        }
        Call call = new Call(arguments, results, items, nanoTime.getAsLong());
        call.operations = operations;
        boolean completed = false;
        try {
            int status = Nfs4Status.OK.code();
            while (call.index < operations && status == Nfs4Status.OK.code() && call.replay == null) {
                status = executeNext(call, start);
                call.index++;
                patch(results, countAt, call.index);
            }
            patch(results, start, status);
            completed = true;
        } finally {
            if (call.session != null && call.replay == null) {
                end(call, completed ? start : -1);
            }
        }
        if (call.replay != null) {
            results.position(start);
            results.room(0, call.replay.length).put(call.replay);
            results.position(start + call.replay.length);
        }
    }

    /** Ends the call in its slot. @param start of its reply, -1 if there is none */
    private void end(Call call, int start) {
        boolean kept = start >= 0 && call.cached && call.results.position() - start <= call.session.attributes().maxCached();
        byte[] reply = kept ? call.results.copy(start) : null;
        synchronized (lock) {
            call.session.end(call.slot, reply);
        }
    }

    private static byte[] bytes(ByteBuffer from) {
        byte[] bytes = new byte[from.remaining()];
        from.get(bytes);
        return bytes;
    }

    private static void patch(XdrWriter results, int at, int word) {
        int end = results.position();
        results.position(at);
        results.u32(word);
        results.position(end);
    }

    /** @return the operation's status */
    private int executeNext(Call call, int replyStart) {
        XdrWriter results = call.results;
        int number = remainingOrIllegal(call.arguments);
        Operation operation = Operation.of(number);
        int start = results.position();
        results.u32(Operation.isKnown(number) ? number : ILLEGAL).u32(0);
        int status;
        if (call.items.trace() != null) {
            Nfs4Trace.describe(number, call.arguments.copy(), call.items.trace());
        }
        try {
            if (operation == null) {
                throw new Nfs4Exception(Operation.isKnown(number) ? Nfs4Status.NOTSUPP : Nfs4Status.OP_ILLEGAL);
            }
            checkPlace(operation, call);
            if (operation.changes) {
                checkRoom(call, replyStart, RESULT_OF_CHANGE);
            }
            status = themes.get(operation.theme).execute(operation, call).code();
            checkRoom(call, replyStart, 0);
        } catch (Nfs4Exception failed) {
            status = failed.status().code();
            results.position(start + RESULT_HEADER);
        } catch (NfsException failed) {
            status = failed.status().code();
            results.position(start + RESULT_HEADER);
        } catch (XdrException malformed) {
            status = Nfs4Status.BADXDR.code();
            results.position(start + RESULT_HEADER);
        } catch (BufferOverflowException tooLong) {
            status = Nfs4Status.REP_TOO_BIG.code();
            results.position(start + RESULT_HEADER);
        }
        if (status != Nfs4Status.OK.code() && operation == Operation.SETATTR) {
            // A failure has a result as well: the set of attributes that were set, none.
            results.u32(0);
        }
        patch(results, start + 4, status);
        if (call.items.trace() != null) {
            call.items.trace().outcome(Nfs4Trace.status(status));
        }
        return status;
    }

    /** Reads the number of the next operation; 0, which is none, if the arguments end before it. */
    private static int remainingOrIllegal(XdrReader arguments) {
        try {
            return arguments.u32();
        } catch (XdrException truncated) {
            return 0;
        }
    }

    /** Checks that a call begins with SEQUENCE, or consists of one operation that needs no session. */
    private static void checkPlace(Operation operation, Call call) throws Nfs4Exception {
        if (call.index > 0) {
            if (operation == Operation.SEQUENCE) {
                throw new Nfs4Exception(Nfs4Status.SEQUENCE_POS);
            }
            if (operation.isSessionless() && call.session == null) {
                throw new Nfs4Exception(Nfs4Status.NOT_ONLY_OP);
            }
        } else if (operation.isSessionless()) {
            if (call.operations > 1) {
                throw new Nfs4Exception(Nfs4Status.NOT_ONLY_OP);
            }
        } else if (operation != Operation.SEQUENCE) {
            throw new Nfs4Exception(Nfs4Status.OP_NOT_IN_SESSION);
        }
    }

    /** Checks the reply's length so far against the session's limits. */
    private static void checkRoom(Call call, int replyStart, int more) throws Nfs4Exception {
        if (call.session == null) {
            return;
        }
        int bytes = call.results.position() - replyStart + more;
        if (more > call.results.remaining() || Integer.compareUnsigned(bytes, call.session.attributes().maxResponse()) > 0) {
            throw new Nfs4Exception(Nfs4Status.REP_TOO_BIG);
        }
        if (call.cached && Integer.compareUnsigned(bytes, call.session.attributes().maxCached()) > 0) {
            throw new Nfs4Exception(Nfs4Status.REP_TOO_BIG_TO_CACHE);
        }
    }
}
