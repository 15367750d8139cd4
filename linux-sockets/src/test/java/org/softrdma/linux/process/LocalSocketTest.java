// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Messages and descriptors between two ends in this process. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalSocketTest {
    @TempDir
    Path directory;

    private final MemorySegment bytes = Arena.ofAuto().allocate(1024, 8);
    private LocalSocket listener;
    private LocalSocket client;
    private LocalSocket server;

    @BeforeEach
    void connect() {
        Commands.assumeLinux();
        Path path = directory.resolve("socket");
        listener = LocalSocket.listen(path, 4);
        client = LocalSocket.connect(path);
        server = listener.accept();
    }

    @AfterEach
    void close() {
        if (listener != null) {
            client.close();
            server.close();
            listener.close();
        }
    }

    private String received(LocalSocket at) {
        int length = at.receive(bytes);
        return new String(bytes.asSlice(0, length).toArray(JAVA_BYTE));
    }

    private boolean send(LocalSocket from, String text, int... descriptors) {
        bytes.setString(0, text);
        return from.send(bytes, text.length(), descriptors);
    }

    @Test
    void shouldKeepBoundariesOfMessages() {
        assertTrue(send(client, "one"));
        assertTrue(send(client, "second"));
        assertTrue(send(server, "back"));
        assertEquals("one", received(server));
        assertEquals("second", received(server));
        assertEquals("back", received(client));
        assertArrayEquals(new int[0], client.receivedDescriptors());
    }

    @Test
    void shouldPassDescriptorsBothWays() {
        try (SharedFile file = new SharedFile("passed", 1); EventPipe pipe = new EventPipe()) {
            int self = (int) ProcessHandle.current().pid();
            assertTrue(send(client, "two", file.fd(), pipe.reader()));
            assertEquals("two", received(server));
            int[] copies = server.receivedDescriptors();
            assertEquals(2, copies.length);
            assertEquals(file.linkText(), ProcessInfo.fdLink(self, copies[0]));
            assertEquals(pipe.linkText(), ProcessInfo.fdLink(self, copies[1]));
            assertTrue((ProcessInfo.fdFlags(self, copies[0]) & Descriptors.O_CLOEXEC) != 0);
            int[] many = new int[LocalSocket.MAX_DESCRIPTORS];
            Arrays.fill(many, copies[0]);
            assertTrue(send(server, "many", many));
            assertEquals("many", received(client));
            assertEquals(LocalSocket.MAX_DESCRIPTORS, client.receivedDescriptors().length);
            for (int each : client.receivedDescriptors()) {
                LinuxSockets.close(each);
            }
            assertTrue(send(server, "none"));
            assertEquals("none", received(client));
            assertEquals(0, client.receivedDescriptors().length);
            LinuxSockets.close(copies[0]);
            LinuxSockets.close(copies[1]);
        }
    }

    @Test
    void shouldRefuseMessagesThatDoNotFit() throws IOException {
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> send(client, "x", new int[17])).errno());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> client.send(bytes, 0)).errno());
        assertThrows(IndexOutOfBoundsException.class, () -> client.send(bytes, 1025));
        try (SharedFile file = new SharedFile("too long", 1)) {
            long before = openFiles(file);
            assertTrue(send(client, "too long", file.fd()));
            assertEquals(Errno.EPROTO, assertThrows(VerbsException.class, () -> server.receive(bytes.asSlice(0, 4))).errno());
            assertEquals(0, server.receivedDescriptors().length);
            assertEquals(before, openFiles(file), "its descriptor is closed");
        }
        assertTrue(send(client, "next"));
        assertEquals("next", received(server));
    }

    private static long openFiles(SharedFile file) throws IOException {
        int self = (int) ProcessHandle.current().pid();
        String text = file.linkText();
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.mapToInt(each -> Integer.parseInt(each.getFileName().toString()))
                .filter(fd -> text.equals(ProcessInfo.fdLink(self, fd))).count();
        }
    }

    @Test
    void shouldIdentifyThePeer() throws IOException {
        LocalSocket.Peer peer = server.peer();
        assertEquals(ProcessHandle.current().pid(), peer.pid());
        assertEquals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"), peer.uid());
        assertEquals(Files.getAttribute(Path.of("/proc/self"), "unix:gid"), peer.gid());
        assertEquals(peer, client.peer());
    }

    @Test
    void shouldReportTheEnd() {
        assertTrue(send(client, "last"));
        client.close();
        assertEquals("last", received(server));
        assertEquals(LocalSocket.END, server.receive(bytes));
        assertFalse(send(server, "late"));
        assertEquals(LocalSocket.END, client.receive(bytes), "after close");
    }

    @Test
    void shouldWakeThreadsWhenClosed() throws Exception {
        CompletableFuture<Integer> receiving = CompletableFuture.supplyAsync(() -> server.receive(bytes));
        CompletableFuture<LocalSocket> accepting = CompletableFuture.supplyAsync(listener::accept);
        Thread.sleep(50);
        server.close();
        listener.close();
        assertEquals(LocalSocket.END, receiving.get());
        assertNull(accepting.get());
        assertNull(listener.accept());
    }

    @Test
    void shouldExplainWhyThereIsNoConnection() throws IOException {
        Path used = directory.resolve("socket");
        assertEquals(Errno.EADDRINUSE, assertThrows(VerbsException.class, () -> LocalSocket.listen(used, 1)).errno());
        listener.close();
        assertEquals(Errno.ECONNREFUSED, assertThrows(VerbsException.class, () -> LocalSocket.connect(used)).errno());
        assertEquals(Errno.ENOENT, assertThrows(VerbsException.class, () -> LocalSocket.connect(directory.resolve("none"))).errno());
    }

    @Test
    void shouldTakePathsUpToTheirLimit() {
        int room = LocalSocket.MAX_PATH_BYTES - directory.toString().length() - 1;
        Path longest = directory.resolve("x".repeat(room));
        try (LocalSocket at = LocalSocket.listen(longest, 1); LocalSocket to = LocalSocket.connect(longest)) {
            assertTrue(at.fd() >= 0 && to.fd() >= 0);
        }
        Path longer = directory.resolve("x".repeat(room + 1));
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> LocalSocket.listen(longer, 1)).errno());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> LocalSocket.connect(longer)).errno());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> LocalSocket.connect(Path.of(""))).errno());
    }
}
