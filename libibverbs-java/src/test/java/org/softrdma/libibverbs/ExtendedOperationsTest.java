// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.libibverbs.layout.IbvCqInitAttrEx;
import org.softrdma.libibverbs.layout.IbvParentDomainInitAttr;
import org.softrdma.libibverbs.layout.IbvQp;
import org.softrdma.libibverbs.layout.IbvQpInitAttrEx;
import org.softrdma.libibverbs.layout.IbvQpOpenAttr;
import org.softrdma.libibverbs.layout.IbvSrqAttr;
import org.softrdma.libibverbs.layout.IbvSrqInitAttrEx;
import org.softrdma.libibverbs.layout.IbvValuesEx;
import org.softrdma.libibverbs.layout.IbvXrcdInitAttr;
import org.softrdma.libibverbs.layout.VerbsContext;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.ThreadDomain;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.XrcDomain;

/**
 * Arguments of extended operations, as a driver receives them. The numbers are those of {@code infiniband/verbs.h}; librxe and libsiw have
 * none of these operations but those for completion queues and attributes.
 */
@EnabledOnOs(OS.LINUX)
class ExtendedOperationsTest {
    private static final int WITH_TIMESTAMP = 0x80;

    private final FakeDriver driver = new FakeDriver();
    private final List<Long> seen = new ArrayList<>();

    private static void refused(Errno errno, String verb, Runnable call) {
        VerbsException refusal = assertThrows(VerbsException.class, call::run);
        assertEquals(List.of(errno, verb), List.of(refusal.errno(), refusal.verb()));
    }

    /** Records which completion queues are made. */
    private FakeDriver withQueues() {
        return driver.with(VerbsContext.CREATE_CQ_EX, (_, attributes, _, _) -> {
            seen.add(IbvCqInitAttrEx.WC_FLAGS.get(ALL, attributes));
            seen.add((long) IbvCqInitAttrEx.COMP_MASK.get(ALL, attributes));
            seen.add(IbvCqInitAttrEx.PARENT_DOMAIN.get(ALL, attributes));
            return driver.object();
        });
    }

    private NativeProtectionDomain domain(NativeContext context) {
        return new NativeProtectionDomain(context, driver.object());
    }

    // ---- the table ----

    @Test
    void shouldCallWhatTheTableOfAnOlderLibraryHasAndNothingBefore() {
        int reachesThreadDomains = VerbsContext.BYTES - VerbsContext.ALLOC_TD.offset();
        NativeContext context = driver.with(VerbsContext.ALLOC_TD, (_, _, _, _) -> driver.object())
            .with(VerbsContext.ALLOC_PARENT_DOMAIN, (_, _, _, _) -> driver.object()).withBytes(reachesThreadDomains).open();
        context.allocateTd();
        refused(Errno.EOPNOTSUPP, "alloc_parent_domain", () -> context.allocateParentDomain(domain(context), null));
        NativeContext shorter = driver.withBytes(reachesThreadDomains - 1).open();
        refused(Errno.EOPNOTSUPP, "alloc_td", shorter::allocateTd);
    }

    @Test
    void shouldLackWhatTheTableHasNoFunctionFor() {
        NativeContext context = driver.open();
        refused(Errno.EOPNOTSUPP, "alloc_td", context::allocateTd);
        refused(Errno.EOPNOTSUPP, "open_xrcd", () -> context.openXrcd(null, XrcDomain.CREATE));
        refused(Errno.EOPNOTSUPP, "query_rt_values_ex", context::rawClockNs);
    }

    // ---- clock and completion queues ----

    @Test
    void shouldConvertTheClockFromItsOwnFrequency() {
        NativeContext context = driver.withClock(156_250).with(VerbsContext.QUERY_RT_VALUES, (_, values, _, _) -> {
            assertEquals(1, IbvValuesEx.COMP_MASK.get(ALL, values));
            IbvValuesEx.TV_NSEC.set(ALL, values, 0x8000_0000_0000_0001L);
            return 0;
        }).open();
        // 2^63 + 1 cycles of 6.4 ns, modulo 2^64.
        assertEquals(Long.parseUnsignedLong("3689348814741910329"), context.rawClockNs());
    }

