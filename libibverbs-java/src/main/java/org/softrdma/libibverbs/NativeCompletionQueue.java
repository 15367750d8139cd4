// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvContext;
import org.softrdma.libibverbs.layout.IbvCq;
import org.softrdma.libibverbs.layout.IbvCqInitAttrEx;
import org.softrdma.libibverbs.layout.IbvWc;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.provider.KeptLock;

/** {@code struct ibv_cq}, and where the driver has it {@code struct ibv_cq_ex}. Who takes completions holds the lock for that. */
final class NativeCompletionQueue extends NativeObject implements CompletionQueue {
    /** Completions of one call. */
    private static final int BATCH = 32;
    private static final int FIELDS = IbvCqInitAttrEx.WITH_BYTE_LEN | IbvCqInitAttrEx.WITH_IMM | IbvCqInitAttrEx.WITH_QP_NUM
        | IbvCqInitAttrEx.WITH_SRC_QP;

    private final Object cqContext;
    /** Null for none. */
    private final NativeCompletionChannel channel;
    /** Null for none. */
    private final NativeProtectionDomain parent;
    private final MemorySegment pollCq;
    private final MemorySegment reqNotifyCq;
    private final MemorySegment completions = Arena.ofAuto().allocate((long) BATCH * IbvWc.BYTES, 8);
    /** Null if the structure is not the extended one. */
    private final ExtendedPolling extended;
    /**
     * Taken before the object's monitor. A reader keeps it while a completion is current: in another call of the same thread, the driver
     * would wait for itself.
     */
    private final KeptLock polling = new KeptLock(() -> "this thread is reading the queue; call end_poll first");

    private NativeCompletionQueue(NativeContext context, Object cqContext, NativeCompletionChannel channel, NativeProtectionDomain parent,
            long address, boolean isExtended) {
        super(context, "completion queue", address);
        this.cqContext = cqContext;
        this.channel = channel;
        this.parent = parent;
        extended = isExtended ? new ExtendedPolling(address) : null;
        pollCq = context.operation(IbvContext.POLL_CQ);
        reqNotifyCq = context.operation(IbvContext.REQ_NOTIFY_CQ);
    }

