// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.link.ForwardingLink;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;

/**
 * Applies {@link LinkFaults} to the packets of another link. Each direction is a wire of its own, for all peers together. Without faults
 * every call is passed through. With faults, a batch without affected packets is sent uncopied; otherwise the remaining packets of the
 * batch are copied and sent together, so that trains stay trains.
 *
 * <p>Affected packets and their faults follow from the seed and the packet's number in its direction, nothing else. On a real clock,
 * timing decides which packet gets which number, because acknowledgements are coalesced and retransmissions depend on time; and partitions
 * and clogs last for a time, not for a number of packets. The same seed therefore affects the same positions of the sequence, not the same
 * messages. On a simulated fabric everything repeats.
 *
 * <p>At most {@value HeldPackets#CAPACITY} packets are held in each direction; further ones are dropped and counted.
 */
public final class FaultyLink extends ForwardingLink {
    /** Twice the largest batch an engine sends: each packet may be duplicated. */
    private static final int OUT_PACKETS = 256;
    private static final int LONGEST_BYTES = HeldPackets.MAX_PACKET_BYTES + Damage.MAX_EXTENSION;
    /** Twice the largest batch an engine sends, and one packet more. */
    private static final int OUT_BYTES = OUT_PACKETS * (ReceivedFrame.MAX_PACKET_BYTES + Damage.MAX_EXTENSION) + LONGEST_BYTES;
    /** Time until the next attempt after a full socket buffer. */
    private static final long BACKOFF_NS = 50_000;

    private final LongSupplier clock;
    private final Counters<FaultCounter> counters = new Counters<>(FaultCounter.class);
    private final FaultyDirection sending;
    private final FaultyDirection receiving;
    private final FrameHandler receivingHandler = new FrameHandler() {
        @Override
        public void onFrame(ReceivedFrame frame) {
            onReceived(frame);
        }

        @Override
        public void onReturned(ReceivedFrame packet) {
            receiver.onReturned(packet);
        }
    };
    private LinkFaults faults;
    /** Packets copied from the engine's batch because they or others in it have faults. Allocated for the first faults; null before. */
    private TransmitBatch out;
    /** Packets of the engine's batch before this index are known to pass, but the socket was full. */
    private int passed;
    private FrameHandler receiver;
    private long nowNs;

    /**
     * Stacks faults on a link.
     *
     * @param link  closed with this one
     * @param faults at first; {@link #change} replaces them
     * @param clock the clock of its owner's deadlines
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
     * Replaces the faults; for the owner. Partitions and clogs end, held packets continue at once, in order, and packets are counted from 0
     * again.
     *
     * @param newFaults from now on
     */
    public void change(LinkFaults newFaults) {
        faults = newFaults;
        long changedNs = clock.getAsLong();
        boolean any = !newFaults.isNone();
        sending.change(any && newFaults.direction().sends() ? newFaults.plan() : null, newFaults.seed(), changedNs);
        receiving.change(any && newFaults.direction().receives() ? newFaults.plan() : null, ~newFaults.seed(), changedNs);
        passed = 0;
        if (any && out == null) {
            out = new TransmitBatch(OUT_PACKETS, LONGEST_BYTES, OUT_BYTES);
        }
    }

    /** {@return the faults of now} */
    public LinkFaults faults() {
        return faults;
    }

    /** Counters of the link below and of faults, by name; for the owner. */
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

    /** Faults damage packets, and only the ICRC shows it. */
    @Override
    public boolean needsIcrc(Path path) {
        return !faults.isNone() || link.needsIcrc(path);
    }

    private boolean isSendingClear() {
        return sending.isClear() && (out == null || out.isEmpty());
    }

    private boolean passes(TransmitBatch batch, int index) {
        return sending.passes(nowNs, batch.buffer(), batch.offset(index), batch.length(index), batch.path(index), null);
    }

    /**
     * Sends held packets that are due, and packets that a full socket did not accept before.
     *
     * @return whether all of them have been sent
     */
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
        int count = deliverDue(limit);
        return count < limit ? count + link.poll(receivingHandler, limit - count) : count;
    }

    private void onReceived(ReceivedFrame frame) {
        if (receiving.passes(nowNs, frame.buffer(), frame.offset(), frame.length(), null, frame)) {
            receiver.onFrame(frame);
        } else {
            deliverDue(Integer.MAX_VALUE);
        }
    }

    /**
     * Delivers held received packets that are due.
     *
     * @return packets delivered
     */
    private int deliverDue(int limit) {
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
        return Deadline.earlier(link.deadlineNs(), Deadline.earlier(sendNs, receiving.held().earliestNs()));
    }

    /** Closes the link below; held packets are lost. */
    @Override
    public void close() {
        link.close();
    }
}
