// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
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
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.rpcrdma.ClientOptions;
import org.softrdma.rpcrdma.RpcMemory;
import org.softrdma.rpcrdma.RpcRdmaClient;

/** Client and server in this process, on devices on the loopback interface. Numbers of procedures and errors: RFC 1813. */
@Timeout(60)
class NfsServerTest {
    private static final int NOENT = 2;
    private static final int EXIST = 17;
    private static final int NOTDIR = 20;
    private static final int ISDIR = 21;
    private static final int INVAL = 22;
    private static final int ROFS = 30;
    private static final int NAMETOOLONG = 63;
    private static final int NOTEMPTY = 66;
    private static final int STALE = 70;
    private static final int BADHANDLE = 10001;
    private static final int NOT_SYNC = 10002;
    private static final int NOTSUPP = 10004;
    private static final int LARGE = 1 << 20;

    @TempDir
    Path directory;

    private Path files;
    private NfsServer server;
    private RpcRdmaClient connection;
    private Nfs3Client client;
    private byte[] root;

    @BeforeAll
    static void configure() throws IOException {
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        LinkStore store = LinkStore.open();
        if (store.links().isEmpty()) {
            store.add("rxe0", "rxe", lo);
            store.add("siw0", "siw", lo);
        }
    }

    @BeforeEach
    void start() throws Exception {
        files = Files.createDirectory(directory.resolve("export"));
        start(false);
    }

