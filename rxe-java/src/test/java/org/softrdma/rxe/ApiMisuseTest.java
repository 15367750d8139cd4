// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.BadWorkRequestException;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WrOpcode;

/** A caller's mistakes: each is answered by an exception with errno, verb and the offending values, and changes nothing. */
class ApiMisuseTest {
    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();

    private SimulatedPair pair() {
        setup.queueDepth = 4;
        setup.maxSge = 2;
        return new SimulatedPair(5, setup);
    }

    /** @param values must appear in the message */
    private static VerbsException refused(Errno errno, String verb, Executable call, String... values) {
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(List.of(errno, verb), List.of(refused.errno(), refused.verb()), refused.getMessage());
        for (String value : values) {
            assertTrue(refused.getMessage().contains(value), "\"" + value + "\" in: " + refused.getMessage());
        }
        assertTrue(refused.getMessage().startsWith(verb + ": " + errno.text() + " (" + errno + ")"), refused.getMessage());
        return refused;
    }

    // ---- closing ----

    @Test
    void shouldNotCloseParentsBeforeTheirChildren() {
        SimulatedPair.Side side = pair().a;
        MemoryRegion region = side.memory(64, SimulatedPair.ALL_REMOTE);
        MemoryWindow window = side.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        CompletionChannel channel = side.context.createCompletionChannel();
        CompletionQueue cq = side.context.createCq(4, null, channel, 0);
        refused(Errno.EBUSY, "close_device", side.context::close, "protection domains=1", "completion queues=3", "completion channels=1");
        refused(Errno.EBUSY, "dealloc_pd", side.pd::close, "queue pairs=1", "memory regions=1", "memory windows=1");
        refused(Errno.EBUSY, "destroy_cq", side.sendCq::close, "queue pairs=1");
        refused(Errno.EBUSY, "destroy_comp_channel", channel::close, "completion queues=1");
        for (AutoCloseable each : List.of(side.qp, region, window, side.sendCq, side.recvCq, cq, channel, side.pd, side.context)) {
            // Twice: the second time is harmless.
            assertCloses(each);
            assertCloses(each);
        }
    }

    private static void assertCloses(AutoCloseable object) {
        try {
            object.close();
        } catch (Exception e) {
            throw new AssertionError(object + " should close", e);
        }
    }

    @Test
    void shouldNotDeregisterRegionWithBoundWindow() {
        SimulatedPair pair = pair();
        MemoryRegion region = pair.a.memory(64, SimulatedPair.ALL_REMOTE);
        MemoryWindow window = pair.a.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        int key = MemoryWindow.nextRkey(window.rkey());
        pair.a.qp.postSend(wr.bindWindow(key, region, region.address(), 64, AccessFlags.REMOTE_READ).signaled());
        pair.runUntil(() -> !pair.a.sends().isEmpty());
        refused(Errno.EBUSY, "dereg_mr", region::close, "0x" + Integer.toHexString(region.lkey()));
        pair.a.qp.postSend(wr.localInvalidate(key).signaled());
        pair.runUntil(() -> pair.a.sends().size() == 2);
        region.close();
        window.close();
    }

    @Test
    void shouldRefuseEverythingAfterClose() {
        SimulatedPair.Side side = pair().a;
        MemoryRegion region = side.memory(64, SimulatedPair.ALL_REMOTE);
        QpInitAttributes init = new QpInitAttributes(QpType.RC, side.sendCq, side.recvCq, null, new QpCapabilities(1, 1, 1, 1, 0), false);
        side.qp.close();
        refused(Errno.EINVAL, "post_send", () -> side.qp.postSend(wr.send().element(region, 0, 1)),
            "0x" + Integer.toHexString(side.qp.qpNum()));
        refused(Errno.EINVAL, "post_recv", () -> side.qp.postReceive(recv.begin(1).element(region, 0, 1)));
        refused(Errno.EINVAL, "modify_qp", () -> side.qp.modify(new QpAttributes().state(QpState.ERR)));
        region.close();
        side.sendCq.close();
        refused(Errno.EINVAL, "create_qp", () -> side.pd.createQp(init), "send_cq");
        side.recvCq.close();
        side.pd.close();
        refused(Errno.EINVAL, "reg_mr", () -> side.pd.register(Arena.ofAuto().allocate(8), 0));
        refused(Errno.EINVAL, "create_qp", () -> side.pd.createQp(init));
        refused(Errno.EINVAL, "alloc_mw", () -> side.pd.allocateMw(MemoryWindow.Type.TYPE_2));
        side.context.close();
        refused(Errno.EINVAL, "alloc_pd", side.context::allocatePd);
        refused(Errno.EINVAL, "create_cq", () -> side.context.createCq(1));
        refused(Errno.EINVAL, "create_comp_channel", side.context::createCompletionChannel);
    }

