// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.SrqAttributes;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.XrcDomain;

/** XRC: A's initiator reaches shared receive queues of a domain at B, each by its number, through one target. IBA vol 1 annex A14. */
@Needs(Capability.XRC)
public abstract class XrcContract extends ContractTest {
    private static final String NAME = "contract";
    private static final int AREA = 80_000;

    private XrcDomain domain;
    private QueuePair initiator;
    private QueuePair target;
    private Far one;
    private Far two;

    /** A shared receive queue of the domain with its own objects, shared with no other queue. */
    private final class Far {
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final SharedReceiveQueue srq;
        final MemoryRegion memory;
        private final List<WorkCompletion> done = new ArrayList<>();

        Far(Context context, XrcDomain domain) {
            pd = keep(context.allocatePd());
            cq = keep(context.createCq(16));
            srq = keep(domain.createSrq(pd, cq, 8, 2, 0));
            memory = keep(pd.register(Arena.ofAuto().allocate(AREA, 64), End.ALL_REMOTE));
        }

        void postReceive(long wrId) {
            srq.postReceive(recv.begin(wrId).element(memory, 0, AREA));
        }

        List<WorkCompletion> receives() {
            End.drain(cq, done);
            return done;
        }

        WorkCompletion received() {
            await("a receive", () -> !receives().isEmpty());
            return done.getLast();
        }
    }

    private void openDomain() {
        open();
        domain = keep(b.context.openXrcd(NAME, XrcDomain.CREATE | XrcDomain.EXCLUSIVE));
        target = keep(domain.createTarget());
        initiator = newInitiator();
    }

    private void connectXrc() {
        openDomain();
        one = new Far(b.context, domain);
        two = new Far(b.context, domain);
        fabric().connect(initiator, 0, target, 1, setup);
    }

    private QueuePair newInitiator() {
        return keep(a.pd.createQp(QpInitAttributes.xrcSend(a.sendCq, a.cap)));
    }

    /** Posts one request that names a queue, and waits for its end. */
    private WorkCompletion post(SendRequest request, SharedReceiveQueue to) {
        int before = a.sends().size();
        initiator.postSend(request.toSrq(to.number()).signaled());
        await(() -> a.sends().size() > before);
        return a.sends().getLast();
    }

    private WcStatus send(Far to, int length) {
        return post(wr.send().inlineData(MemorySegment.ofArray(new byte[length])), to.srq).status();
    }

    private AsyncEvent nextEvent(Context context) {
        AsyncEvent[] event = new AsyncEvent[1];
        await("an event", () -> {
            event[0] = context.getAsyncEvent(0);
            return event[0] != null;
        });
        return event[0];
    }

    // ---- domains ----

    @Test
    void shouldMakeADomainOnlyWhenAsked() {
        Context context = openContext(0);
        refused(Errno.EAGAIN, "open_xrcd", () -> context.openXrcd(NAME, 0), NAME);
        XrcDomain made = keep(context.openXrcd(NAME, XrcDomain.CREATE | XrcDomain.EXCLUSIVE));
        assertSame(context, made.context());
        keep(context.openXrcd(NAME, XrcDomain.CREATE));
        keep(openContext(0).openXrcd(NAME, 0));
        refused(Errno.EAGAIN, "open_xrcd", () -> openContext(1).openXrcd(NAME, 0), NAME);
    }

    @Test
    void shouldMakeNoDomainThatExistsWhenAskedForANewOne() {
        Context context = openContext(0);
        keep(context.openXrcd(NAME, XrcDomain.CREATE));
        int onlyNew = XrcDomain.CREATE | XrcDomain.EXCLUSIVE;
        refused(Errno.EINVAL, "open_xrcd", () -> context.openXrcd(NAME, onlyNew), NAME);
        refused(Errno.EINVAL, "open_xrcd", () -> openContext(0).openXrcd(NAME, onlyNew), NAME);
    }

    @Test
    void shouldForgetADomainThatNobodyHasOpen() {
        Context context = openContext(0);
        XrcDomain first = keep(context.openXrcd(NAME, XrcDomain.CREATE));
        XrcDomain second = keep(openContext(0).openXrcd(NAME, 0));
        first.close();
        first.close();
        context.openXrcd(NAME, 0).close();
        second.close();
        refused(Errno.EAGAIN, "open_xrcd", () -> context.openXrcd(NAME, 0), NAME);
    }