    private void start(boolean readOnly) throws Exception {
        server = NfsServer.start(NfsOptions.of(files).withReadOnly(readOnly).withMountPort(0)
            .withAddresses(List.of(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0))));
        connection = RpcRdmaClient.connect(server.addresses().getFirst(), ClientOptions.DEFAULT);
        client = new Nfs3Client(connection);
        root = client.mount();
    }

    @AfterEach
    void end() {
        connection.close();
        server.close();
    }

    private int status(int procedure, Consumer<ByteBuffer> arguments) throws Exception {
        return client.call(Nfs3Client.NFS, procedure, arguments).getInt();
    }

    private int removed(int procedure, byte[] from, String name) throws Exception {
        return status(procedure, call -> Nfs3Client.text(Nfs3Client.opaque(call, from), name));
    }

    private int renamed(byte[] from, String name, byte[] to, String newName) throws Exception {
        return status(14, call -> Nfs3Client.text(Nfs3Client.opaque(Nfs3Client.text(Nfs3Client.opaque(call, from), name), to), newName));
    }

    private int attributesStatus(byte[] handle) throws Exception {
        return status(1, call -> Nfs3Client.opaque(call, handle));
    }

    // ---- data ----

    @Test
    void shouldWriteAndReadAMebibyte() throws Exception {
        byte[] data = new byte[LARGE];
        new Random(1).nextBytes(data);
        byte[] file = client.create(root, "large");
        try (RpcMemory memory = connection.allocate(LARGE)) {
            memory.buffer().put(0, data);
            client.write(file, 5, memory, LARGE);
            client.expect(0, 21, call -> Nfs3Client.opaque(call, file).putLong(0).putInt(0));
            byte[] stored = Files.readAllBytes(files.resolve("large"));
            assertEquals(LARGE + 5, stored.length);
            assertArrayEquals(data, Arrays.copyOfRange(stored, 5, stored.length));
            memory.segment().fill((byte) 0);
            assertEquals(LARGE, client.read(file, 0, memory, LARGE));
            byte[] got = new byte[LARGE - 5];
            memory.buffer().get(5, got);
            assertArrayEquals(Arrays.copyOf(data, LARGE - 5), got);
            assertEquals(-5 - 1, client.read(file, LARGE, memory, LARGE));
            assertEquals(-1, client.read(file, LARGE + 5, memory, LARGE));
        }
    }

    @Test
    void shouldReadInlineWithPadding() throws Exception {
        Files.writeString(files.resolve("f"), "hello");
        byte[] file = client.lookup(root, "f");
        ByteBuffer results = client.expect(0, 6, call -> Nfs3Client.opaque(call, file).putLong(1).putInt(100));
        results.position(results.position() + 88);
        assertEquals(4, results.getInt());
        assertEquals(1, results.getInt());
        assertEquals("ello", new String(Nfs3Client.opaque(results), StandardCharsets.UTF_8));
        assertEquals(0, results.remaining());
    }

    @Test
    void shouldRefuseDataOfOtherThings() throws Exception {
        client.link(root, "l", "f");
        byte[] link = client.lookup(root, "l");
        assertEquals(ISDIR, status(6, call -> Nfs3Client.opaque(call, root).putLong(0).putInt(1)));
        assertEquals(INVAL, status(6, call -> Nfs3Client.opaque(call, link).putLong(0).putInt(1)));
        assertEquals(ISDIR, status(7, call -> Nfs3Client.opaque(call, root).putLong(0).putInt(0).putInt(0).putInt(0)));
    }

    // ---- names ----

    @Test
    void shouldCreateExclusivelyOnce() throws Exception {
        assertEquals(0, exclusive("x", 77));
        assertEquals(0, exclusive("x", 77));
        assertEquals(EXIST, exclusive("x", 78));
        assertEquals(EXIST, status(8, call -> Nfs3Client.noAttributes(Nfs3Client.text(Nfs3Client.opaque(call, root), "x").putInt(1))));
        assertEquals(0, status(8, call -> Nfs3Client.noAttributes(Nfs3Client.text(Nfs3Client.opaque(call, root), "x").putInt(0))));
    }

    private int exclusive(String name, long verifier) throws Exception {
        return status(8, call -> Nfs3Client.text(Nfs3Client.opaque(call, root), name).putInt(2).putLong(verifier));
    }

    @Test
    void shouldRenameAndKeepHandles() throws Exception {
        byte[] folder = client.makeDirectory(root, "a");
        byte[] file = client.create(folder, "f");
        assertEquals(0, renamed(root, "a", root, "b"));
        assertEquals(0, attributesStatus(file));
        assertTrue(Files.exists(files.resolve("b/f")));
        assertEquals(0, renamed(folder, "f", root, "g"));
        assertArrayEquals(file, client.lookup(root, "g"));
        assertEquals(NOENT, renamed(root, "none", root, "h"));
        assertEquals(NOTDIR, renamed(root, "b", root, "g"));
        assertEquals(ISDIR, renamed(root, "g", root, "b"));
        assertEquals(INVAL, renamed(root, "b", folder, "c"));
        client.makeDirectory(root, "full");
        Files.createFile(files.resolve("full/x"));
        assertEquals(NOTEMPTY, renamed(root, "b", root, "full"));
    }

    @Test
    void shouldRemove() throws Exception {
        byte[] folder = client.makeDirectory(root, "d");
        byte[] file = client.create(folder, "f");
        assertEquals(NOTEMPTY, removed(13, root, "d"));
        assertEquals(ISDIR, removed(12, root, "d"));
        assertEquals(NOTDIR, removed(13, folder, "f"));
        assertEquals(0, removed(12, folder, "f"));
        assertEquals(STALE, attributesStatus(file));
        assertEquals(0, removed(13, root, "d"));
        assertEquals(STALE, attributesStatus(folder));
        assertEquals(NOENT, removed(12, root, "d"));
    }

    @Test
    void shouldLink() throws Exception {
        byte[] file = client.create(root, "f");
        assertEquals(0, status(15, call -> Nfs3Client.text(Nfs3Client.opaque(Nfs3Client.opaque(call, file), root), "g")));
        assertEquals(EXIST, status(15, call -> Nfs3Client.text(Nfs3Client.opaque(Nfs3Client.opaque(call, file), root), "g")));
        assertEquals(0, removed(12, root, "f"));
        assertEquals(0, attributesStatus(file));
        client.link(root, "l", "no/such/../file");
        byte[] link = client.lookup(root, "l");
        ByteBuffer results = client.expect(0, 5, call -> Nfs3Client.opaque(call, link));
        results.position(results.position() + 88);
        assertEquals("no/such/../file", new String(Nfs3Client.opaque(results), StandardCharsets.UTF_8));
        assertEquals(INVAL, status(5, call -> Nfs3Client.opaque(call, file)));
        assertEquals(NOTSUPP, status(11, call -> Nfs3Client.text(Nfs3Client.opaque(call, root), "n").putInt(7)));
    }

    // ---- attributes ----

    @Test
    void shouldSetAttributes() throws Exception {
        byte[] file = client.create(root, "f");
        // Mode, size, modification time; no owner.
        assertEquals(0, status(2, call -> Nfs3Client.opaque(call, file).putInt(1).putInt(0640).putInt(0).putInt(0).putInt(1).putLong(1000)
            .putInt(0).putInt(2).putInt(1234).putInt(5678).putInt(0)));
        assertEquals(0640, (int) Files.getAttribute(files.resolve("f"), "unix:mode") & 07777);
        assertEquals(1000, Files.size(files.resolve("f")));
        assertEquals("1970-01-01T00:20:34.000005678Z", Files.getLastModifiedTime(files.resolve("f")).toString());
        int uid = (int) Files.getAttribute(files.resolve("f"), "unix:uid");
        assertEquals(1, status(2, call -> Nfs3Client.opaque(call, file).putInt(0).putInt(1).putInt(uid + 1).putInt(0).putInt(0).putInt(0)
            .putInt(0).putInt(0)));
        assertEquals(NOT_SYNC, status(2, call -> Nfs3Client.noAttributes(Nfs3Client.opaque(call, file)).putInt(1).putLong(0)));
    }

    @Test
    void shouldDescribeTheFileSystem() throws Exception {
        ByteBuffer information = client.expect(0, 19, call -> Nfs3Client.opaque(call, root));
        information.position(information.position() + 88);
        assertEquals(LARGE, information.getInt());
        ByteBuffer space = client.expect(0, 18, call -> Nfs3Client.opaque(call, root));
        space.position(space.position() + 88);
        assertEquals(Files.getFileStore(files).getTotalSpace(), space.getLong());
        ByteBuffer limits = client.expect(0, 20, call -> Nfs3Client.opaque(call, root));
        assertEquals(255, limits.getInt(limits.position() + 92));
        ByteBuffer access = client.expect(0, 4, call -> Nfs3Client.opaque(call, root).putInt(0x3f));
        assertEquals(0x1f, access.getInt(access.position() + 88));
    }

    // ---- listing ----

    @Test
    void shouldListALargeDirectoryWhileItIsEmptied() throws Exception {
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            expected.add("file-" + i);
            Files.createFile(files.resolve("file-" + i));
        }
        List<String> listed = new ArrayList<>();
        long cookie = 0;
        boolean end = false;
        while (!end) {
            long from = cookie;
            ByteBuffer page = client.expect(0, 17, call -> Nfs3Client.opaque(call, root).putLong(from).putLong(0)
                .putInt(1024).putInt(3000));
            page.position(page.position() + 88 + 8);
            while (page.getInt() == 1) {
                page.getLong();
                String name = new String(Nfs3Client.opaque(page), StandardCharsets.UTF_8);
                cookie = page.getLong();
                page.position(page.position() + 88 + 4);
                Nfs3Client.opaque(page);
                listed.add(name);
                if (name.startsWith("file")) {
                    assertEquals(0, removed(12, root, name));
                }
            }
            end = page.getInt() == 1;
        }
        assertEquals(List.of(".", ".."), listed.subList(0, 2));
        assertEquals(502, listed.size());
        assertEquals(expected, new HashSet<>(listed.subList(2, 502)));
        assertEquals(10005, status(16, call -> Nfs3Client.opaque(call, root).putLong(0).putLong(0).putInt(100)));
    }

    // ---- ways out ----

    @Test
    void shouldNotLeaveTheExport() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "s");
        client.link(root, "way", outside.toString());
        byte[] link = client.lookup(root, "way");
        assertEquals(NOTDIR, client.lookupStatus(link, "secret"));
        assertArrayEquals(root, client.lookup(root, ".."));
        assertEquals(INVAL, client.lookupStatus(root, "../outside"));
        assertEquals(INVAL, client.lookupStatus(root, "/etc"));
        assertEquals(INVAL, client.lookupStatus(root, "way/secret"));
        assertEquals(INVAL, client.lookupStatus(root, "a\0b"));
        assertEquals(INVAL, client.lookupStatus(root, ""));
        assertEquals(NAMETOOLONG, client.lookupStatus(root, "x".repeat(256)));
        assertEquals(NOENT, client.lookupStatus(root, "x".repeat(255)));
        assertEquals(INVAL, removed(12, root, ".."));
        assertEquals(INVAL, renamed(root, "way", root, "../moved"));
        assertEquals(EXIST, status(8, call -> Nfs3Client.noAttributes(Nfs3Client.text(Nfs3Client.opaque(call, root), "way").putInt(0))));
        // A directory whose place is taken by a link that leads outside, to a directory with a file of the same name.
        byte[] folder = client.makeDirectory(root, "a");
        byte[] file = client.create(folder, "secret");
        Files.move(files.resolve("a"), directory.resolve("elsewhere"));
        Files.createSymbolicLink(files.resolve("a"), outside);
        assertEquals(STALE, attributesStatus(file));
        assertEquals(STALE, client.lookupStatus(folder, "secret"));
        assertEquals("s", Files.readString(outside.resolve("secret")));
        assertTrue(Files.exists(files.resolve("way"), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void shouldRefuseHandlesThatItHasNotGiven() throws Exception {
        assertEquals(BADHANDLE, attributesStatus(new byte[0]));
        assertEquals(BADHANDLE, attributesStatus(new byte[64]));
        byte[] forged = root.clone();
        forged[19] ^= 1;
        assertEquals(STALE, attributesStatus(forged));
        long inode = (long) Files.getAttribute(directory, "unix:ino");
        assertEquals(STALE, attributesStatus(ByteBuffer.wrap(root.clone()).putLong(12, inode).array()));
    }

    @Test
    void shouldChangeNothingWhenItIsReadOnly() throws Exception {
        end();
        Files.writeString(files.resolve("f"), "x");
        start(true);
        byte[] file = client.lookup(root, "f");
        assertEquals(ROFS, status(2, call -> Nfs3Client.noAttributes(Nfs3Client.opaque(call, file)).putInt(0)));
        assertEquals(ROFS, status(7, call -> Nfs3Client.opaque(call, file).putLong(0).putInt(4).putInt(0).putInt(4).putInt(1)));
        assertEquals(ROFS, removed(12, root, "f"));
        assertEquals(ROFS, renamed(root, "f", root, "g"));
        ByteBuffer access = client.expect(0, 4, call -> Nfs3Client.opaque(call, file).putInt(0x3f));
        assertEquals(0, access.getInt(access.position() + 88) & 0x1c);
        assertEquals("x", Files.readString(files.resolve("f")));
    }

    // ---- calls ----

    @Test
    void shouldKnowHandlesAfterARestart() throws Exception {
        byte[] folder = client.makeDirectory(root, "a");
        byte[] file = client.create(folder, "f");
        end();
        start(false);
        assertEquals(0, attributesStatus(file));
        assertArrayEquals(file, client.lookup(folder, "f"));
    }

    @Test
    void shouldExecuteACallThatIsSentTwiceOnce() throws Exception {
        client.create(root, "f");
        ByteBuffer call = Nfs3Client.text(Nfs3Client.opaque(Nfs3Client.header(0x77, Nfs3Client.NFS, 3, 12), root), "f");
        ByteBuffer first = client.send(call, request -> { }).message();
        assertEquals(0, first.getInt(24));
        assertEquals(first, client.send(call, request -> { }).message());
        assertEquals(1, server.counters().get("duplicate_calls"));
        // Another call with that XID is none of them.
        call.put(call.position() - 4, (byte) 'g');
        assertEquals(NOENT, client.send(call, request -> { }).message().getInt(24));
    }

    @Test
    void shouldRefuseOtherPrograms() throws Exception {
        assertEquals(1, client.send(Nfs3Client.header(1, 100227, 3, 0), request -> { }).message().getInt(20));
        ByteBuffer mismatch = client.send(Nfs3Client.header(2, Nfs3Client.NFS, 2, 0), request -> { }).message();
        assertEquals(2, mismatch.getInt(20));
        assertEquals(3, mismatch.getInt(24));
        assertEquals(4, mismatch.getInt(28));
        assertEquals(3, client.send(Nfs3Client.header(3, Nfs3Client.NFS, 3, 22), request -> { }).message().getInt(20));
        assertEquals(4, client.send(Nfs3Client.header(4, Nfs3Client.NFS, 3, 1).putInt(1 << 30), request -> { }).message().getInt(20));
        ByteBuffer gss = client.send(Nfs3Client.header(5, Nfs3Client.NFS, 3, 0).putInt(24, 6), request -> { }).message();
        assertEquals(1, gss.getInt(8));
        ByteBuffer rpc3 = client.send(Nfs3Client.header(6, Nfs3Client.NFS, 3, 0).putInt(8, 3), request -> { }).message();
        assertEquals(ByteBuffer.allocate(24).putInt(6).putInt(1).putInt(1).putInt(0).putInt(2).putInt(2).flip(), rpc3);
    }

    @Test
    void shouldMountOverTcp() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.mountPort())) {
            ByteBuffer call = Nfs3Client.text(Nfs3Client.header(9, Nfs3Client.MOUNT, 3, 1), files.toRealPath().toString());
            byte[] record = ByteBuffer.allocate(4 + call.position()).putInt(0x80000000 | call.position()).put(call.flip()).array();
            // Two parts of a record.
            socket.getOutputStream().write(record, 0, 7);
            socket.getOutputStream().write(record, 7, record.length - 7);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            ByteBuffer reply = ByteBuffer.wrap(in.readNBytes(in.readInt() & 0x7fffffff));
            assertEquals(0, reply.getInt(24));
            assertArrayEquals(root, Nfs3Client.opaque(reply.position(28)));
            socket.getOutputStream().write(new byte[] {(byte) 0xff, 0, 0, 0});
            assertEquals(-1, socket.getInputStream().read());
        }
        assertFalse(server.counters().containsKey("failures"), server.counters().toString());
        assertEquals(NOENT, client.call(Nfs3Client.MOUNT, 1, call -> Nfs3Client.text(call, "/etc")).getInt());
    }
}
