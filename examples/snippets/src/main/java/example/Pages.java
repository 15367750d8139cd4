// SPDX-License-Identifier: Apache-2.0
package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.softrdma.device.findings.Findings;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rsocket.RServerSocketChannel;
import org.softrdma.rsocket.RSocketChannel;
import org.softrdma.rsocket.RSocketOptions;
import org.softrdma.rxe.Rxe;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAddress;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Pages of docs/. */
class Pages {
    /** docs/architecture.md. */
    static void drive(ErrorHandler errors) {
        Agent devices = DeviceThreads.driveByApplication();      // before the first device is opened
        AgentRunner.startOnThread(new AgentRunner(new BackoffIdleStrategy(), errors, null, devices));
    }

    /** docs/faults.md. */
    static Map<String, Long> fault() {
        RdmaDevice device = Rxe.device("bad0", "lo", LinkFaults.parse("drop=1%,seed=7"));      // a device in no list, with faults
        try (Context context = device.open()) {
            Rxe.setFaults(context, LinkFaults.parse("drop=1,dir=both"));                       // and now the peer is gone
            Rxe.setFaults(context, LinkFaults.NONE);
            Map<String, Long> counters = context.counters();                                   // fault_dropped, …
            return counters;
        }
    }

    /** docs/rdma-cm.md. */
    static void serve(MemorySegment memory, int length, WorkCompletion completion) {
        ConnectionManager manager = ConnectionManager.get();
        QpInitAttributes attributes = QpInitAttributes.rc(null, QpCapabilities.ofDepth(16)).withSignalAll(true);
        try (CmId listener = manager.createEndpoint(ConnectionManager.addressInfo(null, 7471, PortSpace.TCP, true), null, attributes)) {
            listener.listen(0);
            try (CmId id = listener.getRequest(); MemoryRegion buffer = id.pd().register(memory, AccessFlags.LOCAL_WRITE)) {
                id.qp().postReceive(new ReceiveRequest().begin(1).element(buffer, 0, length));
                id.accept();
                id.awaitReceive(completion);
                id.disconnect();
            }
        }
    }

    /** docs/rdma-cm.md, "Byte streams". */
    static int stream(byte[] bytes) throws IOException {
        try (RServerSocketChannel server = RServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(7471));
            server.listen(0);
            try (RSocketChannel peer = server.accept()) {
                InputStream in = Channels.newInputStream(peer);
                in.read();
            }
        }

        try (RSocketChannel channel = RSocketChannel.open(RSocketOptions.DEFAULT.withKeepAlive(30))) {
            channel.connect(new InetSocketAddress("server", 7471));
            channel.write(ByteBuffer.wrap(bytes));
            channel.shutdownOutput();
        }
        return bytes.length;
    }

    /** docs/verbs-map.md. */
    static void tasks(ProtectionDomain pd, Arena arena, long peerAddress, int peerRkey, ConnectionManager manager,
            QpInitAttributes attributes) {
        Context context = Verbs.open("rxe0");

        MemoryRegion region = pd.register(arena.allocate(4096), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);

        CompletionChannel channel = context.createCompletionChannel();
        CompletionQueue cq = context.createCq(16, null, channel, 0);

        QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.ofDepth(16)));

        QpAddress own = qp.init();
        qp.connect(own, QpAddress.parse(exchange(own.toString())));

        qp.postSend(new SendRequest().write(peerAddress, peerRkey).element(region, 0, 4096).signaled());

        cq.await(Duration.ofSeconds(1)).requireSuccess();

        CmId id = manager.createEndpoint(ConnectionManager.addressInfo("server", 7471, PortSpace.TCP, false), null, attributes);
        id.connect(ConnectionParameters.DEFAULT);
    }

    private static String exchange(String own) {
        return own;
    }

    /** docs/strict.md. */
    @BeforeEach
    void forgetFindingsOfOtherTests() {
        Findings.clear();
    }

    @AfterEach
    void shouldSatisfyAdapters() {
        assertEquals(List.of(), Findings.all());
    }
}
