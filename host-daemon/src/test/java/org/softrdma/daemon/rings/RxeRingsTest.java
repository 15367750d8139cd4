// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.softrdma.abi.rings.RxeAtomicRequest;
import org.softrdma.abi.rings.RxeDatagramRequest;
import org.softrdma.abi.rings.RxeSendRecord;
import org.softrdma.abi.rings.RxeWindowRequest;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.queue.PostedReceives;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.device.verbs.SoftQueuePair;
import org.softrdma.link.DirectLink;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.reason.Reason;

/** Programs with librxe's rings on the simulated fabric; statuses, opcodes and flags are the numbers of {@code infiniband/verbs.h}. */
final class RxeRingsTest {
    private static final Gid ALICE = Gid.ofIpv4(0x0a000001);
    private static final Gid BOB = Gid.ofIpv4(0x0a000002);
    private static final int RIGHTS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND;
    private static final int SIGNALED = 2;
    private static final int SOLICITED = 4;
    private static final int INLINE = 8;
    private static final int QKEY = 0x11111111;

    private final SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
    private final Simulation simulation = new Simulation(fabric);
    private final RandomGenerator random = new SplittableRandom(1);
    private final SoftContext alices = (SoftContext) SimulatedRxe.open(simulation, fabric.attach(ALICE), random, 1500);
    private final SoftContext bobs = (SoftContext) SimulatedRxe.open(simulation, fabric.attach(BOB), random, 1500);
    private RxeProgram alice;
    private RxeProgram bob;

    private void connect(QpType type) {
        alice = new RxeProgram(alices, type, RIGHTS);
        bob = new RxeProgram(bobs, type, RIGHTS);
        bring(alice, bob, BOB);
        bring(bob, alice, ALICE);
    }

