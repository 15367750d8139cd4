// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/** Objects: limits, closing of children before parents, use after close, and objects of different contexts. */
public abstract class ObjectsContract extends ContractTest {
    private static final QpCapabilities SMALL = new QpCapabilities(1, 1, 1, 1, 0);

    // ---- protection domains ----

    @Test
    void shouldMakeManyProtectionDomains() {
        Context context = openContext(0);
        List<ProtectionDomain> domains = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            domains.add(context.allocatePd());
            assertSame(context, domains.getLast().context());
        }
        // In whatever order.
        Collections.shuffle(domains, new Random(1));
        domains.forEach(ProtectionDomain::close);
        context.close();
    }

    @Test
    void shouldTakeASecondCloseAsDone() {
        Context context = openContext(0);
        ProtectionDomain pd = context.allocatePd();
        MemoryRegion region = pd.register(Arena.ofAuto().allocate(8), 0);
        CompletionChannel channel = context.createCompletionChannel();
        CompletionQueue cq = context.createCq(1, null, channel, 0);
        QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, SMALL));
        for (AutoCloseable each : List.of(qp, cq, channel, region, pd, context)) {
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

    // ---- parents and children ----

    @Test
    void shouldNotCloseParentsBeforeTheirChildren() {
        open();
        MemoryRegion region = a.memory(64, End.WRITABLE);
        CompletionChannel channel = keep(a.context.createCompletionChannel());
        CompletionQueue cq = keep(a.context.createCq(4, null, channel, 0));
        refused(Errno.EBUSY, "close_device", a.context::close, "protection domains=1", "completion queues=3", "completion channels=1");
        refused(Errno.EBUSY, "dealloc_pd", a.pd::close, "queue pairs=1", "memory regions=1");
        refused(Errno.EBUSY, "destroy_cq", a.sendCq::close, "queue pairs=1");
        refused(Errno.EBUSY, "destroy_comp_channel", channel::close, "completion queues=1");
        // Nothing was closed by trying.
        a.qp.modify(setup.init(0));
        for (AutoCloseable each : List.of(a.qp, region, a.sendCq, a.recvCq, cq, channel, a.pd, a.context)) {
            assertCloses(each);
        }
    }

    @Test
    @Needs(Capability.WINDOWS)
    void shouldNotCloseAProtectionDomainBeforeItsWindows() {
        ProtectionDomain pd = keep(openContext(0).allocatePd());
        MemoryWindow window = pd.allocateMw(MemoryWindow.Type.TYPE_1);
        assertSame(pd, window.pd());
        assertEquals(MemoryWindow.Type.TYPE_1, window.type());
        refused(Errno.EBUSY, "dealloc_pd", pd::close, "memory windows=1");
        window.close();
        window.close();
    }

    @Test
    void shouldLeaveNoChildBehindWhenCreationFails() {
        open();
        a.qp.close();
        int tooMany = a.context.queryDevice().maxSge() + 1;
        assertThrows(VerbsException.class, () -> create(a, new QpCapabilities(1, 1, tooMany, 1, 0)));
        assertThrows(VerbsException.class, () -> a.pd.createQp(new QpInitAttributes(QpType.RC, a.sendCq, b.sendCq, null, SMALL, false)));
        assertThrows(VerbsException.class, () -> a.pd.register(Arena.ofAuto().allocate(8), 1 << 19));
        assertThrows(VerbsException.class, () -> a.context.createCq(0));
        a.sendCq.close();
        a.recvCq.close();
        a.pd.close();
        a.context.close();
    }

    // ---- after close ----

    @Test
    void shouldRefuseEverythingAfterClose() {
        open();
        MemoryRegion region = a.memory(64, End.WRITABLE);
        QpInitAttributes init = new QpInitAttributes(QpType.RC, a.sendCq, a.recvCq, null, SMALL, false);
        CompletionChannel channel = a.context.createCompletionChannel();
        channel.close();
        refused(Errno.EINVAL, "create_cq", () -> a.context.createCq(4, null, channel, 0), "closed");
        a.qp.close();
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.send().element(region, 0, 1)), hex(a.qp.qpNum()));
        refused(Errno.EINVAL, "post_recv", () -> a.qp.postReceive(recv.begin(1).element(region, 0, 1)));
        refused(Errno.EINVAL, "modify_qp", () -> a.qp.modify(new QpAttributes().state(QpState.ERR)));
        region.close();
        a.sendCq.close();
        refused(Errno.EINVAL, "create_qp", () -> a.pd.createQp(init), "send_cq");
        a.recvCq.close();
        a.pd.close();
        refused(Errno.EINVAL, "reg_mr", () -> a.pd.register(Arena.ofAuto().allocate(8), 0));
        refused(Errno.EINVAL, "create_qp", () -> a.pd.createQp(init));
        a.context.close();
        refused(Errno.EINVAL, "alloc_pd", a.context::allocatePd);
        refused(Errno.EINVAL, "create_cq", () -> a.context.createCq(1));
        refused(Errno.EINVAL, "create_comp_channel", a.context::createCompletionChannel);
    }

    // ---- foreign and missing ones ----

    @Test
    void shouldRefuseForeignAndMissingObjects() {
        open();
        refused(Errno.EINVAL, "create_qp", () -> a.pd.createQp(new QpInitAttributes(QpType.RC, b.sendCq, a.recvCq, null, SMALL, false)),
            "send_cq", "another context");
        refused(Errno.EINVAL, "create_qp", () -> a.pd.createQp(new QpInitAttributes(QpType.RC, a.sendCq, b.recvCq, null, SMALL, false)),
            "recv_cq", "another context");
        refused(Errno.EINVAL, "create_qp", () -> a.pd.createQp(new QpInitAttributes(QpType.RC, a.sendCq, null, null, SMALL, false)),
            "recv_cq", "missing");
        CompletionChannel foreign = keep(b.context.createCompletionChannel());
        refused(Errno.EINVAL, "create_cq", () -> a.context.createCq(4, null, foreign, 0), "another context");
    }

    /** Objects of two contexts cannot be mixed, even if the contexts belong to one device. */
    @Test
    void shouldNotMixContextsOfOneDevice() {
        open();
        ProtectionDomain other = keep(openContext(0).allocatePd());
        refused(Errno.EINVAL, "create_qp", () -> other.createQp(QpInitAttributes.rc(a.sendCq, SMALL)), "another context");
    }

    // ---- limits ----

    private static QueuePair create(End end, QpCapabilities cap) {
        return end.pd.createQp(new QpInitAttributes(QpType.RC, end.sendCq, end.recvCq, null, cap, false));
    }

    @Test
    void shouldRefuseWhatIsBeyondTheDevice() {
        open();
        DeviceAttributes limits = a.context.queryDevice();
        int cqe = limits.maxCqe();
        refused(Errno.EINVAL, "create_cq", () -> a.context.createCq(0), "cqe 0");
        refused(Errno.EINVAL, "create_cq", () -> a.context.createCq(-1), "cqe -1");
        refused(Errno.EINVAL, "create_cq", () -> a.context.createCq(cqe + 1), "cqe " + (cqe + 1));
        a.context.createCq(cqe).close();
        refused(Errno.EINVAL, "create_cq", () -> a.context.createCq(1, null, null, -1), "comp_vector -1");
        refused(Errno.EINVAL, "create_cq", () -> a.context.createCq(1, null, null, limits.numCompVectors()),
            "comp_vector " + limits.numCompVectors());
        a.context.createCq(1, null, null, limits.numCompVectors() - 1).close();
        int wrs = limits.maxQpWr() + 1;
        int sges = limits.maxSge() + 1;
        int inline = limits.maxInlineData() + 1;
        refused(Errno.EINVAL, "create_qp", () -> create(a, new QpCapabilities(wrs, 1, 1, 1, 0)), "max_send_wr " + wrs);
        refused(Errno.EINVAL, "create_qp", () -> create(a, new QpCapabilities(1, wrs, 1, 1, 0)), "max_recv_wr " + wrs);
        refused(Errno.EINVAL, "create_qp", () -> create(a, new QpCapabilities(1, -1, 1, 1, 0)), "max_recv_wr -1");
        refused(Errno.EINVAL, "create_qp", () -> create(a, new QpCapabilities(1, 1, sges, 1, 0)), "max_send_sge " + sges);
        refused(Errno.EINVAL, "create_qp", () -> create(a, new QpCapabilities(1, 1, 1, sges, 0)), "max_recv_sge " + sges);
        refused(Errno.EINVAL, "create_qp", () -> create(a, new QpCapabilities(1, 1, 1, 1, inline)), "max_inline_data " + inline);
    }

    @Test
    void shouldGrantAtLeastWhatWasAsked() {
        open();
        DeviceAttributes limits = a.context.queryDevice();
        QpCapabilities asked = new QpCapabilities(3, 5, limits.maxSge(), limits.maxSge(), limits.maxInlineData());
        try (QueuePair qp = create(a, asked)) {
            QpCapabilities granted = qp.capabilities();
            assertTrue(granted.maxSendWr() >= 3 && granted.maxRecvWr() >= 5, granted.toString());
            assertTrue(granted.maxSendSge() >= asked.maxSendSge() && granted.maxRecvSge() >= asked.maxRecvSge(), granted.toString());
            assertTrue(granted.maxInlineData() >= asked.maxInlineData(), granted.toString());
            assertSame(a.pd, qp.pd());
        }
    }

    @Test
    void shouldGiveEachQueuePairANumberOfItsOwn() {
        open();
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            numbers.add(a.newQp(a.pd).qpNum());
        }
        assertEquals(50, numbers.stream().distinct().count());
        assertTrue(numbers.stream().allMatch(qpn -> qpn > 1 && qpn >>> 24 == 0), "24 bits, and not the two special ones");
    }

    // ---- address handles ----

    @Test
    @Needs(Capability.DATAGRAMS)
    void shouldMakeAndDestroyAddressHandles() {
        ProtectionDomain pd = keep(openContext(0).allocatePd());
        AddressVector way = fabric().way(0, 1);
        AddressHandle handle = pd.createAh(way);
        assertEquals(way, handle.vector());
        assertSame(pd, handle.pd());
        refused(Errno.EBUSY, "dealloc_pd", pd::close, "address handles=1");
        handle.close();
        handle.close();
        assertNotEquals(handle, keep(pd.createAh(way)));
    }

    @Test
    @Needs(Capability.DATAGRAMS)
    void shouldRefuseAddressHandlesThatLeadNowhere() {
        ProtectionDomain pd = keep(openContext(0).allocatePd());
        AddressVector way = fabric().way(0, 1);
        refusedByDevice(Errno.EINVAL, "create_ah", () -> pd.createAh(AddressVector.to(Gid.ZERO, way.sgidIndex())), "GID");
        refusedByDevice(Errno.EINVAL, "create_ah", () -> pd.createAh(AddressVector.to(way.dgid(), -1)), "sgid_index -1");
        refusedByDevice(Errno.EINVAL, "create_ah", () -> pd.createAh(AddressVector.to(way.dgid(), 5000)), "sgid_index 5000");
        AddressVector fromPort2 = new AddressVector(way.dgid(), way.sgidIndex(), 0, 64, 0, 0, 2);
        refusedByDevice(Errno.EINVAL, "create_ah", () -> pd.createAh(fromPort2), "port 2");
        pd.close();
        refused(Errno.EINVAL, "create_ah", () -> pd.createAh(way), "closed");
    }

    // ---- destruction with events about ----

    /** Asynchronous events that were not taken are discarded with their object. */
    @Test
    void shouldCloseWithAsynchronousEventsNobodyTook() {
        connect();
        // Longer than the receive: that breaks B's queue pair.
        b.qp.postReceive(recv.begin(1));
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])));
        await(() -> b.qp.state() == QpState.ERR);
        b.qp.close();
        assertNull(b.context.getAsyncEvent(0));
    }

    /** As {@link #shouldCloseWithAsynchronousEventsNobodyTook}, with a completion queue and its channel. */
    @Test
    void shouldCloseWithEventsNobodyTook() {
        open();
        CompletionChannel channel = keep(a.context.createCompletionChannel());
        CompletionQueue cq = keep(a.context.createCq(16, "mine", channel, 0));
        QueuePair qp = keep(a.pd.createQp(QpInitAttributes.rc(cq, SMALL)));
        cq.requestNotify();
        fabric().connect(qp, 0, b.qp, 1, setup);
        b.qp.modify(new QpAttributes().state(QpState.ERR));
        qp.modify(new QpAttributes().state(QpState.ERR));
        qp.postReceive(recv.begin(1));
        await(() -> cq.poll(WorkCompletion.array(1)) == 1);
        qp.close();
        cq.close();
        assertNull(channel.getEvent(0), "its event went with it");
    }
}
