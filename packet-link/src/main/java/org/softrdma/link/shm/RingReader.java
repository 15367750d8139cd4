// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;

/**
 * The receiver's end of a {@link Ring}. Its contents are not trusted: a header is read once and checked, a packet is copied before anything
 * looks at it, and positions are the reader's own. For the link's owner, except {@link #park}, {@link #hasPackets} and {@link #unpark}.
 */
final class RingReader {
    /** After so many bytes the sender may use them again, even if there is more to read. */
    private static final int RELEASED_AT_ONCE = Ring.DATA_BYTES / 8;

    private final Path file;
    private final MemorySegment ring;
    private final Gid local;
    private final long senderHigh;
    private final long senderLow;
    /** Bytes consumed since the beginning, a multiple of 8. Written by the owner; a thread that parks reads it. */
    private final AtomicLong position = new AtomicLong();
    private long released;
    private boolean broken;
    /** No packet was read yet. */
    private boolean fresh = true;

    private RingReader(Path file, MemorySegment ring, Gid local) {
        this.file = file;
        this.ring = ring;
        this.local = local;
        senderHigh = ring.get(ValueLayout.JAVA_LONG, Ring.SENDER_HIGH_AT);
        senderLow = ring.get(ValueLayout.JAVA_LONG, Ring.SENDER_LOW_AT);
    }

    /**
     * Begins to read a ring.
     *
     * @param file  of the ring
     * @param ring  its memory
     * @param local address of this host that its packets are for
     * @return null if it is not a ring, or its sender is a group
     */
    static RingReader attach(Path file, MemorySegment ring, Gid local) {
        if (ring.byteSize() != Ring.FILE_BYTES || Ring.get(ring, Ring.MAGIC_AT) != Ring.MAGIC) {
            return null;
        }
        RingReader reader = new RingReader(file, ring, local);
        if (new Gid(reader.senderHigh, reader.senderLow).isMulticast() || !Ring.changeState(ring, Ring.NEW, Ring.AWAKE)) {
            return null;
        }
        return reader;
    }

    Path file() {
        return file;
    }

    Gid local() {
        return local;
    }

    private long headerAt(long at) {
        return Ring.get(ring, Ring.DATA_AT + (at & Ring.INDEX_MASK));
    }

    /** Whether the sender has written something that was not read. */
    boolean hasPackets() {
        return !broken && headerAt(position.getAcquire()) != 0;
    }

    /** Whether there are packets, and they are the first ones. */
    boolean begins() {
        return fresh && hasPackets();
    }

    /**
     * Delivers packets, each from a copy.
     *
     * @param slot  for one packet of {@link ReceivedFrame#MAX_PACKET_BYTES} behind {@link TransmitBatch#HEADROOM} bytes
     * @param bytes of {@code slot}
     * @param limit packets
     * @return packets delivered
     */
    int read(FrameHandler handler, ReceivedFrame frame, ByteBuffer slot, MemorySegment bytes, int limit) {
        int count = 0;
        long at = position.getPlain();
        while (count < limit) {
            long header = broken ? 0 : headerAt(at);
            int index = (int) (at & Ring.INDEX_MASK);
            if (header == 0) {
                break;
            }
            if (header == Ring.PADDING && index > 0) {
                at += Ring.DATA_BYTES - index;
                continue;
            }
            int length = Ring.length(header);
            if (length == 0 || length > ReceivedFrame.MAX_PACKET_BYTES || Ring.recordBytes(length) > Ring.DATA_BYTES - index) {
                broken = true;
                break;
            }
            MemorySegment.copy(ring, Ring.DATA_AT + index + Ring.HEADER_BYTES, bytes, TransmitBatch.HEADROOM, length);
            at += Ring.recordBytes(length);
            fill(frame.begin(slot, TransmitBatch.HEADROOM, length), header);
            moveTo(at, RELEASED_AT_ONCE);
            count++;
            handler.onFrame(frame);
        }
        fresh &= count == 0;
        moveTo(at, 1);
        return count;
    }

    private void fill(ReceivedFrame frame, long header) {
        frame.addresses(local, senderHigh, senderLow).ports(Ring.sourcePort(header), Ring.destPort(header)).ipId(0)
            .trafficClass(Ring.trafficClass(header));
        if (Ring.isRoceV1(header)) {
            frame.roceV1();
        }
        if (Ring.isUnsealed(header)) {
            frame.withoutIcrc();
        }
    }

    /** Sets the position, and lets the sender use the bytes that were consumed if there are enough of them. */
    private void moveTo(long at, int least) {
        position.setRelease(at);
        if (at - released >= least) {
            released = at;
            Ring.put(ring, Ring.CONSUMED_AT, at);
        }
    }

    /** Marks the ring: its sender is to wake this end for packets written from now on. A fence and {@link #hasPackets} follow. */
    void park() {
        Ring.changeState(ring, Ring.AWAKE, Ring.PARKED);
    }

    /** Ends {@link #park}. */
    void unpark() {
        Ring.changeState(ring, Ring.PARKED, Ring.AWAKE);
    }

    /** Whether a header was invalid: nothing more is read. */
    boolean isBroken() {
        return broken;
    }

    /** Whether the sender has closed the ring: it writes nothing more. */
    boolean isClosed() {
        return Ring.get(ring, Ring.CLOSED_AT) != 0;
    }

    /** Has the sender take another way. */
    void close() {
        Ring.put(ring, Ring.STATE_AT, Ring.CLOSED);
    }
}