    private static void bring(RxeProgram own, RxeProgram peer, Gid to) {
        own.qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        own.qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(to, 1)).pathMtu(Mtu.MTU_1024)
            .destQpn(peer.qp.qpNum()).rqPsn(0).maxDestRdAtomic(1).minRnrTimer(12));
        own.qp.modify(new QpAttributes().state(QpState.RTS).timeout(14).retryCount(7).rnrRetry(7).sqPsn(0).maxRdAtomic(1));
    }

    private void run(BooleanSupplier condition) {
        assertTrue(simulation.runUntil(condition, fabric.nowNs() + 10_000_000_000L), "not within ten virtual seconds");
    }

    private List<RxeProgram.Completion> await(RxeProgram program, int count) {
        List<RxeProgram.Completion> all = new ArrayList<>();
        run(() -> {
            all.addAll(program.poll());
            return all.size() >= count;
        });
        assertEquals(count, all.size());
        return all;
    }

    @Test
    void shouldSendFromTwoElementsIntoAReceive() {
        connect(QpType.RC);
        MemorySegment.copy("Hello, ring".getBytes(), 0, alice.memory, ValueLayout.JAVA_BYTE, 100, 11);
        bob.postReceive(77, 500, 64);
        long at = alice.postSend(3, SIGNALED, 5);
        RxeSendRecord.immData(alice.sends.extent().memory(), at, 0x01020304);
        alice.sendElement(at, 0, 100, 5);
        alice.sendElement(at, 1, 105, 6);
        alice.publishSend();

        RxeProgram.Completion received = await(bob, 1).getFirst();
        // GRH and immediate data: on RoCE every message has a GRH.
        assertEquals(new RxeProgram.Completion(77, 0, 128, 11, 0x01020304, bob.qp.qpNum(), 3), received);
        assertEquals("Hello, ring", new String(bob.memory.asSlice(500, 11).toArray(ValueLayout.JAVA_BYTE)));
        RxeProgram.Completion sent = await(alice, 1).getFirst();
        assertEquals(new RxeProgram.Completion(5, 0, 0, 11, 0, alice.qp.qpNum(), 0), sent);
    }

    @Test
    void shouldTakeReceivesThatWerePostedWithoutABell() {
        connect(QpType.RC);
        long at = alice.postSend(2, SIGNALED, 5);
        alice.sendElement(at, 0, 0, 8);
        alice.publishSend();
        simulation.runFor(1_000_000);
        assertEquals(List.of(), alice.poll());
        bob.postReceive(77, 500, 64);
        assertEquals(0, await(alice, 1).getFirst().status());
        assertEquals(77, await(bob, 1).getFirst().wrId());
    }

    @Test
    void shouldWriteInlineDataAndReadItBack() {
        connect(QpType.RC);
        long write = alice.postSend(0, SIGNALED | INLINE, 1);
        MemorySegment ring = alice.sends.extent().memory();
        ring.set(ValueLayout.JAVA_LONG_UNALIGNED, write + 208, 0x1122334455667788L);
        RxeSendRecord.length(ring, write, 8);
        alice.remote(write, 4096, bob.objects.region.rkey());
        alice.publishSend();
        long read = alice.postSend(4, SIGNALED, 2);
        alice.sendElement(read, 0, 64, 8);
        alice.remote(read, 4096, bob.objects.region.rkey());
        alice.publishSend();
        List<RxeProgram.Completion> done = await(alice, 2);
        assertEquals(List.of(1, 2), done.stream().map(RxeProgram.Completion::opcode).toList());
        assertEquals(0x1122334455667788L, bob.memory.get(ValueLayout.JAVA_LONG, 4096));
        assertEquals(0x1122334455667788L, alice.memory.get(ValueLayout.JAVA_LONG, 64));
    }

    @Test
    void shouldDoAtomics() {
        connect(QpType.RC);
        bob.memory.set(ValueLayout.JAVA_LONG, 8, 40);
        long at = alice.postSend(6, SIGNALED, 1);
        MemorySegment ring = alice.sends.extent().memory();
        RxeAtomicRequest.remoteAddr(ring, at, 8);
        RxeAtomicRequest.rkey(ring, at, bob.objects.region.rkey());
        RxeAtomicRequest.compareAdd(ring, at, 2);
        alice.sendElement(at, 0, 16, 8);
        alice.publishSend();
        assertEquals(4, await(alice, 1).getFirst().opcode());
        assertEquals(42, bob.memory.get(ValueLayout.JAVA_LONG, 8));
        assertEquals(40, alice.memory.get(ValueLayout.JAVA_LONG, 16));
    }

    @Test
    void shouldStoreAnAtomicWriteWithoutElements() {
        connect(QpType.RC);
        long at = alice.postSend(15, SIGNALED, 1);
        MemorySegment ring = alice.sends.extent().memory();
        ring.set(ValueLayout.JAVA_LONG_UNALIGNED, at + 208, -7);
        RxeSendRecord.length(ring, at, 8);
        alice.remote(at, 24, bob.objects.region.rkey());
        alice.publishSend();
        assertEquals(new RxeProgram.Completion(1, 0, 9, 8, 0, alice.qp.qpNum(), 0), await(alice, 1).getFirst());
        assertEquals(-7, bob.memory.get(ValueLayout.JAVA_LONG, 24));
    }

    /** A program with one free slot posts again as soon as it sees the completion. */
    @Test
    void shouldFreeTheSlotBeforeTheCompletionIsSeen() {
        connect(QpType.RC);
        for (int i = 0; i < 20; i++) {
            for (int j = 0; j < RxeProgram.SLOTS - 1; j++) {
                long at = alice.postSend(0, j == 0 ? SIGNALED : 0, i);
                alice.sendElement(at, 0, 0, 4);
                alice.remote(at, 0, bob.objects.region.rkey());
                alice.publishSend();
            }
            assertEquals(RxeProgram.SLOTS - 1, alice.sendsInUse());
            await(alice, 1);
            assertTrue(alice.sendsInUse() < RxeProgram.SLOTS - 1);
            run(() -> alice.sendsInUse() == 0);
        }
    }

    @Test
    void shouldKeepRequestsUntilTheQueuePairIsReady() {
        alice = new RxeProgram(alices, QpType.RC, RIGHTS);
        bob = new RxeProgram(bobs, QpType.RC, RIGHTS);
        long at = alice.postSend(0, SIGNALED, 9);
        alice.sendElement(at, 0, 0, 4);
        alice.remote(at, 0, bob.objects.region.rkey());
        alice.publishSend();
        bring(bob, alice, ALICE);
        bring(alice, bob, BOB);
        alice.context.agent().lock().lock();
        alice.ring.onModified(QpState.RTS);
        alice.context.agent().lock().unlock();
        assertEquals(9, await(alice, 1).getFirst().wrId());
    }

    @Test
    void shouldDropWhatIsPostedAtAReset() {
        connect(QpType.RC);
        alice.qp.modify(new QpAttributes().state(QpState.RESET));
        long at = alice.postSend(0, SIGNALED, 9);
        alice.publishSend();
        assertTrue(at > 0);
        alice.ring.onModified(QpState.RESET);
        assertEquals(0, alice.sendsInUse());
        alice.qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
        assertEquals(List.of(), alice.poll());
    }

    @Test
    void shouldFlushBothQueuesInError() {
        connect(QpType.RC);
        alice.postReceive(1, 0, 8);
        alice.postReceive(2, 0, 8);
        alice.qp.modify(new QpAttributes().state(QpState.ERR));
        assertEquals(List.of(1L, 2L), await(alice, 2).stream().map(RxeProgram.Completion::wrId).toList());
        alice.postSend(0, 0, 3);
        alice.publishSend();
        RxeProgram.Completion flushed = await(alice, 1).getFirst();
        assertEquals(3, flushed.wrId());
        assertEquals(5, flushed.status());
    }

    /** librxe rings for sends only: a thread of the program that still posts receives waits for their completions all the same. */
    @Test
    void shouldFlushReceivesThatArePostedInError() {
        connect(QpType.RC);
        alice.qp.modify(new QpAttributes().state(QpState.ERR));
        for (int id = 4; id < 6; id++) {
            alice.postReceive(id, 0, 8);
            RxeProgram.Completion flushed = await(alice, 1).getFirst();
            assertEquals(id, flushed.wrId());
            assertEquals(5, flushed.status());
        }
        alice.qp.modify(new QpAttributes().state(QpState.RESET));
        run(() -> alice.door.deadlineNs() == Deadline.NEVER);
        assertEquals(Deadline.NEVER, alice.door.deadlineNs());
    }

    /** A program that posts a receive for each that is flushed must not keep the device. */
    @Test
    void shouldFlushNoMoreReceivesThanWerePosted() {
        alice = new RxeProgram(alices, QpType.RC, RIGHTS);
        int[] moved = {0};
        alice.qp.takeReceivesFrom(new PostedReceives() {
            @Override
            public int size() {
                return 3;
            }

            @Override
            public boolean moveOldestTo(ReceiveRing taken) {
                assertTrue(moved[0] < 100, "this goes on for ever");
                taken.write(new ReceiveRequest().begin(++moved[0]));
                taken.publish();
                return true;
            }
        });
        alice.qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
        alice.qp.modify(new QpAttributes().state(QpState.ERR));
        assertEquals(List.of(1L, 2L, 3L), alice.poll().stream().map(RxeProgram.Completion::wrId).toList());
    }

    @Test
    void shouldFailARequestWithTooManyElementsAfterThoseBeforeIt() {
        connect(QpType.RC);
        long good = alice.postSend(0, SIGNALED, 1);
        alice.sendElement(good, 0, 0, 4);
        alice.remote(good, 0, bob.objects.region.rkey());
        alice.publishSend();
        long bad = alice.postSend(0, SIGNALED, 2);
        RxeSendRecord.numSge(alice.sends.extent().memory(), bad, RxeProgram.ELEMENTS + 1);
        alice.publishSend();
        List<RxeProgram.Completion> done = await(alice, 2);
        assertEquals(0, done.get(0).status());
        assertEquals(2, done.get(1).wrId());
        assertEquals(2, done.get(1).status());
        assertEquals(Reason.RING_RECORD_INVALID.code(), alice.lastVendorError);
        assertEquals(QpState.ERR, alice.qp.state());
        assertEquals(0, alice.sendsInUse());
    }

    /** The record that {@code ibv_wr_send} and {@code ibv_wr_set_inline_data} of librxe 44 make of flags without IBV_SEND_INLINE. */
    @Test
    void shouldSendInlineDataWithoutTheFlag() {
        connect(QpType.RC);
        bob.postReceive(77, 500, 64);
        long at = alice.postSend(2, SIGNALED, 5);
        MemorySegment ring = alice.sends.extent().memory();
        MemorySegment.copy("hello".getBytes(), 0, ring, ValueLayout.JAVA_BYTE, at + 208, 5);
        RxeSendRecord.length(ring, at, 5);
        alice.publishSend();
        assertEquals(5, await(bob, 1).getFirst().bytes());
        assertEquals("hello", new String(bob.memory.asSlice(500, 5).toArray(ValueLayout.JAVA_BYTE)));
        assertEquals(0, await(alice, 1).getFirst().status());
    }

    @Test
    void shouldFailInlineDataThatDoesNotFit() {
        connect(QpType.RC);
        long at = alice.postSend(2, SIGNALED | INLINE, 2);
        RxeSendRecord.length(alice.sends.extent().memory(), at, RxeProgram.INLINE + 1);
        alice.publishSend();
        assertEquals(2, await(alice, 1).getFirst().status());
    }

    @Test
    void shouldFailAnUnknownOperation() {
        connect(QpType.RC);
        alice.postSend(0x7fffffff, SIGNALED, 2);
        alice.publishSend();
        assertEquals(2, await(alice, 1).getFirst().status());
        assertEquals(Reason.RING_RECORD_INVALID.code(), alice.lastVendorError);
    }

    /** Masks, sizes and indices that the program destroys are not read, or read modulo the ring. */
    @Test
    void shouldSurviveADestroyedRing() {
        connect(QpType.RC);
        for (MemorySegment ring : List.of(alice.sends.extent().memory(), alice.receives.extent().memory(), alice.cq.extent().memory())) {
            for (long at = 0; at < ring.byteSize(); at++) {
                ring.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
            }
        }
        alice.rung = true;
        simulation.runFor(100_000_000);
        bob.postReceive(1, 0, 8);
        bob.qp.modify(new QpAttributes().state(QpState.ERR));
        assertEquals(5, await(bob, 1).getFirst().status());
    }

    @Test
    void shouldRaiseOneOverrunAndStopTheQueuePair() {
        connect(QpType.RC);
        for (int i = 0; i < 12; i++) {
            long at = alice.postSend(0, SIGNALED, i);
            alice.sendElement(at, 0, 0, 4);
            alice.remote(at, 0, bob.objects.region.rkey());
            alice.publishSend();
            simulation.runFor(1_000_000);
        }
        assertEquals(1, alice.overruns);
        assertEquals(QpState.ERR, alice.qp.state());
        assertEquals(alice.cq.capacity(), alice.poll().size());
    }

    @Test
    void shouldAnnounceOneCompletionForEachArming() {
        connect(QpType.RC);
        bob.arm(true);
        sendOne(0);
        assertEquals(0, bob.events);
        sendOne(SOLICITED);
        assertEquals(1, bob.events);
        sendOne(SOLICITED);
        assertEquals(1, bob.events);
        bob.arm(false);
        sendOne(0);
        assertEquals(2, bob.events);
    }

    private void sendOne(int flags) {
        bob.postReceive(1, 0, 8);
        long at = alice.postSend(2, flags, 1);
        alice.sendElement(at, 0, 0, 4);
        alice.publishSend();
        await(bob, 1);
    }

    @Test
    void shouldMoveCompletionsIntoAResizedRing() {
        connect(QpType.RC);
        for (int i = 0; i < 5; i++) {
            long at = alice.postSend(0, SIGNALED, i);
            alice.sendElement(at, 0, 0, 4);
            alice.remote(at, 0, bob.objects.region.rkey());
            alice.publishSend();
            simulation.runFor(1_000_000);
        }
        RingSpace space = new RingSpace(Arena.ofAuto().allocate(1 << 16, 4096));
        alice.cq.resize(space, 100);
        assertTrue(alice.cq.capacity() >= 100);
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L), alice.poll().stream().map(RxeProgram.Completion::wrId).toList());
        assertEquals(0, alice.cq.size());
    }

    /** The device may read the bell of a program after its next call: mckey posts its datagrams and destroys the queue pair at once. */
    @Test
    void shouldSendWhatWasPostedBeforeTheProgramDestroysTheQueuePair() {
        connect(QpType.RC);
        for (int i = 0; i < 2; i++) {
            bob.postReceive(i, 500, 64);
            alice.sendElement(alice.postSend(2, 0, i), 0, 100, 8);
            alice.publishSend();
        }
        alice.ring.close();
        alice.qp.close();
        await(bob, 2).forEach(each -> assertEquals(0, each.status()));
    }

    @Test
    void shouldSendDatagramsToTheHandleThatTheRequestNames() {
        alice = new RxeProgram(alices, QpType.UD, RIGHTS);
        bob = new RxeProgram(bobs, QpType.UD, RIGHTS);
        for (RxeProgram each : List.of(alice, bob)) {
            each.qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
            each.qp.modify(new QpAttributes().state(QpState.RTR));
            each.qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
        }
        alice.objects.add(3, alice.pd.createAh(AddressVector.to(BOB, 1)));
        bob.postReceive(4, 0, 100);
        long at = alice.postSend(2, SIGNALED, 1);
        MemorySegment ring = alice.sends.extent().memory();
        RxeDatagramRequest.remoteQpn(ring, at, bob.qp.qpNum());
        RxeDatagramRequest.remoteQkey(ring, at, QKEY);
        RxeDatagramRequest.ahNum(ring, at, 3);
        alice.sendElement(at, 0, 0, 20);
        alice.publishSend();
        RxeProgram.Completion received = await(bob, 1).getFirst();
        assertEquals(60, received.bytes());
        assertEquals(1, received.flags());
        assertEquals(10, bob.lastServiceLevel, "RoCE v2 over IPv4, as ConnectX reports it");

        long stray = alice.postSend(2, SIGNALED, 2);
        RxeDatagramRequest.ahNum(ring, stray, 4);
        alice.publishSend();
        assertEquals(2, await(alice, 2).get(1).status());
    }

    @Test
    void shouldBindAWindowByItsNextKeyOnly() {
        connect(QpType.RC);
        MemoryWindow window = bob.pd.allocateMw(MemoryWindow.Type.TYPE_1);
        bob.objects.add(window);
        int key = MemoryWindow.nextRkey(window.rkey());
        bind(key);
        assertEquals(5, await(bob, 1).getFirst().opcode());
        assertEquals(key, window.rkey());
        long at = alice.postSend(0, SIGNALED, 1);
        alice.sendElement(at, 0, 0, 4);
        alice.remote(at, 256, key);
        alice.publishSend();
        assertEquals(0, await(alice, 1).getFirst().status());
        bind(key);
        assertEquals(2, await(bob, 1).getFirst().status());
        assertFalse(bob.qp.state() == QpState.RTS);
    }

    private void bind(int key) {
        long at = bob.postSend(8, SIGNALED, 1);
        MemorySegment ring = bob.sends.extent().memory();
        RxeWindowRequest.addr(ring, at, 256);
        RxeWindowRequest.length(ring, at, 64);
        RxeWindowRequest.mrLkey(ring, at, bob.objects.region.lkey());
        RxeWindowRequest.rkey(ring, at, key);
        RxeWindowRequest.access(ring, at, AccessFlags.REMOTE_WRITE);
        bob.publishSend();
    }

    /** Both programs on one device whose packets stay in memory: 64 packets of a WRITE, then a READ of them, and nothing on the fabric. */
    @Test
    void shouldExchangeDirectlyOnOneDevice() {
        int[] onFabric = {0};
        fabric.observe((nowNs, from, to, packet, offset, length, fate) -> onFabric[0]++);
        SoftContext both = (SoftContext) SimulatedRxe.open(simulation,
            new DirectLink(fabric.attach(Gid.ofIpv4(0x0a000003)), fabric::nowNs), random, 1500);
        alice = new RxeProgram(both, QpType.RC, RIGHTS);
        bob = new RxeProgram(both, QpType.RC, RIGHTS, alice.door);
        bring(alice, bob, Gid.ofIpv4(0x0a000003));
        bring(bob, alice, Gid.ofIpv4(0x0a000003));
        for (int i = 0; i < 32768; i++) {
            alice.memory.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
        long write = alice.postSend(0, SIGNALED, 1);
        alice.sendElement(write, 0, 0, 32768);
        alice.remote(write, 16384, bob.objects.region.rkey());
        alice.publishSend();
        long read = alice.postSend(4, SIGNALED, 2);
        alice.sendElement(read, 0, 32768, 32768);
        alice.remote(read, 16384, bob.objects.region.rkey());
        alice.publishSend();
        await(alice, 2);
        assertEquals(-1, alice.memory.asSlice(0, 32768).mismatch(bob.memory.asSlice(16384, 32768)));
        assertEquals(-1, alice.memory.asSlice(0, 32768).mismatch(alice.memory.asSlice(32768, 32768)));
        assertEquals(0, onFabric[0]);
    }

    /** A file that was cut off makes every access to its rings fail. */
    @Test
    void shouldStopTheQueuePairWhoseRingCannotBeRead() {
        connect(QpType.RC);
        SoftQueuePair second = (SoftQueuePair) alice.pd.createQp(QpInitAttributes.rc(alice.softCq, QpCapabilities.MINIMAL));
        alice.door.add(1, new RingQueuePair(second, new CutOff(), alice.cq, alice.objects, alice.door));
        long at = alice.postSend(0, SIGNALED, 8);
        alice.sendElement(at, 0, 0, 4);
        alice.remote(at, 0, bob.objects.region.rkey());
        alice.publishSend();
        assertEquals(0, await(alice, 1).getFirst().status());
        assertEquals(AsyncEventType.QP_FATAL, alices.getAsyncEvent(0).type());
    }

    private static final class CutOff implements PostedSends {
        @Override
        public RingSpace.Extent extent() {
            throw new AssertionError();
        }

        @Override
        public boolean hasNext() {
            throw new InternalError("a fault occurred in an unsafe memory access operation");
        }

        @Override
        public boolean read(SendRequest into, ObjectTable objects) {
            throw new AssertionError();
        }

        @Override
        public void accept() {
            throw new AssertionError();
        }

        @Override
        public void release(long completed) {
            throw new AssertionError();
        }

        @Override
        public void discard() {
            throw new AssertionError();
        }
    }

    @Test
    void shouldReuseFreedPlacesZeroed() {
        RingSpace space = new RingSpace(Arena.ofAuto().allocate(3 * 4096, 4096));
        RingSpace.Extent first = space.allocate(5000);
        RingSpace.Extent second = space.allocate(1);
        assertEquals(0, first.offset());
        assertEquals(8192, second.offset());
        first.memory().fill((byte) 1);
        space.free(first);
        space.free(second);
        RingSpace.Extent all = space.allocate(3 * 4096);
        assertEquals(0, all.offset());
        assertEquals(-1, all.memory().mismatch(MemorySegment.ofArray(new byte[3 * 4096])));
    }
}
