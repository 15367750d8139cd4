// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.verbs.Errno;

/**
 * Client and server in this process, on devices on the loopback interface. The build runs this class twice, over RoCE and over iWARP
 * (SOFTRDMA_CM_DEVICES).
 */
@Timeout(120)
class RpcRdmaTest {
    private static final int LARGE = 1_000_001;

    private final EchoService service = new EchoService();
    private RpcRdmaServer server;
    private RpcRdmaClient client;
    private InetSocketAddress address;

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
    void start() throws IOException {
        listen(0, ServerOptions.DEFAULT);
        client = RpcRdmaClient.connect(address, ClientOptions.DEFAULT);
    }

    private void listen(int port, ServerOptions options) throws IOException {
        server = RpcRdmaServer.start(List.of(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port)), options, service);
        address = server.addresses().getFirst();
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
    }

    private RpcReply call(int xid, int operation, int argument, byte... data) throws Exception {
        return await(client.call(new RpcRequest(EchoService.call(xid, operation, argument, data))));
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static RpcRdmaException failure(CompletableFuture<?> future) {
        ExecutionException failed = assertThrows(ExecutionException.class, () -> await(future));
        return assertInstanceOf(RpcRdmaException.class, failed.getCause());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - untilNs < 0, "does not happen");
            Thread.sleep(5);
        }
    }

    private static byte[] bytes(int count, long seed) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void shouldCallInline() throws Exception {
        RpcReply reply = call(7, 0, 42, (byte) 1, (byte) 2, (byte) 3, (byte) 4);
        assertEquals(ByteBuffer.wrap(new byte[] {0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 42, 1, 2, 3, 4}), reply.message());
        assertEquals(0, reply.written().length);
    }

    @Test
    void shouldHaveManyCallsUnderWay() throws Exception {
        List<CompletableFuture<RpcReply>> replies = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            replies.add(client.call(new RpcRequest(EchoService.call(1000 + i, 0, i))));
        }
        for (int i = 0; i < 500; i++) {
            assertEquals(i, await(replies.get(i)).message().getInt(8));
        }
    }

    private CompletableFuture<RpcReply> begin(int xid, int operation, int argument) throws IOException {
        return client.call(new RpcRequest(EchoService.call(xid, operation, argument)));
    }

    @Test
    void shouldReportRepliesOnTheThreadThatWaits() throws Exception {
        // At the first call, the connection's thread may be processing.
        client.await(begin(1, 0, 1));
        List<Thread> threads = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 200 && !threads.contains(Thread.currentThread()); i++) {
            CompletableFuture<RpcReply> reply = begin(100 + i, 0, i);
            reply.thenRun(() -> threads.add(Thread.currentThread()));
            assertEquals(i, client.await(reply).message().getInt(8));
        }
        assertTrue(threads.contains(Thread.currentThread()), "replies were processed by " + threads);
    }

    @Test
    void shouldWaitWithSeveralThreads() throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        for (int t = 0; t < 4; t++) {
            int first = 10_000 * (t + 1);
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; i < 300; i++) {
                        assertEquals(first + i, client.await(begin(first + i, 0, first + i)).message().getInt(8));
                    }
                } catch (Exception | AssertionError failed) {
                    failures.add(failed);
                }
            }));
        }
        // Replies that no thread waits for are processed as well.
        for (int i = 0; i < 100; i++) {
            assertEquals(i, await(begin(1000 + i, 0, i)).message().getInt(8));
        }
        for (Thread each : threads) {
            each.join();
        }
        assertEquals(List.of(), failures);
    }

    @Test
    void shouldWaitAcrossConnections() throws Exception {
        client.await(begin(29, 0, 1));
        Thread breaks = Thread.ofPlatform().start(() -> {
            while (service.served(32) == 0) {
                Thread.onSpinWait();
            }
            server.connections().forEach(RpcConnection::disconnect);
        });
        assertEquals(7, client.await(begin(32, 2, 7)).message().getInt(8));
        breaks.join();
    }

    @Test
    void shouldEndItsWaitWhenTheThreadIsInterrupted() throws Exception {
        CompletableFuture<RpcReply> reply = begin(33, 3, 7);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> client.await(reply));
        assertTrue(Thread.interrupted());
        service.gate.release();
        assertEquals(7, client.await(reply).message().getInt(8));
    }

    @Test
    void shouldEndItsWaitWhenTheClientIsClosed() throws Exception {
        client.await(begin(34, 0, 1));
        CompletableFuture<RpcReply> reply = begin(35, 2, 1);
        Thread closes = Thread.ofPlatform().start(() -> {
            while (service.served(35) == 0) {
                Thread.onSpinWait();
            }
            client.close();
        });
        assertEquals(Errno.ENOTCONN, assertThrows(RpcRdmaException.class, () -> client.await(reply)).errno());
        closes.join();
    }

    /** Data that need no padding are a part of the SEND; others are read by the server, which pads them. */
    @ParameterizedTest
    @CsvSource({"2000, 0", "1999, 1"})
    void shouldTakeAPartOfTheCallFromMemory(int length, long readChunks) throws Exception {
        byte[] data = bytes(length, 1);
        try (RpcMemory memory = client.allocate(4096)) {
            memory.buffer().put(1, data);
            // The chunk is what belongs behind the argument; four more bytes are inline behind it.
            ByteBuffer inline = EchoService.call(9, 0, 5, (byte) 9, (byte) 9, (byte) 9, (byte) 9);
            RpcRequest request = new RpcRequest(inline).read(16, memory, 1, length);
            ByteBuffer message = await(client.call(request)).message();
            assertEquals(12 + 2_000 + 4, message.remaining());
            byte[] echo = new byte[length];
            message.get(12, echo);
            assertArrayEquals(data, echo);
            assertEquals(0x09090909, message.getInt(2_012));
            assertEquals(readChunks, server.counters().getOrDefault("calls_with_read_chunks", 0L));
        }
    }

    @Test
    void shouldSendALongCallAndReceiveALongReply() throws Exception {
        int half = LARGE / 2;
        byte[] data = bytes(half, 2);
        try (RpcMemory memory = client.allocate(LARGE + 100)) {
            memory.buffer().put(0, EchoService.call(11, 0, 6, data), 0, 16 + half);
            RpcRequest request = RpcRequest.ofLong(memory, 0, 16 + half).reply(memory, half + 20, half + 80);
            RpcReply reply = await(client.call(request));
            assertEquals(ByteBuffer.wrap(data), reply.message().slice(12, half));
            assertEquals(half + 12, reply.written()[1]);
            assertEquals(half + 12, reply.message().remaining());
        }
    }

    @Test
    void shouldRefuseACallThatIsTooLong() throws Exception {
        int tooLong = ServerOptions.DEFAULT.maxCall() + 1;
        try (RpcMemory memory = client.allocate(tooLong)) {
            memory.buffer().put(0, EchoService.call(12, 2, 0), 0, 16);
            assertEquals(HeaderFault.REFUSED, failure(client.call(RpcRequest.ofLong(memory, 0, tooLong))).fault());
        }
        assertEquals(1, server.counters().get("refused_call_too_long"));
    }

    @Test
    void shouldReceiveAnItemIntoMemory() throws Exception {
        try (RpcMemory memory = client.allocate(LARGE)) {
            RpcReply reply = await(client.call(new RpcRequest(EchoService.call(13, 1, LARGE)).write(memory, 0, LARGE)));
            assertEquals(LARGE, reply.written()[0]);
            assertEquals(12, reply.message().remaining());
            for (int i = 0; i < LARGE; i++) {
                assertEquals((byte) (13 + i), memory.buffer().get(i));
            }
        }
    }

    @Test
    void shouldExposeMemoryAgainAndAgain() throws Exception {
        try (RpcMemory memory = client.allocate(8192)) {
            for (int xid = 100; xid < 400; xid++) {
                RpcReply reply = await(client.call(new RpcRequest(EchoService.call(xid, 1, 5000)).write(memory, xid, 5001)));
                assertEquals(5000, reply.written()[0]);
                assertEquals((byte) (xid + 4999), memory.buffer().get(xid + 4999));
            }
        }
        assertTrue(client.usesWindows());
        assertTrue(server.counters().get("invalidations") >= 300, server.counters().toString());
    }

    @Test
    void shouldExposeRegionsToo() throws Exception {
        client.close();
        client = RpcRdmaClient.connect(address, ClientOptions.DEFAULT.withWindows(false));
        shouldSendALongCallAndReceiveALongReply();
        assertFalse(client.usesWindows());
        assertFalse(server.counters().containsKey("invalidations"), server.counters().toString());
    }

    @Test
    void shouldFailACallWhoseReplyFitsNowhere() throws Exception {
        assertEquals(HeaderFault.REFUSED, failure(client.call(new RpcRequest(EchoService.call(15, 1, 5000)))).fault());
        assertEquals(1, server.counters().get("refused_reply_too_long"));
        assertEquals(5, call(16, 0, 5).message().getInt(8));
    }

    @Test
    void shouldRefuseAMessageThatDoesNotFitInline() {
        RpcRdmaException refused = assertThrows(RpcRdmaException.class, () -> call(17, 0, 0, new byte[4096 - 28 - 15]));
        assertEquals(Errno.EINVAL, refused.errno());
        assertThrows(IllegalArgumentException.class, () -> {
            try (RpcMemory memory = client.allocate(10)) {
                new RpcRequest(EchoService.call(1, 0, 0)).reply(memory, 0, 10).write(memory, 0, 10);
            }
        });
    }

    @Test
    void shouldTakeTheLongestMessageInline() throws Exception {
        byte[] data = bytes(4096 - 28 - 16, 3);
        assertEquals(ByteBuffer.wrap(data), call(18, 0, 0, data).message().slice(12, data.length));
    }

    @Test
    void shouldCallTheClient() throws Exception {
        client.close();
        client = RpcRdmaClient.connect(address, ClientOptions.DEFAULT, (call, reply) -> {
            reply.putInt(call.getInt(0)).putInt(1).putInt(call.getInt(8) + 1);
            return true;
        });
        for (int i = 0; i < 50; i++) {
            assertEquals(2001 + i, call(2000 + i, 4, 77 + i).message().getInt(8));
        }
        assertEquals(50, server.counters().get("reverse_calls"));
    }

    @Test
    void shouldSendUnansweredCallsAgainOnTheNextConnection() throws Exception {
        try (RpcMemory memory = client.allocate(8192)) {
            call(29, 0, 1);
            CompletableFuture<RpcReply> one = client.call(new RpcRequest(EchoService.call(30, 2, 1)).write(memory, 0, 8192));
            CompletableFuture<RpcReply> other = client.call(new RpcRequest(EchoService.call(31, 2, 2)));
            await(() -> service.served(30) == 1 && service.served(31) == 1);
            server.connections().forEach(RpcConnection::disconnect);
            assertEquals(1, await(one).message().getInt(8));
            assertEquals(2, await(other).message().getInt(8));
            assertEquals(4, service.served(30) + service.served(31));
            assertEquals(1, service.ended.size());
        }
    }

    @Test
    void shouldGoOnAcrossARestartOfTheServer() throws Exception {
        CompletableFuture<RpcReply> waiting = client.call(new RpcRequest(EchoService.call(40, 2, 1)));
        await(() -> service.served(40) == 1);
        server.close();
        Thread.sleep(300);
        listen(address.getPort(), ServerOptions.DEFAULT.withInlineBytes(1024).withReceiveBytes(1024));
        assertEquals(1, await(waiting).message().getInt(8));
        assertEquals(6, call(41, 0, 6).message().getInt(8));
        // The new server receives less.
        assertThrows(RpcRdmaException.class, () -> call(42, 0, 0, new byte[1100]));
    }

    @Test
    void shouldGiveUpWhenTheServerStaysAway() throws Exception {
        client.close();
        client = RpcRdmaClient.connect(address, ClientOptions.DEFAULT.withConnectTimeout(Duration.ofSeconds(1)));
        CompletableFuture<RpcReply> waiting = client.call(new RpcRequest(EchoService.call(50, 2, 1)));
        await(() -> service.served(50) == 1);
        server.close();
        failure(waiting);
        assertThrows(RpcRdmaException.class, () -> call(51, 0, 6));
    }

    @Test
    void shouldFailCallsWhenItIsClosed() throws Exception {
        CompletableFuture<RpcReply> waiting = client.call(new RpcRequest(EchoService.call(60, 2, 1)));
        client.close();
        assertEquals(Errno.ENOTCONN, failure(waiting).errno());
    }

    @Test
    void shouldReportARefusedConnection() throws IOException {
        InetSocketAddress nobody = new InetSocketAddress("127.0.0.1", 1);
        RpcRdmaException refused = assertThrows(RpcRdmaException.class, () -> RpcRdmaClient.connect(nobody, ClientOptions.DEFAULT));
        assertEquals(Errno.ECONNREFUSED, refused.errno());
    }

    @Test
    void shouldRefuseConnectionsBeyondItsLimit() throws Exception {
        server.close();
        listen(0, ServerOptions.DEFAULT.withMaxConnections(1));
        try (RpcRdmaClient one = RpcRdmaClient.connect(address, ClientOptions.DEFAULT)) {
            assertEquals(address, one.server());
            assertThrows(RpcRdmaException.class, () -> RpcRdmaClient.connect(address, ClientOptions.DEFAULT));
        }
        await(() -> server.connections().isEmpty());
        RpcRdmaClient.connect(address, ClientOptions.DEFAULT).close();
    }

    @Test
    void shouldReportACallWhoseServiceFails() throws Exception {
        assertEquals(HeaderFault.REFUSED, failure(client.call(new RpcRequest(EchoService.call(70, 5, 1)))).fault());
        assertEquals(6, call(71, 0, 6).message().getInt(8));
        assertEquals(1, server.counters().get("service_failures"));
    }

    @Test
    void shouldCloseWhileCallsAreInTheService() throws Exception {
        client.call(new RpcRequest(EchoService.call(80, 3, 1)));
        await(() -> service.served(80) == 1);
        client.close();
        await(() -> service.ended.size() == 1);
        assertEquals(1, server.connections().size());
        service.gate.release();
        await(() -> server.connections().isEmpty());
        client = RpcRdmaClient.connect(address, ClientOptions.DEFAULT);
        assertEquals(6, call(81, 0, 6).message().getInt(8));
    }
}
