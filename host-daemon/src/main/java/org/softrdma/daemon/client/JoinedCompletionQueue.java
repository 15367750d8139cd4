// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.RxeCompletion;
import org.softrdma.abi.uverbs.DestroyCqResponse;
import org.softrdma.abi.uverbs.MmapInfo;
import org.softrdma.abi.uverbs.ReqNotifyCqCommand;
import org.softrdma.abi.uverbs.ResizeCqCommand;
import org.softrdma.abi.uverbs.ResizeCqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.daemon.rings.RingView;
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

/** A completion queue, whose ring the device fills. Who takes completions holds the lock for that. */
final class JoinedCompletionQueue extends JoinedObject implements CompletionQueue {
    private final Object cqContext;
    /** Null for none. */
    private final JoinedChannel channel;
    /** Null for none. */
    private final JoinedDomain parent;
    /** Taken before the object's monitor. A reader keeps it while a completion is current. */
    private final KeptLock polling = new KeptLock(() -> "this thread is reading the queue; call end_poll first");
    /** Replaced with {@link #polling} held. */
    private volatile RingView ring;

    private JoinedCompletionQueue(JoinedContext context, Object cqContext, JoinedChannel channel, JoinedDomain parent) {
        super(context, "completion queue");
        this.cqContext = cqContext;
        this.channel = channel;
        this.parent = parent;
    }

    /**
     * Creates a queue.
     *
     * @param channel null for none
     * @param parent  null for none
     */
    static JoinedCompletionQueue create(JoinedContext context, int cqe, Object cqContext, JoinedChannel channel, int compVector,
                                        JoinedDomain parent) {
        if (cqe < 1 || compVector < 0) {
            throw new VerbsException(Errno.EINVAL, "create_cq", "cqe " + cqe + ", comp_vector " + compVector);
        }
        JoinedCompletionQueue made = new JoinedCompletionQueue(context, cqContext, channel, parent);
        try (Ioctl call = new Ioctl(context, UverbsObject.CQ, UverbsMethod.CQ_CREATE)) {
            MemorySegment place = call.room(MmapInfo.BYTES);
            call.number(UverbsAttribute.CREATE_CQ_HANDLE, 0).value(UverbsAttribute.CREATE_CQ_CQE, cqe, Integer.BYTES)
                .value(UverbsAttribute.CREATE_CQ_USER_HANDLE, made.key(), Long.BYTES);
            if (channel != null) {
                call.number(UverbsAttribute.CREATE_CQ_COMP_CHANNEL, channel.number());
            }
            call.value(UverbsAttribute.CREATE_CQ_COMP_VECTOR, compVector, Integer.BYTES)
                .value(UverbsAttribute.CREATE_CQ_FLAGS, 0, Integer.BYTES)
                .output(UverbsAttribute.CREATE_CQ_RESP_CQE, call.room(Integer.BYTES))
                .output(UverbsAttribute.UHW_OUT, place).run("create_cq");
            made.ring = context.ring(place, 0);
            made.created(call.number(UverbsAttribute.CREATE_CQ_HANDLE));
            return made;
        }
    }

    @Override
    public Context rdmaContext() {
        return joinedContext();
    }

    @Override
    public Object context() {
        return cqContext;
    }

    @Override
    public int cqe() {
        requireOpen("query_cq");
        return ring.capacity();
    }

    @Override
    public int poll(WorkCompletion[] into, int max) {
        polling.lock("poll_cq");
        try {
            requireOpen("poll_cq");
            if (max < 0) {
                throw new VerbsException(Errno.EINVAL, "poll_cq", "at most " + max + " completions");
            }
            int first = ring.consumer();
            int taken = Math.min(max, ring.count(ring.producer(), ring.consumer()));
            for (int i = 0; i < taken; i++) {
                read(ring.memory(), ring.slot(first + i), into[i]);
            }
            if (taken > 0) {
                ring.consumer(first + taken);
            } else {
                joinedContext().requireDevice("poll_cq");
            }
            return taken;
        } finally {
            polling.unlock();
        }
    }

