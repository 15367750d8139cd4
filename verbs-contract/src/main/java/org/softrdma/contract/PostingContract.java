// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.BadWorkRequestException;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.WrOpcode;

/** Posting: accepted and refused requests, copied memory, and the release of queue slots. */
public abstract class PostingContract extends ContractTest {
    private static List<Long> ids(List<WorkCompletion> completions) {
        return completions.stream().map(WorkCompletion::wrId).toList();
    }

    /** A write of no bytes, which needs neither key nor address. */
    private SendRequest nothing(long wrId) {
        return wr.write(1, 2).wrId(wrId).signaled();
    }

    // ---- limits ----

    @Test
    void shouldRefuseMoreElementsThanGranted() {
        setup.maxSge = 2;
        connect();
        MemoryRegion region = a.memory(64, AccessFlags.LOCAL_WRITE);
        int sends = a.qp.capabilities().maxSendSge();
        int receives = a.qp.capabilities().maxRecvSge();
        wr.send();
        for (int i = 0; i < sends + 1; i++) {
            wr.element(region, 0, 1);
        }
        recv.begin(1);
        for (int i = 0; i < receives + 1; i++) {
            recv.element(region, 0, 1);
        }
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr), sends + 1 + " elements", "max_send_sge is " + sends);
        refused(Errno.EINVAL, "post_recv", () -> a.qp.postReceive(recv), receives + 1 + " elements", "max_recv_sge is " + receives);
    }

    @Test
    void shouldNotHoldMoreElementsThanARequestCan() {
        for (int i = 0; i < SendRequest.MAX_ELEMENTS; i++) {
            wr.element(0, 1, 2);
            recv.element(0, 1, 2);
        }
        refused(Errno.EINVAL, "post_send", () -> wr.element(0, 1, 2), SendRequest.MAX_ELEMENTS);
        refused(Errno.EINVAL, "post_recv", () -> recv.element(0, 1, 2), SendRequest.MAX_ELEMENTS);
    }

    @Test
    @Needs(Capability.RECEIVER_NOT_READY)
    void shouldRefuseMoreThanTheQueuesHoldAndTakeMoreWhenThereIsRoom() {
        setup.queueDepth = 4;
        connect();
        int sends = a.qp.capabilities().maxSendWr();
        int receives = a.qp.capabilities().maxRecvWr();
        for (int i = 0; i < receives; i++) {
            a.qp.postReceive(recv.begin(i));
        }
        refused(Errno.ENOMEM, "post_recv", () -> a.qp.postReceive(recv.begin(9)), receives + " requests");
        // There are no receives, so none of the sends can complete.
        for (int i = 0; i < sends; i++) {
            a.qp.postSend(wr.send().wrId(i).signaled());
        }
        refused(Errno.ENOMEM, "post_send", () -> a.qp.postSend(wr.send()), sends + " requests");
        for (int i = 0; i < sends; i++) {
            b.qp.postReceive(recv.begin(i));
        }
        await(() -> a.sends().size() == sends);
        a.qp.postSend(nothing(99));
        await(() -> a.sends().size() == sends + 1);
        assertEquals(99, a.sends().getLast().wrId());
        b.qp.postSend(wr.send());
        await(() -> a.receives().size() == 1);
        a.qp.postReceive(recv.begin(9));
        refused(Errno.ENOMEM, "post_recv", () -> a.qp.postReceive(recv.begin(10)));
    }

    /** The slots of unsignaled requests are free again once a later one has completed. */
    @Test
    void shouldFreeTheSlotsOfUnsignaledRequestsWithALaterCompletion() {
        setup.queueDepth = 8;
        connect();
        int depth = a.qp.capabilities().maxSendWr();
        for (int round = 1; round <= 20; round++) {
            for (int i = 1; i < depth; i++) {
                a.qp.postSend(wr.write(0, 0).wrId(1000));
            }
            a.qp.postSend(nothing(round));
            int done = round;
            await(() -> a.sends().size() == done);
            assertEquals(round, a.sends().getLast().wrId());
        }
    }

    @Test
    void shouldCompleteUnsignaledRequestsVisiblyWhenAllAreToBeSignaled() {
        setup.signalAll = true;
        connect();
        a.qp.postSend(wr.write(0, 0).wrId(1));
        a.qp.postSend(wr.write(0, 0).wrId(2).signaled());
        await(() -> a.sends().size() == 2);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(a.sends()));
    }

    // ---- operations of the service ----

    @Test
    @Needs(Capability.DATAGRAMS)
    void shouldRefuseOperationsThatDatagramsDoNotHave() {
        setup.type = QpType.UD;
        connect();
        MemoryRegion region = a.memory(64, AccessFlags.LOCAL_WRITE);
        for (SendRequest each : List.of(new SendRequest().write(1, 2), new SendRequest().read(1, 2), new SendRequest().fetchAndAdd(8, 2, 1),
            new SendRequest().writeWithImmediate(1, 2, 3))) {
            refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(each.element(region, 0, 8).to(null, 1, 1)), each.opcode());
        }
    }

    @Test
    @Needs(Capability.UNRELIABLE_CONNECTIONS)
    void shouldRefuseOperationsThatUnreliableConnectionsDoNotHave() {
        setup.type = QpType.UC;
        connect();
        MemoryRegion region = a.memory(64, AccessFlags.LOCAL_WRITE);
        for (SendRequest each : List.of(new SendRequest().read(1, 2), new SendRequest().fetchAndAdd(8, 2, 1),
            new SendRequest().compareAndSwap(8, 2, 1, 1))) {
            refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(each.element(region, 0, 8)), each.opcode());
        }
    }

    // ---- inline ----

    @Test
    void shouldTakeInlineDataUpToItsLimit() {
        connect();
        int max = a.qp.capabilities().maxInlineData();
        MemoryRegion region = a.memory(2L * max, AccessFlags.LOCAL_WRITE);
        MemorySegment plain = MemorySegment.ofArray(bytes(max + 1, 1));
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.send().element(region, 0, max + 1).inline()), max + 1 + " bytes",
            "max_inline_data is " + max);
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.send().inlineData(plain)), max + 1 + " bytes");
        // Nothing of these was posted; just as long as allowed is fine, from anywhere.
        MemoryRegion into = b.memory(max, AccessFlags.LOCAL_WRITE);
        b.qp.postReceive(recv.begin(1).element(into, 0, max));
        a.qp.postSend(wr.send().wrId(7).inlineData(plain.asSlice(0, max)).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of("7 SUCCESS"), End.brief(a.sends()));
        assertArrayEquals(Arrays.copyOf(bytes(max + 1, 1), max), End.content(into, 0, max));
    }

    @Test
    void shouldRefuseInlineForWhatCarriesNoData() {
        connect();
        MemoryRegion region = a.memory(8, AccessFlags.LOCAL_WRITE);
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.read(1, 2).element(region, 0, 8).inline()), "RDMA_READ");
    }

    /** The buffer belongs to the caller again when the call returns. */
    @Test
    void shouldHaveCopiedInlineDataWhenThePostReturns() {
        connect();
        MemoryRegion from = a.memory(bytes(32, 1));
        MemoryRegion to = b.memory(32, End.ALL_REMOTE);
        a.qp.postSend(wr.write(to.address(), to.rkey()).element(from, 0, 32).inline().signaled());
        from.memory().fill((byte) 0);
        assertEquals(WcStatus.SUCCESS, outcome(a.qp, 0));
        assertArrayEquals(bytes(32, 1), End.content(to, 0, 32));
    }

    /** The request may be used again when the call returns. */
    @Test
    void shouldHaveCopiedTheRequestWhenThePostReturns() {
        connect();
        MemoryRegion region = a.memory(64, AccessFlags.LOCAL_WRITE);
        MemoryRegion target = b.memory(64, End.ALL_REMOTE);
        a.qp.postSend(wr.write(target.address(), target.rkey()).wrId(1).element(region, 0, 8).flags(SendFlags.SIGNALED));
        wr.begin(WrOpcode.RDMA_READ).wrId(99).element(0, 1, 2);
        await(() -> !a.sends().isEmpty());
        assertEquals(List.of("1 SUCCESS"), End.brief(a.sends()));
        assertEquals(WcOpcode.RDMA_WRITE, a.sends().getFirst().opcode());
    }

    // ---- lists ----

    @Test
    void shouldPostListsInOrder() {
        connect();
        List<SendRequest> sends = new ArrayList<>();
        List<ReceiveRequest> receives = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sends.add(new SendRequest().send().wrId(i).signaled());
            receives.add(new ReceiveRequest().begin(100 + i));
        }
        b.qp.postReceive(receives);
        a.qp.postSend(sends);
        await(() -> a.sends().size() == 10 && b.receives().size() == 10);
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L), ids(a.sends()));
        assertEquals(List.of(100L, 101L, 102L, 103L, 104L, 105L, 106L, 107L, 108L, 109L), ids(b.receives()));
    }

    @Test
    void shouldPostUpToTheBadRequestOfAList() {
        setup.maxSge = 2;
        connect();
        MemoryRegion region = a.memory(64, AccessFlags.LOCAL_WRITE);
        List<SendRequest> sends = new ArrayList<>();
        List<ReceiveRequest> receives = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sends.add(new SendRequest().send().wrId(i).signaled());
            receives.add(new ReceiveRequest().begin(i));
        }
        for (int i = 0; i <= a.qp.capabilities().maxSendSge(); i++) {
            sends.get(2).element(region, 0, 1);
        }
        for (int i = 0; i <= b.qp.capabilities().maxRecvSge(); i++) {
            receives.get(3).element(region, 0, 1);
        }
        VerbsException receive = refused(Errno.EINVAL, "post_recv", () -> b.qp.postReceive(receives), "work request 3");
        VerbsException send = refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(sends), "work request 2");
        assertEquals(3, ((BadWorkRequestException) receive).index());
        assertEquals(2, ((BadWorkRequestException) send).index());
        a.qp.postSend(wr.send().wrId(9).signaled());
        await(() -> a.sends().size() == 3 && b.receives().size() == 3);
        assertEquals(List.of(0L, 1L, 9L), ids(a.sends()), "those before it, and nothing behind");
        assertEquals(List.of(0L, 1L, 2L), ids(b.receives()));
    }

    // ---- several threads ----

    /** Posts of several threads to one queue are serialized, and each completion is delivered to one of those that poll. */
    @Test
    void shouldTakePostsOfSeveralThreads() throws InterruptedException {
        int threads = 4;
        int each = 50;
        setup.queueDepth = threads * each;
        connect();
        List<Thread> posters = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t * each;
            posters.add(Thread.ofPlatform().start(() -> {
                SendRequest own = new SendRequest();
                for (int i = 0; i < each; i++) {
                    a.qp.postSend(own.write(0, 0).wrId(first + i).signaled());
                }
            }));
        }
        for (Thread poster : posters) {
            poster.join();
        }
        await(() -> a.sends().size() == threads * each);
        assertEquals(threads * each, ids(a.sends()).stream().distinct().count());
        for (int t = 0; t < threads; t++) {
            int first = t * each;
            List<Long> own = ids(a.sends()).stream().filter(id -> id >= first && id < first + each).toList();
            assertEquals(own.stream().sorted().toList(), own, "each thread's in its order");
        }
    }

    // ---- closing with work outstanding ----

    /** Requests posted before the close do not complete any more. */
    @Test
    @Needs(Capability.RECEIVER_NOT_READY)
    @Violates("RECEIVE_TOO_LATE")
    void shouldCompleteNothingAfterClose() {
        connect();
        a.qp.postSend(wr.send().wrId(1).signaled());
        a.qp.postReceive(recv.begin(2));
        a.qp.close();
        Connection other = connectMore(a.pd, b.pd);
        other.ofA().postSend(nothing(3));
        await(() -> a.sends().stream().anyMatch(wc -> wc.wrId() == 3));
        assertEquals(List.of(3L), ids(a.sends()));
        assertEquals(List.of(), a.receives());
        assertNull(a.context.getAsyncEvent(0));
    }

    /** Requests that a queue pair in ERR still holds are flushed, then it closes. */
    @Test
    void shouldCloseAfterAFlush() {
        connect();
        a.qp.postReceive(recv.begin(2));
        a.qp.modify(new QpAttributes().state(QpState.ERR));
        await(() -> a.receives().size() == 1);
        a.qp.close();
        assertNotNull(a.qp.pd());
        assertTrue(a.receives().stream().noneMatch(WorkCompletion::isSuccess));
    }
}
