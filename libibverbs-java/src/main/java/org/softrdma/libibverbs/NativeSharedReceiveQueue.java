// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.softrdma.libibverbs.layout.IbvContext;
import org.softrdma.libibverbs.layout.IbvSrqAttr;
import org.softrdma.libibverbs.layout.IbvSrqInitAttr;
import org.softrdma.libibverbs.layout.IbvSrqInitAttrEx;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.SrqAttributes;
import org.softrdma.verbs.VerbsException;

/** {@code struct ibv_srq}. */
final class NativeSharedReceiveQueue extends NativeObject implements SharedReceiveQueue {
    private static final int MAX_WR = 1;
    private static final int LIMIT = 2;

    private final NativeProtectionDomain pd;
    /** Null unless the queue is one of an XRC domain. */
    private final NativeXrcDomain domain;
    private final NativeCompletionQueue cq;
    private final int maxWr;
    private final int maxSge;
    private final MemorySegment postSrqRecv;
    private final ReceiveRecord receive = new ReceiveRecord();

    private NativeSharedReceiveQueue(NativeProtectionDomain pd, NativeXrcDomain domain, NativeCompletionQueue cq, int maxWr, int maxSge,
            long address) {
        super(pd.nativeContext(), "shared receive queue", address);
        this.pd = pd;
        this.domain = domain;
        this.cq = cq;
        this.maxWr = maxWr;
        this.maxSge = maxSge;
        postSrqRecv = pd.nativeContext().operation(IbvContext.POST_SRQ_RECV);
    }

