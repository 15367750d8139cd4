// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.device.findings.Finding;
import org.softrdma.device.findings.Findings;
import org.softrdma.device.findings.StrictRule;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * Wrong programs, on devices that are strict: each is found, by the rule that it violates and the call that does it. Beside most of them is
 * the right program, which is not found.
 */
class StrictModeTest {
    private static final int ALL = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY;
    private static final Gid ALICE = Gid.ofIpv4(0x0a000001);
    private static final Gid BOB = Gid.ofIpv4(0x0a000002);
    private static final long MOMENT_NS = 1_000_000;
    private static final int QKEY = 0x11111111;

    private final SimulatedFabric fabric = new SimulatedFabric(7, FaultPlan.NONE);
    private final Simulation simulation = new Simulation(fabric);
    private final RandomGenerator random = new SplittableRandom(7);
    private final Deque<AutoCloseable> made = new ArrayDeque<>();
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();
    private final Context alice = open(ALICE);
    private final Context bob = open(BOB);
    private final ProtectionDomain alicesPd = keep(alice.allocatePd());
    private final ProtectionDomain bobsPd = keep(bob.allocatePd());
    private CompletionQueue alicesCq = keep(alice.createCq(64));
    private final CompletionQueue bobsCq = keep(bob.createCq(64));
    private QueuePair a;
    private QueuePair b;
    private MemoryRegion source;
    private MemoryRegion target;

