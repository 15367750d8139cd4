// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.export.Located;
import org.softrdma.storage.export.NfsException;
import org.softrdma.storage.nfs4.Nfs4Program;
import org.softrdma.storage.rpc.CallCounters;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.rpc.RpcPrograms;

/**
 * Arbitrary calls of version 4.1, on an export with a file, a directory and a link that leads out of it. Each call has a reply, nothing
 * fails that is not foreseen, and what lies beside the export remains as it is.
 *
 * <p>An input is a sequence of calls: a byte for the number of operations (from 0x80 on, without a SEQUENCE before them), a byte for the
 * length, and the operations, in which 0x1c and a byte of 0xf0 to 0xf3 stand for the handles of the root, the file, the directory and the
 * link. The server's start is 77, so that the first state is 1 of it.
 */
class Nfs4FuzzTest {
    private static final int HANDLE = 0x1c;
    private static final int FIRST_HANDLE = 0xf0;
    private static final int NO_SEQUENCE = 0x80;
    private static final int MAX_CALL = 4096;
    private static final int BOOT = 77;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyCall(byte[] bytes) throws IOException, NfsException {
        Path directory = Files.createTempDirectory("nfs4-fuzz");
        try (Run run = new Run(directory)) {
            run.execute(ByteBuffer.wrap(bytes));
        } finally {
            delete(directory);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static final class Run implements AutoCloseable {
        private final Path directory;
        private final CallCounters counters = new CallCounters();
        private final List<byte[]> handles = new ArrayList<>();
        private final Export export;
        private final RpcPrograms programs;
        private final byte[] session = new byte[16];
        private long nowNs;
        private int xid;
        private int sequence;

        Run(Path directory) throws IOException, NfsException {
            this.directory = directory;
            Path files = Files.createDirectory(directory.resolve("export"));
            Files.createDirectory(directory.resolve("outside"));
            Files.writeString(directory.resolve("outside/secret"), "secret");
            Files.writeString(files.resolve("f"), "text");
            Files.createDirectory(files.resolve("d"));
            Files.createSymbolicLink(files.resolve("l"), directory.resolve("outside"));
            export = new Export(files, false);
            Located root = export.locate(export.rootHandle());
            for (String each : List.of(".", "f", "d", "l")) {
                handles.add(export.lookup(root, each).handle().toBytes());
            }
            Nfs4Program.Identity identity = new Nfs4Program.Identity(BOOT, new byte[8], 60, 0);
            programs = new RpcPrograms(List.of(new Nfs4Program(export, Clock.systemUTC(), () -> nowNs, 1, identity)), counters);
            ByteBuffer known = send(Nfs4Client.compound(++xid, 1, all -> Nfs4Client.exchangeId(all, "fuzz", 1)));
            long client = known.getLong(24 + 20);
            send(Nfs4Client.compound(++xid, 1, all -> Nfs4Client.createSession(all, client, 1))).get(24 + 20, session);
            send(Nfs4Client.compound(++xid, 1, all -> all.add(Nfs4Client.SEQUENCE).fixed(session).words(++sequence, 0, 0, 0)
                .add(Nfs4Client.RECLAIM_COMPLETE, 0)));
        }

        void execute(ByteBuffer input) throws IOException {
            while (input.remaining() > 2) {
                int operations = input.get() & 0xff;
                int length = Math.min(input.get() & 0xff, input.remaining());
                call(operations, input.slice(input.position(), length));
                input.position(input.position() + length);
                nowNs += 1_000_000_000;
            }
            check(!counters.snapshot().containsKey("failures"), "failed: " + counters.snapshot());
            check(Files.readString(directory.resolve("outside/secret")).equals("secret"), "written outside");
            for (String each : List.of("", "outside")) {
                try (Stream<Path> entries = Files.list(directory.resolve(each))) {
                    check(entries.count() == (each.isEmpty() ? 2 : 1), "created outside");
                }
            }
        }

        private void call(int operations, ByteBuffer bytes) {
            ByteBuffer call = Nfs4Client.compound(++xid, 1, all -> {
                if (operations < NO_SEQUENCE) {
                    all.add(Nfs4Client.SEQUENCE).fixed(session).words(++sequence, 0, 0, 1);
                }
                all.count += operations & NO_SEQUENCE - 1;
                write(bytes, all.bytes);
            });
            try {
                send(call);
            } catch (BufferOverflowException tooLong) {
                check(counters.snapshot().containsKey("long_replies"), "not counted");
            }
        }

        private void write(ByteBuffer bytes, ByteBuffer call) {
            while (bytes.hasRemaining() && call.remaining() > 32) {
                int each = bytes.get() & 0xff;
                int handle = each == HANDLE && bytes.hasRemaining() ? (bytes.get(bytes.position()) & 0xff) - FIRST_HANDLE : -1;
                if (handle >= 0 && handle < handles.size()) {
                    bytes.get();
                    call.putInt(HANDLE).put(handles.get(handle));
                } else {
                    call.put((byte) each);
                }
            }
        }

        private ByteBuffer send(ByteBuffer call) {
            ByteBuffer reply = ByteBuffer.allocate(MAX_CALL);
            int bytes = programs.serve(InetAddress.getLoopbackAddress(), call, reply, ResultItems.NONE);
            check(bytes >= 24 && bytes % 4 == 0 && reply.getInt(0) == xid && reply.getInt(4) == 1, "reply of " + bytes + " bytes");
            return reply.flip();
        }

        @Override
        public void close() throws IOException {
            export.close();
        }
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
