// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.BadWorkRequestException;
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
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.SrqAttributes;
import org.softrdma.verbs.WorkCompletion;

/** Shared receive queues: B's queue pairs share one. IBA vol 1 §10.2.9. */
@Needs(Capability.SHARED_RECEIVE_QUEUES)
public abstract class SharedReceiveQueuesContract extends ContractTest {
    private MemoryRegion memory;

    private void connectShared() {
        setup.srqDepth = 8;
        connect();
        memory = b.memory(40_000, AccessFlags.LOCAL_WRITE);
    }

    private void postReceives(int first, int count) {
        for (int i = first; i < first + count; i++) {
            b.srq.postReceive(recv.begin(i).element(memory, i * 1024L, 1024));
        }
    }

    /** Transfers one message, received before this returns. */
    private void send(QueuePair by) {
        int before = b.receives().size();
        by.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[10])).signaled());
        await(() -> b.receives().size() > before);
    }

    // ---- taking ----

    @Test
    void shouldGiveEachMessageTheOldestReceiveWhicheverQueuePairItIsFor() {
        connectShared();
        Connection other = connectMore(a.pd, b.pd);
        postReceives(0, 4);
        send(a.qp);
        send(other.ofA());
        send(other.ofA());
        send(a.qp);
        int first = b.qp.qpNum();
        int second = other.ofB().qpNum();
        assertEquals(List.of("0 " + first, "1 " + second, "2 " + second, "3 " + first),
            b.receives().stream().map(wc -> wc.wrId() + " " + wc.qpNum()).toList());
    }

    @Test
    @Needs(Capability.RECEIVER_NOT_READY)
    void shouldMakeThePeerWaitWhileItIsEmpty() {
        connectShared();
        a.qp.postSend(wr.send().wrId(1).inlineData(MemorySegment.ofArray(bytes(10, 1))).signaled());
        postReceives(5, 1);
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of("5 SUCCESS"), End.brief(b.receives()));
        assertArrayEquals(bytes(10, 1), End.content(memory, 5 * 1024, 10));
    }

    @Test
    void shouldTakeReceivesBeforeItsQueuePairsAreReady() {
        setup.srqDepth = 8;
        open();
        memory = b.memory(10_000, AccessFlags.LOCAL_WRITE);
        postReceives(0, 1);
        fabric().connect(a.qp, 0, b.qp, 1, setup);
        send(a.qp);
        assertEquals(List.of("0 SUCCESS"), End.brief(b.receives()));
    }

    @Test
    @Needs(Capability.DATAGRAMS)
    void shouldServeDatagrams() {
        setup.type = QpType.UD;
        connectShared();
        postReceives(3, 1);
        a.qp.postSend(wr.send().to(keep(a.pd.createAh(fabric().way(0, 1))), b.qp.qpNum(), setup.qkey));
        await(() -> !b.receives().isEmpty());
        assertEquals(List.of("3 SUCCESS"), End.brief(b.receives()));
        assertEquals(40, b.receives().getFirst().byteLength());
    }

    @Test
    @Needs(Capability.UNRELIABLE_CONNECTIONS)
    void shouldServeUnreliableConnections() {
        setup.type = QpType.UC;
        connectShared();
        postReceives(3, 2);
        send(a.qp);
        send(a.qp);
        assertEquals(List.of("3 SUCCESS", "4 SUCCESS"), End.brief(b.receives()));
    }

    // ---- the limit ----

    @Test
    void shouldTellOnceWhenFewerThanTheLimitAreLeft() {
        connectShared();
        postReceives(0, 4);
        b.srq.modifyLimit(3);
        send(a.qp);
        assertEquals(List.of(), b.events(), "as many as the limit are left");
        assertEquals(3, b.srq.query().limit());
        send(a.qp);
        await(() -> !b.events().isEmpty());
        assertEquals(List.of(AsyncEventType.SRQ_LIMIT_REACHED), b.events());
        assertEquals(0, b.srq.query().limit(), "disarmed");
        send(a.qp);
        b.srq.modifyLimit(2);
        assertEquals(1, b.events().size());
        send(a.qp);
        await(() -> b.events().size() == 2);
        assertEquals(List.of(AsyncEventType.SRQ_LIMIT_REACHED, AsyncEventType.SRQ_LIMIT_REACHED), b.events(), "armed again");
    }

    @Test
    void shouldStaySilentWhenDisarmed() {
        connectShared();
        postReceives(0, 3);
        b.srq.modifyLimit(3);
        b.srq.modifyLimit(0);
        send(a.qp);
        send(a.qp);
        // Each event reports something that the earlier ones did not.
        b.srq.modifyLimit(1);
        send(a.qp);
        await(() -> !b.events().isEmpty());
        assertEquals(List.of(AsyncEventType.SRQ_LIMIT_REACHED), b.events());
    }

    @Test
    void shouldNameTheQueueInItsEvent() {
        connectShared();
        postReceives(0, 1);
        b.srq.modifyLimit(1);
        send(a.qp);
        AsyncEvent[] event = new AsyncEvent[1];
        await(() -> {
            event[0] = b.context.getAsyncEvent(0);
            return event[0] != null;
        });
        assertSame(b.srq, event[0].element());
        event[0].ack();
    }

    // ---- errors ----

    /** Posted receives stay for the other queue pairs; the failed one reports that it will take no receive any more. IBA vol 1 §11.6.3.1 */
    @Test
    void shouldFlushNothingWhenOneQueuePairFails() {
        connectShared();
        Connection other = connectMore(a.pd, b.pd);
        postReceives(0, 2);
        b.qp.modify(new QpAttributes().state(QpState.ERR));
        await(() -> !b.events().isEmpty());
        assertEquals(List.of(AsyncEventType.QP_LAST_WQE_REACHED), b.events());
        b.qp.modify(new QpAttributes().state(QpState.ERR));
        send(other.ofA());
        send(other.ofA());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), End.brief(b.receives()));
        assertEquals(List.of(AsyncEventType.QP_LAST_WQE_REACHED), b.events(), "once");
    }

    @Test
    void shouldNotTellOfLastReceivesWithoutASharedQueue() {
        connect();
        b.qp.modify(new QpAttributes().state(QpState.ERR));
        assertEquals(List.of(), b.events());
    }

    /** Elements are checked against the shared queue's protection domain, whatever that of the queue pair. */
    @Test
    @Violates("LOCAL_MEMORY")
    void shouldCheckElementsInItsOwnProtectionDomain() {
        connectShared();
        ProtectionDomain otherPd = keep(b.context.allocatePd());
        Connection other = connectMore(a.pd, otherPd);
        MemoryRegion foreign = b.register(otherPd, memory.memory(), AccessFlags.LOCAL_WRITE);
        postReceives(0, 1);
        b.srq.postReceive(recv.begin(1).element(foreign, 0, 64));
        send(other.ofA());
        send(other.ofA());
        assertEquals(List.of("0 SUCCESS", "1 LOC_PROT_ERR"), End.brief(b.receives()));
    }

    // ---- size and misuse ----

    @Test
    void shouldGrantAtLeastWhatWasAsked() {
        ProtectionDomain pd = keep(openContext(0).allocatePd());
        SharedReceiveQueue srq = keep(pd.createSrq(5, 3, 2));
        SrqAttributes granted = srq.query();
        assertTrue(granted.maxWr() >= 5 && granted.maxSge() >= 3, granted.toString());
        assertEquals(2, granted.limit());
        assertSame(pd, srq.pd());
    }

    @Test
    @Needs(Capability.RESIZE_SHARED_RECEIVE_QUEUES)
    void shouldKeepWhatIsPostedWhenResized() {
        connectShared();
        postReceives(0, 5);
        refused(Errno.EINVAL, "modify_srq", () -> b.srq.resize(4), "max_wr 4", "5 receives");
        b.srq.resize(20);
        assertTrue(b.srq.query().maxWr() >= 20);
        postReceives(5, 12);
        b.srq.modifyLimit(17);
        refused(Errno.EINVAL, "modify_srq", () -> b.srq.resize(16), "max_wr 16", "17");
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            send(a.qp);
            expected.add(i + " SUCCESS");
        }
        assertEquals(expected, End.brief(b.receives()));
        await(() -> !b.events().isEmpty());
        assertEquals(List.of(AsyncEventType.SRQ_LIMIT_REACHED), b.events(), "the limit survived, too");
        b.srq.resize(2);
        assertTrue(b.srq.query().maxWr() >= 2);
    }

    @Test
    void shouldRefuseWhatIsBeyondTheDevice() {
        connectShared();
        DeviceAttributes limits = b.context.queryDevice();
        ProtectionDomain pd = b.pd;
        int tooMany = limits.maxSrqWr() + 1;
        int tooLong = limits.maxSrqSge() + 1;
        int held = b.srq.query().maxWr();
        refused(Errno.EINVAL, "create_srq", () -> pd.createSrq(0, 1, 0), "max_wr 0");
        refused(Errno.EINVAL, "create_srq", () -> pd.createSrq(tooMany, 1, 0), "max_wr " + tooMany);
        refused(Errno.EINVAL, "create_srq", () -> pd.createSrq(1, tooLong, 0), "max_sge " + tooLong);
        refused(Errno.EINVAL, "create_srq", () -> pd.createSrq(4, 1, 5), "srq_limit 5");
        refused(Errno.EINVAL, "modify_srq", () -> b.srq.modifyLimit(held + 1), "limit " + (held + 1));
        refused(Errno.EINVAL, "modify_srq", () -> b.srq.modifyLimit(-1), "limit -1");
        pd.createSrq(1, limits.maxSrqSge(), 1).close();
    }

    @Test
    void shouldRefusePostsThatDoNotFit() {
        connectShared();
        int held = b.srq.query().maxWr();
        int elements = b.srq.query().maxSge();
        recv.begin(1);
        for (int i = 0; i <= elements; i++) {
            recv.element(memory, 0, 1);
        }
        refused(Errno.EINVAL, "post_srq_recv", () -> b.srq.postReceive(recv), elements + 1 + " elements", "max_sge is " + elements);
        postReceives(0, held - 1);
        List<ReceiveRequest> two = List.of(new ReceiveRequest().begin(1), new ReceiveRequest().begin(2));
        var refused = refused(Errno.ENOMEM, "post_srq_recv", () -> b.srq.postReceive(two), held + " receives", "work request 1");
        assertEquals(1, ((BadWorkRequestException) refused).index());
        refused(Errno.EINVAL, "post_recv", () -> b.qp.postReceive(recv.begin(1)), "srq");
        QpCapabilities granted = b.qp.capabilities();
        assertEquals(List.of(0, 0), List.of(granted.maxRecvWr(), granted.maxRecvSge()));
    }

    @Test
    void shouldLiveAsLongAsItsQueuePairs() {
        connectShared();
        refused(Errno.EBUSY, "destroy_srq", () -> b.srq.close(), "queue pairs=1");
        refused(Errno.EBUSY, "dealloc_pd", () -> b.pd.close(), "shared receive queues=1");
        QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, 0);
        refused(Errno.EINVAL, "create_qp", () -> a.pd.createQp(new QpInitAttributes(QpType.RC, a.sendCq, a.recvCq, b.srq, cap, false)),
            "srq", "another context");
        b.qp.close();
        b.srq.close();
        b.srq.close();
        refused(Errno.EINVAL, "post_srq_recv", () -> postReceives(0, 1), "closed");
        refused(Errno.EINVAL, "modify_srq", () -> b.srq.modifyLimit(1), "closed");
        refused(Errno.EINVAL, "create_qp", () -> b.pd.createQp(new QpInitAttributes(QpType.RC, b.sendCq, b.recvCq, b.srq, cap, false)),
            "srq is closed");
        memory.close();
        b.pd.close();
    }

    /** Three connections, one queue of four receives that are posted again as they complete: each message once, in order on its pair. */
    @Test
    @Needs(Capability.RECEIVER_NOT_READY)
    @Violates("RECEIVE_TOO_LATE")
    void shouldServeSeveralQueuePairsAtOnce() {
        setup.srqDepth = 4;
        connect();
        memory = b.memory(40_000, AccessFlags.LOCAL_WRITE);
        List<Connection> connections = List.of(new Connection(a.qp, b.qp), connectMore(a.pd, b.pd), connectMore(a.pd, b.pd));
        int messages = 20;
        for (int m = 0; m < messages; m++) {
            for (int c = 0; c < connections.size(); c++) {
                connections.get(c).ofA().postSend(wr.send().wrId(m).inlineData(MemorySegment.ofArray(new byte[m + 1])).signaled());
            }
        }
        postReceives(0, 4);
        List<Integer> next = new ArrayList<>(List.of(0, 0, 0));
        for (int done = 0; done < messages * connections.size(); done++) {
            int have = done;
            await(() -> b.receives().size() > have);
            WorkCompletion got = b.receives().get(done);
            int c = connections.stream().map(connection -> connection.ofB().qpNum()).toList().indexOf(got.qpNum());
            next.set(c, next.get(c) + 1);
            assertEquals(next.get(c), got.byteLength(), "in order");
            postReceives((int) got.wrId(), 1);
        }
        assertEquals(List.of(messages, messages, messages), next);
    }
}