    /**
     * Creates a queue, with everything that readers read if the driver has that.
     *
     * @param channel null for none
     * @param parent  null for none; it needs a driver with extended queues
     */
    static NativeCompletionQueue create(NativeContext context, int cqe, Object cqContext, NativeCompletionChannel channel,
            int compVector, NativeProtectionDomain parent) {
        long notified = channel == null ? 0 : channel.address("create_cq");
        String what = "cqe " + cqe + ", comp_vector " + compVector;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvCqInitAttrEx.BYTES, 8);
            IbvCqInitAttrEx.CQE.set(m, 0, cqe);
            IbvCqInitAttrEx.CHANNEL.set(m, 0, notified);
            IbvCqInitAttrEx.COMP_VECTOR.set(m, 0, compVector);
            IbvCqInitAttrEx.COMP_MASK.set(m, 0, parent == null ? 0 : IbvCqInitAttrEx.PD);
            IbvCqInitAttrEx.PARENT_DOMAIN.set(m, 0, parent == null ? 0 : parent.address("create_cq"));
            long made = context.clockKhz == 0 ? 0 : createExtended(context, m, FIELDS | IbvCqInitAttrEx.WITH_COMPLETION_TIMESTAMP);
            made = made != 0 ? made : createExtended(context, m, FIELDS);
            boolean isExtended = made != 0;
            if (!isExtended && parent == null) {
                // The error of this call is the one to report: the other may be that of a driver without extended queues.
                made = Libibverbs.CREATE_CQ.call(context.address("create_cq"), cqe, 0, notified, compVector);
            }
            return new NativeCompletionQueue(context, cqContext, channel, parent, Libibverbs.created(made, "create_cq", what), isExtended);
        }
    }

    /** Returns the address of the structure, or 0 and errno. */
    private static long createExtended(NativeContext context, MemorySegment attributes, int fields) {
        IbvCqInitAttrEx.WC_FLAGS.set(attributes, 0, fields);
        return context.extended.createCqEx.isThere()
            ? context.extended.createCqEx.call(context.address("create_cq"), attributes.address()) : 0;
    }

    @Override
    public Context rdmaContext() {
        return nativeContext();
    }

    @Override
    public Object context() {
        return cqContext;
    }

    @Override
    public synchronized int cqe() {
        return IbvCq.CQE.get(ALL, address("query_cq"));
    }

    @Override
    public int poll(WorkCompletion[] into, int max) {
        polling.lock("poll_cq");
        try {
            return take(into, max);
        } finally {
            polling.unlock();
        }
    }

    private int take(WorkCompletion[] into, int max) {
        long cq = address("poll_cq");
        if (max < 0) {
            throw new VerbsException(Errno.EINVAL, "poll_cq", "at most " + max + " completions");
        }
        int taken = 0;
        while (taken < max) {
            int wanted = Math.min(max - taken, BATCH);
            int found = DataPath.pollCq(pollCq, cq, wanted, completions.address());
            if (found < 0) {
                throw new VerbsException(Errno.EIO, "poll_cq", "the library returned " + found);
            }
            for (int i = 0; i < found; i++) {
                read((long) i * IbvWc.BYTES, into[taken++]);
            }
            if (found < wanted) {
                break;
            }
        }
        return taken;
    }

    private void read(long at, WorkCompletion into) {
        WcStatus status = WcStatus.of(IbvWc.STATUS.get(completions, at));
        WcOpcode opcode = WcOpcode.of(IbvWc.OPCODE.get(completions, at));
        int flags = IbvWc.WC_FLAGS.get(completions, at);
        int immediateOrRkey =
            (flags & WcFlags.WITH_INV) != 0 ? IbvWc.INVALIDATED_RKEY.get(completions, at) : IbvWc.IMM_DATA.get(completions, at);
        // After a failure the opcode is undefined.
        into.set(IbvWc.WR_ID.get(completions, at), status == null ? WcStatus.GENERAL_ERR : status, opcode == null ? WcOpcode.SEND : opcode,
            IbvWc.VENDOR_ERR.get(completions, at), IbvWc.BYTE_LEN.get(completions, at), immediateOrRkey, IbvWc.QP_NUM.get(completions, at),
            IbvWc.SRC_QP.get(completions, at), flags);
    }

    @Override
    public void requestNotify() {
        arm(0);
    }

    @Override
    public void requestNotifySolicited() {
        arm(1);
    }

    private synchronized void arm(int solicitedOnly) {
        Libibverbs.check(DataPath.reqNotifyCq(reqNotifyCq, address("req_notify_cq"), solicitedOnly), "req_notify_cq", toString());
    }

    @Override
    public void ackEvents(int count) {
        long cq = address("ack_cq_events");
        acknowledge(count, "ack_cq_events", () -> Libibverbs.ACK_CQ_EVENTS.call(cq, count));
    }

    @Override
    public void resize(int cqe) {
        polling.lock("resize_cq");
        try {
            synchronized (this) {
                Libibverbs.check(Libibverbs.RESIZE_CQ.call(address("resize_cq"), cqe), "resize_cq", "cqe " + cqe);
            }
        } finally {
            polling.unlock();
        }
    }

    @Override
    public CompletionReader reader() {
        address("create_cq_ex");
        if (extended == null) {
            throw new VerbsException(Errno.EOPNOTSUPP, "create_cq_ex",
                "the driver of " + nativeContext().device().name() + " has no extended completion queues");
        }
        return new NativeCompletionReader(this, extended);
    }

    /** Takes the lock until {@link #endReading}. Returns the address. */
    long beginReading() {
        polling.lock("start_poll");
        long cq;
        try {
            cq = address("start_poll");
        } catch (VerbsException closed) {
            polling.unlock();
            throw closed;
        }
        polling.keep();
        return cq;
    }

    void endReading() {
        polling.release();
    }

    /** Returns whether this thread has begun to read. */
    boolean isReading() {
        return polling.isKept();
    }

    @Override
    public void close() {
        polling.lock("destroy_cq");
        try {
            super.close();
        } finally {
            polling.unlock();
        }
    }

    @Override
    boolean uses(NativeObject other) {
        return other == channel || other == parent;
    }

    @Override
    int destroy(long structure) {
        return (int) Libibverbs.DESTROY_CQ.call(structure);
    }

    @Override
    String destroyVerb() {
        return "destroy_cq";
    }
}
