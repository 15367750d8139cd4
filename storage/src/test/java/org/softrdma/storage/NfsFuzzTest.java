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
import org.softrdma.storage.mount.MountProgram;
import org.softrdma.storage.nfs.Nfs3Program;
import org.softrdma.storage.rpc.CallCounters;
import org.softrdma.storage.rpc.ResultItems;
import org.softrdma.storage.rpc.RpcPrograms;

/**
 * Arbitrary arguments of all procedures, on an export with a file, a directory and a link that leads out of it. Each call has a reply,
 * nothing fails that is not foreseen, and what lies beside the export remains as it is.
 *
 * <p>An input is a sequence of calls: a byte for the procedure (from 0x80 on, of MOUNT), a byte for the length, and the arguments, in which
 * 0x1c and a byte of 0xf0 to 0xf3 stand for the handles of the root, the file, the directory and the link.
 */
class NfsFuzzTest {
    private static final int HANDLE = 0x1c;
    private static final int FIRST_HANDLE = 0xf0;
    private static final int MAX_CALL = 4096;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyCall(byte[] bytes) throws IOException, NfsException {
        Path directory = Files.createTempDirectory("nfs-fuzz");
        try {
            new Run(directory).execute(ByteBuffer.wrap(bytes));
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

    private static final class Run {
        private final Path directory;
        private final CallCounters counters = new CallCounters();
        private final List<byte[]> handles = new ArrayList<>();
        private final RpcPrograms programs;
        private int xid;

        Run(Path directory) throws IOException, NfsException {
            this.directory = directory;
            Path files = Files.createDirectory(directory.resolve("export"));
            Files.createDirectory(directory.resolve("outside"));
            Files.writeString(directory.resolve("outside/secret"), "secret");
            Files.writeString(files.resolve("f"), "text");
            Files.createDirectory(files.resolve("d"));
            Files.createSymbolicLink(files.resolve("l"), directory.resolve("outside"));
            Export export = new Export(files, false);
            Located root = export.locate(export.rootHandle());
            for (String each : List.of(".", "f", "d", "l")) {
                handles.add(export.lookup(root, each).handle().toBytes());
            }
            programs = new RpcPrograms(List.of(new Nfs3Program(export, Clock.systemUTC(), 1), new MountProgram(export)), counters);
        }

        void execute(ByteBuffer input) throws IOException {
            while (input.remaining() > 2) {
                int procedure = input.get() & 0xff;
                int length = Math.min(input.get() & 0xff, input.remaining());
                call(procedure, input.slice(input.position(), length));
                input.position(input.position() + length);
            }
            check(!counters.snapshot().containsKey("failures"), "failed: " + counters.snapshot());
            check(Files.readString(directory.resolve("outside/secret")).equals("secret"), "written outside");
            for (String each : List.of("", "outside")) {
                try (Stream<Path> entries = Files.list(directory.resolve(each))) {
                    check(entries.count() == (each.isEmpty() ? 2 : 1), "created outside");
                }
            }
        }

        private void call(int procedure, ByteBuffer arguments) {
            ByteBuffer call = ByteBuffer.allocate(MAX_CALL).putInt(++xid).putInt(0).putInt(2)
                .putInt(procedure < 0x80 ? Nfs3Client.NFS : Nfs3Client.MOUNT).putInt(3).putInt(procedure & 0x7f)
                .putInt(0).putInt(0).putInt(0).putInt(0);
            while (arguments.hasRemaining() && call.remaining() > 32) {
                int each = arguments.get() & 0xff;
                int handle = each == HANDLE && arguments.hasRemaining() ? (arguments.get(arguments.position()) & 0xff) - FIRST_HANDLE : -1;
                if (handle >= 0 && handle < handles.size()) {
                    arguments.get();
                    call.putInt(HANDLE).put(handles.get(handle));
                } else {
                    call.put((byte) each);
                }
            }
            ByteBuffer reply = ByteBuffer.allocate(MAX_CALL);
            try {
                int bytes = programs.serve(InetAddress.getLoopbackAddress(), call.flip(), reply, ResultItems.NONE);
                check(bytes >= 24 && bytes % 4 == 0 && reply.getInt(0) == xid && reply.getInt(4) == 1, "reply of " + bytes + " bytes");
            } catch (BufferOverflowException tooLong) {
                check(counters.snapshot().containsKey("long_replies"), "not counted");
            }
        }
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
