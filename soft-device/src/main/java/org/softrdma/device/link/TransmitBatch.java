// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.link;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Packets on their way to a link: a fixed number of slots in one native buffer, filled in order and sent from the front.
 *
 * <pre>
 *   slot:  | headroom (HEADROOM bytes, for masked or real L2..L4 headers) | BTH … payload, pad, ICRC |
 *                                                                         ^ offset(i)   length(i) bytes
 * </pre>
 *
 * Owned by the device's agent; not thread-safe.
 */
public final class TransmitBatch {
    /** Bytes before every packet that belong to whoever computes the ICRC or adds headers. */
    public static final int HEADROOM = 128;

    private final int slots;
    private final int slotBytes;
    private final ByteBuffer buffer;
    private final MemorySegment memory;
    private final Path[] paths;
    private final int[] lengths;
    private int first;
    private int end;

    /**
     * @param slots          packets the batch holds
     * @param maxPacketBytes the longest packet, BTH to ICRC
     */
    public TransmitBatch(int slots, int maxPacketBytes) {
        this.slots = slots;
        slotBytes = HEADROOM + (maxPacketBytes + 63 & ~63);
        buffer = ByteBuffer.allocateDirect(slots * slotBytes);
        memory = MemorySegment.ofBuffer(buffer);
        paths = new Path[slots];
        lengths = new int[slots];
    }

    /** The one buffer of all slots, big-endian. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** The same bytes as {@link #buffer()}. */
    public MemorySegment memory() {
        return memory;
    }

    public boolean isFull() {
        return end == slots;
    }

    public boolean isEmpty() {
        return first == end;
    }

    /** Slots still free. */
    public int room() {
        return slots - end;
    }

    /** Starts the next packet; {@link #isFull()} must be false. @return where its BTH goes in {@link #buffer()} */
    public int begin(Path path) {
        paths[end] = path;
        return end * slotBytes + HEADROOM;
    }

    /** Finishes the packet begun last. @param length bytes from BTH to ICRC, both inclusive */
    public void commit(int length) {
        lengths[end++] = length;
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
        return index * slotBytes + HEADROOM;
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
