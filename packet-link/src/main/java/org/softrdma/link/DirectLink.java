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
    private static final int NO_ROOM = -1;

    /** All packets wait in so many bytes. */
    static final int BYTES = CAPACITY * (TransmitBatch.HEADROOM + ReceivedFrame.MAX_PACKET_BYTES);

    /** Packets in their order, each behind its headroom; from the end of the buffer on at its beginning. */
    private final ByteBuffer ring = ByteBuffer.allocateDirect(BYTES);
    /** Where in the ring each packet's headroom begins. */
    private final int[] offsets = new int[CAPACITY];
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
    /** Where in the ring the next packet goes. */
    private int nextOffset;
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
    public int payloadInMemory(Path path) {
        return staysHere(path) ? ReceivedFrame.MAX_PAYLOAD_IN_MEMORY : 0;
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
        int offset = place(TransmitBatch.HEADROOM + batch.length(index));
        if (offset == NO_ROOM) {
            return 0;
        }
        int slot = (int) (added % CAPACITY);
        ring.put(offset + TransmitBatch.HEADROOM, batch.buffer(), batch.offset(index), batch.length(index));
        nextOffset = offset + TransmitBatch.HEADROOM + batch.length(index);
        offsets[slot] = offset;
        paths[slot] = batch.path(index);
        lengths[slot] = batch.length(index);
        unsealed[slot] = batch.isUnsealed(index);
        added++;
        waiting = true;
        batch.sent(1);
        return 1;
    }

    /** Returns where so many bytes fit in one piece, or {@link #NO_ROOM}. The oldest waiting packet is never reached. */
    private int place(int bytes) {
        if (added == delivered) {
            return 0;
        }
        if (added - delivered == CAPACITY) {
            return NO_ROOM;
        }
        int oldest = offsets[(int) (delivered % CAPACITY)];
        if (nextOffset > oldest) {
            if (nextOffset + bytes <= BYTES) {
                return nextOffset;
            }
            return bytes <= oldest ? 0 : NO_ROOM;
        }
        return nextOffset + bytes <= oldest ? nextOffset : NO_ROOM;
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
        frame.begin(ring, offsets[slot] + TransmitBatch.HEADROOM, lengths[slot]).sentBy(paths[slot]).fromMemory();
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
