// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** The shared receive queues of a device by number. A freed number is reused as late as possible. Used with the owner's lock held. */
public final class SrqTable {
    private static final int LAST_NUMBER = 0xffffff;

    private final int max;
    private final Int2ObjectHashMap<SoftSharedReceiveQueue> byNumber = new Int2ObjectHashMap<>();
    private int last;

    /**
     * Creates an empty table.
     *
     * @param max maximum number of shared receive queues at one time
     */
    public SrqTable(int max) {
        this.max = max;
    }

    /**
     * Allocates a number for a queue and adds it to the table.
     *
     * @return number, 1..2^24 - 1
     * @throws VerbsException ENOMEM if the maximum is reached
     */
    public int enter(SoftSharedReceiveQueue queue) {
        if (byNumber.size() >= max) {
            throw new VerbsException(Errno.ENOMEM, "create_srq", "the device has " + max + " shared receive queues already");
        }
        do {
            last = last == LAST_NUMBER ? 1 : last + 1;
        } while (byNumber.containsKey(last));
        byNumber.put(last, queue);
        return last;
    }

    /**
     * Finds a queue by number.
     *
     * @return null if no queue has that number
     */
    public SoftSharedReceiveQueue find(int number) {
        return byNumber.get(number);
    }

    public void leave(SoftSharedReceiveQueue queue) {
        byNumber.remove(queue.number());
    }
}
