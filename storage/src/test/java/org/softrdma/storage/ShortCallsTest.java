// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.storage.export.Export;
import org.softrdma.storage.mount.MountProgram;
import org.softrdma.storage.nfs.Nfs3Program;
import org.softrdma.storage.nfs4.Nfs4Program;
import org.softrdma.storage.rpc.CallCounters;
import org.softrdma.storage.rpc.RpcPrograms;

/** Which calls are taken for short ones. They are written by hand from RFC 1813 and RFC 8881. */
class ShortCallsTest {
    private static final int LIMIT = 262_144;
    private static final byte[] HANDLE = new byte[28];

    @TempDir
    Path directory;
    private Export export;
    private RpcPrograms programs;

    @BeforeEach
    void open() throws IOException {
        export = new Export(directory, false);
        Nfs4Program.Identity identity = new Nfs4Program.Identity(1, new byte[4], 60, 0);
        programs = new RpcPrograms(List.of(new Nfs3Program(export, Clock.systemUTC(), 1),
            new Nfs4Program(export, Clock.systemUTC(), System::nanoTime, 1, identity), new MountProgram(export)), new CallCounters());
    }

    @AfterEach
    void close() throws IOException {
        export.close();
    }

    private static ByteBuffer version3(int procedure, Consumer<ByteBuffer> arguments) {
        ByteBuffer call = Nfs3Client.header(1, Nfs3Client.NFS, 3, procedure);
        arguments.accept(Nfs3Client.opaque(call, HANDLE));
        return call.flip();
    }

    private static ByteBuffer write(int bytes, int stable) {
        return version3(7, call -> call.putLong(0).putInt(bytes).putInt(stable).putInt(bytes));
    }

    private boolean isShort(ByteBuffer call) {
        ByteBuffer before = call.duplicate();
        boolean isShort = programs.isShort(call);
        assertEquals(before, call, "the call is not consumed");
        return isShort;
    }

    @Test
    void shouldTellByProcedureAndLength() {
        assertTrue(isShort(version3(1, call -> { })), "GETATTR");
        assertTrue(isShort(version3(6, call -> call.putLong(0).putInt(LIMIT))), "READ");
        assertFalse(isShort(version3(6, call -> call.putLong(0).putInt(LIMIT + 1))), "READ");
        assertFalse(isShort(version3(6, call -> call.putLong(0).putInt(-1))), "READ");
        assertTrue(isShort(write(LIMIT, 0)), "WRITE");
        assertFalse(isShort(write(LIMIT + 1, 0)), "WRITE");
        assertFalse(isShort(write(8, 1)), "WRITE DATA_SYNC");
        assertFalse(isShort(write(8, 2)), "WRITE FILE_SYNC");
        assertFalse(isShort(version3(21, call -> call.putLong(0).putInt(0))), "COMMIT");
        assertFalse(isShort(version3(12, call -> Nfs3Client.text(call, "name"))), "REMOVE");
        assertFalse(isShort(version3(99, call -> { })), "no procedure");
    }

    @Test
    void shouldTakeNoUnknownProgramOrVersionForShort() {
        assertFalse(isShort(Nfs3Client.header(1, Nfs3Client.NFS, 2, 1).flip()));
        assertFalse(isShort(Nfs3Client.header(1, Nfs3Client.MOUNT, 3, 1).flip()));
        assertFalse(isShort(Nfs3Client.header(1, 400_000, 1, 1).flip()));
    }

    private static ByteBuffer compound(int operations, Consumer<Nfs4Client.Operations> third) {
        ByteBuffer call = Nfs3Client.header(1, Nfs4Client.NFS, 4, 1).putInt(0).putInt(1).putInt(operations);
        Nfs4Client.Operations all = new Nfs4Client.Operations(call).add(Nfs4Client.SEQUENCE).fixed(new byte[32]).put(HANDLE);
        third.accept(all);
        return call.flip();
    }

    private static void write(Nfs4Client.Operations call, int stable) {
        call.add(Nfs4Client.WRITE).fixed(new byte[24]).words(stable).opaque(new byte[8]);
    }

    @Test
    void shouldTellByTheOperationsOfACompound() {
        ByteBuffer whole = compound(4, call -> {
            write(call, 0);
            call.add(Nfs4Client.GETATTR, 1, 0x18);
        });
        assertTrue(isShort(whole), "WRITE, GETATTR");
        assertTrue(isShort(compound(3, call -> write(call, 0))), "WRITE");
        assertTrue(isShort(compound(3, call -> call.add(Nfs4Client.READ).fixed(new byte[24]).words(LIMIT))), "READ");
        assertTrue(isShort(compound(3, call -> call.add(Nfs4Client.GETATTR, 2, 0x18, 1))), "GETATTR");
        assertTrue(isShort(compound(4, call -> call.add(Nfs4Client.ACCESS, 1).add(Nfs4Client.GETATTR, 1, 1))), "ACCESS, GETATTR");
        assertFalse(isShort(compound(3, call -> call.add(Nfs4Client.READ).fixed(new byte[24]).words(LIMIT + 1))), "long READ");
        assertFalse(isShort(compound(3, call -> write(call, 2))), "WRITE FILE_SYNC");
        assertFalse(isShort(compound(4, call -> {
            write(call, 0);
            call.add(Nfs4Client.COMMIT, 0, 0, 0);
        })), "WRITE, COMMIT");
        assertFalse(isShort(compound(3, call -> call.add(Nfs4Client.COMMIT, 0, 0, 0))), "COMMIT");
        assertFalse(isShort(compound(3, call -> call.add(Nfs4Client.REMOVE).text("name"))), "REMOVE");
        assertFalse(isShort(compound(5, call -> write(call, 0))), "five operations");
        // The arguments of the last operation do not count.
        for (int length = 0; length < whole.limit() - 8; length++) {
            assertFalse(isShort(whole.duplicate().limit(length)), "of " + length + " bytes");
        }
    }

    @ParameterizedTest
    @CsvSource({"6, 20", "7, 16"})
    void shouldTakeNoTruncatedCallForShort(int procedure, int tail) {
        ByteBuffer call = version3(procedure, arguments -> arguments.put(new byte[tail]));
        for (int length = 0; length < 40 + 32 + (procedure == 6 ? 12 : 16); length++) {
            assertFalse(isShort(call.duplicate().limit(length)), "of " + length + " bytes");
        }
        assertTrue(isShort(call));
    }
}
