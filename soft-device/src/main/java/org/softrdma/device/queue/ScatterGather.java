// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import java.lang.foreign.MemorySegment;
import org.softrdma.device.memory.AccessFailures;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.reason.Failure;

/**
 * Copies bytes between packets and the scatter/gather elements of a work request. The key of an element is looked up again for each packet,
 * so that a region deregistered in the middle of a message is not accessed any more.
 */
public final class ScatterGather {
    private final MemoryTable memory;
    private final int pd;
    private final int qpn;

    /**
     * Creates the copier of a queue.
     *
     * @param pd  number of the protection domain that the keys must belong to
     * @param qpn number of the queue pair that uses the keys, or 0 for a queue's receives
     */
    public ScatterGather(MemoryTable memory, int pd, int qpn) {
        this.memory = memory;
        this.pd = pd;
        this.qpn = qpn;
    }

    /**
     * Checks all elements of a record. Elements of length 0 need no key.
     *
     * @param rights bits of {@link AccessFlags}
     * @return true if each element lies in registered memory that grants {@code rights}
     */
    public boolean check(WorkRing ring, long sequence, int rights) {
        for (int i = 0; i < ring.elements(sequence); i++) {
            long length = ring.elementLength(sequence, i);
            if (length > 0 && find(ring, sequence, i, length, rights) == null) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies a part of the message from the elements to a packet.
     *
     * @param offset position of the part in the message, bytes
     * @return false on a protection error
     */
    public boolean gather(WorkRing ring, long sequence, long offset, int length, MemorySegment to, long toOffset) {
        return move(ring, sequence, offset, length, to, toOffset, 0);
    }

    /**
     * Copies a part of the message from a packet into the elements.
     *
     * @param offset position of the part in the message, bytes
     * @return false on a protection error
     */
    public boolean scatter(WorkRing ring, long sequence, long offset, int length, MemorySegment from, long fromOffset) {
        return move(ring, sequence, offset, length, from, fromOffset, AccessFlags.LOCAL_WRITE);
    }

    /**
     * Writes the original value of an atomic into the elements, in the host's byte order.
     *
     * @return false on a protection error
     */
    public boolean scatterOriginal(WorkRing ring, long sequence, long original) {
        return scatter(ring, sequence, 0, Long.BYTES, memory.hostOrder(original), 0);
    }

    /**
     * Explains why {@link #check}, {@link #gather} or {@link #scatter} refused a record: by its first element that cannot be used.
     *
     * @param rights bits of {@link AccessFlags} that were needed
     */
    public Failure explain(WorkRing ring, long sequence, int rights) {
        int element = 0;
        while (element < ring.elements(sequence) - 1) {
            long length = ring.elementLength(sequence, element);
            if (length > 0 && find(ring, sequence, element, length, rights) == null) {
                break;
            }
            element++;
        }
        return AccessFailures.local(memory, ring.elementLkey(sequence, element), pd, rights, ring.elementAddress(sequence, element),
            ring.elementLength(sequence, element));
    }

    private boolean move(WorkRing ring, long sequence, long offset, int length, MemorySegment packet, long packetOffset, int rights) {
        long skip = offset;
        int left = length;
        long at = packetOffset;
        for (int i = 0; left > 0; i++) {
            if (i == ring.elements(sequence)) {
                return false;
            }
            long here = ring.elementLength(sequence, i);
            if (skip >= here) {
                skip -= here;
                continue;
            }
            Region region = find(ring, sequence, i, here, rights);
            if (region == null) {
                return false;
            }
            int bytes = (int) Math.min(left, here - skip);
            long va = ring.elementAddress(sequence, i) + skip;
            boolean moved = rights == 0 ? region.copyOut(va, packet, at, bytes) : region.copyIn(va, packet, at, bytes);
            if (!moved) {
                return false;
            }
            skip = 0;
            left -= bytes;
            at += bytes;
        }
        return true;
    }

    private Region find(WorkRing ring, long sequence, int element, long length, int rights) {
        int lkey = ring.elementLkey(sequence, element);
        // Keys of memory windows are valid for remote access only. IBA vol 1 §10.6.7
        Region region = MemoryTable.isWindow(lkey) ? null : memory.lookup(lkey);
        boolean usable = region != null && region.grants(pd, qpn, rights) && region.covers(ring.elementAddress(sequence, element), length);
        return usable ? region : null;
    }
}
