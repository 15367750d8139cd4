// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.rpc;

import java.net.InetAddress;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.softrdma.storage.xdr.XdrException;
import org.softrdma.storage.xdr.XdrReader;
import org.softrdma.storage.xdr.XdrWriter;

/**
 * Passes RPC calls to their programs and writes the replies. Any thread.
 *
 * <p>Source: RFC 5531, section 9.
 */
public final class RpcPrograms {
    /** Result of {@link #serve}: the message is no call, and has no reply. */
    public static final int NO_REPLY = -1;

    private static final System.Logger LOG = System.getLogger(RpcPrograms.class.getName());

    private static final int CALL = 0;
    private static final int REPLY = 1;
    private static final int RPC_VERSION = 2;

    private static final int ACCEPTED = 0;
    private static final int DENIED = 1;
    private static final int RPC_MISMATCH = 0;
    private static final int AUTH_ERROR = 1;

    private static final int SUCCESS = 0;
    private static final int PROGRAM_UNAVAILABLE = 1;
    private static final int PROGRAM_MISMATCH = 2;
    private static final int PROCEDURE_UNAVAILABLE = 3;
    private static final int GARBAGE_ARGUMENTS = 4;
    private static final int SYSTEM_ERROR = 5;

    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;
    private static final int AUTH_BAD_CREDENTIAL = 1;
    /** Longest body of a credential or verifier: RFC 5531, section 8.2. */
    private static final int MAX_AUTH = 400;

    private final List<RpcProgram> programs;
    private final CallCounters counters;
    private final DuplicateRequests duplicates = new DuplicateRequests();
    /** Null if calls are not traced. */
    private final Consumer<String> trace;

    public RpcPrograms(List<RpcProgram> programs, CallCounters counters) {
        this(programs, counters, null);
    }

    /** @param trace takes a line of text for each call, on any thread; null for none */
    public RpcPrograms(List<RpcProgram> programs, CallCounters counters, Consumer<String> trace) {
        this.programs = List.copyOf(programs);
        this.counters = counters;
        this.trace = trace;
    }

    /**
     * Executes a call.
     *
     * @param client the caller's address
     * @param call   the complete call, untrusted, from its position on
     * @param reply  where the reply is written, from its position on
     * @param items  memory for large items of the result
     * @return bytes of the reply, or {@link #NO_REPLY}
     * @throws BufferOverflowException the reply is too long
     */
    public int serve(InetAddress client, ByteBuffer call, ByteBuffer reply, ResultItems items) {
        if (call.remaining() < 8 || call.getInt(call.position() + 4) != CALL) {
            counters.count(CallCounter.NO_CALLS);
            return NO_REPLY;
        }
        counters.count(CallCounter.CALLS);
        return trace == null ? execute(client, call, reply, items) : executeTraced(client, call, reply, new CallTrace(items));
    }

    /**
     * Whether a call is short, as {@link RpcProgram#isShort} says.
     *
     * @param call the complete call, untrusted, from its position on
     */
    public boolean isShort(ByteBuffer call) {
        XdrReader reader = new XdrReader(call.duplicate());
        try {
            reader.u64();
            reader.u32();
            int number = reader.u32();
            int version = reader.u32();
            int procedure = reader.u32();
            reader.u32();
            reader.opaque(MAX_AUTH);
            reader.u32();
            reader.opaque(MAX_AUTH);
            RpcProgram program = find(number, version);
            return program != null && program.isShort(procedure, reader);
        } catch (XdrException malformed) {
            return false;
        }
    }

    private RpcProgram find(int number, int version) {
        for (RpcProgram each : programs) {
            if (each.number() == number && each.version() == version) {
                return each;
            }
        }
        return null;
    }

    private int executeTraced(InetAddress client, ByteBuffer call, ByteBuffer reply, CallTrace line) {
        int xid = call.getInt(call.position());
        int callBytes = call.remaining();
        int start = reply.position();
        int bytes = NO_REPLY;
        try {
            bytes = execute(client, call, reply, line);
            return bytes;
        } finally {
            trace.accept(line.line(client, xid, callBytes, reply, start, bytes));
        }
    }

    private int execute(InetAddress client, ByteBuffer call, ByteBuffer reply, ResultItems items) {
        int start = reply.position();
        try {
            dispatch(client, call, new XdrReader(call.duplicate()), new XdrWriter(reply), items);
            return reply.position() - start;
        } catch (BufferOverflowException tooLong) {
            counters.count(CallCounter.LONG_REPLIES);
            throw tooLong;
        }
    }

