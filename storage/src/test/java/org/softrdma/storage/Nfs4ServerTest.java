// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.rpcrdma.ClientOptions;
import org.softrdma.rpcrdma.RpcMemory;
import org.softrdma.rpcrdma.RpcRdmaClient;
import org.softrdma.storage.Nfs4Client.Open;

/** Version 4.1: client and server in this process, on devices on the loopback interface. Numbers of errors: RFC 8881, section 15.1. */
@Timeout(60)
class Nfs4ServerTest {
    private static final int NOENT = 2;
    private static final int EXIST = 17;
    private static final int ISDIR = 21;
    private static final int INVAL = 22;
    private static final int STALE = 70;
    private static final int NOTSUPP = 10004;
    private static final int SAME = 10009;
    private static final int DENIED = 10010;
    private static final int SHARE_DENIED = 10015;
    private static final int NOFILEHANDLE = 10020;
    private static final int MINOR_VERS_MISMATCH = 10021;
    private static final int BAD_STATEID = 10025;
    private static final int NOT_SAME = 10027;
    private static final int SYMLINK = 10029;
    private static final int BADXDR = 10036;
    private static final int LOCKS_HELD = 10037;
    private static final int OPENMODE = 10038;
    private static final int BADNAME = 10041;
    private static final int OP_ILLEGAL = 10044;
    private static final int BADSESSION = 10052;
    private static final int SEQUENCE_POS = 10064;
    private static final int RETRY_UNCACHED_REP = 10068;
    private static final int OP_NOT_IN_SESSION = 10071;
    private static final int NOT_ONLY_OP = 10081;

    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int BOTH = 3;
    private static final int LARGE = 1 << 20;

    @TempDir
    Path directory;

    private Path files;
    private NfsServer server;
    private RpcRdmaClient connection;
    private Nfs4Client client;

    @BeforeAll
    static void configure() throws Exception {
        NfsServerTest.configure();
    }