    private static void read(MemorySegment m, long at, WorkCompletion into) {
        into.set(RxeCompletion.wrId(m, at), status(m, at), opcode(m, at), RxeCompletion.vendorErr(m, at), RxeCompletion.byteLen(m, at),
            immediateOrRkey(m, at), RxeCompletion.qpNum(m, at), RxeCompletion.srcQp(m, at), RxeCompletion.wcFlags(m, at));
    }

    static WcStatus status(MemorySegment m, long at) {
        WcStatus status = WcStatus.of(RxeCompletion.status(m, at));
        return status == null ? WcStatus.GENERAL_ERR : status;
    }

    /** After a failure the opcode is undefined. */
    static WcOpcode opcode(MemorySegment m, long at) {
        WcOpcode opcode = WcOpcode.of(RxeCompletion.opcode(m, at));
        return opcode == null ? WcOpcode.SEND : opcode;
    }

    private static int immediateOrRkey(MemorySegment m, long at) {
        return (RxeCompletion.wcFlags(m, at) & WcFlags.WITH_INV) != 0 ? RxeCompletion.invalidateRkey(m, at) : RxeCompletion.immData(m, at);
    }

    @Override
    public void requestNotify() {
        arm(0);
    }

    @Override
    public void requestNotifySolicited() {
        arm(1);
    }

    private void arm(int solicitedOnly) {
        int handle = handle("req_notify_cq");
        try (Ioctl call = Ioctl.command(joinedContext(), UverbsCommand.REQ_NOTIFY_CQ)) {
            MemorySegment in = call.room(ReqNotifyCqCommand.BYTES);
            ReqNotifyCqCommand.cqHandle(in, 0, handle);
            ReqNotifyCqCommand.solicitedOnly(in, 0, solicitedOnly);
            call.in(in).run("req_notify_cq");
        }
    }

    @Override
    public void ackEvents(int count) {
        requireOpen("ack_cq_events");
        acknowledge(count, "ack_cq_events");
    }

    @Override
    public void resize(int cqe) {
        polling.lock("resize_cq");
        try (Ioctl call = Ioctl.command(joinedContext(), UverbsCommand.RESIZE_CQ)) {
            if (cqe < 1) {
                throw new VerbsException(Errno.EINVAL, "resize_cq", "cqe " + cqe);
            }
            MemorySegment in = call.room(ResizeCqCommand.BYTES);
            ResizeCqCommand.cqHandle(in, 0, handle("resize_cq"));
            ResizeCqCommand.cqe(in, 0, cqe);
            MemorySegment place = call.room(MmapInfo.BYTES);
            call.in(in).out(call.room(ResizeCqResponse.BYTES)).output(UverbsAttribute.UHW_OUT, place).run("resize_cq");
            ring = joinedContext().ring(place, 0);
        } finally {
            polling.unlock();
        }
    }

    @Override
    public CompletionReader reader() {
        requireOpen("create_cq_ex");
        return new JoinedReader(this);
    }

    /**
     * Begins to read in place.
     *
     * @return the ring, of which the caller has the first completion until {@link #endReading}; null if there is none
     */
    RingView beginReading() {
        polling.lock("start_poll");
        boolean found = false;
        try {
            requireOpen("start_poll");
            found = ring.count(ring.producer(), ring.consumer()) > 0;
            if (!found) {
                joinedContext().requireDevice("start_poll");
            }
        } finally {
            if (found) {
                polling.keep();
            } else {
                polling.unlock();
            }
        }
        return found ? ring : null;
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
    boolean uses(JoinedObject other) {
        return other == channel || other == parent;
    }

    @Override
    void destroy(int handle) {
        try (Ioctl call = new Ioctl(joinedContext(), UverbsObject.CQ, UverbsMethod.CQ_DESTROY)) {
            call.number(UverbsAttribute.DESTROY_CQ_HANDLE, handle)
                .output(UverbsAttribute.DESTROY_CQ_RESP, call.room(DestroyCqResponse.BYTES)).run("destroy_cq");
        }
    }

    @Override
    String destroyVerb() {
        return "destroy_cq";
    }
}
