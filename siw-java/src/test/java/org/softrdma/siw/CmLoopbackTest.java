// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.cm.CmPathOptions;
import org.softrdma.cm.CmService;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Events of the connection manager over loopback TCP. Events and their status are those of the kernel's iw_cm on siw. */
class CmLoopbackTest {
    private static final byte[] REQUEST = RawPeer.bytes("4d504120494420526571204672616d65 10 02 0007 0003 0005 616263");
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final int SECONDS = 30_000;

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T keep(T object) {
        opened.add(object);
        return object;
    }

    /** Creates an end on a device of its own. */
    private CmEnd end(String name, MpaOptions options) {
        return keep(new LoopbackDevice("cm-" + name, options)).newEnd();
    }

    private CmEnd end(String name) {
        return end(name, MpaOptions.DEFAULT.withPauseNs(0));
    }

    private static ConnectionParameters parameters(CmEnd end, String privateData) {
        return end.parameters(privateData, 3, 5);
    }

    private static WcStatus take(QueuePair qp) {
        WorkCompletion[] one = WorkCompletion.array(1);
        CmEnd.await(() -> ((CompletionQueue) ((SiwQueuePair) qp).recvCq()).poll(one) == 1);
        return one[0].status();
    }

    private Socket ask(int port) throws IOException {
        Socket socket = keep(new Socket(HERE, port));
        socket.setSoTimeout(SECONDS);
        return socket;
    }