    static NativeSharedReceiveQueue create(NativeProtectionDomain pd, int maxWr, int maxSge, int limit) {
        checkLimit("create_srq", limit, maxWr);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvSrqInitAttr.BYTES, 8);
            long at = IbvSrqInitAttr.ATTR.offset();
            IbvSrqAttr.MAX_WR.set(m, at, maxWr);
            IbvSrqAttr.MAX_SGE.set(m, at, maxSge);
            IbvSrqAttr.SRQ_LIMIT.set(m, at, limit);
            long created = Libibverbs.CREATE_SRQ.call(pd.address("create_srq"), m.address());
            Libibverbs.created(created, "create_srq", "max_wr " + maxWr + ", max_sge " + maxSge + ", srq_limit " + limit);
            NativeSharedReceiveQueue queue =
                new NativeSharedReceiveQueue(pd, null, null, IbvSrqAttr.MAX_WR.get(m, at), IbvSrqAttr.MAX_SGE.get(m, at), created);
            return queue.limitedTo(limit);
        }
    }

    /** Creates a queue of an XRC domain: {@code ibv_create_srq_ex}. */
    static NativeSharedReceiveQueue create(NativeXrcDomain domain, ProtectionDomain pd, CompletionQueue cq, int maxWr, int maxSge,
            int limit) {
        String verb = "create_srq_ex";
        long xrcd = domain.address(verb);
        NativeContext context = domain.nativeContext();
        NativeProtectionDomain ownPd = own(NativeProtectionDomain.class, pd, context, verb, "pd");
        NativeCompletionQueue ownCq = own(NativeCompletionQueue.class, cq, context, verb, "cq");
        checkLimit(verb, limit, maxWr);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvSrqInitAttrEx.BYTES, 8);
            long at = IbvSrqInitAttrEx.ATTR.offset();
            IbvSrqAttr.MAX_WR.set(m, at, maxWr);
            IbvSrqAttr.MAX_SGE.set(m, at, maxSge);
            IbvSrqInitAttrEx.COMP_MASK.set(m, 0, IbvSrqInitAttrEx.HAS_TYPE | IbvSrqInitAttrEx.HAS_PD | IbvSrqInitAttrEx.HAS_XRCD
                | IbvSrqInitAttrEx.HAS_CQ);
            IbvSrqInitAttrEx.SRQ_TYPE.set(m, 0, IbvSrqInitAttrEx.XRC);
            IbvSrqInitAttrEx.PD.set(m, 0, ownPd.address(verb));
            IbvSrqInitAttrEx.XRCD.set(m, 0, xrcd);
            IbvSrqInitAttrEx.CQ.set(m, 0, ownCq.address(verb));
            long created = Libibverbs.created(context.extended.createSrqEx.call(context.address(verb), m.address()), verb,
                "max_wr " + maxWr + ", max_sge " + maxSge + ", srq_limit " + limit);
            return new NativeSharedReceiveQueue(ownPd, domain, ownCq, IbvSrqAttr.MAX_WR.get(m, at), IbvSrqAttr.MAX_SGE.get(m, at), created)
                .limitedTo(limit);
        }
    }

    private static void checkLimit(String verb, int limit, int maxWr) {
        if (limit < 0 || limit > maxWr) {
            throw new VerbsException(Errno.EINVAL, verb, "srq_limit " + limit + " of max_wr " + maxWr);
        }
    }

    /** Arms the limit: that of creation is ignored. */
    private NativeSharedReceiveQueue limitedTo(int limit) {
        if (limit != 0) {
            modifyLimit(limit);
        }
        return this;
    }

    boolean isXrc() {
        return domain != null;
    }

    /** {@code ibv_get_srq_num}, which most drivers have for queues of XRC domains only. */
    @Override
    public synchronized int number() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
            Libibverbs.check(nativeContext().extended.getSrqNum.call(address("get_srq_num"), number.address()), "get_srq_num", kind());
            return number.get(ValueLayout.JAVA_INT, 0);
        }
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public synchronized SrqAttributes query() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvSrqAttr.BYTES, 8);
            Libibverbs.check(Libibverbs.QUERY_SRQ.call(address("query_srq"), m.address()), "query_srq", kind());
            return new SrqAttributes(IbvSrqAttr.MAX_WR.get(m, 0), IbvSrqAttr.MAX_SGE.get(m, 0), IbvSrqAttr.SRQ_LIMIT.get(m, 0));
        }
    }

    @Override
    public synchronized void postReceive(ReceiveRequest request) {
        NativeQueuePair.checkElements("post_srq_recv", "max_sge", request.elements(), maxSge);
        int refused = Math.abs(receive.post(postSrqRecv, address("post_srq_recv"), request));
        if (refused != 0) {
            throw Libibverbs.failure(refused, "post_srq_recv",
                request + (refused == Errno.ENOMEM.value() ? "; the queue is full with " + held() + " receives" : ""));
        }
    }

    /**
     * Returns how many receives the queue holds. The rxe of Linux 6.1 makes room for more than it grants, and a resize changes it. Where
     * the library has no query, it is what was granted.
     */
    private int held() {
        try {
            return query().maxWr();
        } catch (VerbsException unsupported) {
            return maxWr;
        }
    }

    @Override
    public void modifyLimit(int limit) {
        modify(0, limit, LIMIT);
    }

    @Override
    public void resize(int maxWr) {
        modify(maxWr, 0, MAX_WR);
    }

    private synchronized void modify(int maxWr, int limit, int mask) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvSrqAttr.BYTES, 8);
            IbvSrqAttr.MAX_WR.set(m, 0, maxWr);
            IbvSrqAttr.SRQ_LIMIT.set(m, 0, limit);
            Libibverbs.check(Libibverbs.MODIFY_SRQ.call(address("modify_srq"), m.address(), mask), "modify_srq",
                mask == LIMIT ? "srq_limit " + limit : "max_wr " + maxWr);
        }
    }

    @Override
    boolean uses(NativeObject other) {
        return other == pd || other == domain || other == cq;
    }

    @Override
    int destroy(long structure) {
        return (int) Libibverbs.DESTROY_SRQ.call(structure);
    }

    @Override
    String destroyVerb() {
        return "destroy_srq";
    }
}
