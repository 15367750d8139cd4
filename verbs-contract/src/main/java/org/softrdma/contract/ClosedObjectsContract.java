// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.XrcDomain;

/** Closed objects say that they are closed, whichever of their calls is used. In C, such a use is undefined. */
public abstract class ClosedObjectsContract extends ContractTest {
    // ---- memory ----

    @Test
    void shouldRefuseMemoryWhoseArenaIsClosed() {
        open();
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(64);
        arena.close();
        refused(Errno.EINVAL, "reg_mr", () -> a.pd.register(gone, AccessFlags.LOCAL_WRITE), "arena", "closed");
        refused(Errno.EINVAL, "reg_mr", () -> a.pd.register(gone, 0x1000, 0), "arena", "closed");
    }

    @Test
    @Needs(Capability.REREGISTRATION)
    void shouldNotMoveARegionToMemoryWhoseArenaIsClosed() {
        connect();
        MemoryRegion region = b.memory(bytes(64, 1));
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(64);
        arena.close();
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().memory(gone)), "arena", "closed");
        // The region is what it was.
        MemoryRegion source = a.memory(bytes(8, 2));
        a.qp.postSend(wr.write(region.address(), region.rkey()).element(source, 0, 8).signaled());
        await(() -> a.sends().size() == 1);
        assertTrue(a.sends().getFirst().isSuccess(), a.toString());
    }

    @Test
    void shouldRefuseAClosedRegionWhereItIsUsed() {
        connect();
        MemoryRegion region = a.memory(64, End.WRITABLE);
        int lkey = region.lkey();
        region.close();
        refused(Errno.EINVAL, "mr", () -> wr.send().element(region, 0, 8), hex(lkey), "closed");
        refused(Errno.EINVAL, "mr", () -> recv.begin(1).element(region, 0, 8), hex(lkey), "closed");
        refused(Errno.EINVAL, "rereg_mr", () -> region.reregister(new Reregistration().access(0)), hex(lkey), "closed");
        assertTrue(region.toString().contains("closed"), region.toString());
    }

    @Test
    @Needs(Capability.WINDOWS)
    void shouldRefuseAClosedWindow() {
        connect();
        MemoryRegion region = a.memory(64, End.WRITABLE | AccessFlags.MW_BIND);
        MemoryWindow window = a.window(MemoryWindow.Type.TYPE_1);
        window.close();
        refused(Errno.EINVAL, "bind_mw",
            () -> a.qp.bind(window, 1, region, region.address(), 64, AccessFlags.REMOTE_READ, 0), "window is closed");
    }

    // ---- queues ----

    @Test
    void shouldSayThatAQueuePairIsClosed() {
        connect();
        MemoryRegion region = a.memory(64, End.WRITABLE);
        a.qp.close();
        String closed = hex(a.qp.qpNum()) + ": the queue pair is closed";
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.send().element(region, 0, 1)), closed);
        refused(Errno.EINVAL, "post_recv", () -> a.qp.postReceive(recv.begin(1).element(region, 0, 1)), closed);
        refused(Errno.EINVAL, "modify_qp", () -> a.qp.modify(new QpAttributes().state(QpState.INIT)), closed);
        refused(Errno.EINVAL, "query_qp", a.qp::query, closed);
        refused(Errno.EINVAL, "query_qp", a.qp::state, closed);
        assertTrue(a.qp.toString().endsWith("closed"), a.qp.toString());
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldNotBatchOnAClosedQueuePair() {
        connect();
        SendBatch batch = a.qp.sendBatch(SendOps.SEND);
        a.qp.close();
        refused(Errno.EINVAL, "wr_start", batch::start, "closed");
        refused(Errno.EINVAL, "create_qp_ex", () -> a.qp.sendBatch(SendOps.SEND), "closed");
    }

    @Test
    @Needs(Capability.WINDOWS)
    void shouldNotBindOnAClosedQueuePair() {
        connect();
        MemoryRegion region = a.memory(64, End.WRITABLE | AccessFlags.MW_BIND);
        MemoryWindow window = a.window(MemoryWindow.Type.TYPE_1);
        a.qp.close();
        refused(Errno.EINVAL, "bind_mw",
            () -> a.qp.bind(window, 1, region, region.address(), 64, AccessFlags.REMOTE_READ, 0), "queue pair is closed");
    }

    /** Completions that were not polled are gone with the queue. */
    @Test
    void shouldSayThatACompletionQueueIsClosed() {
        connect();
        a.qp.postReceive(recv.begin(1));
        a.qp.modify(new QpAttributes().state(QpState.ERR));
        a.qp.close();
        WorkCompletion[] done = WorkCompletion.array(4);
        a.recvCq.close();
        refused(Errno.EINVAL, "poll_cq", () -> a.recvCq.poll(done), "closed");
        refused(Errno.EINVAL, "poll_cq", () -> a.recvCq.poll(done, 1), "closed");
        refused(Errno.EINVAL, "req_notify_cq", a.recvCq::requestNotify, "closed");
        refused(Errno.EINVAL, "req_notify_cq", a.recvCq::requestNotifySolicited, "closed");
    }

    @Test
    @Needs(Capability.COMPLETION_READERS)
    void shouldNotReadAClosedCompletionQueue() {
        CompletionQueue cq = openContext(0).createCq(4);
        CompletionReader reader = cq.reader();
        cq.close();
        refused(Errno.EINVAL, "start_poll", reader::startPoll, "closed");
        refused(Errno.EINVAL, "create_cq_ex", cq::reader, "closed");
    }

    @Test
    @Needs(Capability.SHARED_RECEIVE_QUEUES)
    void shouldSayThatASharedReceiveQueueIsClosed() {
        open();
        SharedReceiveQueue srq = a.pd.createSrq(4, 1, 0);
        srq.close();
        refused(Errno.EINVAL, "post_srq_recv", () -> srq.postReceive(recv.begin(1)), "closed");
        refused(Errno.EINVAL, "query_srq", srq::query, "closed");
        refused(Errno.EINVAL, "modify_srq", () -> srq.modifyLimit(1), "closed");
    }

    @Test
    void shouldNotWaitOnAClosedChannel() {
        CompletionChannel channel = openContext(0).createCompletionChannel();
        channel.close();
        refused(Errno.EINVAL, "get_cq_event", () -> channel.getEvent(0), "channel is closed");
        refused(Errno.EINVAL, "get_cq_event", () -> channel.getEvent(-1), "channel is closed");
    }

    // ---- domains and contexts ----

    @Test
    @Needs(Capability.XRC)
    void shouldSayThatAnXrcDomainIsClosed() {
        XrcDomain domain = openContext(0).openXrcd(null, XrcDomain.CREATE);
        domain.close();
        refused(Errno.EINVAL, "create_qp_ex", domain::createTarget, "closed");
        refused(Errno.EINVAL, "open_qp", () -> domain.openTarget(1), "closed");
    }

    @Test
    void shouldSayThatAContextIsClosed() {
        Context context = openContext(0);
        context.close();
        refused(Errno.EINVAL, "query_device", context::queryDevice, "closed");
        refused(Errno.EINVAL, "query_port", () -> context.queryPort(1), "closed");
        refused(Errno.EINVAL, "query_gid", () -> context.queryGid(1, 0), "closed");
        refused(Errno.EINVAL, "query_gid_ex", () -> context.queryGidEntry(1, 0), "closed");
        refused(Errno.EINVAL, "query_gid_table", context::queryGidTable, "closed");
        refused(Errno.EINVAL, "query_pkey", () -> context.queryPkey(1, 0), "closed");
        refused(Errno.EINVAL, "get_async_event", () -> context.getAsyncEvent(0), "context is closed");
        refused(Errno.EINVAL, "get_async_event", () -> context.getAsyncEvent(-1), "context is closed");
        refused(Errno.EINVAL, "open_xrcd", () -> context.openXrcd(null, XrcDomain.CREATE), "closed");
        refused(Errno.EINVAL, "alloc_td", context::allocateTd, "closed");
    }
}
