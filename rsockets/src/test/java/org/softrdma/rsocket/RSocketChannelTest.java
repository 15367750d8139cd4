// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Streams between two ends in this process, on a real device on the loopback interface, connected by address. */
@Timeout(60)
class RSocketChannelTest {
    private static final long FOR_EVER = -1;
    private static final long MOMENT_NS = 20_000_000;

    private RServerSocketChannel server;
    private InetSocketAddress address;

    @BeforeAll
    static void configure() throws IOException {
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        LinkStore store = LinkStore.open();
        if (store.links().isEmpty()) {
            store.add("rxe0", "rxe", lo);
        }
    }

    @BeforeEach
    void listen() throws IOException {
        server = RServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
        server.listen(0);
        address = server.localAddress();
    }

    @AfterEach
    void end() {
        server.close();
    }

    private RSocketChannel connected() throws IOException {
        RSocketChannel client = RSocketChannel.open();
        assertTrue(client.connect(address));
        return client;
    }

    private static <T> CompletableFuture<T> async(Callable<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(call.call());
            } catch (Exception failure) {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    private static Throwable failure(CompletableFuture<?> future) {
        return assertThrows(ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS)).getCause();
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes());
    }

    @Test
    void shouldCarryBytesBothWaysAtOnce() throws Exception {
        byte[] bytes = new byte[3_000_000];
        new Random(7).nextBytes(bytes);
        try (RSocketChannel client = connected(); RSocketChannel other = server.accept()) {
            assertEquals(address, client.remoteAddress());
            assertEquals(client.localAddress(), other.remoteAddress());
            CompletableFuture<byte[]> there = async(() -> Channels.newInputStream(other).readAllBytes());
            CompletableFuture<byte[]> back = async(() -> Channels.newInputStream(client).readAllBytes());
            CompletableFuture<Integer> second = async(() -> {
                int written = other.write(ByteBuffer.wrap(bytes));
                other.shutdownOutput();
                return written;
            });
            assertEquals(bytes.length, client.write(ByteBuffer.wrap(bytes)));
            client.shutdownOutput();
            assertArrayEquals(bytes, there.get(30, TimeUnit.SECONDS));
            assertArrayEquals(bytes, back.get(30, TimeUnit.SECONDS));
            assertEquals(bytes.length, second.get());
        }
    }

    @Test
    void shouldDeliverWhatWasWrittenBeforeClosing() throws Exception {
        byte[] bytes = new byte[100_000];
        new Random(8).nextBytes(bytes);
        RSocketChannel client = connected();
        try (RSocketChannel other = server.accept()) {
            try (OutputStream out = Channels.newOutputStream(client)) {
                out.write(bytes);
            }
            assertFalse(client.isOpen());
            assertArrayEquals(bytes, Channels.newInputStream(other).readAllBytes());
            assertEquals(Errno.ECONNRESET, assertThrows(RSocketException.class, () -> other.write(text("too late"))).errno());
        }
    }

    @Test
    void shouldNotBlockUnlessAsked() throws Exception {
        server.configureBlocking(false);
        assertNull(server.accept());
        try (RSocketChannel client = RSocketChannel.open()) {
            client.configureBlocking(false);
            assertThrows(NotYetConnectedException.class, () -> client.read(ByteBuffer.allocate(1)));
            client.connect(address);
            assertEquals(PollEvents.OUT, client.poll(PollEvents.OUT, FOR_EVER));
            assertTrue(client.finishConnect());
            assertEquals(PollEvents.IN, server.poll(FOR_EVER));
            try (RSocketChannel other = server.accept()) {
                other.configureBlocking(false);
                assertEquals(0, client.read(ByteBuffer.allocate(1)));
                assertEquals(0, client.poll(PollEvents.IN, MOMENT_NS));
                // Exactly the size of the other end's receive buffer can be sent until some bytes are read.
                int sent = 0;
                while (sent < 128 << 10) {
                    assertEquals(PollEvents.OUT, client.poll(PollEvents.OUT, FOR_EVER));
                    sent += client.write(ByteBuffer.allocate(10_000));
                }
                assertEquals(128 << 10, sent);
                assertEquals(0, client.write(ByteBuffer.allocate(1)));
                assertEquals(0, client.poll(PollEvents.OUT, MOMENT_NS));
                int received = 0;
                while (received < sent) {
                    assertEquals(PollEvents.IN, other.poll(PollEvents.IN, FOR_EVER));
                    received += other.read(ByteBuffer.allocate(1 << 20));
                }
                assertEquals(sent, received);
                assertEquals(PollEvents.OUT, client.poll(PollEvents.OUT, FOR_EVER));
            }
            assertEquals(PollEvents.IN | PollEvents.HUP, client.poll(PollEvents.IN, FOR_EVER));
            assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void shouldSayThatNobodyListens() throws IOException {
        server.close();
        try (RSocketChannel client = RSocketChannel.open()) {
            assertEquals(Errno.ECONNREFUSED, assertThrows(RSocketException.class, () -> client.connect(address)).errno());
            assertEquals(PollEvents.OUT | PollEvents.ERR, client.poll(PollEvents.OUT, 0));
            assertEquals(Errno.ECONNREFUSED, assertThrows(RSocketException.class, client::finishConnect).errno());
        }
    }

    @Test
    void shouldRefuseASecondListener() throws IOException {
        try (RServerSocketChannel second = RServerSocketChannel.open()) {
            RSocketException refused = assertThrows(RSocketException.class, () -> {
                second.bind(address);
                second.listen(0);
            });
            assertEquals(Errno.EADDRINUSE, refused.errno());
        }
    }

    /** A program that connects to the port without the protocol of rsockets is refused. */
    @Test
    void shouldRefuseConnectionDataOfOtherProtocols() throws Exception {
        for (byte[] data : new byte[][] {new byte[0], "hello, is this rping?".getBytes(), new byte[56]}) {
            try (CmId stranger = ConnectionManager.get().createId(null, null, PortSpace.TCP)) {
                stranger.resolveAddress(null, address, 1000);
                stranger.resolveRoute(1000);
                assertThrows(RuntimeException.class, () -> stranger.connect(ConnectionParameters.DEFAULT.withPrivateData(data)));
                assertEquals(CmEventType.REJECTED, stranger.event().type());
            }
        }
        try (RSocketChannel client = connected(); RSocketChannel other = server.accept()) {
            assertEquals(2, client.write(text("ok")));
            assertEquals(2, other.read(ByteBuffer.allocate(10)));
        }
    }

    @Test
    void shouldWakeAReaderWhenItIsClosed() throws Exception {
        RSocketChannel client = connected();
        try (RSocketChannel other = server.accept()) {
            CompletableFuture<Integer> reading = async(() -> client.read(ByteBuffer.allocate(1)));
            CompletableFuture<Integer> reads = async(() -> other.read(ByteBuffer.allocate(1)));
            client.close();
            assertEquals(-1, reads.get(30, TimeUnit.SECONDS));
            try {
                assertEquals(-1, reading.get(30, TimeUnit.SECONDS));
            } catch (ExecutionException closed) {
                assertInstanceOf(ClosedChannelException.class, closed.getCause());
            }
            assertThrows(ClosedChannelException.class, () -> client.read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void shouldWakeAnAcceptingThreadWhenTheListenerIsClosed() {
        CompletableFuture<RSocketChannel> accepting = async(server::accept);
        server.close();
        assertInstanceOf(ClosedChannelException.class, failure(accepting));
    }

    /** Accepted connections outlive their listener. */
    @Test
    void shouldOutliveTheListener() throws Exception {
        try (RSocketChannel client = connected(); RSocketChannel other = server.accept(); RSocketChannel unwanted = connected()) {
            server.close();
            shouldBeAtItsEnd(unwanted);
            assertEquals(5, client.write(text("alive")));
            assertEquals(5, other.read(ByteBuffer.allocate(10)));
        }
    }

    /** Checks a connection that was never accepted: its peer's goodbye may arrive before or after the reset. */
    private static void shouldBeAtItsEnd(RSocketChannel channel) throws IOException {
        try {
            assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
        } catch (RSocketException reset) {
            assertEquals(Errno.ECONNRESET, reset.errno());
        }
    }

    @Test
    void shouldLeaveTheDeviceWhenAllAreClosed() throws Exception {
        try (RSocketChannel client = connected(); RSocketChannel other = server.accept()) {
            assertEquals(1, client.write(text("x")));
            assertEquals(1, other.read(ByteBuffer.allocate(1)));
        }
        server.close();
        Thread events = Thread.getAllStackTraces().keySet().stream().filter(each -> each.getName().equals("rsocket-connections")).findAny()
            .orElse(null);
        if (events != null) {
            events.join(TimeUnit.SECONDS.toMillis(30));
            assertFalse(events.isAlive());
        }
    }
}