    private void dispatch(InetAddress client, ByteBuffer call, XdrReader reader, XdrWriter writer, ResultItems items) {
        int start = writer.position();
        int xid = reader.u32();
        reader.u32();
        try {
            if (reader.u32() != RPC_VERSION) {
                counters.count(CallCounter.DENIED_CALLS);
                deny(xid, writer).u32(RPC_MISMATCH).u32(RPC_VERSION).u32(RPC_VERSION);
                return;
            }
            int number = reader.u32();
            int version = reader.u32();
            int procedure = reader.u32();
            if (items.trace() != null) {
                items.trace().number("program", number).number("version", version).number("procedure", procedure);
            }
            int flavor = reader.u32();
            reader.opaque(MAX_AUTH);
            reader.u32();
            reader.opaque(MAX_AUTH);
            if (flavor != AUTH_NONE && flavor != AUTH_SYS) {
                counters.count(CallCounter.DENIED_CALLS);
                deny(xid, writer).u32(AUTH_ERROR).u32(AUTH_BAD_CREDENTIAL);
                return;
            }
            RpcProgram program = find(number, version, xid, writer);
            if (program == null) {
                counters.count(CallCounter.UNKNOWN_PROGRAMS);
            } else if (procedure < 0 || procedure >= program.procedures()) {
                counters.count(CallCounter.UNKNOWN_PROCEDURES);
                accept(xid, writer, PROCEDURE_UNAVAILABLE);
            } else if (program.isNonIdempotent(procedure)) {
                executeOnce(program, procedure, DuplicateRequests.Key.of(client, xid, call), reader, writer, items);
            } else {
                execute(program, procedure, xid, reader, writer, items);
            }
        } catch (XdrException malformed) {
            counters.count(CallCounter.MALFORMED_ARGUMENTS);
            writer.position(start);
            accept(xid, writer, GARBAGE_ARGUMENTS);
        }
    }

    /** @return null after an answer that there is no such program */
    private RpcProgram find(int number, int version, int xid, XdrWriter writer) {
        RpcProgram found = find(number, version);
        if (found != null) {
            return found;
        }
        boolean known = false;
        int low = Integer.MAX_VALUE;
        int high = 0;
        for (RpcProgram each : programs) {
            if (each.number() == number) {
                known = true;
                low = Math.min(low, each.version());
                high = Math.max(high, each.version());
            }
        }
        if (known) {
            accept(xid, writer, PROGRAM_MISMATCH).u32(low).u32(high);
        } else {
            accept(xid, writer, PROGRAM_UNAVAILABLE);
        }
        return null;
    }

    private void executeOnce(RpcProgram program, int procedure, DuplicateRequests.Key key, XdrReader reader, XdrWriter writer,
                             ResultItems items) {
        CompletableFuture<byte[]> first = duplicates.begin(key);
        int start = writer.position();
        if (first != null) {
            counters.count(CallCounter.DUPLICATE_CALLS);
            if (items.trace() != null) {
                items.trace().outcome("sent again, answered as the first time");
            }
            byte[] reply = first.join();
            if (reply == null) {
                accept(key.xid(), writer, SYSTEM_ERROR);
            } else {
                writer.room(0, reply.length).put(reply);
                writer.position(start + reply.length);
            }
            return;
        }
        byte[] reply = null;
        try {
            execute(program, procedure, key.xid(), reader, writer, items.withoutMemory());
            reply = writer.copy(start);
        } finally {
            duplicates.end(key, reply);
        }
    }

    private void execute(RpcProgram program, int procedure, int xid, XdrReader reader, XdrWriter writer, ResultItems items) {
        int start = writer.position();
        try {
            accept(xid, writer, SUCCESS);
            program.execute(procedure, reader, writer, items);
        } catch (XdrException | BufferOverflowException known) {
            throw known;
        } catch (RuntimeException defect) {
            counters.count(CallCounter.FAILURES);
            LOG.log(System.Logger.Level.ERROR, "procedure " + procedure + " of program " + program.number() + " failed", defect);
            writer.position(start);
            accept(xid, writer, SYSTEM_ERROR);
        }
    }

    private static XdrWriter accept(int xid, XdrWriter writer, int status) {
        return writer.u32(xid).u32(REPLY).u32(ACCEPTED).u32(AUTH_NONE).u32(0).u32(status);
    }

    private static XdrWriter deny(int xid, XdrWriter writer) {
        return writer.u32(xid).u32(REPLY).u32(DENIED);
    }
}
