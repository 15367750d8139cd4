// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.device.findings.Finding;
import org.softrdma.device.findings.Findings;
import org.softrdma.device.findings.StrictRule;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;
import org.softrdma.wire.pcap.PcapngReader;

/** Fabrics of both kinds: pairs, connections by address with blocking calls, threads, faults, leaks. */
class FabricTest {
    private static final int PORT = 7471;
    private static final QpCapabilities SMALL = new QpCapabilities(4, 4, 1, 1, 0);

    private Fabric fabric;

    @AfterEach
    void close() {
        if (fabric != null) {
            fabric.close();
        }
    }

    private static FabricOptions options(DeviceKind kind) {
        return FabricOptions.DEFAULT.withDevices(2, kind);
    }

    private static void write(RdmaPair pair, long value) {
        try (MemoryRegion from = pair.left().register(8); MemoryRegion to = pair.right().register(8)) {
            from.memory().set(ValueLayout.JAVA_LONG, 0, value);
            pair.left().qp().postSend(new SendRequest().write(to.address(), to.rkey()).wrId(7).element(from, 0, 8).signaled());
            WorkCompletion done = pair.left().await();
            assertEquals(WcStatus.SUCCESS, done.status(), done.toString());
            assertEquals(7, done.wrId());
            // A WRITE over iWARP completes when it was handed to TCP.
            assertTrue(pair.left().fabric().runUntil(() -> to.memory().get(ValueLayout.JAVA_LONG, 0) == value, RdmaEnd.PATIENCE));
        }
    }

    // ---- waiting in vain ----

    @Test
    void shouldSayWhatACompletionWaitsFor() {
        fabric = Fabric.simulated(options(DeviceKind.ROCE_V2));
        RdmaPair pair = fabric.pair(0, 1);
        try (MemoryRegion from = pair.left().register(8)) {
            String idle = assertThrows(AssertionError.class, () -> pair.left().await()).getMessage();
            assertEquals("no completion within 10 virtual seconds; " + pair.left().qp() + ": no sends and no receives outstanding", idle);

            pair.left().qp().postSend(new SendRequest().send().element(from, 0, 8).signaled());
            String stuck = assertThrows(AssertionError.class, () -> pair.left().await()).getMessage();
            assertTrue(stuck.contains(pair.left().qp() + ": 1 send and no receives outstanding; RNR NAK: the peer has no receive posted; "),
                stuck);
            assertTrue(stuck.endsWith(" rnr-nak]"), stuck);

            pair.right().qp().postReceive(new ReceiveRequest().begin(5));
            assertEquals(WcStatus.LOC_LEN_ERR, pair.right().await().status());
            assertEquals(WcStatus.REM_INV_REQ_ERR, pair.left().await().status());
            String later = assertThrows(AssertionError.class, () -> pair.left().await()).getMessage();
            assertTrue(later.endsWith(": no sends and no receives outstanding"), later);
        }
    }

    // ---- strict devices ----

    /** The mistake is reported at the program's line, not at that of a class of this module. */
    @ParameterizedTest
    @EnumSource(DeviceKind.class)
    void shouldHoldProgramsToTheRulesOfAdaptersIfRequested(DeviceKind kind) {
        Findings.clear();
        System.setProperty("softrdma.strict", "on");
        try {
            fabric = Fabric.simulated(options(kind));
            fabric.pair(0, 1).left().register(24).close();
        } finally {
            System.clearProperty("softrdma.strict");
        }
        List<Finding> found = Findings.all();
        Findings.clear();

        assertEquals(List.of(StrictRule.MEMORY_UNUSED), found.stream().map(Finding::rule).toList(), found.toString());
        assertTrue(found.getFirst().place().startsWith("org.softrdma.testing.FabricTest."), found.toString());
    }

    @Test
    void shouldRefuseAnotherWordThanOnAndOff() {
        System.setProperty("softrdma.strict", "yes");
        try {
            VerbsException refused = assertThrows(VerbsException.class, () -> Fabric.simulated(options(DeviceKind.ROCE_V2)).context(0));
            assertEquals(Errno.EINVAL, refused.errno());
            assertTrue(refused.getMessage().endsWith("softrdma.strict is on or off, not 'yes'"), refused.getMessage());
        } finally {
            System.clearProperty("softrdma.strict");
        }
    }

