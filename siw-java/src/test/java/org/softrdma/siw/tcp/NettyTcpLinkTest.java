// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.contract.AllocatedBytes;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamSink;
import org.softrdma.verbs.Errno;

/** A stream over a real socket whose other end is a {@link Socket} of the JDK. */
class NettyTcpLinkTest {
    private static final long DEADLINE_SECONDS = 30;
    private static final int PIECE = 100_003;
    private static final int PIECES = 500;
    private static final int ROUNDS = 5_000;
    private static final int SMALL = 1000;
    private static final long MOST_IN_A_TURN = (1 << 20) + (1 << 18);

    private final StreamBuffer out = new StreamBuffer(1 << 18);
    private final Semaphore ready = new Semaphore(0);
    private final Taker taker = new Taker();
    /** Null for streams of Netty. */
    private SocketStreams sockets;
    private TcpLink link;
    private ByteStream stream;
    private Socket peer;

    /** Checks that the received bytes are pieces made by {@link #fill}. */
    private static final class Taker implements StreamSink {
        private long bytes;
        private int ends;

        void poll(ByteStream stream) {
            ends += stream.poll(this) ? 1 : 0;
        }

        @Override
        public boolean onBytes(ByteBuffer b, MemorySegment memory, int from, int to) {
            assertEquals(0, ends);
            for (int i = from; i < to; i++, bytes++) {
                if (b.get(i) != byteOf((int) (bytes / PIECE), (int) (bytes % PIECE))) {
                    throw new AssertionError("byte " + bytes + " is wrong");
                }
            }
            assertEquals(b.get(to - 1), memory.get(ValueLayout.JAVA_BYTE, to - 1));
            return true;
        }
    }

    /** Counts what a stream reports: the owner's sockets within a round, Netty's on its own thread. */
    private final class Readiness implements ByteStream.Listener {
        @Override
        public void onReady() {
            assertNotNull(sockets);
            ready.release();
        }

        @Override
        public void ring() {
            ready.release();
        }
    }

    private static byte byteOf(int piece, int index) {
        return (byte) (piece + index * 31);
    }

