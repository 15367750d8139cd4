// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Packets to send, one directly behind the other in one native buffer, filled in order and sent from the front. Consecutive packets are
 * contiguous memory, so that a link can pass them to the host as a train.
 *
 * <pre>
 *   | headroom | BTH … payload, pad, ICRC | BTH … ICRC | BTH … ICRC | free
 *              ^ offset(0)                ^ offset(1)    length(i) bytes each
 * </pre>
 *
 * Owned by the device's agent; not thread-safe.
 */
public final class TransmitBatch {
    /** Bytes before the first packet, and before every received one, that may be overwritten by ICRC computation and added headers. */
    public static final int HEADROOM = 128;
    /** Maximum packets of a train: UDP_MAX_SEGMENTS of older Linux kernels. */
    public static final int TRAIN_PACKETS = 64;
    /** Maximum bytes of a train: it is passed to the kernel as one UDP datagram. */
    public static final int TRAIN_BYTES = 65_000;

    private final int maxPackets;
    private final int maxPacketBytes;
    /** Last offset at which the longest packet fits. */
    private final int lastOffset;
    private final ByteBuffer buffer;
    private final MemorySegment memory;
    private final Path[] paths;
    private final int[] offsets;
    private final int[] lengths;
    private final boolean[] unsealed;
    private int first;
    /** After the newest packet; at most that is shown. */
    private int end;
    private int shownEnd;

    /**
     * Allocates the buffer.
     *
     * @param maxPackets     packets the batch holds
     * @param maxPacketBytes the longest packet, BTH to ICRC
     */
    public TransmitBatch(int maxPackets, int maxPacketBytes) {
        this(maxPackets, maxPacketBytes, maxPackets * maxPacketBytes);
    }

    /**
     * Allocates the buffer of a batch that holds fewer packets if they are long.
     *
     * @param maxPackets     packets the batch holds
     * @param maxPacketBytes the longest packet, BTH to ICRC
     * @param bytes          of all packets; at least those of the longest one
     */
    public TransmitBatch(int maxPackets, int maxPacketBytes, int bytes) {
        this.maxPackets = maxPackets;
        this.maxPacketBytes = maxPacketBytes;
        lastOffset = HEADROOM + bytes - maxPacketBytes;
        buffer = ByteBuffer.allocateDirect(HEADROOM + bytes);
        memory = MemorySegment.ofBuffer(buffer);
        paths = new Path[maxPackets];
        offsets = new int[maxPackets + 1];
        offsets[0] = HEADROOM;
        lengths = new int[maxPackets];
        unsealed = new boolean[maxPackets];
    }

    /**
     * Rounds a number of packets down to whole trains.
     *
     * @param packetBytes BTH to ICRC
     * @param most        packets, at least 1
     * @return packets, at least 1
     */
    public static int wholeTrains(int packetBytes, int most) {
        int train = Math.clamp(TRAIN_BYTES / packetBytes, 1, TRAIN_PACKETS);
        return most <= train ? most : most - most % train;
    }

    /** The buffer of all packets, big-endian. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** The bytes of {@link #buffer()} as a memory segment. */
    public MemorySegment memory() {
        return memory;
    }

    /** Whether there is no room for another packet of the longest kind. */
    public boolean isFull() {
        return end == maxPackets || offsets[end] > lastOffset;
    }

    public boolean isEmpty() {
        return first == shownEnd;
    }

    /** Packets that still fit. */
    public int room() {
        return maxPackets - end;
    }

    /**
     * Starts the next packet; {@link #isFull()} must be false.
     *
     * @return offset of its BTH in {@link #buffer()}
     */
    public int begin(Path path) {
        paths[end] = path;
        return offsets[end];
    }

    /**
     * Finishes the packet begun last.
     *
     * @param length bytes from BTH to ICRC, both inclusive
     */
    public void commit(int length) {
        commit(length, true);
    }

    /**
     * Finishes the packet begun last.
     *
     * @param length bytes from BTH to ICRC, both inclusive
     * @param sealed whether its ICRC was computed; if not, the packet must stay in memory
     */
    public void commit(int length, boolean sealed) {
        assert length <= maxPacketBytes;
        unsealed[end] = !sealed;
        lengths[end++] = length;
        shownEnd = end;
        offsets[end] = offsets[end - 1] + length;
    }

    /** Index of the oldest packet not sent yet. */
    public int first() {
        return first;
    }

    /** Index after the newest packet. */
    public int end() {
        return shownEnd;
    }

    /**
     * Hides the packets from {@code index} on from a link below, which sends those before them. No packet may be added until
     * {@link #showAll}.
     */
    public void showUpTo(int index) {
        shownEnd = index;
    }

    /** Ends {@link #showUpTo}. */
    public void showAll() {
        shownEnd = end;
    }

    public Path path(int index) {
        return paths[index];
    }

    /** Offset of the BTH of a packet in {@link #buffer()}. */
    public int offset(int index) {
        return offsets[index];
    }

    /** Bytes from BTH to ICRC. */
    public int length(int index) {
        return lengths[index];
    }

    /** Returns whether the packet has no ICRC, only room for it. */
    public boolean isUnsealed(int index) {
        return unsealed[index];
    }

    /** Removes {@code count} packets from the front: the link sent or dropped them. */
    public void sent(int count) {
        first += count;
        if (first == end) {
            first = 0;
            end = 0;
            shownEnd = 0;
        }
    }
}