    /** Reads the end of the stream; a reset counts as the end. */
    private static int readEnd(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read();
        } catch (SocketException reset) {
            return -1;
        }
    }

    // ---- connections ----

    @ParameterizedTest
    @EnumSource(MpaOptions.Rtr.class)
    void shouldConnectTalkAndDisconnect(MpaOptions.Rtr rtr) {
        CmEnd a = end("a", MpaOptions.DEFAULT.withRtr(rtr).withPauseNs(1_000_000));
        CmEnd b = end("b", MpaOptions.DEFAULT.withPauseNs(1_000_000));
        a.connect(b.listen(), parameters(a, "knock"));
        CmEnd.await(() -> b.request != null);
        assertEquals("knock", new String(b.request.parameters().privateData()));
        assertEquals(List.of(5, 3), List.of(b.request.parameters().responderResources(), b.request.parameters().initiatorDepth()));
        assertEquals(new InetSocketAddress(HERE, b.service.port()), b.request.local());
        assertEquals(HERE, b.request.remote().getAddress());
        b.connection.accept(b.parameters("come in", 2, 9), 0);
        a.awaitTold("established");
        b.awaitTold("request, established");
        assertEquals("come in", new String(a.answer.privateData()));
        assertEquals(List.of(3, 2), List.of(a.answer.responderResources(), a.answer.initiatorDepth()));
        assertEquals(List.of(2, 3), List.of(b.qp.query().maxDestRdAtomic(), b.qp.query().maxRdAtomic()));
        a.qp.postReceive(new ReceiveRequest().begin(1));
        b.qp.postReceive(new ReceiveRequest().begin(1));
        // The accepting end sends first.
        b.qp.postSend(new SendRequest().send());
        assertEquals(WcStatus.SUCCESS, take(a.qp));
        a.qp.postSend(new SendRequest().send());
        assertEquals(WcStatus.SUCCESS, take(b.qp));
        a.connection.disconnect();
        a.awaitTold("established, disconnected 0");
        b.awaitTold("request, established, disconnected 0");
        assertEquals(List.of(QpState.ERR, QpState.ERR), List.of(a.qp.state(), b.qp.state()));
        b.connection.disconnect();
    }

    /** Work requests posted before a disconnect are sent, as with librdmacm on iWARP. */
    @Test
    void shouldSendWhatWasPostedBeforeItDisconnects() {
        CmEnd a = end("a", MpaOptions.DEFAULT.withPauseNs(50_000_000));
        CmEnd b = end("b");
        for (int i = 0; i < 10; i++) {
            b.qp.postReceive(new ReceiveRequest().begin(i));
        }
        a.connect(b.listen(), parameters(a, ""));
        b.accept(1, 1);
        a.awaitTold("established");
        for (int i = 0; i < 10; i++) {
            a.qp.postSend(new SendRequest().send());
        }
        a.connection.disconnect();
        for (int i = 0; i < 10; i++) {
            assertEquals(WcStatus.SUCCESS, take(b.qp));
        }
        a.awaitTold("established, disconnected 0");
    }

    // ---- failed connections ----

    @Test
    void shouldHearTheRefusalAndWhatItSays() {
        CmEnd a = end("a");
        CmEnd b = end("b");
        a.connect(b.listen(), parameters(a, ""));
        CmEnd.await(() -> b.request != null);
        b.connection.reject("full".getBytes());
        a.awaitTold("rejected -104 full");
        assertEquals(QpState.INIT, a.qp.state());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> b.connection.accept(parameters(b, ""), 0)).errno());
    }

    @Test
    void shouldRefuseARequestThatIsForgotten() {
        CmEnd a = end("a");
        CmEnd b = end("b");
        a.connect(b.listen(), parameters(a, ""));
        CmEnd.await(() -> b.request != null);
        b.connection.close();
        a.awaitTold("rejected -104 ");
    }

    @ParameterizedTest
    @EnumSource(names = {"REFUSED", "DROPPED"})
    void shouldTellThePeerWhenNobodyTakesItsRequest(RequestVerdict verdict) {
        CmEnd a = end("a");
        CmEnd b = end("b");
        b.verdict = verdict;
        a.connect(b.listen(), parameters(a, ""));
        a.awaitTold("rejected -104 ");
    }

    @Test
    void shouldHearThatNobodyListens() {
        CmEnd a = end("a");
        CmEnd b = end("b");
        int port = b.listen();
        b.close();
        a.connect(port, parameters(a, ""));
        a.awaitTold("rejected -111 ");
    }

    @Test
    void shouldGiveUpAPeerThatSaysNothing() throws IOException {
        CmEnd a = end("a", MpaOptions.DEFAULT.withTimeoutNs(200_000_000));
        ServerSocket silent = keep(new ServerSocket(0, 1, HERE));
        a.connect(silent.getLocalPort(), parameters(a, ""));
        a.awaitTold("unreachable -110");
    }

    /** The host does not respond: the system's queue of connections that were not accepted is full. */
    @Test
    void shouldGiveUpAHostThatSaysNothing() throws IOException {
        ServerSocket full = keep(new ServerSocket(0, 1, HERE));
        boolean taken = true;
        while (taken) {
            Socket waiting = keep(new Socket());
            try {
                waiting.connect(full.getLocalSocketAddress(), 200);
            } catch (SocketTimeoutException nobody) {
                taken = false;
            }
        }
        CmEnd a = end("a", MpaOptions.DEFAULT.withTimeoutNs(200_000_000));
        a.connect(full.getLocalPort(), parameters(a, ""));
        a.awaitTold("unreachable -110");
    }

    @Test
    void shouldHearThatThePeerHangsUp() throws IOException {
        CmEnd a = end("a");
        ServerSocket server = keep(new ServerSocket(0, 1, HERE));
        a.connect(server.getLocalPort(), parameters(a, ""));
        server.accept().close();
        a.awaitTold("rejected -104 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"485454502f312e31203230302e2e2e2e 00 00 0000", "4d504120494420526570204672616d65 10 03 0004 0001 0001",
        "4d504120494420526570204672616d65 10 02 0004 0001 0080"})
    void shouldNotConnectToAPeerThatBreaksTheRules(String reply) throws IOException {
        CmEnd a = end("a");
        ServerSocket server = keep(new ServerSocket(0, 1, HERE));
        a.connect(server.getLocalPort(), parameters(a, ""));
        Socket peer = keep(server.accept());
        peer.getOutputStream().write(RawPeer.bytes(reply));
        a.awaitTold("connect error -22");
    }

    @Test
    void shouldRefusePeersWithoutCrcIfItIsRequired() {
        CmEnd a = end("a", MpaOptions.DEFAULT.withCrc(MpaOptions.Crc.OFF));
        CmEnd b = end("b", MpaOptions.DEFAULT.withCrc(MpaOptions.Crc.REQUIRED));
        a.connect(b.listen(), parameters(a, ""));
        a.awaitTold("rejected -104 ");
        b.awaitTold("");
        assertEquals(1, counters(b).get("bad_startups"));
    }

    /** Same events as kernel siw, which does not check whether the peer is still connected. */
    @Test
    void shouldEstablishAndDisconnectWhenThePeerHasLeftMeanwhile() throws IOException {
        CmEnd b = end("b");
        Socket peer = ask(b.listen());
        peer.getOutputStream().write(REQUEST);
        CmEnd.await(() -> b.request != null);
        peer.close();
        b.connection.accept(parameters(b, ""), 0);
        b.awaitTold("request, established, disconnected 0");
        assertEquals(QpState.ERR, b.qp.state());
    }

    // ---- exit of the process ----

    /** Bytes written but not sent would be lost at exit of the process: the exit waits for them for a limited time. */
    @Test
    void shouldWaitUntilConnectionsThatEndHaveEnded() throws IOException {
        CmEnd b = end("b");
        Socket peer = ask(b.listen());
        peer.getOutputStream().write(REQUEST);
        b.accept(1, 1);
        b.awaitTold("request, established");
        SiwContext context = (SiwContext) b.qp.pd().context();
        // The device's time limit for the peer does not run in the meantime.
        context.agent().lock().lock();
        try {
            b.connection.close();
            assertTrue(hasStreams(context), "the peer has not closed its side");
        } finally {
            context.agent().lock().unlock();
        }
        b.transport.settle();
        assertFalse(hasStreams(context));
    }

    private static boolean hasStreams(SiwContext context) {
        context.agent().lock().lock();
        try {
            return context.engine().hasStreams();
        } finally {
            context.agent().lock().unlock();
        }
    }

    // ---- listening ----

    /** The listener is closed before the request arrives. */
    @Test
    void shouldRefuseRequestsThatEndAfterTheListener() throws IOException {
        CmEnd b = end("b");
        int port = b.listen();
        Socket slow = ask(port);
        slow.getOutputStream().write(REQUEST, 0, 12);
        // The system accepts connections in the order of their arrival.
        ask(port).getOutputStream().write(REQUEST);
        b.awaitTold("request");
        b.close();
        slow.getOutputStream().write(REQUEST, 12, REQUEST.length - 12);
        byte[] reply = slow.getInputStream().readAllBytes();
        assertEquals(0x30, reply[16], "enhanced, refused");
        b.awaitTold("request");
    }

    @Test
    void shouldListenAtOneAddressOrAtAll() throws IOException {
        CmEnd b = end("b");
        b.at = HERE;
        int port = b.listen();
        ask(port).close();
        InetAddress other = InetAddress.getByName("::1");
        if (b.transport.addresses().contains(other)) {
            assertThrows(ConnectException.class, () -> new Socket(other, port).close());
            b.at = null;
            b.transport.relisten(b.service);
            new Socket(other, port).close();
        }
        b.close();
        assertThrows(ConnectException.class, () -> new Socket(HERE, port).close());
    }

    /** A listener that must move to an address with a used port leaves its old address in any case. */
    @Test
    void shouldLeaveAnAddressThoughAnotherIsTaken() throws IOException {
        CmEnd b = end("b");
        b.at = HERE;
        int port = b.listen();
        InetAddress second = InetAddress.getByName("127.0.0.2");
        keep(new ServerSocket(port, 1, second));
        b.at = second;
        assertEquals(Errno.EADDRINUSE, assertThrows(VerbsException.class, () -> b.transport.relisten(b.service)).errno());
        assertThrows(ConnectException.class, () -> new Socket(HERE, port).close());
    }

    @Test
    void shouldSayThatAProgramHasThePort() throws IOException {
        CmEnd b = end("b");
        ServerSocket program = keep(new ServerSocket(0, 1, HERE));
        VerbsException refused = assertThrows(VerbsException.class, () -> b.listen(program.getLocalPort()));
        assertEquals(Errno.EADDRINUSE, refused.errno());
        program.close();
        b.listen(program.getLocalPort());
    }

    /** A peer that connects and sends nothing is dropped at the time limit. */
    @Test
    void shouldCloseConnectionsThatAskForNothing() throws IOException {
        CmEnd b = end("b", MpaOptions.DEFAULT.withTimeoutNs(200_000_000));
        Socket silent = ask(b.listen());
        silent.getOutputStream().write(REQUEST, 0, 12);
        assertEquals(-1, readEnd(silent));
        b.awaitTold("");
    }

    /** One peer address uses up its share; other addresses are still served. All have sent something, so none makes room. */
    @Test
    void shouldHoldABoundedNumberOfConnectionsThatAskForNothing() throws Exception {
        CmEnd b = end("b", MpaOptions.DEFAULT.withTimeoutNs(60_000_000_000L));
        int port = b.listen();
        for (int i = 0; i < MpaOptions.DEFAULT.halfOpen(); i++) {
            ask(port).getOutputStream().write(REQUEST, 0, 5);
        }
        assertEquals(-1, readEnd(ask(port)));
        assertEquals(1, counters(b).get("crowded_streams"));
        Socket other = keep(new Socket(HERE, port, InetAddress.getByName("127.0.0.2"), 0));
        other.getOutputStream().write(REQUEST);
        b.awaitTold("request");
        opened.get(opened.size() - 3).close();
        CmEnd.await(() -> {
            askAndLeave(port);
            return b.told().equals("request, request");
        });
        assertEquals(0, counters(b).get("refused_streams"));
    }

    /** The share of an address is used up by silent connections: the oldest one makes room, and a request is answered at once. */
    @Test
    void shouldPreferRequestsToSilentConnectionsOfTheirAddress() throws Exception {
        CmEnd b = end("b", MpaOptions.DEFAULT.withTimeoutNs(60_000_000_000L).withHalfOpen(8));
        int port = b.listen();
        Socket oldest = ask(port);
        oldest.getOutputStream().write(REQUEST, 0, 5);
        List<Socket> silent = new ArrayList<>();
        for (int i = 1; i < 8; i++) {
            silent.add(ask(port));
        }
        long beginNs = System.nanoTime();
        for (int i = 0; i < 7; i++) {
            ask(port).getOutputStream().write(REQUEST);
            String told = "request" + ", request".repeat(i);
            CmEnd.await(() -> b.told().equals(told));
        }
        assertTrue(System.nanoTime() - beginNs < 5_000_000_000L, "no request waits for the time limit of the silent ones");
        assertEquals(-1, readEnd(silent.getFirst()), "the oldest silent one made room");
        assertEquals(1, counters(b).get("crowded_streams"), "and only once, as each request leaves its place at once");
        oldest.getOutputStream().write(REQUEST, 5, REQUEST.length - 5);
        CmEnd.await(() -> b.told().equals("request" + ", request".repeat(7)));
    }

    private static void askAndLeave(int port) {
        try (Socket socket = new Socket(HERE, port)) {
            socket.getOutputStream().write(REQUEST);
            socket.shutdownOutput();
            socket.setSoTimeout(SECONDS);
            socket.getInputStream().read();
        } catch (IOException refused) {
            // The slot of the disconnected peer is freed shortly after.
        }
    }

    private static Map<String, Long> counters(CmEnd end) {
        return end.qp.pd().context().counters();
    }

    // ---- misuse ----

    @Test
    void shouldRefuseWhatCannotBeConnected() {
        CmEnd a = end("a");
        CmService service = new CmService(PortSpace.TCP, 1);
        InetSocketAddress here = new InetSocketAddress(HERE, 0);
        var connection = a.transport.open(a);
        assertEquals(Errno.EOPNOTSUPP, assertThrows(VerbsException.class,
            () -> connection.connect(service, QpType.UD, here, here, parameters(a, ""), CmPathOptions.DEFAULT)).errno());
        assertEquals(Errno.EOPNOTSUPP, assertThrows(VerbsException.class,
            () -> a.transport.listen(new CmService(PortSpace.UDP, 1), a)).errno());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class,
            () -> a.connect(1, parameters(a, "x".repeat(253)))).errno());
        a.qp.modify(new QpAttributes().state(QpState.RESET));
        VerbsException inReset = assertThrows(VerbsException.class, () -> a.connect(1, parameters(a, "")));
        assertEquals(Errno.EINVAL, inReset.errno());
        assertArrayEquals(new byte[0], a.told().getBytes());
    }
}