    private void connect(boolean epoll) throws Exception {
        sockets = epoll && SocketStreams.arePossible() ? new SocketStreams() : null;
        link = new NettyTcpLink(65536, sockets, null);
        BlockingQueue<ByteStream> connected = new LinkedBlockingQueue<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress from = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            link.connect(from, (InetSocketAddress) server.getLocalSocketAddress(), TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS),
                connected::add, refused -> { });
            peer = server.accept();
        }
        stream = connected.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertNotNull(stream);
        stream.listener(new Readiness());
    }

    @AfterEach
    void close() throws IOException {
        if (link != null) {
            peer.close();
            link.close();
        }
        if (sockets != null) {
            sockets.close();
        }
    }

    /** Texts of failed system calls on Linux: those of Netty's epoll transport and of the JDK's sockets. */
    @ParameterizedTest
    @CsvSource({"bind(..) failed with error(-13): Permission denied, EACCES", "Permission denied, EACCES",
        "bind(..) failed with error(-98): Address already in use, EADDRINUSE", "Address already in use, EADDRINUSE",
        "Cannot assign requested address, EADDRNOTAVAIL", "connect(..) failed with error(-111): Connection refused, ECONNREFUSED",
        "No route to host, EHOSTUNREACH", "Network is unreachable, ENETUNREACH", "Too many open files, EMFILE"})
    void shouldMapTheTextsOfTheSystem(String text, Errno errno) {
        assertEquals(errno, NettyTcpLink.errnoOf(new IOException(text)));
    }

    /** A socket that cannot be made: the reason is the cause, or the cause's cause. */
    @Test
    void shouldFindTheReasonOfASocketThatCannotBeMade() {
        IOException full = new IOException("newSocketStream(..) failed with error(-24): Too many open files");
        assertEquals(Errno.EMFILE, NettyTcpLink.errnoOf(new IllegalStateException("Unable to create Channel", full)));
        assertEquals(Errno.EMFILE, NettyTcpLink.errnoOf(new IllegalStateException("no", new IllegalStateException("no",
            new IOException("Too many open files")))));
        assertEquals(Errno.EIO, NettyTcpLink.errnoOf(new IllegalStateException("no")));
    }

    /** Texts of failed system calls on a system with German messages. */
    @Test
    void shouldNotDependOnTheSystemsLanguage() {
        String taken = "Die Adresse wird bereits verwendet";
        assertEquals(Errno.EADDRINUSE, NettyTcpLink.errnoOf(new IOException("bind(..) failed with error(-98): " + taken)));
        assertEquals(Errno.EIO, NettyTcpLink.errnoOf(new IOException("connect(..) failed with error(-4095): Unbekannter Fehler")));
        assertEquals(Errno.ECONNREFUSED, NettyTcpLink.errnoOf(new ConnectException("Verbindungsaufbau abgelehnt")));
        assertEquals(Errno.EHOSTUNREACH, NettyTcpLink.errnoOf(new NoRouteToHostException("Keine Route zum Zielrechner")));
        assertEquals(Errno.EADDRINUSE, NettyTcpLink.errnoOf(new BindException(taken)));
    }

    /** Waits for readiness as the owner does: polls the sockets, or sleeps until the event loop reports. */
    private void awaitReady() throws InterruptedException {
        if (sockets == null) {
            assertTrue(ready.tryAcquire(DEADLINE_SECONDS, TimeUnit.SECONDS), "no readiness was reported");
            return;
        }
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!ready.tryAcquire()) {
            assertTrue(System.nanoTime() - untilNs < 0, "no readiness within the deadline");
            sockets.await(TimeUnit.SECONDS.toNanos(1));
            sockets.poll();
        }
    }

    private void fill(int piece) {
        assertTrue(out.hasRoom(PIECE));
        for (int i = 0; i < PIECE; i++) {
            out.bytes().put(out.end() + i, byteOf(piece, i));
        }
        out.wrote(PIECE);
    }

    private void sendAll() throws InterruptedException {
        stream.send(out);
        while (!out.isEmpty()) {
            awaitReady();
            stream.send(out);
        }
    }

    /** Writes more than the system's buffers hold, so that the owner and the event loop alternate in writing. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepTheOrderWhenTheSocketIsFull(boolean epoll) throws Exception {
        connect(epoll);
        int piece = 0;
        while (out.isEmpty()) {
            fill(piece++);
            stream.send(out);
        }
        Thread sender = Thread.currentThread();
        int[] good = new int[1];
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                DataInputStream in = new DataInputStream(peer.getInputStream());
                byte[] bytes = new byte[PIECE];
                for (int n = 0; n < PIECES; n++) {
                    in.readFully(bytes);
                    for (int i = 0; i < PIECE; i++) {
                        if (bytes[i] != byteOf(n, i)) {
                            return;
                        }
                    }
                    good[0]++;
                }
            } catch (IOException e) {
                sender.interrupt();
            }
        });
        assertTrue(piece < PIECES, "the system took everything");
        sendAll();
        while (piece < PIECES) {
            fill(piece++);
            sendAll();
        }
        reader.join(TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS));
        assertEquals(PIECES, good[0]);
    }

    /** Where the owner reads, it reads in bounded turns. All bytes sent before the end are delivered before it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReadEverythingAndThenTheEnd(boolean epoll) throws Exception {
        connect(epoll);
        write(PIECES);
        while (taker.ends == 0) {
            awaitReady();
            long before = taker.bytes;
            taker.poll(stream);
            assertTrue(sockets == null || taker.bytes - before <= MOST_IN_A_TURN);
        }
        assertEquals((long) PIECES * PIECE, taker.bytes);
        taker.poll(stream);
        assertEquals(1, taker.ends);
    }

    /** Writes pieces on a thread of its own and then closes the socket. */
    private void write(int pieces) {
        Thread.ofPlatform().daemon().start(() -> {
            byte[] bytes = new byte[PIECE];
            try (Socket closed = peer) {
                for (int n = 0; n < pieces; n++) {
                    for (int i = 0; i < PIECE; i++) {
                        bytes[i] = byteOf(n, i);
                    }
                    closed.getOutputStream().write(bytes);
                }
            } catch (IOException e) {
                // The reader's assertions will report the missing bytes.
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldHearOfAReset(boolean epoll) throws Exception {
        connect(epoll);
        peer.setSoLinger(true, 0);
        peer.close();
        while (taker.ends == 0) {
            awaitReady();
            taker.poll(stream);
        }
        out.wrote(SMALL);
        stream.send(out);
        assertTrue(out.isEmpty(), "unsent bytes are discarded after the end of the stream");
    }

    /** The peer keeps sending after the abort. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeOverOnceItIsAborted(boolean epoll) throws Exception {
        connect(epoll);
        write(PIECES);
        StreamSink once = (b, memory, from, to) -> {
            taker.onBytes(b, memory, from, to);
            stream.abort();
            return true;
        };
        while (taker.bytes == 0) {
            awaitReady();
            assertFalse(stream.poll(once));
        }
        long taken = taker.bytes;
        assertFalse(stream.poll(once));
        assertEquals(taken, taker.bytes);
        out.wrote(SMALL);
        stream.send(out);
        stream.close();
        assertTrue(out.isEmpty());
    }

    @Test
    void shouldNotAllocateWhatTheSocketTakesAndBrings() throws Throwable {
        assumeTrue(SocketStreams.arePossible());
        connect(true);
        long allocated = AllocatedBytes.leastOf(this::exchangeSmallPieces);
        assertTrue(allocated < ROUNDS, allocated + " bytes in " + ROUNDS + " rounds");
    }

    private void exchangeSmallPieces() throws Exception {
        byte[] bytes = new byte[SMALL];
        DataInputStream in = new DataInputStream(peer.getInputStream());
        OutputStream back = peer.getOutputStream();
        Counter counter = new Counter();
        for (int i = 1; i <= ROUNDS; i++) {
            out.wrote(SMALL);
            stream.send(out);
            assertTrue(out.isEmpty());
            in.readFully(bytes);
            back.write(bytes);
            while (counter.bytes < (long) i * SMALL) {
                sockets.poll();
                assertFalse(stream.poll(counter), "the end");
            }
        }
    }

    private static final class Counter implements StreamSink {
        private long bytes;

        @Override
        public boolean onBytes(ByteBuffer b, MemorySegment memory, int from, int to) {
            bytes += to - from;
            return true;
        }
    }
}
