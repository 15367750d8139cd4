// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.connection;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmId;

/**
 * A queue pair for a protocol of messages: receive slots and send buffers of a fixed size, memory for RDMA READs and WRITEs, and one
 * completion queue. Everything is freed in {@link #close}.
 *
 * <p>Work requests of the send queue are prepared one by one and posted together by {@link #submit}, so that the device is rung and sends
 * once. That belongs to one thread at a time, which the owner's lock ensures. {@link #poll}, {@link #arm} and {@link #await} are for one
 * thread at a time, without that lock.
 */
public final class MessageQueuePair implements AutoCloseable {
    private static final int BATCH = 16;

    private final CmId id;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final ProtectionDomain pd;
    private final CompletionChannel channel;
    private final CompletionQueue cq;
    private final MessageBuffers receives;
    private final MessageBuffers sends;
    /** Work requests that are not posted yet, and, for the next ones, those that were. */
    private final List<SendRequest> prepared = new ArrayList<>();
    private final List<SendRequest> spare = new ArrayList<>();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion[] completions = WorkCompletion.array(BATCH);
    private boolean armed;

    /**
     * Sizes.
     *
     * @param sendRequests places of the send queue
     * @param slots        receive slots
     * @param slotBytes    longest message received
     * @param elements     elements of a work request of the send queue
     */
    public record Plan(int sendRequests, int slots, int slotBytes, int elements) {
        /** Sizes of a queue pair whose work requests have one element. */
        public Plan(int sendRequests, int slots, int slotBytes) {
            this(sendRequests, slots, slotBytes, 1);
        }
    }

    /**
     * Creates the queue pair of an identifier whose device is known, in a protection domain of its own.
     *
     * @param buffers     send buffers
     * @param bufferBytes longest message sent
     */
    public MessageQueuePair(CmId id, Plan plan, int buffers, int bufferBytes) {
        this(id, null, null, plan, buffers, bufferBytes);
    }

    /**
     * Creates the queue pair of an identifier whose device is known, with memory of the caller that outlives it.
     *
     * @param sends of {@code pd}
     */
    public MessageQueuePair(CmId id, ProtectionDomain pd, MessageBuffers sends, Plan plan) {
        this(id, pd, sends, plan, 0, 0);
    }

    private MessageQueuePair(CmId id, ProtectionDomain sharedPd, MessageBuffers sharedSends, Plan plan, int buffers, int bufferBytes) {
        this.id = id;
        try {
            Context device = id.verbs();
            pd = sharedPd != null ? sharedPd : keep(device.allocatePd());
            channel = keep(device.createCompletionChannel());
            cq = keep(device.createCq(plan.sendRequests + plan.slots, null, channel, 0));
            receives = keep(new MessageBuffers(pd, plan.slots, plan.slotBytes));
            sends = sharedSends != null ? sharedSends : keep(new MessageBuffers(pd, buffers, bufferBytes));
            id.createQp(pd, QpInitAttributes.rc(cq, new QpCapabilities(plan.sendRequests, plan.slots, plan.elements, 1, 0)));
        } catch (RuntimeException refused) {
            close();
            throw refused;
        }
    }

    private <T extends AutoCloseable> T keep(T resource) {
        resources.push(resource);
        return resource;
    }

    /**
     * Allocates memory for RDMA READs and WRITEs of this end. Over iWARP the peer may write to it, since the protocol requires that of the
     * target of a READ.
     */
    public MemoryRegion allocate(long bytes) {
        int access = id.verbs().device().transport() == Transport.IWARP ? AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE
            : AccessFlags.LOCAL_WRITE;
        Arena arena = keep(Arena.ofShared());
        return keep(pd.register(arena.allocate(bytes, MessageBuffers.PAGE), access));
    }

    public CmId id() {
        return id;
    }

    public ProtectionDomain pd() {
        return pd;
    }

    /** The memory of a receive slot, big-endian. */
    public ByteBuffer received(int slot) {
        return receives.get(slot);
    }

    /** The memory of a send buffer, big-endian. */
    public ByteBuffer outgoing(int buffer) {
        return sends.get(buffer);
    }

    // ---- posting ----

    /** Posts the receive of a slot. */
    public void postReceive(long id, int slot) {
        this.id.qp().postReceive(receive.begin(id).element(receives.region(), receives.offset(slot), receives.bytes()));
    }

    /**
     * Prepares the SEND of a buffer; it reports its completion.
     *
     * @param rkey key of the peer to invalidate; 0 for none
     */
    public void prepareSend(long id, int buffer, int length, int rkey) {
        SendRequest send = prepare();
        if (rkey == 0) {
            send.send();
        } else {
            send.sendWithInvalidate(rkey);
        }
        send.wrId(id).element(sends.region(), sends.offset(buffer), length).signaled();
    }

    /**
     * Prepares the SEND of a part of a buffer, of memory, and of what follows the part in the buffer; it reports its completion.
     *
     * @param start   of the part
     * @param before  its length
     * @param address of the memory
     * @param after   bytes that follow the part, perhaps 0
     */
    public void prepareGatheredSend(long id, int buffer, int start, int before, long address, int length, int lkey, int after) {
        long at = sends.offset(buffer) + start;
        SendRequest send = prepare().send().wrId(id).element(sends.region(), at, before).element(address, length, lkey).signaled();
        if (after > 0) {
            send.element(sends.region(), at + before, after);
        }
    }

    /** Prepares an RDMA READ; it reports its completion. */
    public void prepareRead(long id, MemoryRegion into, long offset, int length, long address, int rkey) {
        prepare().read(address, rkey).wrId(id).element(into, offset, length).signaled();
    }

    /** Prepares an RDMA WRITE. */
    public void prepareWrite(long id, boolean reporting, MemoryRegion from, long offset, int length, long address, int rkey) {
        SendRequest write = prepare().write(address, rkey).wrId(id).element(from, offset, length);
        if (reporting) {
            write.signaled();
        }
    }

    /** Prepares a work request that the caller fills in. */
    public SendRequest prepare() {
        SendRequest next = spare.isEmpty() ? new SendRequest() : spare.removeLast();
        prepared.add(next);
        return next;
    }

    /** Posts what was prepared, in order. */
    public void submit() {
        if (prepared.isEmpty()) {
            return;
        }
        try {
            id.qp().postSend(prepared);
        } finally {
            spare.addAll(prepared);
            prepared.clear();
        }
    }

    // ---- completions ----

    /**
     * Takes completions that have arrived; they are valid until the next call.
     *
     * @return number of completions, 0..16
     */
    public int poll() {
        return cq.poll(completions);
    }

    /** {@return the i-th completion that {@link #poll} took} */
    public WorkCompletion completion(int i) {
        return completions[i];
    }

    /** Arms the completion queue, after which {@link #poll} must be called once more before {@link #await}. */
    public void arm() {
        if (!armed) {
            armed = true;
            cq.requestNotify();
        }
    }

    /** {@return whether {@link #arm} was called since the last event} */
    public boolean isArmed() {
        return armed;
    }

    /**
     * Sleeps until a completion arrives at the armed queue.
     *
     * @param timeoutNs nanoseconds, not negative
     * @throws VerbsException EINTR: the thread was interrupted
     */
    public void await(long timeoutNs) {
        CompletionQueue ready = channel.getEvent(timeoutNs);
        if (ready != null) {
            ready.ackEvents(1);
            armed = false;
        }
    }

    /** Destroys the queue pair and frees the memory. The identifier stays. */
    @Override
    public void close() {
        id.destroyQp();
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (VerbsException alreadyGone) {
                // A device that was removed has freed its objects.
            } catch (Exception impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }
}
