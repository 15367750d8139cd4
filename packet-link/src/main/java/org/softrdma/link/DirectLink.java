// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;
import org.softrdma.verbs.Gid;

/**
 * Passes packets between the link's own addresses through memory; all others take the link below. What stays in the process is seen by
 * captures above this link, not by those on the interface.
 */
public final class DirectLink extends ForwardingLink {
    /** Maximum packets waiting. Packets that find no room stay in their batch. */
    static final int CAPACITY = 256;

    private static final int SLOT_BYTES = TransmitBatch.HEADROOM + ReceivedFrame.MAX_PACKET_BYTES;

    private final ByteBuffer slots = ByteBuffer.allocateDirect(CAPACITY * SLOT_BYTES);
    private final Path[] paths = new Path[CAPACITY];
    private final int[] lengths = new int[CAPACITY];
    private final boolean[] unsealed = new boolean[CAPACITY];
    private final ReceivedFrame frame = new ReceivedFrame();
    private final LongSupplier clock;
    /** The last answer of {@link #staysHere}, and what it holds for: packets come in runs of one path. */
    private Path lastPath;
    private List<Gid> lastAddresses;
    private boolean lastStays;
    /** Numbers of packets ever added, and ever delivered. Written by the owner; the thread that waits for it reads the sum. */
    private long added;
    private long delivered;
    private volatile boolean waiting;

    /**
     * Stacks on a link, which is closed with this one.
     *
     * @param clock nanoseconds of the clock that drives the device
     */
    public DirectLink(Link link, LongSupplier clock) {
        super(link);
        this.clock = clock;
    }

    private boolean staysHere(Path path) {
        List<Gid> addresses = link.addresses();
        if (path != lastPath || addresses != lastAddresses) {
            lastPath = path;
            lastAddresses = addresses;
            lastStays = link.has(path.type(), path.remote());
        }
        return lastStays;
    }

    @Override
    public boolean needsIcrc(Path path) {
        return !staysHere(path) && link.needsIcrc(path);
    }

    @Override
    public int send(TransmitBatch batch) {
        int done = 0;
        while (!batch.isEmpty()) {
            int sent = staysHere(batch.path(batch.first())) ? sendHere(batch) : sendBelow(batch);
            done += sent;
            if (sent == 0) {
                break;
            }
        }
        return done;
    }

    private int sendHere(TransmitBatch batch) {
        int index = batch.first();
        int slot = (int) (added % CAPACITY);
        if (added - delivered == CAPACITY) {
            return 0;
        }
        slots.put(slot * SLOT_BYTES + TransmitBatch.HEADROOM, batch.buffer(), batch.offset(index), batch.length(index));
        paths[slot] = batch.path(index);
        lengths[slot] = batch.length(index);
        unsealed[slot] = batch.isUnsealed(index);
        added++;
        waiting = true;
        batch.sent(1);
        return 1;
    }

    /** Sends the packets before the next one that stays here. */
    private int sendBelow(TransmitBatch batch) {
        int end = batch.first() + 1;
        while (end < batch.end() && !staysHere(batch.path(end))) {
            end++;
        }
        batch.showUpTo(end);
        int sent = link.send(batch);
        batch.showAll();
        return sent;
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        int count = 0;
        while (count < limit && delivered < added) {
            deliver((int) (delivered % CAPACITY), handler);
            delivered++;
            count++;
        }
        waiting = delivered < added;
        return count < limit ? count + link.poll(handler, limit - count) : count;
    }

    private void deliver(int slot, FrameHandler handler) {
        frame.begin(slots, slot * SLOT_BYTES + TransmitBatch.HEADROOM, lengths[slot]).sentBy(paths[slot]);
        if (unsealed[slot]) {
            frame.withoutIcrc();
        }
        handler.onFrame(frame);
    }

    @Override
    public long deadlineNs() {
        return waiting ? clock.getAsLong() : link.deadlineNs();
    }

    @Override
    public void await(long timeoutNs) {
        if (!waiting) {
            link.await(timeoutNs);
        }
    }

    @Override
    public String description() {
        return link.description() + ", direct between its own addresses";
    }
}
