// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Gid;

/** One end of the exchange against a peer on a plain socket. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class AddressExchangeTest {
    private static final AddressExchange ONE = new AddressExchange(1);
    private static final Destination OURS = new Destination(0, 0x11, 0x123456, Gid.ofIpv4(0x0a000001));
    private static final byte[] OUR_MESSAGE = bytes("0000:000011:123456:00000000000000000000ffff0a000001\0");
    private static final Destination THEIRS = new Destination(0, 0x12, 0x000001, Gid.ofIpv4(0x0a000002));
    private static final byte[] UNUSED_MESSAGE = bytes("0000:000000:000000:00000000000000000000000000000000\0");
    private static final byte[] THEIR_MESSAGE = bytes("0000:000012:000001:00000000000000000000ffff0a000002\0");

    /** Peer on a connected socket. */
    private interface Peer {
        void talk(Socket socket) throws IOException;
    }

    // ---- client ----

    @Test
    void shouldExchangeAsClient() throws Exception {
        AtomicReference<byte[]> done = new AtomicReference<>();

        Destination got = asClient(socket -> {
            assertArrayEquals(OUR_MESSAGE, socket.getInputStream().readNBytes(52));
            socket.getOutputStream().write(THEIR_MESSAGE);
            done.set(socket.getInputStream().readAllBytes());
        });

        assertEquals(THEIRS, got);
        assertArrayEquals(bytes("done\0"), done.get());
    }

    @Test
    void shouldPutASplitAnswerTogether() throws Exception {
        Destination got = asClient(socket -> {
            socket.setTcpNoDelay(true);
            socket.getInputStream().readNBytes(52);
            for (byte each : THEIR_MESSAGE) {
                socket.getOutputStream().write(each);
            }
            socket.getInputStream().readAllBytes();
        });

        assertEquals(THEIRS, got);
    }

    @Test
    void shouldSendItsMessageInOnePiece() throws Exception {
        asClient(socket -> {
            byte[] oneRead = new byte[100];
            assertEquals(52, socket.getInputStream().read(oneRead), "the original reads once and wants all 52 bytes");
            socket.getOutputStream().write(THEIR_MESSAGE);
            socket.getInputStream().readAllBytes();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 51})
    void shouldFailWhenTheServerClosesEarly(int sent) {
        ToolFailure failure = clientFailure(socket -> {
            socket.getInputStream().readNBytes(52);
            socket.getOutputStream().write(THEIR_MESSAGE, 0, sent);
        });

        assertTrue(failure.getMessage().startsWith("client read/write: Success\nCouldn't read/write remote address\n"),
            failure.getMessage());
        assertTrue(failure.getMessage().contains(sent + " of 52"), failure.getMessage());
    }

    @Test
    void shouldFailWhenTheServerAnswersGarbage() {
        ToolFailure failure = clientFailure(socket -> {
            socket.getInputStream().readNBytes(52);
            socket.getOutputStream().write(bytes("SSH-2.0-OpenSSH_9.2 and more than fifty-two bytes of text\r\n\u0007"));
            socket.getInputStream().readAllBytes();
        });

        assertTrue(failure.getMessage().startsWith("Couldn't read/write remote address\nThe peer sent 'SSH-2.0-OpenSSH_9.2 and"),
            failure.getMessage());
    }

    @Test
    void shouldSayWhereNobodyListens() throws IOException {
        int port = freePort();

        ToolFailure failure = assertThrows(ToolFailure.class, () -> ONE.asClient("127.0.0.1", port, List.of(OURS)));

        assertEquals(1, failure.exitCode());
        assertTrue(failure.getMessage().startsWith("Couldn't connect to 127.0.0.1:" + port + "\n127.0.0.1: Connection refused"),
            failure.getMessage());
    }

    @Test
    void shouldSayWhichNameIsUnknown() {
        ToolFailure failure = assertThrows(ToolFailure.class, () -> ONE.asClient("no-such-host.invalid", 18515, List.of(OURS)));

        assertEquals("Name or service not known for no-such-host.invalid:18515", failure.getMessage());
    }

    // ---- server ----

    @Test
    void shouldConnectBeforeItAnswersAsServer() throws Exception {
        AtomicReference<Destination> connected = new AtomicReference<>();

        Destination got = asServer(connected::set, socket -> {
            socket.getOutputStream().write(THEIR_MESSAGE);
            assertArrayEquals(OUR_MESSAGE, socket.getInputStream().readNBytes(52));
            assertEquals(THEIRS, connected.get());
            socket.getOutputStream().write(bytes("done\0"));
        });

        assertEquals(THEIRS, got);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 51})
    void shouldFailWhenTheClientClosesEarly(int sent) {
        ToolFailure failure = serverFailure(socket -> socket.getOutputStream().write(THEIR_MESSAGE, 0, sent));

        assertEquals("server read: Success\n" + sent + "/52: Couldn't read remote address", failure.getMessage());
    }

    @Test
    void shouldFailWhenTheClientIsSomethingElse() {
        ToolFailure failure = serverFailure(
            socket -> socket.getOutputStream().write(bytes("GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8.0.1\r\n\r\n")));

        assertTrue(failure.getMessage().startsWith("52/52: Couldn't read remote address\nThe peer sent 'GET / HTTP/1.1..Host"),
            failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "done"})
    void shouldWantTheClientsDone(String sent) {
        ToolFailure failure = serverFailure(socket -> {
            socket.getOutputStream().write(THEIR_MESSAGE);
            socket.getInputStream().readNBytes(52);
            socket.getOutputStream().write(bytes(sent));
        });

        assertEquals("Couldn't send/recv local address", failure.getMessage());
    }

    @Test
    void shouldNotAnswerAClientItCannotConnectTo() {
        AtomicReference<byte[]> answer = new AtomicReference<>();

        ToolFailure failure = assertThrows(ToolFailure.class, () -> asServer(client -> {
            throw new ToolFailure("Failed to modify QP to RTR");
        }, socket -> {
            socket.getOutputStream().write(THEIR_MESSAGE);
            answer.set(socket.getInputStream().readAllBytes());
        }));

        assertEquals("Failed to modify QP to RTR\nCouldn't connect to remote QP", failure.getMessage());
        assertEquals(0, answer.get().length);
    }

    @Test
    void shouldSayWhichPortIsTaken() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            ToolFailure failure = assertThrows(ToolFailure.class,
                () -> ONE.asServer(taken.getLocalPort(), List.of(OURS), client -> { }));

            assertTrue(failure.getMessage().startsWith("Couldn't listen to port " + taken.getLocalPort() + "\n"), failure.getMessage());
        }
    }

    // ---- the 256 destinations of ibv_srq_pingpong, of which the unused ones are zero ----

    @Test
    void shouldExchangeManyAsClient() throws Exception {
        Destination oursToo = new Destination(0, 0x21, 0xabcdef, Gid.ofIpv4(0x0a000001));

        List<Destination> got = asClient(new AddressExchange(256), List.of(OURS, oursToo), socket -> {
            assertArrayEquals(OUR_MESSAGE, socket.getInputStream().readNBytes(52));
            assertArrayEquals(bytes("0000:000021:abcdef:00000000000000000000ffff0a000001\0"), socket.getInputStream().readNBytes(52));
            for (int unused = 2; unused < 256; unused++) {
                assertArrayEquals(UNUSED_MESSAGE, socket.getInputStream().readNBytes(52));
            }
            socket.setTcpNoDelay(true);
            socket.getOutputStream().write(THEIR_MESSAGE);
            for (int unused = 1; unused < 256; unused++) {
                socket.getOutputStream().write(UNUSED_MESSAGE);
            }
            assertArrayEquals(bytes("done\0"), socket.getInputStream().readAllBytes());
        });

        assertEquals(256, got.size());
        assertEquals(THEIRS, got.getFirst());
        assertEquals(new Destination(0, 0, 0, Gid.ZERO), got.get(255));
    }

    @Test
    void shouldExchangeManyAsServer() throws Exception {
        AtomicReference<List<Destination>> connected = new AtomicReference<>();

        List<Destination> got = asServer(new AddressExchange(256), List.of(OURS), connected::set, socket -> {
            for (int i = 0; i < 256; i++) {
                socket.getOutputStream().write(i == 1 ? THEIR_MESSAGE : UNUSED_MESSAGE);
            }
            assertArrayEquals(OUR_MESSAGE, socket.getInputStream().readNBytes(52));
            assertEquals(THEIRS, connected.get().get(1));
            for (int unused = 1; unused < 256; unused++) {
                assertArrayEquals(UNUSED_MESSAGE, socket.getInputStream().readNBytes(52));
            }
            socket.getOutputStream().write(bytes("done\0"));
        });

        assertEquals(connected.get(), got);
    }

    @Test
    void shouldWantAllOfMany() {
        ToolFailure failure = assertThrows(ToolFailure.class, () -> asServer(new AddressExchange(256), List.of(OURS), clients -> { },
            socket -> socket.getOutputStream().write(THEIR_MESSAGE)));

        assertEquals("server read: Success\n52/13312: Couldn't read remote address", failure.getMessage());
    }

    // ---- peers ----

    private static Destination asClient(Peer server) throws Exception {
        return asClient(ONE, List.of(OURS), server).getFirst();
    }

    private static List<Destination> asClient(AddressExchange exchange, List<Destination> own, Peer server) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> peer = CompletableFuture.runAsync(() -> {
                try (Socket socket = listener.accept()) {
                    server.talk(socket);
                } catch (IOException failed) {
                    throw new IllegalStateException(failed);
                }
            });
            List<Destination> got = exchange.asClient(listener.getInetAddress().getHostAddress(), listener.getLocalPort(), own);
            peer.get();
            return got;
        }
    }

    private static ToolFailure clientFailure(Peer server) {
        return assertThrows(ToolFailure.class, () -> asClient(server));
    }

    private static Destination asServer(Consumer<Destination> connect, Peer client) throws Exception {
        return asServer(ONE, List.of(OURS), clients -> connect.accept(clients.getFirst()), client).getFirst();
    }

    private static List<Destination> asServer(AddressExchange exchange, List<Destination> own, Consumer<List<Destination>> connect,
            Peer client) throws Exception {
        int port = freePort();
        CompletableFuture<List<Destination>> server = CompletableFuture.supplyAsync(() -> exchange.asServer(port, own, connect));
        try (Socket socket = connect(port, server)) {
            client.talk(socket);
            socket.shutdownOutput();
            return server.get();
        } catch (ExecutionException failed) {
            throw (RuntimeException) failed.getCause();
        }
    }

    private static ToolFailure serverFailure(Peer client) {
        return assertThrows(ToolFailure.class, () -> asServer(ignored -> { }, client));
    }

    /** Connects as soon as the server listens; fails if the server has ended. */
    private static Socket connect(int port, CompletableFuture<?> server) throws IOException {
        while (true) {
            try {
                return new Socket(InetAddress.getLoopbackAddress(), port);
            } catch (ConnectException notYet) {
                if (server.isDone()) {
                    throw notYet;
                }
                Thread.onSpinWait();
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
