// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvContext;
import org.softrdma.libibverbs.layout.IbvSrqAttr;
import org.softrdma.libibverbs.layout.IbvSrqInitAttr;
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
    private final int maxWr;
    private final int maxSge;
    private final MemorySegment postSrqRecv;
    private final ReceiveRecord receive = new ReceiveRecord();

    private NativeSharedReceiveQueue(NativeProtectionDomain pd, int maxWr, int maxSge, long address) {
        super(pd.nativeContext(), "shared receive queue", address);
        this.pd = pd;
        this.maxWr = maxWr;
        this.maxSge = maxSge;
        postSrqRecv = pd.nativeContext().operation(IbvContext.POST_SRQ_RECV);
    }

    static NativeSharedReceiveQueue create(NativeProtectionDomain pd, int maxWr, int maxSge, int limit) {
        if (limit < 0 || limit > maxWr) {
            throw new VerbsException(Errno.EINVAL, "create_srq", "srq_limit " + limit + " of max_wr " + maxWr);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvSrqInitAttr.BYTES, 8);
            long at = IbvSrqInitAttr.ATTR.offset();
            IbvSrqAttr.MAX_WR.set(m, at, maxWr);
            IbvSrqAttr.MAX_SGE.set(m, at, maxSge);
            IbvSrqAttr.SRQ_LIMIT.set(m, at, limit);
            long created = Libibverbs.CREATE_SRQ.call(pd.address("create_srq"), m.address());
            Libibverbs.created(created, "create_srq", "max_wr " + maxWr + ", max_sge " + maxSge + ", srq_limit " + limit);
            NativeSharedReceiveQueue queue =
                new NativeSharedReceiveQueue(pd, IbvSrqAttr.MAX_WR.get(m, at), IbvSrqAttr.MAX_SGE.get(m, at), created);
            // The limit of creation is ignored.
            if (limit != 0) {
                queue.modifyLimit(limit);
            }
            return queue;
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
        Libibverbs.check(refused, "post_srq_recv",
            request + (refused == Errno.ENOMEM.value() ? "; the queue is full with " + maxWr + " receives" : ""));
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
        return other == pd;
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
