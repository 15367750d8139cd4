// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPacket.XRC;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.XrcDomain;

/** Both halves of XRC connections, with peers written by hand: opcodes are RC's plus 0xa0, requests have an XRCETH. IBA vol 1 annex A14. */
class XrcScriptTest {
    private static final int RNR_OF_CODE_12 = 0x2c;

    private final RawPeer peer = new RawPeer(new SimulatedPair.Setup(), false);
    private final Context context = peer.side.context;
    private final ProtectionDomain pd = peer.side.pd;
    private final XrcDomain domain = context.openXrcd("domain", XrcDomain.CREATE);
    private final CompletionQueue sendCq = context.createCq(64);
    private final Queue one = new Queue(context, pd);
    private final Queue two = new Queue(context, context.allocatePd());
    private final QueuePair target = domain.createTarget();
    private final ReceiveRequest recv = new ReceiveRequest();
    private final SendRequest wr = new SendRequest();

    /** An XRC shared receive queue with a completion queue and memory of its own. */
    private final class Queue {
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final SharedReceiveQueue srq;
        final MemoryRegion memory;

        Queue(Context context, ProtectionDomain pd) {
            this(context, pd, 64);
        }

        Queue(Context context, ProtectionDomain pd, int completions) {
            this.pd = pd;
            cq = context.createCq(completions);
            srq = domain.createSrq(pd, cq, 8, 2, 0);
            memory = pd.register(Arena.ofAuto().allocate(50_000, 64), SimulatedPair.ALL_REMOTE);
            for (int i = 0; i < 50_000; i++) {
                memory.memory().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 13 + (i >> 8) + pd.hashCode()));
            }
        }

        void post(int wrId) {
            srq.postReceive(recv.begin(wrId).element(memory, 0, 4096));
        }

        List<WorkCompletion> done() {
            WorkCompletion[] into = WorkCompletion.array(64);
            return List.of(into).subList(0, cq.poll(into));
        }

        List<String> outcomes() {
            return done().stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
        }

        byte[] content(int at, int length) {
            return memory.memory().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private void connectTarget() {
        target.modify(init(AccessFlags.REMOTE_ANY));
        target.modify(rtr().maxDestRdAtomic(4).minRnrTimer(12));
        target.modify(new QpAttributes().state(QpState.RTS).timeout(14).sqPsn(0));
    }

    private QueuePair connectInitiator() {
        QueuePair initiator = pd.createQp(QpInitAttributes.xrcSend(sendCq, new QpCapabilities(64, 0, 4, 0, 64)));
        initiator.modify(init(0));
        initiator.modify(rtr());
        initiator.modify(new QpAttributes().state(QpState.RTS).timeout(14).sqPsn(THEIR_PSN).retryCount(7).rnrRetry(7).maxRdAtomic(4));
        return initiator;
    }

    private static QpAttributes init(int access) {
        return new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(access);
    }

    private QpAttributes rtr() {
        return new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer.gid(), 1)).pathMtu(new SimulatedPair.Setup().mtu)
            .destQpn(RawPeer.QPN).rqPsn(OUR_PSN & 0xffffff);
    }

    private RawPacket request(int operation, int psn, int srqn) {
        return RawPacket.of(XRC + operation, OUR_PSN + psn).destQpn(target.qpNum()).ackRequest().xrceth(srqn);
    }

    private RawPacket send(int psn, Queue to) {
        return request(RawPacket.SEND_ONLY, psn, to.srq.number()).payload(10);
    }

    private RawPacket write(int psn, Queue to, MemoryRegion into) {
        return request(RawPacket.WRITE_ONLY, psn, to.srq.number()).reth(into.address(), into.rkey(), 20).payload(20);
    }

    private RawPacket read(int psn, Queue by, MemoryRegion from, int length) {
        return request(RawPacket.READ_REQUEST, psn, by.srq.number()).reth(from.address() + 5, from.rkey(), length);
    }

    private RawPacket expectAck(int psn) {
        RawPacket ack = peer.expect(XRC + RawPacket.ACK, OUR_PSN + psn);
        assertEquals(List.of(0x1f, RawPeer.QPN), List.of(ack.syndrome(), ack.destQpn()));
        return ack;
    }

    private void expectNak(int psn, int syndrome) {
        assertEquals(Integer.toHexString(syndrome), Integer.toHexString(peer.expect(XRC + RawPacket.ACK, OUR_PSN + psn).syndrome()));
    }

    private static List<AsyncEventType> events(Context of) {
        List<AsyncEventType> types = new ArrayList<>();
        for (AsyncEvent event = of.getAsyncEvent(0); event != null; event = of.getAsyncEvent(0)) {
            types.add(event.type());
            event.ack();
        }
        return types;
    }

    /** The request was refused: a NAK, an event, the target in error, and one more in the counter of requests that name no queue. */
    private void expectRefused(int psn) {
        expectNak(psn, RawPacket.NAK_INVALID);
        assertEquals(QpState.ERR, target.state());
        assertEquals(List.of(AsyncEventType.QP_REQ_ERR), events(context));
        assertEquals(1, peer.side.counter("refused_xrceth"));
        assertTrue(FlightRecorder.of(context).record(target.qpNum()).tracks().stream().flatMap(track -> track.events().stream())
            .anyMatch(event -> event instanceof RecordedEvent.Raised raised && raised.type() == AsyncEventType.QP_REQ_ERR));
        peer.expectNothingFor(1000 * MS);
    }

    // ---- the target: request context ----

    @Test
    void shouldSayThatItHasXrc() {
        DeviceAttributes attributes = context.queryDevice();
        assertEquals(1 << 20, attributes.deviceCapFlags() & 1 << 20);
        assertEquals(1L << 20, attributes.deviceCapFlagsEx() & 1L << 20);
    }

    @Test
    void shouldPutEachMessageIntoTheQueueItNames() {
        connectTarget();
        one.post(1);
        one.post(2);
        two.post(3);
        peer.send(send(0, one), send(1, two), send(2, one).solicited());
        assertEquals(3, expectAck(2).msn());
        List<WorkCompletion> ones = one.done();
        assertEquals(List.of(1L, 2L), ones.stream().map(WorkCompletion::wrId).toList());
        WorkCompletion wc = two.done().getFirst();
        assertEquals(List.of(3L, WcStatus.SUCCESS, WcOpcode.RECV, 10, target.qpNum(), 0, WcFlags.GRH),
            List.of(wc.wrId(), wc.status(), wc.opcode(), wc.byteLength(), wc.qpNum(), wc.sourceQp(), wc.flags()));
        assertArrayEquals(send(1, two).payload(), two.content(0, 10));
    }

    @Test
    void shouldGoToErrWhenCompletionsOfTheNamedQueueOverrun() {
        connectTarget();
        Queue small = new Queue(context, pd, 1);
        for (int i = 0; i < 3; i++) {
            small.post(i);
        }
        peer.send(send(0, small), send(1, small));
        peer.expectNothingFor(1000 * MS);
        assertEquals(QpState.ERR, target.state());
        assertEquals(List.of(AsyncEventType.CQ_ERR), events(context));
    }

    @Test
    void shouldPutALongMessageTogether() {
        connectTarget();
        two.post(7);
        int srqn = two.srq.number();
        peer.send(request(RawPacket.SEND_FIRST, 0, srqn).payload(1024), request(RawPacket.SEND_MIDDLE, 1, srqn).payload(1024),
            request(0x03, 2, srqn).immediate(0xcafe).payload(3));
        expectAck(2);
        WorkCompletion wc = two.done().getFirst();
        assertEquals(List.of(2051, 0xcafe, WcFlags.GRH | WcFlags.WITH_IMM), List.of(wc.byteLength(), wc.immediate(), wc.flags()));
        assertArrayEquals(request(RawPacket.SEND_MIDDLE, 1, srqn).payload(1024).payload(), two.content(1024, 1024));
    }

    @Test
    void shouldAnswerReceiverNotReadyWhileTheNamedQueueIsEmpty() {
        connectTarget();
        one.post(1);
        peer.send(send(0, two));
        expectNak(0, RNR_OF_CODE_12);
        two.post(2);
        peer.send(send(0, two), send(1, one));
        expectAck(1);
        assertEquals(List.of("1 SUCCESS"), one.outcomes());
        assertEquals(List.of("2 SUCCESS"), two.outcomes());
    }

    @Test
    void shouldTakeAReceiveForTheImmediateOfAWrite() {
        connectTarget();
        RawPacket write = request(RawPacket.WRITE_ONLY_IMM, 0, two.srq.number()).reth(two.memory.address() + 8000, two.memory.rkey(), 20)
            .immediate(5).payload(20);
        peer.send(write);
        expectNak(0, RNR_OF_CODE_12);
        two.post(4);
        peer.send(write);
        expectAck(0);
        WorkCompletion wc = two.done().getFirst();
        assertEquals(List.of(4L, WcOpcode.RECV_RDMA_WITH_IMM, 20, 5, target.qpNum()),
            List.of(wc.wrId(), wc.opcode(), wc.byteLength(), wc.immediate(), wc.qpNum()));
        assertArrayEquals(write.payload(), two.content(8000, 20));
    }

    // ---- the target: protection domain ----

    @ParameterizedTest
    @ValueSource(ints = {RawPacket.WRITE_ONLY, RawPacket.READ_REQUEST, RawPacket.FETCH_ADD})
    void shouldJudgeKeysByTheProtectionDomainOfTheNamedQueue(int operation) {
        connectTarget();
        peer.send(rdma(operation, 0, one, one.memory), rdma(operation, 1, two, two.memory));
        peer.runFor(MS);
        assertEquals(QpState.RTS, target.state());
        peer.takeAll(MS);
        peer.send(rdma(operation, 2, one, two.memory));
        expectNak(2, RawPacket.NAK_ACCESS);
        assertEquals(QpState.ERR, target.state());
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), events(context));
    }

    private RawPacket rdma(int operation, int psn, Queue by, MemoryRegion memory) {
        return switch (operation) {
            case RawPacket.WRITE_ONLY -> write(psn, by, memory);
            case RawPacket.READ_REQUEST -> read(psn, by, memory, 30);
            default -> request(operation, psn, by.srq.number()).atomic(memory.address(), memory.rkey(), 1, 0);
        };
    }

    @Test
    void shouldJudgeReceivesByTheProtectionDomainOfTheirQueue() {
        connectTarget();
        two.srq.postReceive(recv.begin(9).element(one.memory, 0, 4096));
        peer.send(send(0, two));
        expectNak(0, RawPacket.NAK_OPERATIONAL);
        assertEquals(List.of("9 LOC_PROT_ERR"), two.outcomes());
        assertEquals(QpState.ERR, target.state());
    }

    @Test
    void shouldAnswerReadsByTheQueueTheyNamedWhateverCameSince() {
        connectTarget();
        two.post(1);
        peer.send(read(0, one, one.memory, 2500), send(3, two));
        assertArrayEquals(one.content(5, 1024), peer.expect(XRC + RawPacket.READ_FIRST, OUR_PSN).payload());
        assertArrayEquals(one.content(1029, 1024), peer.expect(XRC + RawPacket.READ_MIDDLE, OUR_PSN + 1).payload());
        assertArrayEquals(one.content(2053, 452), peer.expect(XRC + RawPacket.READ_LAST, OUR_PSN + 2).payload());
        assertEquals(2, expectAck(3).msn());
        peer.send(read(0, one, one.memory, 2500));
        assertArrayEquals(one.content(5, 1024), peer.expect(XRC + RawPacket.READ_FIRST, OUR_PSN).payload(), "and again when asked again");
    }

    @Test
    void shouldReplayAtomicsAndExecuteThemOnce() {
        connectTarget();
        one.memory.memory().set(ValueLayout.JAVA_LONG, 0, 41);
        RawPacket add = request(RawPacket.FETCH_ADD, 0, one.srq.number()).atomic(one.memory.address(), one.memory.rkey(), 1, 0);
        RawPacket swap = request(RawPacket.COMPARE_SWAP, 1, one.srq.number()).atomic(one.memory.address(), one.memory.rkey(), 99, 42);
        peer.send(add, swap);
        assertEquals(41, peer.expect(XRC + RawPacket.ATOMIC_ACK, OUR_PSN).original());
        assertEquals(42, peer.expect(XRC + RawPacket.ATOMIC_ACK, OUR_PSN + 1).original());
        peer.send(swap);
        assertEquals(42, peer.expect(XRC + RawPacket.ATOMIC_ACK, OUR_PSN + 1).original());
        assertEquals(99, one.memory.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void shouldReachAWindowOfTypeOneOfTheNamedQueuesProtectionDomain() {
        connectTarget();
        QueuePair initiator = connectInitiator();
        MemoryWindow window = pd.allocateMw(MemoryWindow.Type.TYPE_1);
        initiator.bind(window, 1, one.memory, one.memory.address() + 4096, 64, AccessFlags.REMOTE_WRITE, 0);
        peer.runFor(MS);
        RawPacket write = request(RawPacket.WRITE_ONLY, 0, one.srq.number()).reth(one.memory.address() + 4096, window.rkey(), 20)
            .payload(20);
        peer.send(write);
        expectAck(0);
        assertArrayEquals(write.payload(), one.content(4096, 20));
        peer.send(request(RawPacket.WRITE_ONLY, 1, two.srq.number()).reth(one.memory.address() + 4096, window.rkey(), 20).payload(20));
        expectNak(1, RawPacket.NAK_ACCESS);
    }

    /** Only a window tied to the queue pair that bound it can be invalidated, and a target binds none. */
    @Test
    void shouldRefuseToInvalidateWhatIsNotTheTargets() {
        connectTarget();
        one.post(1);
        QueuePair initiator = connectInitiator();
        MemoryWindow window = pd.allocateMw(MemoryWindow.Type.TYPE_2);
        int key = MemoryWindow.nextRkey(window.rkey());
        initiator.postSend(wr.bindWindow(key, one.memory, one.memory.address(), 64, AccessFlags.REMOTE_READ).signaled());
        peer.runFor(MS);
        peer.send(request(RawPacket.SEND_ONLY_INV, 0, one.srq.number()).immediate(key).payload(4));
        expectNak(0, RawPacket.NAK_ACCESS);
        assertEquals(List.of("1 LOC_ACCESS_ERR"), one.outcomes());
    }

    // ---- the target: refused requests ----

    @ParameterizedTest
    @ValueSource(strings = {"nobody's", "another domain's", "a basic one", "a closed one"})
    void shouldRefuseRequestsThatNameNoQueueOfItsDomain(String whose) {
        connectTarget();
        SharedReceiveQueue closed = domain.createSrq(pd, sendCq, 1, 1, 0);
        closed.close();
        int srqn = switch (whose) {
            case "nobody's" -> 0xabcdef;
            case "another domain's" -> context.openXrcd("other", XrcDomain.CREATE).createSrq(pd, sendCq, 1, 1, 0).number();
            case "a basic one" -> pd.createSrq(1, 1, 0).number();
            default -> closed.number();
        };
        byte[] before = one.content(0, 64);
        peer.send(request(RawPacket.WRITE_ONLY, 0, srqn).reth(one.memory.address(), one.memory.rkey(), 20).payload(20));
        expectRefused(0);
        assertArrayEquals(before, one.content(0, 64));
    }

    @Test
    void shouldRefuseAMessageThatChangesItsQueueInTheMiddle() {
        connectTarget();
        one.post(1);
        two.post(2);
        peer.send(request(RawPacket.SEND_FIRST, 0, one.srq.number()).payload(1024));
        expectAck(0);
        peer.send(request(RawPacket.SEND_LAST, 1, two.srq.number()).payload(4));
        expectRefused(1);
        assertEquals(List.of("1 WR_FLUSH_ERR"), one.outcomes());
        assertEquals(List.of(), two.outcomes());
    }

    @Test
    void shouldForgetTheReceiveOfAQueueThatIsClosedInTheMiddle() {
        connectTarget();
        one.post(1);
        peer.send(request(RawPacket.SEND_FIRST, 0, one.srq.number()).payload(1024));
        expectAck(0);
        int srqn = one.srq.number();
        one.srq.close();
        peer.send(request(RawPacket.SEND_LAST, 1, srqn).payload(4));
        expectRefused(1);
        assertEquals(List.of(), one.outcomes());
        one.cq.close();
        target.modify(new QpAttributes().state(QpState.RESET));
        connectTarget();
        two.post(2);
        peer.send(send(0, two));
        expectAck(0);
        assertEquals(List.of("2 SUCCESS"), two.outcomes());
    }

    /** The service is checked with the packet's headers: IBA vol 1 §9.6.1. */
    @ParameterizedTest
    @ValueSource(ints = {0x04, 0x1f, 0x24, 0x64, 0xe4})
    void shouldDropOperationsOfOtherServices(int opcode) {
        connectTarget();
        one.post(1);
        peer.send(RawPacket.of(opcode, OUR_PSN).destQpn(target.qpNum()).ackRequest().xrceth(one.srq.number())
            .reth(one.memory.address(), one.memory.rkey(), 8).payload(8));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_wrong_service"));
        assertEquals(List.of(), one.outcomes());
        assertEquals(QpState.RTS, target.state());
        assertEquals(List.of(), peer.side.events());
    }

    @ParameterizedTest
    @CsvSource({"0xb5", "0xbc", "0xbd"})
    void shouldRefuseReservedOperations(String opcode) {
        connectTarget();
        one.post(1);
        peer.send(RawPacket.of(Integer.decode(opcode), OUR_PSN).destQpn(target.qpNum()).ackRequest().xrceth(one.srq.number())
            .reth(one.memory.address(), one.memory.rkey(), 8).payload(8));
        expectNak(0, RawPacket.NAK_INVALID);
        assertEquals(List.of(), one.outcomes());
        assertEquals(0, peer.side.counter("refused_xrceth"));
    }

    @ParameterizedTest
    @ValueSource(ints = {XRC + RawPacket.ACK, RawPacket.ACK})
    void shouldDropResponsesToATarget(int opcode) {
        connectTarget();
        peer.send(RawPacket.of(opcode, 0).destQpn(target.qpNum()).aeth(0x1f, 0));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_wrong_service"));
        assertEquals(QpState.RTS, target.state());
    }

    // ---- the target: life cycle ----

    @Test
    void shouldLiveUntilItsLastHolderClosesIt() {
        Context second = context.device().open();
        XrcDomain secondDomain = second.openXrcd("domain", 0);
        QueuePair held = secondDomain.openTarget(target.qpNum());
        assertEquals(target.qpNum(), held.qpNum());
        target.modify(init(AccessFlags.REMOTE_ANY));
        held.modify(rtr().maxDestRdAtomic(4).minRnrTimer(12));
        assertSame(QpState.RTR, target.state());
        one.post(1);
        one.post(2);
        peer.send(send(0, one));
        expectAck(0);
        assertEquals(List.of(AsyncEventType.COMM_EST), events(context));
        assertEquals(List.of(AsyncEventType.COMM_EST), events(second));
        target.close();
        peer.send(send(1, one));
        expectAck(1);
        peer.send(request(RawPacket.SEND_ONLY, 2, 0).payload(10));
        expectNak(2, RawPacket.NAK_INVALID);
        assertEquals(List.of(), events(context), "its holder there closed it");
        assertEquals(List.of(AsyncEventType.QP_REQ_ERR), events(second));
        held.close();
        peer.send(send(3, one));
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_ghost_request"));
        secondDomain.close();
        second.close();
    }

    /** A queue made by another context, in the same domain, is reached through the same target. */
    @Test
    void shouldReachTheQueuesOfAllContextsOfItsDomain() {
        Context second = context.device().open();
        XrcDomain secondDomain = second.openXrcd("domain", 0);
        ProtectionDomain secondPd = second.allocatePd();
        CompletionQueue cq = second.createCq(4);
        SharedReceiveQueue srq = secondDomain.createSrq(secondPd, cq, 2, 1, 0);
        MemoryRegion memory = secondPd.register(Arena.ofAuto().allocate(64), AccessFlags.LOCAL_WRITE);
        srq.postReceive(recv.begin(5).element(memory, 0, 64));
        connectTarget();
        peer.send(request(RawPacket.SEND_ONLY, 0, srq.number()).payload(10));
        expectAck(0);
        WorkCompletion[] done = WorkCompletion.array(1);
        assertEquals(1, cq.poll(done));
        assertEquals(List.of(5L, target.qpNum()), List.of(done[0].wrId(), done[0].qpNum()));
    }

    @Test
    void shouldAcknowledgeAgainAfterItsEnd() {
        connectTarget();
        one.post(1);
        peer.send(send(0, one));
        expectAck(0);
        target.close();
        peer.send(send(0, one));
        expectAck(0);
        assertEquals(List.of("1 SUCCESS"), one.outcomes());
    }

    // ---- the initiator ----

    @Test
    void shouldNameTheQueueInEveryRequest() {
        QueuePair initiator = connectInitiator();
        int srqn = 0xfedcba;
        initiator.postSend(wr.sendWithImmediate(0x01020304).toSrq(srqn).element(one.memory, 0, 1500).signaled());
        initiator.postSend(wr.write(0x1000, 7).toSrq(srqn).element(one.memory, 0, 10).signaled());
        initiator.postSend(wr.sendWithInvalidate(77).toSrq(1).element(one.memory, 0, 4).signaled());
        RawPacket first = peer.expect(XRC + RawPacket.SEND_FIRST, THEIR_PSN);
        assertEquals(List.of(srqn, 4, 1024), List.of(first.srqn(), first.headers().length, first.payload().length));
        assertArrayEquals(one.content(0, 1024), first.payload());
        RawPacket last = peer.expect(XRC + 0x03, THEIR_PSN + 1);
        assertEquals(List.of(srqn, 8, 0x01020304, 476),
            List.of(last.srqn(), last.headers().length, last.immediate(), last.payload().length));
        RawPacket write = peer.expect(XRC + RawPacket.WRITE_ONLY, THEIR_PSN + 2);
        assertEquals("00fedcba" + "0000000000001000" + "00000007" + "0000000a", java.util.HexFormat.of().formatHex(write.headers()));
        RawPacket invalidate = peer.expect(XRC + RawPacket.SEND_ONLY_INV, THEIR_PSN + 3);
        assertEquals("00000001" + "0000004d", java.util.HexFormat.of().formatHex(invalidate.headers()));
        peer.send(acknowledge(initiator, 3));
        peer.runFor(MS);
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS), statuses());
    }

    @Test
    void shouldTakeTheAnswersToReadsAndAtomics() {
        QueuePair initiator = connectInitiator();
        initiator.postSend(wr.read(0x2000, 8).toSrq(3).element(one.memory, 0, 1030).signaled());
        initiator.postSend(wr.compareAndSwap(0x3000, 9, 5, 6).toSrq(4).element(one.memory, 2048, 8).signaled());
        initiator.postSend(wr.fetchAndAdd(0x4000, 10, 7).toSrq(5).element(one.memory, 2056, 8).signaled());
        assertEquals("00000003" + "0000000000002000" + "00000008" + "00000406",
            java.util.HexFormat.of().formatHex(peer.expect(XRC + RawPacket.READ_REQUEST, THEIR_PSN).headers()));
        assertEquals("00000004" + "0000000000003000" + "00000009" + "0000000000000006" + "0000000000000005",
            java.util.HexFormat.of().formatHex(peer.expect(XRC + RawPacket.COMPARE_SWAP, THEIR_PSN + 2).headers()));
        assertEquals("00000005" + "0000000000004000" + "0000000a" + "0000000000000007" + "0000000000000000",
            java.util.HexFormat.of().formatHex(peer.expect(XRC + RawPacket.FETCH_ADD, THEIR_PSN + 3).headers()));
        RawPacket head = RawPacket.of(XRC + RawPacket.READ_FIRST, THEIR_PSN).destQpn(initiator.qpNum()).aeth(0x1f, 1).payload(1024);
        RawPacket tail = RawPacket.of(XRC + RawPacket.READ_LAST, THEIR_PSN + 1).destQpn(initiator.qpNum()).aeth(0x1f, 1).payload(6);
        peer.send(head, tail,
            RawPacket.of(XRC + RawPacket.ATOMIC_ACK, THEIR_PSN + 2).destQpn(initiator.qpNum()).aeth(0x1f, 2).atomicAck(5),
            RawPacket.of(XRC + RawPacket.ATOMIC_ACK, THEIR_PSN + 3).destQpn(initiator.qpNum()).aeth(0x1f, 3).atomicAck(1L << 40));
        peer.runFor(MS);
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS), statuses());
        assertArrayEquals(head.payload(), one.content(0, 1024));
        assertArrayEquals(tail.payload(), one.content(1024, 6));
        assertEquals(5, one.memory.memory().get(ValueLayout.JAVA_LONG, 2048));
        assertEquals(1L << 40, one.memory.memory().get(ValueLayout.JAVA_LONG, 2056));
    }

    @Test
    void shouldSendAgainWithTheSameQueue() {
        QueuePair initiator = connectInitiator();
        initiator.postSend(wr.send().toSrq(6).element(one.memory, 0, 4).signaled());
        initiator.postSend(wr.send().toSrq(7).element(one.memory, 0, 4).signaled());
        peer.takeAll(MS);
        peer.send(RawPacket.of(XRC + RawPacket.ACK, THEIR_PSN).destQpn(initiator.qpNum()).aeth(RawPacket.NAK_SEQUENCE, 0));
        assertEquals(6, peer.expect(XRC + RawPacket.SEND_ONLY, THEIR_PSN).srqn());
        assertEquals(7, peer.expect(XRC + RawPacket.SEND_ONLY, THEIR_PSN + 1).srqn());
        peer.send(RawPacket.of(XRC + RawPacket.ACK, THEIR_PSN).destQpn(initiator.qpNum()).aeth(RNR_OF_CODE_12, 0));
        assertEquals(6, peer.expectByTimer(XRC + RawPacket.SEND_ONLY, THEIR_PSN).srqn());
    }

    @Test
    void shouldBeDeafToRequestsAndToAnswersOfOtherServices() {
        QueuePair initiator = connectInitiator();
        initiator.postSend(wr.send().toSrq(6).element(one.memory, 0, 4).signaled());
        peer.expect(XRC + RawPacket.SEND_ONLY, THEIR_PSN);
        one.post(1);
        peer.send(RawPacket.of(RawPacket.ACK, THEIR_PSN).destQpn(initiator.qpNum()).aeth(0x1f, 1));
        peer.send(RawPacket.of(XRC + RawPacket.SEND_ONLY, OUR_PSN).destQpn(initiator.qpNum()).xrceth(one.srq.number()).payload(4));
        peer.runFor(MS);
        assertEquals(List.of(), statuses());
        assertEquals(List.of(), one.outcomes());
        assertEquals(2, peer.side.counter("drop_wrong_service"));
        assertEquals(QpState.RTS, initiator.state());
        peer.send(acknowledge(initiator, 0));
        peer.runFor(MS);
        assertEquals(List.of(WcStatus.SUCCESS), statuses());
    }

    @ParameterizedTest
    @CsvSource({"0x61, REM_INV_REQ_ERR", "0x62, REM_ACCESS_ERR", "0x63, REM_OP_ERR"})
    void shouldFailAsTheTargetSays(String syndrome, WcStatus status) {
        QueuePair initiator = connectInitiator();
        initiator.postSend(wr.send().wrId(1).toSrq(6).element(one.memory, 0, 4));
        initiator.postSend(wr.send().wrId(2).toSrq(6).element(one.memory, 0, 4));
        peer.takeAll(MS);
        peer.send(RawPacket.of(XRC + RawPacket.ACK, THEIR_PSN).destQpn(initiator.qpNum()).aeth(Integer.decode(syndrome), 0));
        peer.runFor(MS);
        assertEquals(List.of(status, WcStatus.WR_FLUSH_ERR), statuses());
        assertEquals(QpState.ERR, initiator.state());
    }

    private static RawPacket acknowledge(QueuePair initiator, int psn) {
        return RawPacket.of(XRC + RawPacket.ACK, THEIR_PSN + psn).destQpn(initiator.qpNum()).aeth(0x1f, 0);
    }

    private List<WcStatus> statuses() {
        WorkCompletion[] into = WorkCompletion.array(64);
        return List.of(into).subList(0, sendCq.poll(into)).stream().map(WorkCompletion::status).toList();
    }
}