    /** What was posted may still go out once when a queue pair is closed; then it is silent, and nothing completes. */
    @Test
    void shouldNotMoveAfterCloseWithWorkOutstanding() {
        SimulatedPair pair = pair();
        MemoryRegion region = pair.a.memory(64, SimulatedPair.ALL_REMOTE);
        pair.a.qp.postSend(wr.send().element(region, 0, 8).signaled());
        pair.a.qp.close();
        long sent = pair.a.counter("sent_pkts");
        assertThrows(VerbsException.class, () -> pair.a.qp.postSend(wr.send().element(region, 0, 8)));
        pair.settle();
        assertEquals(List.of(), pair.a.sends());
        assertEquals(sent, pair.a.counter("sent_pkts"));
        assertEquals(QpState.RTS, pair.b.qp.state());
    }

    // ---- posting ----

    @Test
    void shouldRefuseTooManyElements() {
        SimulatedPair.Side side = pair().a;
        MemoryRegion region = side.memory(64, SimulatedPair.ALL_REMOTE);
        refused(Errno.EINVAL, "post_send",
            () -> side.qp.postSend(wr.send().element(region, 0, 1).element(region, 0, 1).element(region, 0, 1)), "3 elements",
            "max_send_sge is 2");
        refused(Errno.EINVAL, "post_recv",
            () -> side.qp.postReceive(recv.begin(1).element(region, 0, 1).element(region, 0, 1).element(region, 0, 1)), "3 elements",
            "max_recv_sge is 2");
        wr.send();
        recv.begin(1);
        for (int i = 0; i < SendRequest.MAX_ELEMENTS; i++) {
            wr.element(region, 0, 1);
            recv.element(region, 0, 1);
        }
        refused(Errno.EINVAL, "post_send", () -> wr.element(region, 0, 1), "32");
        refused(Errno.EINVAL, "post_recv", () -> recv.element(region, 0, 1), "32");
    }