    @Test
    void shouldMakeADomainOfOnesOwnWithoutAName() {
        open();
        domain = keep(b.context.openXrcd(null, XrcDomain.CREATE));
        XrcDomain other = keep(b.context.openXrcd(null, XrcDomain.CREATE));
        target = keep(domain.createTarget());
        keep(domain.openTarget(target.qpNum()));
        refused(Errno.EINVAL, "open_qp", () -> other.openTarget(target.qpNum()), hex(target.qpNum()));
    }

    @Test
    void shouldRefuseDomainsThatCannotBe() {
        Context context = openContext(0);
        refused(Errno.EINVAL, "open_xrcd", () -> context.openXrcd(NAME, XrcDomain.CREATE | 0x100), "0x140");
        refused(Errno.EINVAL, "open_xrcd", () -> context.openXrcd(null, 0), "CREATE");
    }

    @Test
    void shouldStayOpenWhileItsQueuesLive() {
        openDomain();
        target.close();
        one = new Far(b.context, domain);
        refused(Errno.EBUSY, "close_xrcd", domain::close, "shared receive queues=1");
        refused(Errno.EBUSY, "destroy_cq", one.cq::close, "shared receive queues=1");
        refused(Errno.EBUSY, "dealloc_pd", one.pd::close, "shared receive queues=1");
        one.srq.close();
        domain.close();
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(one.pd, one.cq, 1, 1, 0), "closed");
    }

    @Test
    void shouldStayOpenWhileItsTargetsLive() {
        openDomain();
        int number = target.qpNum();
        XrcDomain again = keep(b.context.openXrcd(NAME, 0));
        QueuePair opened = keep(again.openTarget(number));
        refused(Errno.EBUSY, "close_xrcd", domain::close, "queue pairs=1");
        target.close();
        domain.close();
        refused(Errno.EBUSY, "close_xrcd", again::close, "queue pairs=1");
        opened.close();
        again.close();
        refused(Errno.EINVAL, "create_qp_ex", again::createTarget, "closed");
        refused(Errno.EINVAL, "open_qp", () -> again.openTarget(number), "closed");
    }

    @Test
    void shouldKeepItsContextOpen() {
        Context context = openContext(0);
        XrcDomain made = keep(context.openXrcd(NAME, XrcDomain.CREATE));
        refused(Errno.EBUSY, "close_device", context::close, "XRC domains=1");
        made.close();
        context.close();
    }

    // ---- shared receive queues of a domain ----

    @Test
    void shouldNumberItsQueues() {
        openDomain();
        one = new Far(b.context, domain);
        two = new Far(b.context, domain);
        assertNotEquals(one.srq.number(), two.srq.number());
        for (Far each : List.of(one, two)) {
            assertEquals(0, each.srq.number() & 0xff000000, "24 bits");
            assertSame(each.pd, each.srq.pd());
        }
    }

    @Test
    void shouldGrantItsQueuesAtLeastWhatWasAsked() {
        openDomain();
        SrqAttributes granted = keep(domain.createSrq(b.pd, b.recvCq, 5, 3, 2)).query();
        assertTrue(granted.maxWr() >= 5 && granted.maxSge() >= 3, granted.toString());
        assertEquals(2, granted.limit());
    }

    @Test
    void shouldRefuseQueuesThatCannotBe() {
        openDomain();
        DeviceAttributes limits = b.context.queryDevice();
        int tooMany = limits.maxSrqWr() + 1;
        int tooLong = limits.maxSrqSge() + 1;
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(a.pd, b.recvCq, 1, 1, 0), "pd", "another context");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(null, b.recvCq, 1, 1, 0), "pd");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(b.pd, a.recvCq, 1, 1, 0), "cq", "another context");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(b.pd, null, 1, 1, 0), "cq");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(b.pd, b.recvCq, 0, 1, 0), "max_wr 0");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(b.pd, b.recvCq, tooMany, 1, 0), "max_wr " + tooMany);
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(b.pd, b.recvCq, 1, tooLong, 0), "max_sge " + tooLong);
    }

    @Test
    void shouldMakeNoQueuePairsWithItsQueues() {
        openDomain();
        one = new Far(b.context, domain);
        refused(Errno.EINVAL, "create_qp",
            () -> one.pd.createQp(new QpInitAttributes(QpType.RC, one.cq, one.cq, one.srq, b.cap, false)), "XRC");
    }

    // ---- traffic ----

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1024, 1025, 70_000})
    void shouldDeliverEachSendToTheQueueItNames(int size) {
        connectXrc();
        byte[] first = bytes(size, 1);
        byte[] second = bytes(size, 2);
        one.postReceive(7);
        two.postReceive(8);
        assertEquals(WcOpcode.SEND, post(wr.send().element(a.memory(second), 0, size), two.srq).opcode());
        assertEquals(List.of(), one.receives());
        post(wr.send().element(a.memory(first), 0, size), one.srq);
        for (Far each : List.of(one, two)) {
            WorkCompletion got = each.received();
            assertEquals(List.of(each == one ? 7L : 8L, WcStatus.SUCCESS, WcOpcode.RECV, size, target.qpNum()),
                List.of(got.wrId(), got.status(), got.opcode(), got.byteLength(), got.qpNum()));
            assertArrayEquals(each == one ? first : second, End.content(each.memory, 0, size));
            assertEquals(1, each.receives().size());
        }
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), a.sendStatuses());
    }

    @Test
    void shouldKeepTheOrderOfEachQueue() {
        connectXrc();
        for (int i = 0; i < 8; i++) {
            one.postReceive(i);
            two.postReceive(i);
        }
        for (int i = 0; i < 16; i++) {
            MemorySegment data = MemorySegment.ofArray(new byte[i]);
            initiator.postSend(wr.send().wrId(i).inlineData(data).toSrq((i % 2 == 0 ? one : two).srq.number()).signaled());
        }
        await(() -> a.sends().size() == 16 && one.receives().size() == 8 && two.receives().size() == 8);
        for (int i = 0; i < 16; i++) {
            assertEquals(i, a.sends().get(i).wrId());
            WorkCompletion got = (i % 2 == 0 ? one : two).receives().get(i / 2);
            assertEquals(List.of(i / 2L, i), List.of(got.wrId(), got.byteLength()));
        }
    }

    @Test
    @Needs(Capability.IMMEDIATE_DATA)
    void shouldDeliverImmediatesToTheQueueTheyName() {
        connectXrc();
        MemoryRegion from = a.memory(bytes(3000, 1));
        one.postReceive(1);
        two.postReceive(2);
        post(wr.sendWithImmediate(0x12345678).element(from, 0, 10), one.srq);
        post(wr.writeWithImmediate(two.memory.address() + 100, two.memory.rkey(), 0x0badcafe).element(from, 0, 3000), two.srq);
        assertEquals(List.of(WcOpcode.RECV, 0x12345678), List.of(one.received().opcode(), one.received().immediate()));
        assertEquals(List.of(WcOpcode.RECV_RDMA_WITH_IMM, 0x0badcafe, 3000, target.qpNum()),
            List.of(two.received().opcode(), two.received().immediate(), two.received().byteLength(), two.received().qpNum()));
        assertArrayEquals(bytes(3000, 1), End.content(two.memory, 100, 3000));
    }

    @Test
    void shouldMakeThePeerWaitWhileTheNamedQueueIsEmpty() {
        connectXrc();
        two.postReceive(4);
        initiator.postSend(wr.send().wrId(1).inlineData(MemorySegment.ofArray(bytes(10, 1))).toSrq(one.srq.number()).signaled());
        one.postReceive(5);
        assertEquals(5, one.received().wrId());
        await(() -> a.sends().size() == 1);
        assertEquals(List.of("1 SUCCESS"), End.brief(a.sends()));
        assertArrayEquals(bytes(10, 1), End.content(one.memory, 0, 10));
        assertEquals(List.of(), two.receives(), "the other queue's receives are not for it");
    }

    @Test
    void shouldWriteAndReadBack() {
        connectXrc();
        byte[] data = bytes(5000, 1);
        MemoryRegion back = a.memory(5000, AccessFlags.LOCAL_WRITE);
        for (Far each : List.of(one, two)) {
            long address = each.memory.address() + 3;
            SendRequest write = wr.write(address, each.memory.rkey()).element(a.memory(data), 0, 5000);
            assertEquals(WcOpcode.RDMA_WRITE, post(write, each.srq).opcode());
            assertArrayEquals(data, End.content(each.memory, 3, 5000));
            back.memory().fill((byte) 0);
            assertEquals(WcOpcode.RDMA_READ, post(wr.read(address, each.memory.rkey()).element(back, 0, 5000), each.srq).opcode());
            assertArrayEquals(data, End.content(back, 0, 5000));
        }
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS), a.sendStatuses());
    }

    @Test
    @Needs(Capability.ATOMICS)
    void shouldFetchAndAdd() {
        connectXrc();
        MemoryRegion old = a.memory(8, AccessFlags.LOCAL_WRITE);
        one.memory.memory().set(ValueLayout.JAVA_LONG, 8, 40);
        WorkCompletion done = post(wr.fetchAndAdd(one.memory.address() + 8, one.memory.rkey(), 2).element(old, 0, 8), one.srq);
        assertEquals(List.of(WcStatus.SUCCESS, WcOpcode.FETCH_ADD), List.of(done.status(), done.opcode()));
        assertEquals(40, old.memory().get(ValueLayout.JAVA_LONG, 0));
        assertEquals(42, one.memory.memory().get(ValueLayout.JAVA_LONG, 8));
    }

    @Test
    @Needs(Capability.ATOMICS)
    void shouldCompareAndSwap() {
        connectXrc();
        MemoryRegion old = a.memory(8, AccessFlags.LOCAL_WRITE);
        long address = two.memory.address() + 8;
        two.memory.memory().set(ValueLayout.JAVA_LONG, 8, 40);
        post(wr.compareAndSwap(address, two.memory.rkey(), 39, 1).element(old, 0, 8), two.srq);
        assertEquals(40, two.memory.memory().get(ValueLayout.JAVA_LONG, 8), "not equal, not swapped");
        WorkCompletion done = post(wr.compareAndSwap(address, two.memory.rkey(), 40, 1).element(old, 0, 8), two.srq);
        assertEquals(List.of(WcStatus.SUCCESS, WcOpcode.COMP_SWAP), List.of(done.status(), done.opcode()));
        assertEquals(40, old.memory().get(ValueLayout.JAVA_LONG, 0));
        assertEquals(1, two.memory.memory().get(ValueLayout.JAVA_LONG, 8));
    }

    @Test
    void shouldCarryTrafficIntoRelaxedOrderingRegions() {
        connectXrc();
        MemoryRegion relaxed = keep(one.pd.register(one.memory.memory(), AccessFlags.LOCAL_WRITE | AccessFlags.RELAXED_ORDERING));
        one.srq.postReceive(recv.begin(1).element(relaxed, 0, 5000));
        post(wr.send().element(a.memory(bytes(5000, 1)), 0, 5000), one.srq);
        assertEquals(5000, one.received().byteLength());
        assertArrayEquals(bytes(5000, 1), End.content(relaxed, 0, 5000));
    }

    @Test
    @Needs(Capability.COMPLETION_READERS)
    void shouldReadItsCompletionsInPlace() {
        connectXrc();
        CompletionReader sent = a.sendCq.reader();
        CompletionReader got = one.cq.reader();
        one.postReceive(7);
        initiator.postSend(wr.send().wrId(3).inlineData(MemorySegment.ofArray(new byte[12])).toSrq(one.srq.number()).signaled());
        await(got::startPoll);
        assertEquals(List.of(7L, WcStatus.SUCCESS, WcOpcode.RECV, 12, target.qpNum()),
            List.of(got.wrId(), got.status(), got.opcode(), got.byteLength(), got.qpNum()));
        got.endPoll();
        await(sent::startPoll);
        assertEquals(List.of(3L, WcStatus.SUCCESS, WcOpcode.SEND, initiator.qpNum()),
            List.of(sent.wrId(), sent.status(), sent.opcode(), sent.qpNum()));
        sent.endPoll();
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldBatchSends() {
        connectXrc();
        one.postReceive(1);
        two.postReceive(2);
        SendBatch batch = initiator.sendBatch(SendOps.SEND);
        batch.start();
        batch.add().send().inlineData(MemorySegment.ofArray(bytes(9, 1))).toSrq(one.srq.number());
        batch.add().send().inlineData(MemorySegment.ofArray(bytes(11, 2))).toSrq(two.srq.number()).signaled();
        batch.complete();
        await(() -> !a.sends().isEmpty());
        assertEquals(List.of(9, 11), List.of(one.received().byteLength(), two.received().byteLength()));
        assertArrayEquals(bytes(9, 1), End.content(one.memory, 0, 9));
        assertArrayEquals(bytes(11, 2), End.content(two.memory, 0, 11));
    }

    @Test
    @Needs({Capability.SEND_BATCHES, Capability.IMMEDIATE_DATA})
    void shouldBatchSendsWithImmediate() {
        connectXrc();
        two.postReceive(2);
        SendBatch batch = initiator.sendBatch(SendOps.SEND_WITH_IMM);
        batch.start();
        batch.add().sendWithImmediate(0x12345678).toSrq(two.srq.number()).signaled();
        batch.complete();
        assertEquals(0x12345678, two.received().immediate());
    }

    @Test
    void shouldTellWhenFewerThanTheLimitAreLeft() {
        connectXrc();
        one.postReceive(1);
        one.srq.modifyLimit(1);
        assertEquals(WcStatus.SUCCESS, send(one, 4));
        AsyncEvent event = nextEvent(b.context);
        assertEquals(AsyncEventType.SRQ_LIMIT_REACHED, event.type());
        assertSame(one.srq, event.element());
        event.ack();
    }

    // ---- several contexts ----

    @Test
    void shouldReachTheQueuesOfEveryContextOfTheDomain() {
        connectXrc();
        Context second = openContext(1);
        Far third = new Far(second, keep(second.openXrcd(NAME, 0)));
        third.postReceive(5);
        assertEquals(WcStatus.SUCCESS, send(third, 10));
        WorkCompletion got = third.received();
        assertEquals(List.of(5L, 10, target.qpNum()), List.of(got.wrId(), got.byteLength(), got.qpNum()));
    }

    @Test
    void shouldOpenATargetThatAnotherContextMade() {
        connectXrc();
        Context second = openContext(1);
        QueuePair opened = keep(keep(second.openXrcd(NAME, 0)).openTarget(target.qpNum()));
        assertEquals(List.of(target.qpNum(), QpType.XRC_RECV, QpState.RTS), List.of(opened.qpNum(), opened.type(), opened.state()));
        opened.modify(new QpAttributes().state(QpState.ERR));
        assertEquals(QpState.ERR, target.state());
    }

    @Test
    void shouldLiveUntilItsLastHolderClosesIt() {
        connectXrc();
        Context second = openContext(1);
        XrcDomain same = keep(second.openXrcd(NAME, 0));
        int number = target.qpNum();
        QueuePair opened = keep(same.openTarget(number));
        target.close();
        refused(Errno.EINVAL, "modify_qp", () -> target.modify(new QpAttributes().state(QpState.ERR)), "closed");
        one.postReceive(1);
        assertEquals(WcStatus.SUCCESS, send(one, 10));
        assertEquals(number, one.received().qpNum());
        opened.close();
        refused(Errno.EINVAL, "open_qp", () -> same.openTarget(number), hex(number));
    }

    @Test
    void shouldTellEveryHolderOfATarget() {
        connectXrc();
        Context second = openContext(1);
        QueuePair opened = keep(keep(second.openXrcd(NAME, 0)).openTarget(target.qpNum()));
        one.srq.close();
        assertEquals(WcStatus.REM_INV_REQ_ERR, send(one, 1));
        for (QueuePair each : List.of(target, opened)) {
            AsyncEvent event = nextEvent(each == target ? b.context : second);
            assertEquals(AsyncEventType.QP_REQ_ERR, event.type());
            assertSame(each, event.element());
            event.ack();
        }
    }

    // ---- refusals ----

    @Test
    void shouldReceiveNothingAtAnInitiator() {
        connectXrc();
        QpCapabilities granted = initiator.capabilities();
        assertEquals(List.of(0, 0), List.of(granted.maxRecvWr(), granted.maxRecvSge()));
        refused(Errno.EINVAL, "post_recv", () -> initiator.postReceive(recv.begin(1)), "XRC_SEND");
        SharedReceiveQueue srq = keep(a.pd.createSrq(1, 1, 0));
        refused(Errno.EINVAL, "create_qp", () -> a.pd.createQp(new QpInitAttributes(QpType.XRC_SEND, a.sendCq, null, srq, a.cap, false)),
            "receives nothing");
    }

    @Test
    void shouldSendNothingFromATarget() {
        connectXrc();
        assertNull(target.pd());
        assertEquals(new QpCapabilities(0, 0, 0, 0, 0), target.capabilities());
        refused(Errno.EINVAL, "post_send", () -> target.postSend(wr.send()), "SEND", "XRC_RECV");
        refused(Errno.EINVAL, "post_recv", () -> target.postReceive(recv.begin(1)), "XRC_RECV");
    }

    @Test
    void shouldMakeTargetsOfDomainsOnly() {
        openDomain();
        refused(Errno.EINVAL, "create_qp",
            () -> b.pd.createQp(new QpInitAttributes(QpType.XRC_RECV, b.sendCq, b.recvCq, null, b.cap, false)), "createTarget");
    }

    @Test
    void shouldOpenNoTargetOfAnotherDomainAndNothingThatIsNone() {
        openDomain();
        XrcDomain other = keep(b.context.openXrcd("another", XrcDomain.CREATE));
        refused(Errno.EINVAL, "open_qp", () -> other.openTarget(target.qpNum()), hex(target.qpNum()));
        refused(Errno.EINVAL, "open_qp", () -> domain.openTarget(b.qp.qpNum()), hex(b.qp.qpNum()));
        keep(domain.openTarget(target.qpNum()));
    }

    /** IBA vol 1 annex A14: invalid request. */
    @ParameterizedTest
    @ValueSource(strings = {"of another domain", "of no domain", "closed"})
    void shouldRefuseRequestsForQueuesThatAreNotTheDomains(String which) {
        connectXrc();
        SharedReceiveQueue wrong = switch (which) {
            case "of another domain" -> keep(keep(b.context.openXrcd("another", XrcDomain.CREATE)).createSrq(one.pd, one.cq, 1, 1, 0));
            case "of no domain" -> keep(one.pd.createSrq(1, 1, 0));
            default -> two.srq;
        };
        if (wrong == two.srq) {
            two.srq.close();
        }
        MemorySegment data = MemorySegment.ofArray(bytes(20, 1));
        assertEquals(WcStatus.REM_INV_REQ_ERR, post(wr.write(one.memory.address(), one.memory.rkey()).inlineData(data), wrong).status());
        await(() -> !b.events().isEmpty());
        assertEquals(List.of(AsyncEventType.QP_REQ_ERR), b.events());
        assertEquals(List.of(QpState.ERR, QpState.ERR), List.of(initiator.state(), target.state()));
        assertArrayEquals(new byte[20], End.content(one.memory, 0, 20), "nothing was written");
    }

    /** The protection domain is that of the queue named, whatever else the device has. */
    @Test
    void shouldRefuseKeysOfAnotherProtectionDomainThanTheNamedQueues() {
        connectXrc();
        MemorySegment data = MemorySegment.ofArray(bytes(20, 1));
        SendRequest write = wr.write(two.memory.address(), two.memory.rkey()).inlineData(data);
        assertEquals(WcStatus.REM_ACCESS_ERR, post(write, one.srq).status());
        await(() -> !b.events().isEmpty());
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERR), b.events());
        assertArrayEquals(new byte[20], End.content(two.memory, 0, 20), "nothing was written");
    }

    /** Posted receives belong to the queue, not to the target: the next target uses them. */
    @Test
    void shouldFlushNothingWhenATargetFails() {
        connectXrc();
        one.postReceive(1);
        target.modify(new QpAttributes().state(QpState.ERR));
        initiator = newInitiator();
        QueuePair next = keep(domain.createTarget());
        fabric().connect(initiator, 0, next, 1, setup);
        assertEquals(WcStatus.SUCCESS, send(one, 10));
        assertEquals(List.of(next.qpNum(), 10), List.of(one.received().qpNum(), one.received().byteLength()));
        assertEquals(List.of("1 SUCCESS"), End.brief(one.receives()));
    }

    @Test
    void shouldRefuseNumbersThatNoQueueCanHave() {
        connectXrc();
        refused(Errno.EINVAL, "post_send", () -> initiator.postSend(wr.send().toSrq(0x1000000)), "0x1000000");
    }
}