    // ---- pairs ----

    @ParameterizedTest
    @EnumSource(DeviceKind.class)
    void shouldWriteOnASimulatedPair(DeviceKind kind) {
        fabric = Fabric.simulated(options(kind).withFaults("drop=20%,reorder=10%:100us").withSeed(3));
        RdmaPair pair = fabric.pair(0, 1);
        for (int i = 1; i <= 20; i++) {
            write(pair, i);
        }
        assertEquals(List.of(), fabric.leaks());
    }

    @ParameterizedTest
    @EnumSource(value = DeviceKind.class, names = "ROCE_V1", mode = EnumSource.Mode.EXCLUDE)
    void shouldWriteOnAPairOfSockets(DeviceKind kind) {
        fabric = Fabric.onSockets(options(kind));
        write(fabric.pair(0, 1), 4711);
        assertEquals(List.of(), fabric.leaks());
    }

    /** The seed chooses the ports of a pair, the listening end's first. Another program may have them. */
    @Test
    void shouldLeaveOutPortsThatSocketsHaveTaken() throws IOException {
        List<InetSocketAddress> chosen = new ArrayList<>();
        try (Fabric first = Fabric.onSockets(options(DeviceKind.IWARP))) {
            for (int device : new int[] {1, 0}) {
                try (CmId id = first.connectionManager(device).createId(null, null, PortSpace.TCP)) {
                    id.bind(new InetSocketAddress(first.address(device), 0));
                    chosen.add(id.localAddress());
                }
            }
        }
        try (ServerSocket _ = taken(chosen.get(0)); ServerSocket _ = taken(chosen.get(1))) {
            fabric = Fabric.onSockets(options(DeviceKind.IWARP));
            write(fabric.pair(0, 1), 4711);
        }
    }

    private static ServerSocket taken(InetSocketAddress address) throws IOException {
        return new ServerSocket(address.getPort(), 1, address.getAddress());
    }

    @Test
    void shouldRepeatARunFromItsSeed() {
        List<Long> times = new ArrayList<>();
        for (long seed : new long[] {5, 5, 6}) {
            try (Fabric each = Fabric.simulated(FabricOptions.DEFAULT.withFaults("drop=30%").withSeed(seed))) {
                RdmaPair pair = each.pair(0, 1);
                for (int i = 1; i <= 10; i++) {
                    write(pair, i);
                }
                times.add(each.nowNs());
            }
        }
        assertEquals(times.get(0), times.get(1));
        assertFalse(times.get(0).equals(times.get(2)), "seeds 5 and 6 took " + times);
    }

    @Test
    void shouldRefusePairsOfDifferentTransports() {
        fabric = Fabric.simulated(FabricOptions.DEFAULT.withKinds(List.of(DeviceKind.ROCE_V2, DeviceKind.IWARP)));
        assertThrows(IllegalArgumentException.class, () -> fabric.pair(0, 1));
    }

    // ---- connections by address, with blocking calls in two threads ----

    private static void expect(EventChannel channel, CmEventType type) {
        CmEvent event = channel.getEvent(-1);
        assertEquals(type, event.type(), event.toString());
        event.ack();
    }

    private static void echoOnce(EventChannel channel) {
        CmEvent request = channel.getEvent(-1);
        assertEquals(CmEventType.CONNECT_REQUEST, request.type());
        CmId id = request.id();
        request.ack();
        CompletionQueue cq = id.verbs().createCq(8);
        id.createQp(null, QpInitAttributes.rc(cq, SMALL));
        try (MemoryRegion memory = id.pd().register(Arena.ofAuto().allocate(8), AccessFlags.LOCAL_WRITE)) {
            id.qp().postReceive(new ReceiveRequest().begin(1).element(memory, 0, 8));
            id.accept(ConnectionParameters.DEFAULT);
            expect(channel, CmEventType.ESTABLISHED);
            poll(cq);
            id.qp().postSend(new SendRequest().send().wrId(2).element(memory, 0, 8).signaled());
            poll(cq);
            // The client ends the connection when it knows that its message has arrived.
            expect(channel, CmEventType.DISCONNECTED);
            id.disconnect();
        }
        id.destroyQp();
        cq.close();
        id.close();
    }