    @BeforeEach
    void forgetFindings() {
        Findings.clear();
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!made.isEmpty()) {
            made.pop().close();
        }
        Findings.clear();
    }

    private Context open(Gid gid) {
        return keep(SimulatedRxe.open(simulation, fabric.attach(gid), random, 1500, RxeOptions.DEFAULT.withStrict(true)));
    }

    private <T extends AutoCloseable> T keep(T object) {
        made.push(object);
        return object;
    }

    private void connect(QpCapabilities capabilities) {
        a = keep(alicesPd.createQp(QpInitAttributes.rc(alicesCq, capabilities)));
        b = keep(bobsPd.createQp(QpInitAttributes.rc(bobsCq, QpCapabilities.ofDepth(16))));
        QueuePair.connect(a, b);
        source = keep(alicesPd.register(Arena.ofAuto().allocate(64, 64), AccessFlags.LOCAL_WRITE));
        target = keep(bobsPd.register(Arena.ofAuto().allocate(64, 64), ALL));
    }

    private SendRequest write() {
        return wr.write(target.address(), target.rkey()).wrId(7).element(source, 0, 8);
    }

    private void letTimePass() {
        simulation.runFor(MOMENT_NS);
    }

    private static List<StrictRule> rules() {
        return Findings.all().stream().map(Finding::rule).toList();
    }

    private static void expectNothing() {
        assertEquals(List.of(), Findings.all());
    }

    /** Asserts that this rule alone was violated, by a call with that verb in this file. */
    private static Finding expect(StrictRule rule, String verb) {
        assertEquals(List.of(rule), rules(), () -> Findings.all().toString());
        Finding found = Findings.all().getFirst();
        assertTrue(found.call().contains(verb + " at org.softrdma.rxe.StrictModeTest."), found.toString());
        assertTrue(found.call().contains("(StrictModeTest.java:"), found.toString());
        assertEquals("sim0: strict: " + found.text() + "; " + found.call() + " [" + rule + "]", found.toString());
        return found;
    }

    // ---- the send queue ----

    @Test
    void shouldFindASendQueueWithoutSignals() {
        connect(QpCapabilities.ofDepth(4));
        for (int i = 0; i < 4; i++) {
            a.postSend(write());
            letTimePass();
        }
        Finding found = expect(StrictRule.SEND_SLOTS, "post_send");
        assertTrue(found.text().startsWith("the last 4 requests are not signaled"), found.text());
        // Where an adapter would stop for ever, so does the strict device.
        assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class, () -> a.postSend(write())).errno());
    }

    @Test
    void shouldGiveSlotsBackWithPolledCompletions() {
        connect(QpCapabilities.ofDepth(4));
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 3; i++) {
                a.postSend(write());
            }
            a.postSend(write().signaled());
            letTimePass();
            assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class, () -> a.postSend(write())).errno(), "not polled yet");
            assertEquals(1, alicesCq.poll(WorkCompletion.array(4)));
        }
        expectNothing();
    }

    @Test
    void shouldFindABufferThatChangesBeforeItsCompletion() {
        connect(QpCapabilities.ofDepth(4));
        a.postSend(write().signaled());
        source.memory().set(ValueLayout.JAVA_BYTE, 3, (byte) 1);
        letTimePass();
        Finding found = expect(StrictRule.BUFFER_CHANGED, "post_send");
        assertTrue(found.text().startsWith("the memory of this RDMA_WRITE changed before it completed"), found.text());
        assertTrue(found.call().startsWith("qp 0x" + Integer.toHexString(a.qpNum()) + ", wr_id 7, post_send at "), found.call());
    }

    @Test
    void shouldLetBuffersChangeAfterTheirCompletion() {
        connect(QpCapabilities.ofDepth(4));
        a.postSend(write().signaled());
        letTimePass();
        source.memory().set(ValueLayout.JAVA_BYTE, 3, (byte) 1);
        a.postSend(wr.write(target.address(), target.rkey()).inlineData(MemorySegment.ofArray(new byte[0])).signaled());
        a.postSend(wr.read(target.address(), target.rkey()).element(source, 0, 8).signaled());
        letTimePass();
        expectNothing();
    }

    @Test
    void shouldFindInlineDataBeyondWhatWasAskedFor() {
        connect(QpCapabilities.ofDepth(4).withMaxInlineData(8));
        assertEquals(8, a.capabilities().maxInlineData());
        VerbsException refused = assertThrows(VerbsException.class,
            () -> a.postSend(wr.write(target.address(), target.rkey()).inlineData(MemorySegment.ofArray(new byte[9]))));
        assertEquals(Errno.EINVAL, refused.errno());
        expect(StrictRule.INLINE_LIMIT, "post_send");
    }

    @Test
    void shouldFindAtomicsThatAreNotAligned() {
        connect(QpCapabilities.ofDepth(4));
        a.postSend(wr.fetchAndAdd(target.address() + 4, target.rkey(), 1).wrId(7).element(source, 0, 8));
        Finding found = expect(StrictRule.ATOMIC_ALIGNMENT, "post_send");
        assertTrue(found.text().contains("0x" + Long.toHexString(target.address() + 4)), found.text());
    }

    @Test
    void shouldFindResultsOfAtomicsThatAreNotAligned() {
        connect(QpCapabilities.ofDepth(4));
        a.postSend(wr.fetchAndAdd(target.address(), target.rkey(), 1).wrId(7).element(source, 4, 8));
        expect(StrictRule.ATOMIC_ALIGNMENT, "post_send");
    }

    // ---- memory ----

    @Test
    void shouldFindElementsOutsideRegisteredMemory() {
        connect(QpCapabilities.ofDepth(4));
        a.postSend(wr.write(target.address(), target.rkey()).wrId(7).element(source, 0, 65));
        Finding found = expect(StrictRule.LOCAL_MEMORY, "post_send");
        assertTrue(found.text().contains("is not inside that region"), found.text());
    }

    @Test
    void shouldFindReceivesIntoMemoryThatIsReadOnly() {
        connect(QpCapabilities.ofDepth(4));
        MemoryRegion readOnly = keep(bobsPd.register(Arena.ofAuto().allocate(64), 0));
        b.postReceive(recv.begin(1).element(readOnly, 0, 64));
        Finding found = expect(StrictRule.LOCAL_MEMORY, "post_recv");
        assertTrue(found.text().endsWith("was registered without LOCAL_WRITE"), found.text());
    }

    @Test
    void shouldFindMemoryThatIsNeverUsed() {
        MemoryRegion idle = alicesPd.register(Arena.ofAuto().allocate(64), 0);
        idle.close();
        expect(StrictRule.MEMORY_UNUSED, "reg_mr");
    }

    @Test
    void shouldFindMemoryThatIsDeregisteredTooEarly() {
        connect(QpCapabilities.ofDepth(4));
        MemoryRegion early = alicesPd.register(Arena.ofAuto().allocate(64), 0);
        a.postSend(wr.write(target.address(), target.rkey()).wrId(7).element(early, 0, 64).signaled());
        early.close();
        Finding found = expect(StrictRule.MEMORY_IN_USE, "post_send");
        assertTrue(found.text().contains("dereg_mr at org.softrdma.rxe.StrictModeTest."), found.text());
    }

    @Test
    void shouldFindAnLkeyThatWasSentAsRkey() {
        connect(QpCapabilities.ofDepth(4));
        MemoryRegion region = keep(bobsPd.register(Arena.ofAuto().allocate(64), ALL));
        a.postSend(wr.write(region.address(), region.lkey()).element(source, 0, 8));
        letTimePass();
        expect(StrictRule.LKEY_GIVEN_AWAY, "reg_mr");
    }

    // ---- receiving ----

    @Test
    void shouldFindAReceiveThatIsPostedTooLate() {
        connect(QpCapabilities.ofDepth(4));
        a.postSend(wr.send().wrId(7).element(source, 0, 8));
        letTimePass();
        Finding found = expect(StrictRule.RECEIVE_TOO_LATE, "");
        assertTrue(found.text().startsWith("a message to qp 0x" + Integer.toHexString(b.qpNum()) + " found no receive"), found.text());
    }

    @Test
    void shouldFindADatagramThatIsLostForLackOfAReceive() {
        QueuePair sender = keep(alicesPd.createQp(QpInitAttributes.ud(alicesCq, QpCapabilities.ofDepth(4))));
        QueuePair receiver = keep(bobsPd.createQp(QpInitAttributes.ud(bobsCq, QpCapabilities.ofDepth(4))));
        sender.activate(QKEY);
        receiver.activate(QKEY);
        AddressHandle handle = keep(alicesPd.createAh(AddressVector.to(BOB, 1)));
        sender.postSend(wr.send().to(handle, receiver.qpNum(), QKEY).signaled());
        letTimePass();
        expect(StrictRule.RECEIVE_TOO_LATE, "");
    }

    @Test
    void shouldFindDatagramReceivesWithoutRoomForTheHeader() {
        QueuePair receiver = keep(bobsPd.createQp(QpInitAttributes.ud(bobsCq, QpCapabilities.ofDepth(4))));
        receiver.activate(QKEY);
        MemoryRegion region = keep(bobsPd.register(Arena.ofAuto().allocate(39), AccessFlags.LOCAL_WRITE));
        receiver.postReceive(recv.begin(1).element(region, 0, 39));
        Finding found = expect(StrictRule.ROOM_FOR_GRH, "post_recv");
        assertTrue(found.text().startsWith("a receive of 39 bytes"), found.text());
    }

    // ---- completions and events ----

    @Test
    void shouldFindACompletionQueueThatIsTooSmall() {
        alicesCq = keep(alice.createCq(2));
        connect(QpCapabilities.ofDepth(4));
        a.postSend(write().signaled());
        a.postReceive(recv.begin(1));
        expectNothing();
        a.postSend(write().signaled());
        Finding found = expect(StrictRule.COMPLETION_QUEUE_SIZE, "post_send");
        assertTrue(found.text().contains("cqe 2 can overrun: 3 completions"), found.text());
        alicesCq.poll(WorkCompletion.array(2));
    }

    @Test
    void shouldFindAWaitThatNothingEnds() {
        CompletionChannel channel = keep(alice.createCompletionChannel());
        alicesCq = keep(alice.createCq(4, null, channel, 0));
        connect(QpCapabilities.ofDepth(4));
        a.postSend(write().signaled());
        letTimePass();
        channel.getEvent(1);
        Finding found = expect(StrictRule.LOST_WAKEUP, "get_cq_event");
        assertTrue(found.text().contains("holds 1 completions and is not armed"), found.text());
    }

    @Test
    void shouldFindAWaitAfterArmingTooLate() {
        CompletionChannel channel = keep(alice.createCompletionChannel());
        alicesCq = keep(alice.createCq(4, null, channel, 0));
        connect(QpCapabilities.ofDepth(4));
        a.postSend(write().signaled());
        letTimePass();
        alicesCq.requestNotify();
        channel.getEvent(1);
        Finding found = expect(StrictRule.LOST_WAKEUP, "get_cq_event");
        assertTrue(found.text().contains("which came before it was armed"), found.text());
    }

    @Test
    void shouldFindEventsThatAreNotAcknowledged() throws InterruptedException {
        CompletionChannel channel = keep(alice.createCompletionChannel());
        CompletionQueue cq = alice.createCq(4, null, channel, 0);
        alicesCq = cq;
        connect(QpCapabilities.ofDepth(4));
        cq.requestNotify();
        a.postSend(write().signaled());
        letTimePass();
        assertEquals(cq, channel.getEvent(0));
        a.close();
        Thread late = Thread.ofVirtual().start(() -> {
            while (Findings.all().isEmpty()) {
                Thread.onSpinWait();
            }
            cq.ackEvents(1);
        });
        cq.close();
        late.join();
        expect(StrictRule.UNACKNOWLEDGED_EVENT, "destroy_cq");
    }

    // ---- findings ----

    /** One call, however often it is executed, is one finding. */
    @Test
    void shouldReportEachCallOnce() throws Exception {
        connect(QpCapabilities.ofDepth(16));
        int[] listened = new int[1];
        AutoCloseable listening = Findings.listen(finding -> listened[0]++);
        try {
            for (int i = 0; i < 3; i++) {
                a.postSend(wr.fetchAndAdd(target.address() + 4, target.rkey(), 1).wrId(7).element(source, 0, 8));
            }
            a.postSend(wr.fetchAndAdd(target.address() + 4, target.rkey(), 1).wrId(7).element(source, 0, 8));
        } finally {
            listening.close();
        }
        assertEquals(List.of(StrictRule.ATOMIC_ALIGNMENT, StrictRule.ATOMIC_ALIGNMENT), rules());
        assertEquals(2, listened[0]);
    }

    @Test
    void shouldGrantWhatWasAskedForAndNoMore() {
        connect(new QpCapabilities(5, 6, 2, 3, 7));
        assertEquals(new QpCapabilities(5, 6, 2, 3, 7), a.capabilities());
        for (int i = 0; i < 6; i++) {
            a.postReceive(recv.begin(i));
        }
        assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class, () -> a.postReceive(recv.begin(6))).errno());
    }
}
