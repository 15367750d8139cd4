// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvContext;
import org.softrdma.libibverbs.layout.IbvCq;
import org.softrdma.libibverbs.layout.IbvWc;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** {@code struct ibv_cq}. */
final class NativeCompletionQueue extends NativeObject implements CompletionQueue {
    /** Completions of one call. */
    private static final int BATCH = 32;

    private final Object cqContext;
    /** Null for none. */
    private final NativeCompletionChannel channel;
    private final MemorySegment pollCq;
    private final MemorySegment reqNotifyCq;
    private final MemorySegment completions = Arena.ofAuto().allocate((long) BATCH * IbvWc.BYTES, 8);

    NativeCompletionQueue(NativeContext context, Object cqContext, NativeCompletionChannel channel, long address) {
        super(context, "completion queue", address);
        this.cqContext = cqContext;
        this.channel = channel;
        pollCq = context.operation(IbvContext.POLL_CQ);
        reqNotifyCq = context.operation(IbvContext.REQ_NOTIFY_CQ);
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
    public synchronized int poll(WorkCompletion[] into, int max) {
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
    public synchronized void resize(int cqe) {
        Libibverbs.check(Libibverbs.RESIZE_CQ.call(address("resize_cq"), cqe), "resize_cq", "cqe " + cqe);
    }

    @Override
    boolean uses(NativeObject other) {
        return other == channel;
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