    private static WorkCompletion poll(CompletionQueue cq) {
        WorkCompletion[] one = WorkCompletion.array(1);
        while (cq.poll(one) == 0) {
            Thread.onSpinWait();
        }
        assertEquals(WcStatus.SUCCESS, one[0].status(), one[0].toString());
        return one[0];
    }

    private void echo() {
        EventChannel channel = fabric.connectionManager(1).createEventChannel();
        CmId listener = fabric.connectionManager(1).createId(channel, null, PortSpace.TCP);
        listener.bind(new InetSocketAddress(fabric.address(1), PORT));
        listener.listen(4);
        Fabric.Task server = fabric.start("server", () -> echoOnce(channel));
        CmId id = fabric.connectionManager(0).createId(null, null, PortSpace.TCP);
        id.resolveAddress(null, new InetSocketAddress(fabric.address(1), PORT), 2000);
        id.resolveRoute(2000);
        CompletionQueue cq = id.verbs().createCq(8);
        id.createQp(null, QpInitAttributes.rc(cq, SMALL));
        try (MemoryRegion memory = id.pd().register(Arena.ofAuto().allocate(16), AccessFlags.LOCAL_WRITE)) {
            memory.memory().set(ValueLayout.JAVA_LONG, 0, 99);
            id.qp().postReceive(new ReceiveRequest().begin(1).element(memory, 8, 8));
            id.connect(ConnectionParameters.DEFAULT);
            id.qp().postSend(new SendRequest().send().wrId(3).element(memory, 0, 8).signaled());
            poll(cq);
            poll(cq);
            assertEquals(99, memory.memory().get(ValueLayout.JAVA_LONG, 8));
        }
        id.disconnect();
        server.join();
        id.destroyQp();
        cq.close();
        id.close();
        listener.close();
        channel.close();
    }

    @ParameterizedTest
    @EnumSource(DeviceKind.class)
    void shouldConnectByAddressOnVirtualTime(DeviceKind kind) {
        for (long seed = 1; seed <= 10; seed++) {
            fabric = Fabric.simulated(options(kind).withFaults("drop=10%").withSeed(seed).withMtu(4200));
            echo();
            assertEquals(List.of(), fabric.leaks());
            fabric.close();
        }
    }

    @ParameterizedTest
    @EnumSource(value = DeviceKind.class, names = "ROCE_V1", mode = EnumSource.Mode.EXCLUDE)
    void shouldConnectByAddressOnSockets(DeviceKind kind) {
        fabric = Fabric.onSockets(options(kind));
        echo();
        assertEquals(List.of(), fabric.leaks());
    }

    @ParameterizedTest
    @EnumSource(DeviceKind.class)
    void shouldBeRefusedWhereNobodyListens(DeviceKind kind) {
        fabric = Fabric.simulated(options(kind));
        try (CmId id = fabric.connectionManager(0).createId(null, null, PortSpace.TCP)) {
            id.resolveAddress(null, new InetSocketAddress(fabric.address(1), PORT), 2000);
            id.resolveRoute(2000);
            CompletionQueue cq = id.verbs().createCq(8);
            id.createQp(null, QpInitAttributes.rc(cq, SMALL));
            VerbsException refused = assertThrows(VerbsException.class, () -> id.connect(ConnectionParameters.DEFAULT));
            assertEquals(Errno.ECONNREFUSED, refused.errno(), refused.getMessage());
            id.destroyQp();
            cq.close();
        }
    }

    // ---- time ----

    @Test
    void shouldWaitForCompletionEventsOnVirtualTime() {
        fabric = Fabric.simulated(FabricOptions.DEFAULT.withFaults("delay=1s"));
        RdmaPair pair = fabric.pair(0, 1);
        try (CompletionChannel channel = pair.left().context().createCompletionChannel()) {
            assertEquals(null, channel.getEvent(3_000_000_000L));
            assertEquals(3_000_000_000L, fabric.nowNs());
        }
    }