    @Test
    void shouldHaveNoClockWhoseFrequencyIsUnknown() {
        NativeContext context = driver.with(VerbsContext.QUERY_RT_VALUES, (_, _, _, _) -> 0).open();
        refused(Errno.EOPNOTSUPP, "query_rt_values_ex", context::rawClockNs);
    }

    @Test
    void shouldMakeQueuesWithTimestampsWhereThereIsAClock() {
        withQueues().open().createCq(4);
        driver.withClock(1000).open().createCq(4);
        assertEquals(List.of(0xfL, 0L, 0L, 0xfL | WITH_TIMESTAMP, 0L, 0L), seen);
    }

    // ---- parent domains ----

    @Test
    void shouldMakeParentDomainsOfBoth() {
        NativeContext context = withQueues().with(VerbsContext.ALLOC_TD, (_, _, _, _) -> driver.object())
            .with(VerbsContext.DEALLOC_TD, (_, _, _, _) -> 0)
            .with(VerbsContext.ALLOC_PARENT_DOMAIN, (_, attributes, _, _) -> {
                seen.add(IbvParentDomainInitAttr.PD.get(ALL, attributes));
                seen.add(IbvParentDomainInitAttr.TD.get(ALL, attributes));
                seen.add((long) IbvParentDomainInitAttr.COMP_MASK.get(ALL, attributes));
                return driver.object();
            }).open();
        NativeProtectionDomain pd = domain(context);
        ThreadDomain td = context.allocateTd();
        NativeProtectionDomain parent = (NativeProtectionDomain) context.allocateParentDomain(pd, td);
        assertEquals(List.of(pd.key(), ((NativeThreadDomain) td).key(), 0L), seen);
        assertTrue(parent.sharesKeysWith(pd) && pd.sharesKeysWith(parent));
        assertFalse(parent.sharesKeysWith(domain(context)));
        refused(Errno.EBUSY, "dealloc_td", td::close);
        refused(Errno.EBUSY, "dealloc_pd", pd::close);
        refused(Errno.EINVAL, "alloc_parent_domain", () -> context.allocateParentDomain(parent, null));
        seen.clear();
        context.createCq(4, null, null, 0, parent);
        assertEquals(List.of(0xfL, 2L, parent.key()), seen);
        refused(Errno.EBUSY, "dealloc_pd", parent::close);
        refused(Errno.EINVAL, "create_cq", () -> context.createCq(4, null, null, 0, pd));
    }

    // ---- XRC ----

    private FakeDriver withDomains() {
        return driver.with(VerbsContext.OPEN_XRCD, (_, attributes, _, _) -> {
            seen.add((long) IbvXrcdInitAttr.COMP_MASK.get(ALL, attributes));
            seen.add((long) IbvXrcdInitAttr.FD.get(ALL, attributes));
            seen.add((long) IbvXrcdInitAttr.OFLAGS.get(ALL, attributes));
            return driver.object();
        }).with(VerbsContext.CLOSE_XRCD, (_, _, _, _) -> 0);
    }

    @Test
    void shouldNameDomainsByOneFileForEachName() {
        NativeContext context = withDomains().open();
        XrcDomain first = context.openXrcd("one", XrcDomain.CREATE | XrcDomain.EXCLUSIVE);
        XrcDomain second = driver.open().openXrcd("one", 0);
        context.openXrcd("two", XrcDomain.CREATE);
        context.openXrcd(null, XrcDomain.CREATE);
        long file = seen.get(1);
        Path shown = Path.of("/proc/self/fd/" + file);
        assertEquals(List.of(3L, file, 0xc0L, 3L, file, 0L), seen.subList(0, 6));
        assertNotEquals(file, seen.get(7));
        assertEquals(-1, seen.get(10));
        first.close();
        assertTrue(Files.exists(shown), "the other context has the domain open");
        second.close();
        assertFalse(Files.exists(shown));
    }

    @Test
    void shouldRefuseDomainsThatCannotBe() {
        NativeContext context = withDomains().open();
        refused(Errno.EINVAL, "open_xrcd", () -> context.openXrcd("one", 0x100));
        refused(Errno.EINVAL, "open_xrcd", () -> context.openXrcd(null, 0));
        assertEquals(List.of(), seen);
    }

