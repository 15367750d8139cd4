// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.device.agent.DeviceAgent;
import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.Agreement;
import org.softrdma.siw.tcp.NettyTcpLink;
import org.softrdma.siw.tcp.TcpLink;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Two devices with their own threads, connected by TCP over the loopback interface. */
class TcpLoopbackTest {
    private static final long DEADLINE_NS = 30_000_000_000L;
    private static final int BIG = 3_000_000;

    private final Peer a = new Peer("a");
    private final Peer b = new Peer("b");
    private TcpLink linkOfA;
    private TcpLink linkOfB;

    /** A running device and the events of its connection. */
    private static final class Peer implements HandshakeListener {
        final RunningSiw running;
        final SiwEngine engine;
        final DeviceAgent agent;
        final SiwContext context;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final SiwQueuePair qp;
        final List<String> events = new CopyOnWriteArrayList<>();
        volatile Agreement agreement;
        Consumer<Handshake> onRequest = handshake -> { };

        Peer(String name) {
            NetDevice netdev = new NetDevice("lo", 1, 1, 65536, true, true, true, List.of());
            running = new RunningSiw(netdev, netdev.mac(), MpaOptions.DEFAULT, new SecureRandom(), System::nanoTime, name,
                null);
            engine = running.engine();
            agent = running.agent();
            context = new SiwContext(null, running, closed -> { });
            running.start();
            pd = context.allocatePd();
            cq = context.createCq(256);
            qp = (SiwQueuePair) pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(64, 64, 2, 2, 0)));
            qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1));
        }

        /** Runs an action with the owner's lock held, which the set-up of connections requires. */
        void own(Runnable action) {
            agent.lock().lock();
            try {
                engine.beginVerb(System.nanoTime());
                action.run();
            } finally {
                agent.lock().unlock();
            }
            agent.doorbell();
        }

        @Override
        public void onRequest(Handshake handshake) {
            events.add("request");
            onRequest.accept(handshake);
        }

        @Override
        public void onAgreed(Handshake handshake, Agreement agreed) {
            agreement = agreed;
            events.add("agreed");
        }

        @Override
        public void onRejected(Handshake handshake, byte[] privateData) {
            events.add("rejected " + new String(privateData));
        }

        @Override
        public void onFailed(Handshake handshake, Failure failure) {
            events.add(failure == Failure.TIMED_OUT ? "timed out" : "failed");
        }

        @Override
        public void onDisconnected() {
            events.add("disconnected");
        }

        MemoryRegion memory(int bytes) {
            return pd.register(Arena.ofAuto().allocate(bytes, 8), SiwPair.ALL_REMOTE);
        }

        WorkCompletion take() {
            WorkCompletion[] one = WorkCompletion.array(1);
            await(() -> cq.poll(one) == 1, "a completion");
            return one[0];
        }

        TcpLink link(boolean epoll) {
            return new NettyTcpLink(65536, epoll ? running.sockets() : null, null);
        }
    }

    private static void await(BooleanSupplier condition, String what) {
        long untilNs = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - untilNs > 0) {
                throw new AssertionError(what + " did not come");
            }
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void close() {
        if (linkOfB != null) {
            linkOfA.close();
            linkOfB.close();
        }
        a.running.stop();
        b.running.stop();
    }

    private TcpLink.Listening listen(boolean epoll, MpaOptions options) {
        linkOfA = a.link(epoll);
        linkOfB = b.link(epoll);
        return linkOfB.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            (stream, local, remote) -> b.own(() -> Handshake.await(b.engine, stream, options, b, b.agent::doorbell)));
    }

    private void connect(InetSocketAddress to, MpaOptions options) {
        linkOfA.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), to, options.timeoutNs(),
            stream -> a.own(() -> Handshake.initiate(a.engine, stream, options, a, a.agent::doorbell, a.qp, 4, 4, "hi".getBytes())),
            cause -> a.events.add("refused"));
    }

    @ParameterizedTest
    @CsvSource({"true, true, false, NONE", "false, false, false, WRITE", "true, true, true, READ", "false, true, true, NONE"})
    void shouldCarryEverythingOverRealTcp(boolean epoll, boolean crc, boolean markers, MpaOptions.Rtr first) {
        MpaOptions options = MpaOptions.DEFAULT.withCrc(crc ? MpaOptions.Crc.ON : MpaOptions.Crc.OFF).withMarkers(markers)
            .withRtr(first).withPauseNs(1_000_000);
        b.onRequest = handshake -> handshake.accept(b.qp, 4, 4, handshake.request().privateData());
        try (TcpLink.Listening listening = listen(epoll, options)) {
            MemoryRegion source = a.memory(BIG);
            byte[] content = new byte[BIG];
            new Random(7).nextBytes(content);
            source.memory().copyFrom(MemorySegment.ofArray(content));
            MemoryRegion target = b.memory(BIG);
            MemoryRegion back = a.memory(BIG);
            b.qp.postReceive(new ReceiveRequest().begin(1).element(target, 0, 8));
            connect(listening.address(), options);
            await(() -> a.events.contains("agreed"), "the agreement");
            assertEquals("hi", new String(a.agreement.privateData()));
            a.qp.postSend(new SendRequest().write(target.address(), target.rkey()).wrId(1).element(source, 0, BIG).signaled());
            a.qp.postSend(new SendRequest().writeWithImmediate(target.address(), target.rkey(), 5).wrId(2).element(source, 0, 8));
            a.qp.postSend(new SendRequest().read(target.address(), target.rkey()).wrId(3).element(back, 0, BIG).signaled());
            assertEquals(WcStatus.SUCCESS, a.take().status());
            WorkCompletion arrived = b.take();
            assertEquals(5, arrived.immediate());
            assertEquals(-1, source.memory().mismatch(target.memory()));
            assertEquals(3, a.take().wrId());
            assertEquals(-1, source.memory().mismatch(back.memory()));
            a.qp.postReceive(new ReceiveRequest().begin(9).element(back, 0, 8));
            b.qp.postSend(new SendRequest().send().element(target, 0, 8).signaled());
            assertEquals(WcStatus.SUCCESS, b.take().status());
            assertEquals(9, a.take().wrId());
            a.qp.postReceive(new ReceiveRequest().begin(10).element(back, 0, 8));
            b.qp.modify(new QpAttributes().state(QpState.ERR));
            await(() -> a.events.contains("disconnected") && b.events.contains("disconnected"), "the end");
            assertEquals(WcStatus.WR_FLUSH_ERR, a.take().status());
            assertEquals(QpState.ERR, a.qp.state());
        }
    }

    /** The daemon lists devices long before a program opens them. */
    @Test
    void shouldOpenOnAnInterfaceThatWasDownWhenTheDeviceWasListed() {
        NetDevice loopback = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow();
        try (Context context = new SiwDevice("late", loopback.gone(), MpaOptions.DEFAULT).open()) {
            assertEquals(PortState.ACTIVE, context.queryPort(1).state());
        }
    }

    @Test
    void shouldHearARefusal() {
        b.onRequest = handshake -> handshake.reject("closed".getBytes());
        try (TcpLink.Listening listening = listen(true, MpaOptions.DEFAULT)) {
            connect(listening.address(), MpaOptions.DEFAULT);
            await(() -> !a.events.isEmpty(), "the answer");
            assertEquals(List.of("rejected closed"), a.events);
        }
    }

    @Test
    void shouldHearThatNobodyListens() {
        TcpLink.Listening listening = listen(true, MpaOptions.DEFAULT);
        InetSocketAddress address = listening.address();
        VerbsException refused = assertThrows(VerbsException.class, () -> linkOfB.listen(address, (stream, local, remote) -> { }));
        assertEquals("listen: Address already in use (EADDRINUSE): TCP port " + address.getPort() + " at "
            + address.getAddress().getHostAddress() + " is another socket's", refused.getMessage());
        listening.close();
        connect(address, MpaOptions.DEFAULT);
        await(() -> !a.events.isEmpty(), "the answer");
        assertEquals(List.of("refused"), a.events);
    }

    /** A plain socket as peer: it sends its request in pieces, and receives the reply and the end. */
    @Test
    void shouldAnswerAPeerThatWritesByteByByte() throws Exception {
        b.onRequest = handshake -> handshake.accept(b.qp, 1, 1, new byte[0]);
        try (TcpLink.Listening listening = listen(true, MpaOptions.DEFAULT);
             Socket socket = new Socket(listening.address().getAddress(), listening.address().getPort())) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(30_000);
            OutputStream out = socket.getOutputStream();
            for (byte each : RawPeer.bytes("4d504120494420526571204672616d65 10 02 0004 0001 0001")) {
                out.write(each);
                out.flush();
            }
            InputStream in = socket.getInputStream();
            byte[] reply = in.readNBytes(24);
            assertEquals("4d504120494420526570204672616d655002000400010001", HexFormat.of().formatHex(reply));
            await(() -> b.qp.state() == QpState.RTS, "the connection");
            b.qp.modify(new QpAttributes().state(QpState.ERR));
            assertEquals(-1, in.read());
            await(() -> b.events.contains("disconnected"), "the end");
        }
    }
}
