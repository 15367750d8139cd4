// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Packets on their way to a link, one directly behind the other in one native buffer, filled in order and sent from the front: equal
 * packets are one piece of memory, as a link that hands them over as a train wants it.
 *
 * <pre>
 *   | headroom | BTH … payload, pad, ICRC | BTH … ICRC | BTH … ICRC | free
 *              ^ offset(0)                ^ offset(1)    length(i) bytes each
 * </pre>
 *
 * Owned by the device's agent; not thread-safe.
 */
public final class TransmitBatch {
    /** Bytes before the first packet, and before every received one, that belong to whoever computes the ICRC or adds headers. */
    public static final int HEADROOM = 128;
    /** Most packets a link can hand over as one train: the Linux kernel's UDP_MAX_SEGMENTS of old. */
    public static final int TRAIN_PACKETS = 64;
    /** Longest train, bytes: it is one UDP datagram on its way to the kernel. */
    public static final int TRAIN_BYTES = 65_000;

    private final int maxPackets;
    private final int maxPacketBytes;
    private final ByteBuffer buffer;
    private final MemorySegment memory;
    private final Path[] paths;
    private final int[] offsets;
    private final int[] lengths;
    private int first;
    private int end;

    /**
     * @param maxPackets     packets the batch holds
     * @param maxPacketBytes the longest packet, BTH to ICRC
     */
    public TransmitBatch(int maxPackets, int maxPacketBytes) {
        this.maxPackets = maxPackets;
        this.maxPacketBytes = maxPacketBytes;
        buffer = ByteBuffer.allocateDirect(HEADROOM + maxPackets * maxPacketBytes);
        memory = MemorySegment.ofBuffer(buffer);
        paths = new Path[maxPackets];
        offsets = new int[maxPackets + 1];
        offsets[0] = HEADROOM;
        lengths = new int[maxPackets];
    }

    /** The number of packets, at most {@code most} and at least 1, that fill whole trains. @param packetBytes BTH to ICRC */
    public static int wholeTrains(int packetBytes, int most) {
        int train = Math.min(TRAIN_PACKETS, TRAIN_BYTES / packetBytes);
        return most <= train ? most : most - most % train;
    }

    /** The one buffer of all packets, big-endian. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** The same bytes as {@link #buffer()}. */
    public MemorySegment memory() {
        return memory;
    }

    public boolean isFull() {
        return end == maxPackets;
    }

    public boolean isEmpty() {
        return first == end;
    }

    /** Packets that still fit. */
    public int room() {
        return maxPackets - end;
    }

    /** Starts the next packet; {@link #isFull()} must be false. @return where its BTH goes in {@link #buffer()} */
    public int begin(Path path) {
        paths[end] = path;
        return offsets[end];
    }

    /** Finishes the packet begun last. @param length bytes from BTH to ICRC, both inclusive */
    public void commit(int length) {
        assert length <= maxPacketBytes;
        lengths[end++] = length;
        offsets[end] = offsets[end - 1] + length;
    }

    /** Index of the oldest packet not sent yet. */
    public int first() {
        return first;
    }

    /** Index after the newest packet. */
    public int end() {
        return end;
    }

    public Path path(int index) {
        return paths[index];
    }

    /** Where the BTH of a packet stands in {@link #buffer()}. */
    public int offset(int index) {
        return offsets[index];
    }

    /** Bytes from BTH to ICRC. */
    public int length(int index) {
        return lengths[index];
    }

    /** The link took {@code count} packets from the front. */
    public void sent(int count) {
        first += count;
        if (first == end) {
            first = 0;
            end = 0;
        }
    }
}
