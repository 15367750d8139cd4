// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** The shared receive queues of a device by number. A number that was given back rests as long as possible. Owner's side. */
public final class SrqTable {
    private static final int LAST_NUMBER = 0xffffff;

    private final int max;
    private final Int2ObjectHashMap<SoftSharedReceiveQueue> byNumber = new Int2ObjectHashMap<>();
    private int last;

    /** @param max queues there can be at one time */
    public SrqTable(int max) {
        this.max = max;
    }

    /** @return its number, 1..2^24 - 1 */
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

    /** Null if no queue has that number. */
    public SoftSharedReceiveQueue find(int number) {
        return byNumber.get(number);
    }

    public void leave(SoftSharedReceiveQueue queue) {
        byNumber.remove(queue.number());
    }
}