    @Test
    void shouldSayThatNothingWillEverHappen() {
        fabric = Fabric.simulated(FabricOptions.DEFAULT);
        RdmaPair pair = fabric.pair(0, 1);
        IllegalStateException stalled = assertThrows(IllegalStateException.class, () -> poll(pair.left().cq()));
        assertTrue(stalled.getMessage().contains("nothing will ever happen"), stalled.getMessage());
        assertThrows(IllegalStateException.class, () -> pair.left().context().getAsyncEvent(-1));
    }

    @Test
    void shouldRefuseThreadsOfOthers() throws InterruptedException {
        fabric = Fabric.simulated(FabricOptions.DEFAULT);
        RdmaPair pair = fabric.pair(0, 1);
        Throwable[] thrown = new Throwable[1];
        Thread other = new Thread(() -> poll(pair.left().cq()));
        other.setUncaughtExceptionHandler((thread, failure) -> thrown[0] = failure);
        other.start();
        other.join();
        assertTrue(thrown[0].getMessage().contains("Fabric.start"), thrown[0].getMessage());
    }

    @Test
    void shouldReportTheFailureOfATask() {
        fabric = Fabric.simulated(FabricOptions.DEFAULT);
        RdmaPair pair = fabric.pair(0, 1);
        fabric.start("bad", () -> {
            throw new IllegalArgumentException("planted");
        });
        TaskFailedException failed = assertThrows(TaskFailedException.class, () -> pair.left().await());
        assertEquals("planted", failed.getCause().getMessage());
    }

    /** A server that fails after its client has finished, on sockets. */
    @Test
    void shouldNotLoseTheFailureOfATaskThatIsNotJoined() {
        fabric = Fabric.onSockets(FabricOptions.DEFAULT);
        Fabric.Task task = fabric.start("bad", () -> {
            throw new IllegalArgumentException("planted");
        });
        assertTrue(fabric.runUntil(task::hasEnded, RdmaEnd.PATIENCE));
        List<Leak> leaks = fabric.leaks();
        assertEquals(List.of("task bad failed, and the test has not joined it: java.lang.IllegalArgumentException: planted"),
            leaks.stream().map(Leak::what).toList());
        assertEquals("shouldNotLoseTheFailureOfATaskThatIsNotJoined", leaks.getFirst().where().getFirst().getMethodName());

        assertThrows(TaskFailedException.class, task::join);
        assertEquals(List.of(), fabric.leaks(), "noticed");
    }

    @Test
    void shouldReportATaskThatNeverRan() {
        fabric = Fabric.simulated(FabricOptions.DEFAULT);
        Fabric.Task task = fabric.start("idle", () -> { });
        assertEquals(List.of("task idle never ran: the test has neither joined it nor waited for anything"),
            fabric.leaks().stream().map(Leak::what).toList());
        task.join();
        assertEquals(List.of(), fabric.leaks());
    }

    @Test
    void shouldEndTasksThatWaitWhenItIsClosed() {
        fabric = Fabric.simulated(FabricOptions.DEFAULT);
        RdmaPair pair = fabric.pair(0, 1);
        List<String> ended = new ArrayList<>();
        Fabric.Task task = fabric.start("waits", () -> {
            try {
                pair.left().context().getAsyncEvent(-1);
            } finally {
                ended.add("waits");
            }
        });
        fabric.runFor(Duration.ofMillis(1));
        assertFalse(task.hasEnded());
        fabric.close();
        assertEquals(List.of("waits"), ended);
        fabric = null;
    }

    // ---- faults ----

    @Test
    void shouldFailAgainstAKilledPeerWithoutWaitingInRealTime() {
        fabric = Fabric.simulated(FabricOptions.DEFAULT);
        RdmaPair pair = fabric.pair(0, 1);
        fabric.kill(1);
        try (MemoryRegion from = pair.left().register(8)) {
            pair.left().qp().postSend(new SendRequest().send().wrId(1).element(from, 0, 8).signaled());
            assertEquals(WcStatus.RETRY_EXC_ERR, pair.left().await().status());
        }
        assertTrue(fabric.nowNs() > 100_000_000L);
        assertTrue(fabric.counters().moved(0, "completer_retry_err") > 0, fabric.counters().toString());
    }