    @Test
    void shouldRefuseMoreThanTheQueuesHoldAndTakeMoreWhenThereIsRoom() {
        SimulatedPair pair = pair();
        MemoryRegion region = pair.a.memory(64, SimulatedPair.ALL_REMOTE);
        for (int i = 0; i < 4; i++) {
            pair.a.qp.postSend(wr.write(1, 2).wrId(i).signaled());
            pair.a.qp.postReceive(recv.begin(i).element(region, 0, 1));
        }
        refused(Errno.ENOMEM, "post_send", () -> pair.a.qp.postSend(wr.write(1, 2)), "4 requests");
        refused(Errno.ENOMEM, "post_recv", () -> pair.a.qp.postReceive(recv.begin(9)), "4 requests");
        pair.runUntil(() -> pair.a.sends().size() == 4);
        pair.a.qp.postSend(wr.write(1, 2).wrId(4).signaled());
        pair.runUntil(() -> pair.a.sends().size() == 5);
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L), pair.a.sends().stream().map(wc -> wc.wrId()).toList());
    }

    @Test
    void shouldRefuseInlineThatIsTooLongOrCarriesNothing() {
        SimulatedPair pair = pair();
        int max = pair.a.qp.capabilities().maxInlineData();
        MemoryRegion region = pair.a.memory(2L * max, SimulatedPair.ALL_REMOTE);
        MemorySegment plain = MemorySegment.ofArray(new byte[max + 1]);
        refused(Errno.EINVAL, "post_send", () -> pair.a.qp.postSend(wr.send().element(region, 0, max + 1).inline()), (max + 1) + " bytes",
            "max_inline_data is " + max);
        refused(Errno.EINVAL, "post_send", () -> pair.a.qp.postSend(wr.send().inlineData(plain)), (max + 1) + " bytes");
        refused(Errno.EINVAL, "post_send", () -> pair.a.qp.postSend(wr.read(1, 2).element(region, 0, 8).inline()), "RDMA_READ");
        refused(Errno.EINVAL, "post_send", () -> pair.a.qp.postSend(wr.fetchAndAdd(8, 2, 1).element(region, 0, 8).inline()),
            "FETCH_AND_ADD");
        refused(Errno.EINVAL, "post_send", () -> pair.a.qp.postSend(wr.send().element(region.address(), 8, 0x77700).inline()), "0x77700");
        // Nothing of these was posted; just as long as allowed is fine, from anywhere.
        pair.b.qp.postReceive(recv.begin(1).element(pair.b.memory(max, AccessFlags.LOCAL_WRITE), 0, max));
        pair.a.qp.postSend(wr.send().wrId(7).inlineData(plain.asSlice(0, max)).signaled());
        pair.runUntil(() -> !pair.a.sends().isEmpty());
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
    }

    @Test
    void shouldPostUpToTheBadRequestOfAList() {
        SimulatedPair pair = pair();
        MemoryRegion region = pair.a.memory(64, SimulatedPair.ALL_REMOTE);
        List<SendRequest> sends = new ArrayList<>();
        List<ReceiveRequest> receives = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sends.add(new SendRequest().write(1, 2).wrId(i).signaled());
            receives.add(new ReceiveRequest().begin(i));
        }
        sends.get(2).element(region, 0, 1).element(region, 0, 1).element(region, 0, 1);
        receives.get(3).element(region, 0, 1).element(region, 0, 1).element(region, 0, 1);
        VerbsException send = refused(Errno.EINVAL, "post_send", () -> pair.a.qp.postSend(sends), "work request 2");
        VerbsException receive = refused(Errno.EINVAL, "post_recv", () -> pair.b.qp.postReceive(receives), "work request 3");
        assertEquals(2, ((BadWorkRequestException) send).index());
        assertEquals(3, ((BadWorkRequestException) receive).index());
        pair.b.qp.postReceive(recv.begin(9));
        refused(Errno.ENOMEM, "post_recv", () -> pair.b.qp.postReceive(recv.begin(10)));
        pair.runUntil(() -> pair.a.sends().size() == 2);
        pair.settle();
        assertEquals(List.of(0L, 1L), pair.a.sends().stream().map(wc -> wc.wrId()).toList());
    }

    // ---- memory ----

    @Test
    void shouldRefuseMemoryThatCannotBeRegistered() {
        ProtectionDomain pd = pair().a.pd;
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(MemorySegment.ofArray(new byte[8]), 0), "heap");
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment memory = confined.allocate(8);
            refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, 0), "confined");
        }
        MemorySegment memory = Arena.ofAuto().allocate(64, 64);
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, AccessFlags.REMOTE_WRITE), "LOCAL_WRITE", "0x2");
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, AccessFlags.REMOTE_ATOMIC), "LOCAL_WRITE", "0x8");
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, 1 << 15), "0x8000");
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory.asReadOnly(), AccessFlags.LOCAL_WRITE), "read-only");
        refused(Errno.EINVAL, "reg_mr", () -> pd.register(memory, -63, 0), "2^64");
        assertEquals(-64, pd.register(memory, -64, 0).address(), "just inside");
        pd.register(memory.asReadOnly(), AccessFlags.REMOTE_READ).close();
    }

    /** Memory freed while it is registered: a protection error of the work request, no crash. */
    @Test
    void shouldSurviveMemoryFreedUnderRegistration() {
        SimulatedPair pair = pair();
        Arena arena = Arena.ofShared();
        MemoryRegion region = pair.a.pd.register(arena.allocate(64), SimulatedPair.ALL_REMOTE);
        MemoryRegion target = pair.b.pd.register(arena.allocate(64), SimulatedPair.ALL_REMOTE);
        long address = target.address();
        arena.close();
        pair.b.qp.postSend(wr.write(region.address(), region.rkey()).inlineData(MemorySegment.ofArray(new byte[8])).signaled());
        pair.runUntil(() -> !pair.b.sends().isEmpty());
        assertEquals(List.of(WcStatus.REM_ACCESS_ERR), pair.b.sendStatuses());
        SimulatedPair other = pair();
        Arena second = Arena.ofShared();
        MemoryRegion local = other.a.pd.register(second.allocate(64), SimulatedPair.ALL_REMOTE);
        second.close();
        other.a.qp.postSend(wr.write(address, 1).element(local.address(), 8, local.lkey()).signaled());
        other.runUntil(() -> !other.a.sends().isEmpty());
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), other.a.sendStatuses());
    }

    // ---- creating ----

    @Test
    void shouldRefuseForeignAndMissingObjects() {
        SimulatedPair pair = pair();
        QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, 0);
        CompletionQueue own = pair.a.sendCq;
        CompletionQueue foreign = pair.b.sendCq;
        refused(Errno.EINVAL, "create_qp", () -> pair.a.pd.createQp(new QpInitAttributes(QpType.RC, foreign, own, null, cap, false)),
            "send_cq", "another context");
        refused(Errno.EINVAL, "create_qp", () -> pair.a.pd.createQp(new QpInitAttributes(QpType.RC, own, foreign, null, cap, false)),
            "recv_cq", "another context");
        refused(Errno.EINVAL, "create_qp", () -> pair.a.pd.createQp(new QpInitAttributes(QpType.RC, own, null, null, cap, false)),
            "recv_cq", "missing");
        CompletionChannel foreignChannel = pair.b.context.createCompletionChannel();
        refused(Errno.EINVAL, "create_cq", () -> pair.a.context.createCq(4, null, foreignChannel, 0), "another context");
        foreignChannel.close();
        refused(Errno.EINVAL, "create_cq", () -> pair.b.context.createCq(4, null, foreignChannel, 0), "closed");
        pair.a.qp.close();
        own.close();
    }

    @Test
    void shouldRefuseWhatIsBeyondTheDevice() {
        SimulatedPair.Side side = pair().a;
        CompletionQueue cq = side.sendCq;
        refused(Errno.EINVAL, "create_cq", () -> side.context.createCq(0), "cqe 0", "1..32767");
        refused(Errno.EINVAL, "create_cq", () -> side.context.createCq(32768), "cqe 32768");
        side.context.createCq(32767).close();
        refused(Errno.EINVAL, "create_cq", () -> side.context.createCq(1, null, null, -1), "comp_vector -1");
        refused(Errno.EOPNOTSUPP, "create_qp",
            () -> side.pd.createQp(new QpInitAttributes(QpType.XRC_SEND, cq, cq, null, new QpCapabilities(1, 1, 1, 1, 0), false)), "XRC");
        refused(Errno.EINVAL, "create_qp", () -> create(side, new QpCapabilities((1 << 20) + 1, 1, 1, 1, 0)), "max_send_wr 1048577");
        refused(Errno.EINVAL, "create_qp", () -> create(side, new QpCapabilities(1, -1, 1, 1, 0)), "max_recv_wr -1");
        refused(Errno.EINVAL, "create_qp", () -> create(side, new QpCapabilities(1, 1, 33, 1, 0)), "max_send_sge 33", "0..32");
        refused(Errno.EINVAL, "create_qp", () -> create(side, new QpCapabilities(1, 1, 1, 33, 0)), "max_recv_sge 33");
        refused(Errno.EINVAL, "create_qp", () -> create(side, new QpCapabilities(1, 1, 1, 1, 513)), "max_inline_data 513");
        QueuePair largest = create(side, new QpCapabilities(0, 0, 32, 32, 512));
        assertTrue(largest.capabilities().maxInlineData() >= 512 && largest.capabilities().maxSendSge() == 32);
        largest.close();
        refused(Errno.EINVAL, "query_port", () -> side.context.queryPort(2), "port 2");
        refused(Errno.EINVAL, "query_gid", () -> side.context.queryGid(1, 1024), "1024");
        refused(Errno.ENODATA, "query_gid_ex", () -> side.context.queryGidEntry(1, 1023), "1023");
        refused(Errno.EINVAL, "query_pkey", () -> side.context.queryPkey(1, 1), "index 1");
    }

    private static QueuePair create(SimulatedPair.Side side, QpCapabilities cap) {
        return side.pd.createQp(new QpInitAttributes(QpType.RC, side.sendCq, side.recvCq, null, cap, false));
    }

    @Test
    void shouldLeaveNoChildBehindWhenCreationFails() {
        SimulatedPair.Side side = pair().a;
        side.qp.close();
        assertThrows(VerbsException.class, () -> create(side, new QpCapabilities(1, 1, 33, 1, 0)));
        CompletionQueue foreign = pair().b.sendCq;
        assertThrows(VerbsException.class, () -> side.pd.createQp(new QpInitAttributes(QpType.RC, side.sendCq, foreign, null,
            new QpCapabilities(1, 1, 1, 1, 0), false)));
        side.sendCq.close();
        side.recvCq.close();
        side.pd.close();
        side.context.close();
    }

    /** What the caller may do with a request as soon as the call has returned. */
    @Test
    void shouldHaveCopiedTheRequestWhenThePostReturns() {
        SimulatedPair pair = pair();
        MemoryRegion region = pair.a.memory(64, SimulatedPair.ALL_REMOTE);
        MemoryRegion target = pair.b.memory(64, SimulatedPair.ALL_REMOTE);
        pair.a.qp.postSend(wr.write(target.address(), target.rkey()).wrId(1).element(region, 0, 8).flags(SendFlags.SIGNALED));
        wr.begin(WrOpcode.RDMA_READ).wrId(99).element(0, 1, 2);
        pair.runUntil(() -> !pair.a.sends().isEmpty());
        assertEquals(List.of(1L), pair.a.sends().stream().map(wc -> wc.wrId()).toList());
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
    }
}
