// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.LocalWire;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Two queue pairs of one device whose packets stay in memory, and need not be cut at the path MTU there. */
@Timeout(120)
class DirectWireTest {
    private static final String FAULTS =
        "drop=0.02,duplicate=0.05,reorder=0.05:200us,delay=5us-40us,clog=0.001:1ms,corrupt=0.01,truncate=0.01,extend=0.01,dir=both,seed=7";
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int SIZE = 1 << 20;
    /** IBA has no larger one. */
    private static final int LARGEST_MTU = 4096;

    private final Arena arena = Arena.ofShared();
    private final byte[] data = new byte[SIZE];
    private Context context;
    private ProtectionDomain pd;
    private CompletionQueue cq;
    private QueuePair sender;
    private QueuePair receiver;
    private MemoryRegion from;
    private MemoryRegion to;

    private void open(RxeOptions options) {
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        context = Rxe.device("direct", lo, options).open();
        GidEntry address = context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
        pd = context.allocatePd();
        cq = context.createCq(512);
        sender = pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(128, 128, 1, 1, 0)));
        receiver = pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(128, 128, 1, 1, 0)));
        connect(sender, receiver, address);
        connect(receiver, sender, address);
        from = pd.register(arena.allocate(SIZE, 4096), SimulatedPair.ALL_REMOTE);
        to = pd.register(arena.allocate(SIZE, 4096), SimulatedPair.ALL_REMOTE);
        new Random(9).nextBytes(data);
        MemorySegment.copy(data, 0, from.memory(), ValueLayout.JAVA_BYTE, 0, SIZE);
    }

    private static void connect(QueuePair qp, QueuePair peer, GidEntry address) {
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        setup.timeout = 17;
        qp.modify(SimulatedPair.init(setup, SimulatedPair.ALL_REMOTE));
        qp.modify(SimulatedPair.rtr(address.gid(), peer.qpNum(), setup, 100)
            .addressVector(AddressVector.to(address.gid(), address.index())));
        qp.modify(SimulatedPair.rts(setup, 100));
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        cq.close();
        from.close();
        to.close();
        pd.close();
        context.close();
        arena.close();
    }

    private void await(int count, WcStatus status) {
        WorkCompletion[] done = WorkCompletion.array(16);
        long endNs = System.nanoTime() + PATIENCE_NS;
        int completed = 0;
        while (completed < count) {
            int polled = cq.poll(done);
            for (int i = 0; i < polled; i++) {
                assertEquals(status, done[i].status(), done[i].toString());
            }
            completed += polled;
            assertTrue(System.nanoTime() - endNs < 0, completed + " of " + count + " completions; " + context.counters());
        }
    }

    private byte[] received() {
        return to.memory().toArray(ValueLayout.JAVA_BYTE);
    }

    private void move(String how) {
        to.memory().fill((byte) 0);
        switch (how) {
            case "WRITE" -> sender.postSend(new SendRequest().write(to.address(), to.rkey()).element(from, 0, SIZE).signaled());
            case "READ" -> sender.postSend(new SendRequest().read(from.address(), from.rkey()).element(to, 0, SIZE).signaled());
            default -> {
                receiver.postReceive(new ReceiveRequest().element(to, 0, SIZE));
                sender.postSend(new SendRequest().send().element(from, 0, SIZE).signaled());
            }
        }
        await("SEND".equals(how) ? 2 : 1, WcStatus.SUCCESS);
        assertArrayEquals(data, received(), how);
    }

    /** Each packet is counted when it is sent, and acknowledgements are. */
    @ParameterizedTest
    @ValueSource(strings = {"SEND", "WRITE", "READ"})
    void shouldCutLongMessagesIntoFewerPacketsThanAnyPathMtu(String how) {
        open(RxeOptions.DEFAULT.withLocalWire(LocalWire.DIRECT));
        move(how);
        long packets = context.counters().get("sent_pkts");
        assertTrue(packets < SIZE / LARGEST_MTU / 2, packets + " packets");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SEND", "WRITE", "READ"})
    void shouldCutThemAtThePathMtuOnAWire(String how) {
        open(RxeOptions.DEFAULT);
        move(how);
        long packets = context.counters().get("sent_pkts");
        assertTrue(packets >= SIZE / LARGEST_MTU, packets + " packets");
    }

    /** Damage is found by the ICRC, which packets in memory have as soon as there are faults. */
    @ParameterizedTest
    @ValueSource(strings = {"SEND", "WRITE", "READ"})
    void shouldDeliverEverythingDespiteFaults(String how) {
        open(RxeOptions.DEFAULT.withLocalWire(LocalWire.DIRECT).withFaults(LinkFaults.parse(FAULTS)));
        for (int i = 0; i < 8; i++) {
            move(how);
        }
        assertTrue(context.counters().get("fault_dropped") > 0, "a packet was lost: " + context.counters());
    }

    /** The connection exists before there are faults, and goes on when they are gone. */
    @Test
    void shouldTakeFaultsAndLoseThemWhileItIsConnected() {
        open(RxeOptions.DEFAULT.withLocalWire(LocalWire.DIRECT));
        move("WRITE");
        Rxe.setFaults(context, LinkFaults.parse(FAULTS));
        for (int i = 0; i < 8; i++) {
            move("WRITE");
        }
        Rxe.setFaults(context, LinkFaults.NONE);
        move("WRITE");
    }

    /** One byte too many, in the first packet or in a later one: what is beyond the region stays as it is. */
    @ParameterizedTest
    @CsvSource({"1000", "20000", "40000", "1000000"})
    void shouldNotTouchMemoryBeyondTheRegion(int bytes) {
        open(RxeOptions.DEFAULT.withLocalWire(LocalWire.DIRECT));
        MemoryRegion part = pd.register(to.memory().asSlice(0, bytes - 1), SimulatedPair.ALL_REMOTE);
        sender.postSend(new SendRequest().write(part.address(), part.rkey()).element(from, 0, bytes).signaled());
        await(1, WcStatus.REM_ACCESS_ERR);
        assertEquals(-1, to.memory().asSlice(bytes - 1).mismatch(arena.allocate(SIZE - bytes + 1)));
        part.close();
    }
}
