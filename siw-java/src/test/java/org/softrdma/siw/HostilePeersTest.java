// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;

/**
 * Hostile peers on real sockets, at the port and the devices of two ends with {@link SteadyTalk steady traffic}. The traffic is not
 * disturbed, no resources are kept, each violation has its counter, and no thread logs anything. {@link RudePeersTest} checks the responses
 * to these peers byte by byte.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class HostilePeersTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final String KEY = "4d504120494420526571204672616d65";
    private static final byte[] REQUEST = RawPeer.bytes(KEY + "50 02 0004 0004 0004");
    private static final byte[] REPLY = RawPeer.bytes("4d504120494420526570204672616d65 50 02 0004 0004 0004");
    private static final MpaOptions OPTIONS = MpaOptions.DEFAULT.withPauseNs(0);
    private static final int SECONDS = 30_000;
    private static final int BURST = 1000;
    private static final int GARBAGE_BYTES = 1 << 18;
    private static final int FLOOD_FRAMES = 1 << 16;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final LoggedFaults logged = new LoggedFaults();
    private LoopbackDevice left;
    private LoopbackDevice right;
    private CmEnd a;
    private CmEnd b;
    private int port;
    private SteadyTalk talk;

    @BeforeEach
    void haveTwoTalk() {
        left = keep(new LoopbackDevice("hostile-left", OPTIONS));
        right = keep(new LoopbackDevice("hostile-right", OPTIONS));
        a = left.newEnd();
        b = right.newEnd();
        port = b.listen();
        a.connect(port, 4, 4);
        talk = keep(new SteadyTalk(a, b));
        b.accept(4, 4);
        a.awaitEstablished();
        b.verdict = RequestVerdict.REFUSED;
        talk.start();
        talk.awaitMore(100);
    }

    @AfterEach
    void shouldNotHaveNoticed() throws Exception {
        talk.awaitMore(100);
        CmEnd.await(() -> right.halfOpen() == 0);
        talk.stop();
        assertEquals("established", a.told());
        assertTrue(!b.told().contains("disconnected"), b.told());
        assertEquals(List.of(QpState.RTS, QpState.RTS), List.of(a.qp.state(), b.qp.state()));
        for (LoopbackDevice device : List.of(left, right)) {
            assertEquals(0, device.counter("internal_errors") + device.counter("local_errors"));
        }
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
        logged.close();
        assertEquals(List.of(), logged.faults());
    }

    private <T extends AutoCloseable> T keep(T object) {
        opened.add(object);
        return object;
    }

    private Socket connect(int to) throws IOException {
        Socket socket = keep(new Socket(HERE, to));
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(SECONDS);
        return socket;
    }

    /** Asserts that the stream ends without a byte; a reset counts as the end. */
    private static void assertEnd(Socket socket) throws IOException {
        try {
            assertEquals(-1, socket.getInputStream().read());
        } catch (SocketException reset) {
            // A reset is an end, too.
        }
    }

    /** Writes as much as the other end accepts. */
    private static void write(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException closed) {
            // The other end has closed the connection.
        }
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private void awaitCount(LoopbackDevice device, String counter, long expected) {
        CmEnd.await(() -> device.counter(counter) >= expected);
        assertEquals(expected, device.counter(counter), counter);
    }

    // ---- hostile initiators ----

    /** Invalid lengths of private data, keys, versions and flags. */
    @ParameterizedTest
    @CsvSource({"10020001, 1", "10020003, 3", "10020000, 0", "10020201, 513", "1002ffff, 65535", "10030004, 4", "30020004, 4"})
    void shouldCloseOnAnOddRequest(String header, int privateBytes) throws IOException {
        for (int i = 1; i <= 5; i++) {
            Socket rude = connect(port);
            write(rude, RawPeer.bytes(KEY + header));
            write(rude, new byte[privateBytes]);
            assertEnd(rude);
            awaitCount(right, "bad_startups", i);
        }
        talk.awaitMore(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4d504120494420526570204672616d65 10 02 0004 0001 0001", "474554202f20485454502f312e310d0a 0d 0a 0000",
        "00000000000000000000000000000000 00000000"})
    void shouldCloseOnWhatIsNoRequest(String bytes) throws IOException {
        Socket rude = connect(port);
        write(rude, RawPeer.bytes(bytes));
        assertEnd(rude);
        awaitCount(right, "bad_startups", 1);
    }

    /** Kernel siw waits for one such peer, which blocks all others. Here fifty are dropped, each at its time limit. */
    @Test
    void shouldGiveUpThoseThatDribble() throws IOException {
        Siw.setOptions(b.qp.pd().context(), OPTIONS.withTimeoutNs(500_000_000));
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            slow.add(connect(port));
        }
        Socket slowest = connect(port);
        for (Socket each : slow) {
            write(each, Arrays.copyOf(REQUEST, 12));
        }
        dribble(slowest);
        for (Socket each : slow) {
            assertEnd(each);
        }
        awaitCount(right, "slow_startups", 51);
    }

    /** Sends one byte of the request every 100 ms, but never the last one, until the connection is closed. */
    private static void dribble(Socket socket) throws IOException {
        socket.setSoTimeout(100);
        for (int i = 0; i < REQUEST.length - 1; i++) {
            write(socket, new byte[] {REQUEST[i]});
            try {
                assertEquals(-1, socket.getInputStream().read());
                return;
            } catch (SocketTimeoutException goesOn) {
                // The device still waits for the rest.
            } catch (SocketException reset) {
                return;
            }
        }
        socket.setSoTimeout(SECONDS);
        assertEnd(socket);
    }

    /** A valid request byte by byte, each byte in a segment of its own. */
    @Test
    void shouldServePeersThatAreMerelySlow() throws IOException {
        Socket slow = connect(port);
        for (byte each : REQUEST) {
            slow.getOutputStream().write(each);
        }
        byte[] refusal = slow.getInputStream().readNBytes(20);
        assertEquals(0x20, refusal[16] & 0x20, "an answer: refused");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldForgetPeersThatLeaveAtAnyByteOfTheirRequest(boolean reset) throws IOException {
        for (int bytes = 0; bytes < REQUEST.length; bytes++) {
            Socket leaving = new Socket(HERE, port);
            leaving.getOutputStream().write(REQUEST, 0, bytes);
            if (reset) {
                reset(leaving);
            } else {
                leaving.close();
            }
        }
        awaitCount(right, "abandoned_startups", REQUEST.length);
    }

    /** Many silent connections from one address; another address is still served. */
    @Test
    void shouldHoldFewOfABurstAndServeOthers() throws IOException {
        Siw.setOptions(b.qp.pd().context(), OPTIONS.withTimeoutNs(60_000_000_000L));
        List<Socket> burst = new ArrayList<>();
        InetAddress second = InetAddress.getByName("127.0.0.2");
        for (int i = 0; i < BURST; i++) {
            burst.add(keep(new Socket(HERE, port, second, 0)));
            assertTrue(right.halfOpen() <= OPTIONS.halfOpen());
        }
        awaitCount(right, "crowded_streams", BURST - OPTIONS.halfOpen());
        Socket other = connect(port);
        write(other, REQUEST);
        assertEquals(20, other.getInputStream().readNBytes(20).length, "an answer");
        talk.awaitMore(100);
        for (Socket each : burst) {
            each.close();
        }
        awaitCount(right, "abandoned_startups", OPTIONS.halfOpen());
    }

    // ---- hostile responders ----

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportPeersThatLeaveAtAnyByteOfTheirReply(boolean reset) throws IOException {
        ServerSocket server = keep(new ServerSocket(0, 1, HERE));
        CmEnd asking = left.newEnd();
        StringBuilder expected = new StringBuilder();
        for (int bytes = 0; bytes < REPLY.length; bytes++) {
            asking.connect(server.getLocalPort(), 4, 4);
            try (Socket leaving = server.accept()) {
                leaving.setSoTimeout(SECONDS);
                leaving.getInputStream().readNBytes(REQUEST.length);
                leaving.getOutputStream().write(REPLY, 0, bytes);
                if (reset) {
                    reset(leaving);
                }
            }
            expected.append(bytes == 0 ? "" : ", ").append("rejected -104 ");
            asking.awaitTold(expected.toString());
        }
        assertEquals(QpState.INIT, asking.qp.state());
        assertEquals(REPLY.length, left.counter("abandoned_startups"));
    }

    /** Two of these replies stop kernel siw for good. */
    @ParameterizedTest
    @CsvSource({"10020000, 0", "10020001, 1", "10020003, 3", "10020201, 513", "1002ffff, 65535", "10030004, 4"})
    void shouldCloseOnAnOddReply(String header, int privateBytes) throws IOException {
        ServerSocket server = keep(new ServerSocket(0, 1, HERE));
        CmEnd asking = left.newEnd();
        asking.connect(server.getLocalPort(), 4, 4);
        Socket rude = keep(server.accept());
        write(rude, Arrays.copyOf(REPLY, 16));
        write(rude, RawPeer.bytes(header));
        write(rude, new byte[privateBytes]);
        asking.awaitTold("connect error -22");
        assertEquals(QpState.INIT, asking.qp.state());
        assertEquals(1, left.counter("bad_startups"));
    }

    // ---- hostile connected peers ----

    /** Connects a raw peer, with CRCs. */
    private Socket connected(CmEnd to, byte[] request) throws IOException {
        Socket peer = connect(to.listen());
        peer.getOutputStream().write(request);
        to.accept(4, 4);
        byte[] reply = peer.getInputStream().readNBytes(REPLY.length);
        assertEquals(0, reply[16] & 0x20, "accepted");
        to.awaitTold("request, established");
        return peer;
    }

    private void awaitFailure(CmEnd end) {
        end.awaitTold("request, established, disconnected 0");
        assertEquals(QpState.ERR, end.qp.state());
    }

    /** Random bytes do not have a valid CRC. */
    @Test
    void shouldEndConnectionsThatBringGarbage() throws IOException {
        for (int seed = 1; seed <= 10; seed++) {
            CmEnd victim = right.newEnd();
            Socket rude = connected(victim, REQUEST);
            byte[] garbage = new byte[GARBAGE_BYTES];
            new Random(seed).nextBytes(garbage);
            write(rude, garbage);
            awaitFailure(victim);
            awaitCount(right, "bad_crc", seed);
            assertEquals(seed, right.counter("sent_terminates"));
            victim.close();
        }
    }

    /** The peer requests markers in the bytes it receives, which is valid, but sends nothing but markers, which were not requested. */
    @Test
    void shouldEndConnectionsWhoseMarkersNobodyWants() throws IOException {
        byte[] request = REQUEST.clone();
        request[16] |= (byte) 0x80;
        CmEnd victim = right.newEnd();
        Socket rude = connected(victim, request);
        ByteBuffer markers = ByteBuffer.allocate(1 << 16);
        while (markers.hasRemaining()) {
            markers.putInt(0x0000_0200);
        }
        write(rude, markers.array());
        awaitFailure(victim);
        assertEquals(1, right.counter("bad_crc") + right.counter("bad_segment"));
    }

    /** The stream ends in the middle of a frame of maximum length. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndConnectionsThatLeaveInAFrame(boolean reset) throws IOException {
        CmEnd victim = right.newEnd();
        Socket rude = connected(victim, REQUEST);
        write(rude, RawPeer.bytes("ffff 4143 00000000 00000000 00000001 00000000"));
        write(rude, new byte[1000]);
        if (reset) {
            // A reset may discard bytes received before it.
            reset(rude);
            awaitFailure(victim);
        } else {
            rude.close();
            awaitFailure(victim);
            assertEquals(1, right.counter("torn_frames"));
        }
    }

    /** Valid frames without payload, sent as fast as possible. */
    @Test
    void shouldServeOthersWhileOneFloods() throws Exception {
        CmEnd victim = right.newEnd();
        Socket rude = connected(victim, REQUEST);
        byte[] nothing = RawPeer.frame(RawPeer.bytes(RawSegment.write(0, 0, "")), true);
        ByteBuffer flood = ByteBuffer.allocate(nothing.length * FLOOD_FRAMES);
        while (flood.hasRemaining()) {
            flood.put(nothing);
        }
        Thread flooding = Thread.ofPlatform().daemon().start(() -> {
            while (!rude.isClosed()) {
                write(rude, flood.array());
            }
        });
        CmEnd.await(() -> right.counter("rcvd_fpdus") > 2 * FLOOD_FRAMES);
        talk.awaitMore(500);
        rude.close();
        flooding.join(SECONDS);
        awaitFailure(victim);
    }

    /** The peer requests more data than is sent at once, and reads nothing: memory used for it is bounded and freed with the connection. */
    @Test
    void shouldDropPeersThatReadNothing() throws IOException {
        CmEnd victim = right.newEnd();
        MemoryRegion offered = victim.qp.pd().register(Arena.ofAuto().allocate(64 << 20), SiwPair.ALL_REMOTE);
        Socket rude = connected(victim, REQUEST);
        for (int msn = 1; msn <= 4; msn++) {
            String request = RawSegment.read(msn).into(1, 0).from(offered.rkey(), offered.address(), 64 << 20);
            rude.getOutputStream().write(RawPeer.frame(RawPeer.bytes(request), true));
        }
        DataInputStream in = new DataInputStream(rude.getInputStream());
        assertTrue(in.readUnsignedShort() > 0, "it begins to answer");
        talk.awaitMore(100);
        victim.connection.close();
        CmEnd.await(() -> victim.qp.state() == QpState.ERR);
        offered.close();
    }
}
