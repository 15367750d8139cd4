// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.softrdma.device.Counters;
import org.softrdma.link.ForwardingLink;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;

/**
 * Does to the packets of another link what a bad wire would: {@link LinkFaults}. Each direction is a wire of its own, for all peers
 * together. Without faults it is not felt; with them, a batch none of whose packets is struck passes uncopied, and of others what is left
 * goes on together, so that trains stay trains.
 *
 * <p>Which packets are struck, and how, follows from the seed and from the packet's number in its direction, nothing else. But on a real
 * clock it is the moment that decides which packet has which number, since acknowledgements are coalesced and lost packets repeated as
 * time permits; and how long partitions and clogs last is measured in time, not in packets. So the same seed strikes the same places of
 * the sequence, not the same messages. On a simulated fabric everything repeats.
 *
 * <p>Packets held back are at most {@value HeldPackets#CAPACITY} in each direction; what is more is lost, and counted.
 */
public final class FaultyLink extends ForwardingLink {
    /** Twice the largest batch an engine sends: each packet may be doubled. */
    private static final int OUT_PACKETS = 256;
    /** The socket took no more: try again this soon. */
    private static final long BACKOFF_NS = 50_000;

    private final LongSupplier clock;
    private final Counters<FaultCounter> counters = new Counters<>(FaultCounter.class);
    private final FaultyDirection sending;
    private final FaultyDirection receiving;
    private final FrameHandler judging = new FrameHandler() {
        @Override
        public void onFrame(ReceivedFrame frame) {
            judge(frame);
        }

        @Override
        public void onReturned(ReceivedFrame packet) {
            receiver.onReturned(packet);
        }
    };
    private LinkFaults faults;
    /** Made for the first fault: what is left of packets that faults, or their neighbours' faults, took off the engine's batch. */
    private TransmitBatch out;
    /** Packets of the engine's batch before this index were found to pass, but the socket was full. */
    private int passed;
    private FrameHandler receiver;
    private long nowNs;

    /**
     * @param link  closed with this one
     * @param clock the one its owner's deadlines are on
     */
    public FaultyLink(Link link, LinkFaults faults, LongSupplier clock) {
        super(link);
        this.clock = clock;
        this.faults = LinkFaults.NONE;
        sending = new FaultyDirection(counters);
        receiving = new FaultyDirection(counters);
        change(faults);
    }

    /**
     * Other faults from now on; for the owner. Partitions and clogs end, what is held back goes on at once, in order, and packets are
     * counted from 0 again.
     */
    public void change(LinkFaults newFaults) {
        faults = newFaults;
        long changedNs = clock.getAsLong();
        boolean any = !newFaults.isNone();
        sending.change(any && newFaults.direction().sends() ? newFaults.plan() : null, newFaults.seed(), changedNs);
        receiving.change(any && newFaults.direction().receives() ? newFaults.plan() : null, ~newFaults.seed(), changedNs);
        passed = 0;
        if (any && out == null) {
            out = new TransmitBatch(OUT_PACKETS, HeldPackets.MAX_PACKET_BYTES + Damage.MAX_EXTENSION);
        }
    }

    public LinkFaults faults() {
        return faults;
    }

    /** What the link below counts, and what faults did, by name; read under the owner's lock. */
    @Override
    public Map<String, Long> counters() {
        Map<String, Long> all = new LinkedHashMap<>(link.counters());
        all.putAll(counters.toMap());
        return all;
    }

    @Override
    public String description() {
        return link.description() + (faults.isNone() ? "" : ", faults " + faults);
    }

    @Override
    public int send(TransmitBatch batch) {
        if (isSendingClear()) {
            return link.send(batch);
        }
        nowNs = clock.getAsLong();
        if (!sendDue()) {
            return 0;
        }
        int first = batch.first();
        int end = Math.min(batch.end(), first + OUT_PACKETS / 2);
        int index = Math.min(Math.max(first, passed), end);
        while (index < end && passes(batch, index)) {
            index++;
        }
        if (index == batch.end()) {
            int count = link.send(batch);
            passed = batch.isEmpty() ? 0 : index;
            return count;
        }
        for (int i = first; i < index; i++) {
            copy(batch, i);
        }
        collectDue();
        for (int i = index + 1; i < end; i++) {
            if (passes(batch, i)) {
                copy(batch, i);
            } else {
                collectDue();
            }
        }
        batch.sent(end - first);
        passed = batch.isEmpty() ? 0 : Math.max(passed, end);
        link.send(out);
        return end - first;
    }

    private boolean isSendingClear() {
        return sending.isClear() && (out == null || out.isEmpty());
    }

    private boolean passes(TransmitBatch batch, int index) {
        return sending.passes(nowNs, batch.buffer(), batch.offset(index), batch.length(index), batch.path(index), null);
    }

    /** Sends what is due, and what the socket did not take before. @return whether all of it has left */
    private boolean sendDue() {
        while (true) {
            collectDue();
            if (out.isEmpty()) {
                return true;
            }
            link.send(out);
            if (!out.isEmpty()) {
                return false;
            }
        }
    }

    private void collectDue() {
        while (!out.isFull()) {
            HeldPackets.Held due = sending.held().nextDue(nowNs);
            if (due == null) {
                return;
            }
            out.buffer().put(out.begin(due.path), due.buffer, due.frame.offset(), due.frame.length());
            out.commit(due.frame.length());
            sending.held().giveBack(due);
        }
    }

    private void copy(TransmitBatch batch, int index) {
        out.buffer().put(out.begin(batch.path(index)), batch.buffer(), batch.offset(index), batch.length(index));
        out.commit(batch.length(index));
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        boolean sendingClear = isSendingClear();
        if (sendingClear && receiving.isClear()) {
            return link.poll(handler, limit);
        }
        nowNs = clock.getAsLong();
        if (!sendingClear) {
            sendDue();
        }
        receiver = handler;
        int count = handOver(limit);
        return count < limit ? count + link.poll(judging, limit - count) : count;
    }

    private void judge(ReceivedFrame frame) {
        if (receiving.passes(nowNs, frame.buffer(), frame.offset(), frame.length(), null, frame)) {
            receiver.onFrame(frame);
        } else {
            handOver(Integer.MAX_VALUE);
        }
    }

    /** Hands over received packets that are due. @return how many */
    private int handOver(int limit) {
        int count = 0;
        while (count < limit) {
            HeldPackets.Held due = receiving.held().nextDue(nowNs);
            if (due == null) {
                break;
            }
            receiver.onFrame(due.frame);
            receiving.held().giveBack(due);
            count++;
        }
        return count;
    }

    @Override
    public long deadlineNs() {
        long sendNs = out == null || out.isEmpty() ? sending.held().earliestNs() : nowNs + BACKOFF_NS;
        return earlier(link.deadlineNs(), earlier(sendNs, receiving.held().earliestNs()));
    }

    /** The earlier of two deadlines, each a time or {@link Long#MAX_VALUE} for never. */
    private static long earlier(long aNs, long bNs) {
        if (aNs == Long.MAX_VALUE || bNs == Long.MAX_VALUE) {
            return aNs == Long.MAX_VALUE ? bNs : aNs;
        }
        return aNs - bNs < 0 ? aNs : bNs;
    }

    /** What is held back is lost. */
    @Override
    public void close() {
        link.close();
    }
}