    @Test
    void shouldMakeSharedReceiveQueuesOfADomain() {
        withQueues();
        withDomains().with(VerbsContext.CREATE_SRQ_EX, (_, attributes, _, _) -> {
            seen.add((long) IbvSrqInitAttrEx.COMP_MASK.get(ALL, attributes));
            seen.add((long) IbvSrqInitAttrEx.SRQ_TYPE.get(ALL, attributes));
            seen.add(IbvSrqInitAttrEx.PD.get(ALL, attributes));
            seen.add(IbvSrqInitAttrEx.XRCD.get(ALL, attributes));
            seen.add(IbvSrqInitAttrEx.CQ.get(ALL, attributes));
            seen.add((long) IbvSrqAttr.MAX_WR.get(ALL, attributes + IbvSrqInitAttrEx.ATTR.offset()));
            seen.add((long) IbvSrqAttr.MAX_SGE.get(ALL, attributes + IbvSrqInitAttrEx.ATTR.offset()));
            return driver.object();
        }).with(VerbsContext.GET_SRQ_NUM, (_, number, _, _) -> {
            ALL.set(ValueLayout.JAVA_INT, number, 0x123456);
            return 0;
        });
        NativeContext context = driver.open();
        XrcDomain domain = context.openXrcd(null, XrcDomain.CREATE);
        NativeProtectionDomain pd = domain(context);
        CompletionQueue cq = context.createCq(4);
        seen.clear();
        SharedReceiveQueue queue = domain.createSrq(pd, cq, 5, 3, 0);
        assertEquals(List.of(0xfL, 1L, pd.key(), ((NativeXrcDomain) domain).key(), ((NativeCompletionQueue) cq).key(), 5L, 3L), seen);
        assertEquals(0x123456, queue.number());
        assertSame(pd, queue.pd());
        refused(Errno.EBUSY, "close_xrcd", domain::close);
        refused(Errno.EBUSY, "destroy_cq", cq::close);
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(pd, null, 5, 3, 0));
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(null, cq, 5, 3, 0));
    }

    @Test
    void shouldMakeAndOpenTargetsOfADomain() {
        NativeContext context = withDomains().with(VerbsContext.CREATE_QP_EX, (_, attributes, _, _) -> {
            seen.add((long) IbvQpInitAttrEx.COMP_MASK.get(ALL, attributes));
            seen.add((long) IbvQpInitAttrEx.QP_TYPE.get(ALL, attributes));
            seen.add(IbvQpInitAttrEx.XRCD.get(ALL, attributes));
            return target(77);
        }).with(VerbsContext.OPEN_QP, (_, attributes, _, _) -> {
            seen.add((long) IbvQpOpenAttr.COMP_MASK.get(ALL, attributes));
            seen.add((long) IbvQpOpenAttr.QP_NUM.get(ALL, attributes));
            seen.add(IbvQpOpenAttr.XRCD.get(ALL, attributes));
            seen.add((long) IbvQpOpenAttr.QP_TYPE.get(ALL, attributes));
            return target(IbvQpOpenAttr.QP_NUM.get(ALL, attributes));
        }).open();
        XrcDomain domain = context.openXrcd(null, XrcDomain.CREATE);
        long key = ((NativeXrcDomain) domain).key();
        seen.clear();
        QueuePair made = domain.createTarget();
        QueuePair opened = domain.openTarget(78);
        assertEquals(List.of(2L, 10L, key, 0xbL, 78L, key, 10L), seen);
        assertEquals(List.of(77, 78), List.of(made.qpNum(), opened.qpNum()));
        assertEquals(QpType.XRC_RECV, made.type());
        assertNull(made.pd());
        refused(Errno.EINVAL, "post_recv", () -> made.postReceive(new ReceiveRequest()));
        refused(Errno.EINVAL, "post_send", () -> made.postSend(new SendRequest()));
        refused(Errno.EOPNOTSUPP, "create_qp_ex", () -> made.sendBatch(1));
        refused(Errno.EBUSY, "close_xrcd", domain::close);
    }

    private long target(int number) {
        long qp = driver.object();
        IbvQp.QP_NUM.set(ALL, qp, number);
        return qp;
    }
}