    @BeforeEach
    void start() throws Exception {
        files = Files.createDirectory(directory.resolve("export"));
        server = NfsServer.start(NfsOptions.of(files).withMountPort(0).withGraceSeconds(0)
            .withAddresses(List.of(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0))));
        connection = RpcRdmaClient.connect(server.addresses().getFirst(), ClientOptions.DEFAULT);
        client = new Nfs4Client(connection);
        client.start("one");
    }

    @Test
    void shouldReportTheOperationsOfACall() throws Exception {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (NfsServer traced = NfsServer.start(NfsOptions.of(files).withMountPort(0).withGraceSeconds(0)
            .withAddresses(List.of(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0))), lines::add);
             RpcRdmaClient other = RpcRdmaClient.connect(traced.addresses().getFirst(), ClientOptions.DEFAULT)) {
            Nfs4Client caller = new Nfs4Client(other);
            caller.start("traced");
            caller.call(NOENT, all -> all.root().add(Nfs4Client.LOOKUP).text("none")
                .add(Nfs4Client.GETFH));
        }
        assertTrue(lines.stream().anyMatch(each -> each.contains(" procedure 1 EXCHANGE_ID: OK;")), lines.toString());
        assertTrue(lines.getLast().contains(" program 100003 version 4 procedure 1 SEQUENCE PUTROOTFH LOOKUP \"none\": NOENT;"),
            lines.toString());
    }

    @AfterEach
    void end() {
        assertFalse(server.counters().containsKey("failures"), server.counters().toString());
        connection.close();
        server.close();
    }

    private void refused(int status, Consumer<Nfs4Client.Operations> operations) throws Exception {
        client.call(status, operations);
    }

    // ---- data ----

    @Test
    void shouldWriteAndReadAMebibyteOfAnOpenFile() throws Exception {
        byte[] data = new byte[LARGE];
        new Random(1).nextBytes(data);
        Open file = client.open("large", BOTH, 0, "owner");
        try (RpcMemory memory = connection.allocate(LARGE)) {
            memory.buffer().put(0, data);
            int[] position = new int[1];
            // Behind the data is what the kernel sends there: GETATTR, captured on rxe.
            ByteBuffer written = client.call(0, all -> {
                all.put(file.handle()).add(Nfs4Client.WRITE).fixed(file.state()).words(0, 5, 0, LARGE);
                position[0] = all.bytes.position();
                all.fixed(HexFormat.of().parseHex("0000000900000002" + "0000001800302000")).count++;
            }, request -> request.read(position[0], memory, 0, LARGE));
            Nfs4Client.result(Nfs4Client.result(written, Nfs4Client.PUTFH, 0), Nfs4Client.WRITE, 0);
            assertEquals(LARGE, written.getInt());
            written.position(written.position() + 12);
            Nfs4Client.result(written, Nfs4Client.GETATTR, 0);
            assertEquals(2, written.getInt());
            assertEquals(0x18, written.getInt());
            assertEquals(0x00302000, written.getInt());
            assertEquals(8 + 8 + 8 + 12 + 12, written.getInt());
            written.getLong();
            assertEquals(LARGE + 5, written.getLong());
            client.call(0, all -> all.put(file.handle()).add(Nfs4Client.COMMIT, 0, 0, 0));
            byte[] stored = Files.readAllBytes(files.resolve("large"));
            assertArrayEquals(data, Arrays.copyOfRange(stored, 5, stored.length));
            memory.segment().fill((byte) 0);
            ByteBuffer read = client.call(0, all -> all.put(file.handle()).add(Nfs4Client.READ).fixed(file.state()).words(0, 6, LARGE),
                request -> request.write(memory, 0, LARGE));
            Nfs4Client.result(Nfs4Client.result(read, Nfs4Client.PUTFH, 0), Nfs4Client.READ, 0);
            assertEquals(1, read.getInt());
            assertEquals(LARGE - 1, read.getInt());
            assertEquals(0, read.remaining());
            byte[] got = new byte[LARGE - 1];
            memory.buffer().get(0, got);
            assertArrayEquals(Arrays.copyOfRange(data, 1, LARGE), got);
        }
        client.call(0, all -> all.put(file.handle()).add(Nfs4Client.CLOSE, 0).fixed(file.state()));
        refused(BAD_STATEID, all -> all.put(file.handle()).add(Nfs4Client.READ).fixed(file.state()).words(0, 0, 1));
    }

    @Test
    void shouldReadInlineWithPadding() throws Exception {
        Files.writeString(files.resolve("f"), "hello");
        ByteBuffer results = client.call(0, all -> all.root().add(Nfs4Client.LOOKUP).text("f")
            .add(Nfs4Client.READ).fixed(new byte[16]).words(0, 1, 100));
        Nfs4Client.result(results, Nfs4Client.PUTROOTFH, 0);
        Nfs4Client.result(results, Nfs4Client.LOOKUP, 0);
        assertEquals(1, Nfs4Client.result(results, Nfs4Client.READ, 0).getInt());
        assertEquals("ello", new String(Nfs3Client.opaque(results), StandardCharsets.UTF_8));
        assertEquals(0, results.remaining());
    }

    // ---- opens ----

    @Test
    void shouldKeepShareReservationsOfClients() throws Exception {
        Open file = client.open("f", READ, WRITE, "owner");
        refused(OPENMODE, all -> all.put(file.handle()).add(Nfs4Client.WRITE).fixed(file.state()).words(0, 0, 0, 0));
        try (RpcRdmaClient second = RpcRdmaClient.connect(server.addresses().getFirst(), ClientOptions.DEFAULT)) {
            Nfs4Client other = new Nfs4Client(second);
            other.start("two");
            other.call(SHARE_DENIED, all -> all.root().open(WRITE, 0, other.clientId, "owner").words(0, 0).text("f"));
            other.call(BAD_STATEID, all -> all.put(file.handle()).add(Nfs4Client.CLOSE, 0).fixed(file.state()));
            client.call(0, all -> all.put(file.handle()).add(Nfs4Client.CLOSE, 0).fixed(file.state()));
            other.open("f", WRITE, 0, "owner");
        }
    }

    @Test
    void shouldCreateAsTheCallSays() throws Exception {
        Files.createDirectory(files.resolve("d"));
        Files.createSymbolicLink(files.resolve("l"), Path.of("/etc/passwd"));
        refused(NOENT, all -> all.root().open(READ, 0, client.clientId, "o").words(0, 0).text("none"));
        refused(ISDIR, all -> all.root().open(READ, 0, client.clientId, "o").words(0, 0).text("d"));
        refused(SYMLINK, all -> all.root().open(READ, 0, client.clientId, "o").words(0, 0).text("l"));
        refused(INVAL, all -> all.root().open(0, 0, client.clientId, "o").words(0, 0).text("d"));
        // GUARDED with mode 0444, for writing.
        client.call(0, all -> all.root().open(WRITE, 0, client.clientId, "o").words(1, 1, 2, 0, 2, 4, 0444, 0).text("f")
            .add(Nfs4Client.WRITE, 1, 0, 0, 0, 0, 0, 0, 4, 0x61626364));
        assertEquals("abcd", Files.readString(files.resolve("f")));
        assertEquals(0444, (int) Files.getAttribute(files.resolve("f"), "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777);
        refused(EXIST, all -> all.root().open(WRITE, 0, client.clientId, "o").words(1, 1).noAttributes().words(0).text("f"));
        // UNCHECKED with size 2.
        Files.writeString(files.resolve("g"), "abcd");
        client.call(0, all -> all.root().open(WRITE, 0, client.clientId, "o").words(1, 0, 1, 0x10, 8, 0, 2, 0).text("g"));
        assertEquals("ab", Files.readString(files.resolve("g")));
        // EXCLUSIVE4_1 with a verifier and mode 0600.
        client.call(0, all -> exclusive(all, 7));
        client.call(0, all -> exclusive(all, 7));
        refused(EXIST, all -> exclusive(all, 8));
        assertEquals(0600, (int) Files.getAttribute(files.resolve("x"), "unix:mode") & 07777);
    }

    private void exclusive(Nfs4Client.Operations all, int verifier) {
        all.root().open(WRITE, 0, client.clientId, "o").words(1, 3, 0, verifier, 2, 0, 2, 4, 0600, 0).text("x");
    }

    // ---- locks ----

    @Test
    void shouldLockForOneOwnerAtATime() throws Exception {
        Open file = client.open("f", BOTH, 0, "owner");
        byte[] state = Nfs4Client.bytes(client.lock(0, file, 2, 0, -1, "first"), 16);
        ByteBuffer denied = client.lock(DENIED, file, 1, 10, 5, "second");
        assertEquals(0, denied.getLong());
        assertEquals(-1, denied.getLong());
        assertEquals(2, denied.getInt());
        assertEquals(client.clientId, denied.getLong());
        assertEquals("first", new String(Nfs3Client.opaque(denied), StandardCharsets.UTF_8));
        refused(LOCKS_HELD, all -> all.add(Nfs4Client.FREE_STATEID).fixed(state));
        byte[] unlocked = Nfs4Client.bytes(Nfs4Client.result(Nfs4Client.result(client.call(0, all -> all.put(file.handle())
            .add(Nfs4Client.LOCKU, 2, 0).fixed(state).words(0, 0, 0, 100)), Nfs4Client.PUTFH, 0), Nfs4Client.LOCKU, 0), 16);
        client.lock(0, file, 1, 10, 5, "second");
        refused(DENIED, all -> {
            all.put(file.handle()).add(Nfs4Client.LOCKT, 2, 0, 0, 0, 20);
            all.bytes.putLong(client.clientId);
            all.text("first");
        });
        ByteBuffer tested = client.call(0, all -> all.add(Nfs4Client.TEST_STATEID, 2).fixed(unlocked).fixed(file.state()));
        Nfs4Client.result(tested, Nfs4Client.TEST_STATEID, 0);
        assertEquals(2, tested.getInt());
        assertEquals(0, tested.getInt());
        assertEquals(0, tested.getInt());
    }

    // ---- names ----

    @Test
    void shouldChangeNames() throws Exception {
        client.call(0, all -> all.root().add(Nfs4Client.CREATE, 2).text("d").words(2, 0, 2, 4, 0700)
            .add(Nfs4Client.CREATE, 5).text("no/such").text("l").noAttributes().add(Nfs4Client.READLINK));
        assertEquals("no/such", Files.readSymbolicLink(files.resolve("d/l")).toString());
        Files.writeString(files.resolve("f"), "x");
        client.call(0, all -> all.root().add(Nfs4Client.LOOKUP).text("d").add(Nfs4Client.SAVEFH).root()
            .add(Nfs4Client.RENAME).text("l").text("m").add(Nfs4Client.LOOKUP).text("f").add(Nfs4Client.SAVEFH).root()
            .add(Nfs4Client.LOOKUP).text("d").add(Nfs4Client.LINK).text("g").add(Nfs4Client.LOOKUPP).add(Nfs4Client.REMOVE).text("f"));
        assertTrue(Files.isSymbolicLink(files.resolve("m")));
        assertEquals("x", Files.readString(files.resolve("d/g")));
        refused(66, all -> all.root().add(Nfs4Client.REMOVE).text("d"));
        client.call(0, all -> all.root().add(Nfs4Client.LOOKUP).text("d").add(Nfs4Client.REMOVE).text("g").root()
            .add(Nfs4Client.REMOVE).text("d"));
        assertFalse(Files.exists(files.resolve("d")));
        refused(BADNAME, all -> all.root().add(Nfs4Client.LOOKUP).text(".."));
        refused(BADNAME, all -> all.root().add(Nfs4Client.LOOKUP).text("a/b"));
        refused(SYMLINK, all -> all.root().add(Nfs4Client.LOOKUP).text("m").add(Nfs4Client.LOOKUP).text("x"));
        refused(NOENT, all -> all.root().add(Nfs4Client.LOOKUPP));
        refused(NOTSUPP, all -> all.root().add(Nfs4Client.CREATE, 7).text("pipe").noAttributes());
    }

    @Test
    void shouldListALargeDirectory() throws Exception {
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            expected.add("file-" + i);
            Files.createFile(files.resolve("file-" + i));
        }
        Set<String> listed = new HashSet<>();
        long cookie = 0;
        boolean end = false;
        while (!end) {
            long from = cookie;
            ByteBuffer page = client.call(0, all -> {
                all.root().add(Nfs4Client.READDIR);
                all.bytes.putLong(from).putLong(0);
                // Types and file numbers.
                all.words(1000, 2000, 1, 2 | 1 << 20);
            });
            Nfs4Client.result(page, Nfs4Client.PUTROOTFH, 0);
            Nfs4Client.result(page, Nfs4Client.READDIR, 0).getLong();
            int start = page.position();
            while (page.getInt() == 1) {
                cookie = page.getLong();
                assertTrue(listed.add(new String(Nfs3Client.opaque(page), StandardCharsets.UTF_8)));
                assertEquals(1, page.getInt());
                assertEquals(2 | 1 << 20, page.getInt());
                assertEquals(12, page.getInt());
                assertEquals(1, page.getInt());
                page.getLong();
            }
            end = page.getInt() == 1;
            assertTrue(page.position() - start <= 2000);
        }
        assertEquals(expected, listed);
        refused(10003, all -> all.root().add(Nfs4Client.READDIR, 0, 1, 0, 0, 1000, 1000, 0));
        refused(10005, all -> all.root().add(Nfs4Client.READDIR, 0, 0, 0, 0, 10, 10, 0));
    }

    // ---- attributes ----

    @Test
    void shouldSetAndCompareAttributes() throws Exception {
        Open file = client.open("f", BOTH, 0, "o");
        // Size 7 and mode 0640; a time of the client.
        client.call(0, all -> all.put(file.handle()).add(Nfs4Client.SETATTR).fixed(file.state()).words(2, 0x10, 2 | 1 << 54 - 32)
            .words(28, 0, 7, 0640, 1, 0, 1234, 5678));
        assertEquals(7, Files.size(files.resolve("f")));
        assertEquals("1970-01-01T00:20:34.000005678Z", Files.getLastModifiedTime(files.resolve("f")).toString());
        client.call(0, all -> all.put(file.handle()).add(Nfs4Client.VERIFY, 1, 0x10, 8, 0, 7));
        refused(NOT_SAME, all -> all.put(file.handle()).add(Nfs4Client.VERIFY, 1, 0x10, 8, 0, 8));
        refused(SAME, all -> all.put(file.handle()).add(Nfs4Client.NVERIFY, 1, 0x10, 8, 0, 7));
        client.call(0, all -> all.put(file.handle()).add(Nfs4Client.NVERIFY, 1, 0x10, 8, 0, 8));
        // An owner by name, and an attribute that can only be read; the failure has a set of attributes as well.
        ByteBuffer failed = client.call(10039, all -> all.put(file.handle()).add(Nfs4Client.SETATTR).fixed(new byte[16])
            .words(2, 0, 1 << 4, 8, 4, 0x726f6f74));
        Nfs4Client.result(failed, Nfs4Client.PUTFH, 0);
        Nfs4Client.result(failed, Nfs4Client.SETATTR, 10039);
        assertEquals(0, failed.getInt());
        refused(INVAL, all -> all.put(file.handle()).add(Nfs4Client.SETATTR).fixed(new byte[16]).words(1, 2, 4, 1));
        ByteBuffer access = client.call(0, all -> all.root().add(Nfs4Client.ACCESS, 0xff));
        Nfs4Client.result(Nfs4Client.result(access, Nfs4Client.PUTROOTFH, 0), Nfs4Client.ACCESS, 0);
        assertEquals(0x3f, access.getInt());
        assertEquals(0x1f, access.getInt());
    }

    // ---- sessions ----

    @Test
    void shouldExecuteACallThatIsSentTwiceOnce() throws Exception {
        client.sequence++;
        ByteBuffer call = Nfs4Client.compound(1, 1, all -> all.sequence(client, true).root().add(Nfs4Client.CREATE, 2).text("d")
            .noAttributes());
        ByteBuffer first = client.send(call, request -> { });
        assertEquals(0, first.getInt(0));
        assertEquals(first, client.send(call, request -> { }));
        client.sequence++;
        ByteBuffer notKept = Nfs4Client.compound(2, 1, all -> all.sequence(client, false).root());
        assertEquals(0, client.send(notKept, request -> { }).getInt(0));
        assertEquals(RETRY_UNCACHED_REP, client.send(notKept, request -> { }).getInt(0));
    }

    @Test
    void shouldRefuseWhatIsNoCall() throws Exception {
        assertEquals(OP_NOT_IN_SESSION, client.send(all -> all.root()).getInt(0));
        assertEquals(NOT_ONLY_OP, client.send(all -> {
            Nfs4Client.exchangeId(all, "x", 1);
            all.root();
        }).getInt(0));
        refused(SEQUENCE_POS, all -> all.sequence(client, true));
        refused(NOFILEHANDLE, all -> all.add(Nfs4Client.GETFH));
        refused(NOFILEHANDLE, all -> all.root().add(Nfs4Client.RESTOREFH));
        refused(NOTSUPP, all -> all.add(Nfs4Client.LAYOUTGET));
        refused(BADXDR, all -> all.add(Nfs4Client.PUTFH, 28));
        ByteBuffer illegal = client.call(OP_ILLEGAL, all -> all.add(59));
        Nfs4Client.result(illegal, OP_ILLEGAL, OP_ILLEGAL);
        for (int minor : new int[] {0, 2}) {
            assertEquals(MINOR_VERS_MISMATCH, client.send(Nfs4Client.compound(3, minor, all -> all.root()), request -> { }).getInt(0));
        }
        refused(STALE, all -> all.put(forged()).add(Nfs4Client.GETATTR, 1, 2));
        client.call(0, all -> all.root().add(Nfs4Client.SECINFO_NO_NAME, 0));
        refused(NOFILEHANDLE, all -> all.root().add(Nfs4Client.SECINFO_NO_NAME, 0).add(Nfs4Client.GETFH));
    }

    private static byte[] forged() {
        return ByteBuffer.allocate(28).putInt(1).putLong(5).putLong(6).putLong(7).array();
    }

    @Test
    void shouldEndSessionsAndClients() throws Exception {
        ByteBuffer bound = client.send(all -> all.add(Nfs4Client.BIND_CONN_TO_SESSION).fixed(client.session).words(3, 0));
        assertEquals(0, bound.getInt(0));
        assertEquals(1, bound.getInt(12 + 8 + 16));
        assertEquals(0, client.send(all -> all.add(Nfs4Client.DESTROY_SESSION).fixed(client.session)).getInt(0));
        assertEquals(BADSESSION, client.send(all -> all.sequence(client, true)).getInt(0));
        assertEquals(0, client.send(all -> {
            all.add(Nfs4Client.DESTROY_CLIENTID);
            all.bytes.putLong(client.clientId);
        }).getInt(0));
    }
}
