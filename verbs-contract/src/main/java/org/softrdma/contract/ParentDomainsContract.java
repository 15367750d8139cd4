// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.ThreadDomain;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Parent domains and thread domains: a second name for a protection domain, with the same behaviour. */
@Needs(Capability.PARENT_DOMAINS)
public abstract class ParentDomainsContract extends ContractTest {
    private static final QpCapabilities CAP = new QpCapabilities(8, 8, 2, 2, 64);

    /** Queue pair in a parent domain, memory in the protection domain it was made of, and the other way round. */
    @Test
    void shouldShareKeysWithItsProtectionDomain() {
        open();
        ThreadDomain td = keep(a.context.allocateTd());
        ProtectionDomain parent = keep(a.context.allocateParentDomain(a.pd, td));
        ProtectionDomain parentOfB = keep(b.context.allocateParentDomain(b.pd, null));
        assertSame(a.context, parent.context());
        assertSame(a.context, td.context());
        Connection under = connectMore(parent, parentOfB);
        Connection plain = connectMore(a.pd, b.pd);
        byte[] data = bytes(5000, 1);
        MemoryRegion from = a.memory(data);
        MemoryRegion to = b.register(parentOfB, Arena.ofAuto().allocate(5000, 64), End.ALL_REMOTE);
        assertSame(parentOfB, to.pd());
        for (Connection each : List.of(under, plain)) {
            to.memory().fill((byte) 0);
            int before = a.sends().size();
            each.ofA().postSend(wr.write(to.address(), to.rkey()).element(from, 0, 5000).signaled());
            assertEquals(WcStatus.SUCCESS, outcome(each.ofA(), before));
            assertArrayEquals(data, to.memory().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void shouldNotShareKeysWithOthers() {
        connect();
        ProtectionDomain parentOfOther = keep(b.context.allocateParentDomain(keep(b.context.allocatePd()), null));
        MemoryRegion foreign = b.register(parentOfOther, Arena.ofAuto().allocate(64, 64), End.ALL_REMOTE);
        a.qp.postSend(wr.write(foreign.address(), foreign.rkey()).inlineData(MemorySegment.ofArray(new byte[8])).signaled());
        assertEquals(WcStatus.REM_ACCESS_ERR, outcome(a.qp, 0));
    }

    @Test
    @Needs(Capability.SHARED_RECEIVE_QUEUES)
    void shouldCarryTrafficWithSharedReceivesAndACompletionQueueOfItsOwn() {
        open();
        ProtectionDomain parent = keep(b.context.allocateParentDomain(b.pd, keep(b.context.allocateTd())));
        SharedReceiveQueue srq = keep(parent.createSrq(4, 1, 0));
        CompletionQueue cq = keep(b.context.createCq(16, "context", null, 0, parent));
        assertEquals("context", cq.context());
        QueuePair qp = keep(parent.createQp(new QpInitAttributes(QpType.RC, cq, cq, srq, CAP, false)));
        fabric().connect(a.qp, 0, qp, 1, setup);
        MemoryRegion to = b.memory(64, End.WRITABLE);
        srq.postReceive(recv.begin(7).element(to, 0, 64));
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(bytes(32, 2))).signaled());
        List<WorkCompletion> received = new ArrayList<>();
        await(() -> {
            End.drain(cq, received);
            return received.size() == 1 && a.sends().size() == 1;
        });
        assertEquals(List.of("7 SUCCESS"), End.brief(received));
        assertArrayEquals(bytes(32, 2), End.content(to, 0, 32));
    }

    @Test
    @Needs(Capability.DATAGRAMS)
    void shouldSendDatagramsByHandlesOfEither() {
        setup.type = QpType.UD;
        connect();
        ProtectionDomain parent = keep(a.context.allocateParentDomain(a.pd, null));
        MemoryRegion to = b.memory(200, End.WRITABLE);
        for (ProtectionDomain each : List.of(parent, a.pd)) {
            int before = b.receives().size();
            b.qp.postReceive(recv.begin(1).element(to, 0, 200));
            a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])).to(keep(each.createAh(fabric().way(0, 1))),
                b.qp.qpNum(), setup.qkey));
            await(() -> b.receives().size() > before);
        }
        assertEquals(List.of("1 SUCCESS", "1 SUCCESS"), End.brief(b.receives()));
    }

    @Test
    @Needs(Capability.WINDOWS)
    void shouldBindWindowsOfEither() {
        open();
        ProtectionDomain parent = keep(b.context.allocateParentDomain(b.pd, null));
        Connection connection = connectMore(a.pd, b.pd);
        MemoryWindow window = keep(parent.allocateMw(MemoryWindow.Type.TYPE_1));
        MemoryRegion region = b.memory(64, End.ALL_REMOTE | AccessFlags.MW_BIND);
        connection.ofB().bind(window, 5, region, region.address(), 64, AccessFlags.REMOTE_WRITE, SendFlags.SIGNALED);
        await(() -> !b.sends().isEmpty());
        assertEquals(List.of("5 SUCCESS"), End.brief(b.sends()));
    }

    @Test
    void shouldCloseBeforeWhatItIsMadeOf() {
        Context context = openContext(0);
        ProtectionDomain pd = keep(context.allocatePd());
        ThreadDomain td = keep(context.allocateTd());
        ProtectionDomain parent = keep(context.allocateParentDomain(pd, td));
        refused(Errno.EBUSY, "dealloc_pd", pd::close, "parent domains=1");
        refused(Errno.EBUSY, "dealloc_td", td::close, "parent domains=1");
        refused(Errno.EBUSY, "close_device", context::close, "protection domains=1", "thread domains=1");
        CompletionQueue cq = context.createCq(4, null, null, 0, parent);
        QueuePair qp = parent.createQp(QpInitAttributes.rc(cq, CAP));
        MemoryRegion region = parent.register(Arena.ofAuto().allocate(8), 0);
        refused(Errno.EBUSY, "dealloc_pd", parent::close, "completion queues=1", "queue pairs=1", "memory regions=1");
        qp.close();
        cq.close();
        region.close();
        parent.close();
        parent.close();
        td.close();
        td.close();
        pd.close();
        context.close();
    }

    @Test
    void shouldRefuseWhatItCannotBeMadeOf() {
        Context context = openContext(0);
        Context other = openContext(0);
        ProtectionDomain pd = keep(context.allocatePd());
        ProtectionDomain parent = keep(context.allocateParentDomain(pd, null));
        ProtectionDomain foreign = keep(other.allocatePd());
        ThreadDomain foreignTd = keep(other.allocateTd());
        String verb = "alloc_parent_domain";
        refused(Errno.EINVAL, verb, () -> context.allocateParentDomain(null, null), "missing");
        refused(Errno.EINVAL, verb, () -> context.allocateParentDomain(foreign, null), "another context");
        refused(Errno.EINVAL, verb, () -> context.allocateParentDomain(pd, foreignTd), "another context");
        refused(Errno.EINVAL, verb, () -> context.allocateParentDomain(parent, null), "parent domain itself");
        refused(Errno.EINVAL, "create_cq", () -> context.createCq(4, null, null, 0, pd), "no parent domain");
        refused(Errno.EINVAL, "create_cq", () -> other.createCq(4, null, null, 0, parent), "another context");
        ThreadDomain closed = context.allocateTd();
        closed.close();
        refused(Errno.EINVAL, verb, () -> context.allocateParentDomain(pd, closed), "closed");
        parent.close();
        refused(Errno.EINVAL, "create_cq", () -> context.createCq(4, null, null, 0, parent), "closed");
        pd.close();
        refused(Errno.EINVAL, verb, () -> context.allocateParentDomain(pd, null), "closed");
        context.close();
        refused(Errno.EINVAL, "alloc_td", context::allocateTd);
        refused(Errno.EINVAL, verb, () -> context.allocateParentDomain(pd, null));
    }
}