    @Test
    void shouldFailAgainstAKilledPeerOnSockets() {
        fabric = Fabric.onSockets(FabricOptions.DEFAULT);
        RdmaPair pair = fabric.pair(0, 1);
        fabric.kill(1);
        try (MemoryRegion from = pair.left().register(8)) {
            pair.left().qp().postSend(new SendRequest().send().wrId(1).element(from, 0, 8).signaled());
            assertEquals(WcStatus.RETRY_EXC_ERR, pair.left().await().status());
        }
    }

    @Test
    void shouldGoOnAfterAPartition() {
        fabric = Fabric.simulated(options(DeviceKind.IWARP));
        RdmaPair pair = fabric.pair(0, 1);
        fabric.partition(0, 1, Duration.ofSeconds(2));
        write(pair, 5);
        assertTrue(fabric.nowNs() >= 2_000_000_000L);
    }

    @Test
    void shouldRefuseFaultsThatItDoesNotHave() {
        assertThrows(IllegalArgumentException.class, () -> FabricOptions.DEFAULT.withFaults("drop=1%,dir=rx"));
        assertThrows(IllegalArgumentException.class, () -> FabricOptions.DEFAULT.withFaults("drop=1%,seed=4"));
        assertThrows(VerbsException.class, () -> FabricOptions.DEFAULT.withFaults("drop=200%"));
        assertThrows(IllegalArgumentException.class, () -> Fabric.onSockets(options(DeviceKind.ROCE_V1)));
    }

    // ---- leaks ----

    @Test
    void shouldNameTheLineOfWhatWasLeftOpen() {
        fabric = Fabric.simulated(FabricOptions.DEFAULT);
        RdmaPair pair = fabric.pair(0, 1);
        pair.left().register(64);
        List<Leak> leaks = fabric.leaks();
        assertEquals(1, leaks.size(), leaks.toString());
        assertTrue(leaks.getFirst().what().contains("registered memory, 64 bytes"), leaks.toString());
        assertEquals(List.of("shouldNameTheLineOfWhatWasLeftOpen"),
            leaks.getFirst().where().stream().map(StackTraceElement::getMethodName).toList(), "not the calls of JUnit and the JDK");
    }

    @Test
    void shouldReportCompletionsThatWereNotPolled() {
        fabric = Fabric.simulated(FabricOptions.DEFAULT);
        RdmaPair pair = fabric.pair(0, 1);
        try (MemoryRegion from = pair.left().register(8); MemoryRegion to = pair.right().register(8)) {
            pair.left().qp().postSend(new SendRequest().write(to.address(), to.rkey()).wrId(12).element(from, 0, 8).signaled());
            fabric.runFor(Duration.ofMillis(1));
        }
        List<Leak> leaks = fabric.leaks();
        assertEquals(1, leaks.size(), leaks.toString());
        assertTrue(leaks.getFirst().what().contains("never polled") && leaks.getFirst().what().contains("wr_id 12"), leaks.toString());
    }

    @Test
    void shouldReportAContextAndACompletionThatWasClosedWithItsQueue() {
        fabric = Fabric.onSockets(FabricOptions.DEFAULT);
        Context context = fabric.device(0).open();
        context.createCq(1).close();
        List<Leak> leaks = fabric.leaks();
        assertEquals(1, leaks.size(), leaks.toString());
        assertTrue(leaks.getFirst().what().contains("context"), leaks.toString());
        assertTrue(leaks.getFirst().toString().contains("FabricTest.java"), leaks.getFirst().toString());
    }

    // ---- recordings ----

    @ParameterizedTest
    @EnumSource(DeviceKind.class)
    void shouldRecordWhatWasSent(DeviceKind kind, @TempDir Path directory) throws IOException {
        fabric = Fabric.simulated(options(kind));
        assertFalse(kind != DeviceKind.IWARP && fabric.record(directory.resolve("empty.pcapng")));
        write(fabric.pair(0, 1), 77);
        Path file = directory.resolve("x/run.pcapng");
        assertTrue(fabric.record(file));
        PcapngReader reader = new PcapngReader(ByteBuffer.wrap(Files.readAllBytes(file)));
        int packets = 0;
        while (reader.next()) {
            packets++;
        }
        assertTrue(packets >= 2, packets + " packets");
    }
}
