// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.function.LongSupplier;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Room in this process's heap for the objects of programs. The daemon ends when its heap is exhausted, and with it the devices of all
 * programs; so new objects are refused before, while enough is left for those that exist. Garbage counts as used until it is collected:
 * only when much has been allocated since the last collection is there another one, and at most one in two seconds while room is scarce.
 */
public final class HeapRoom {
    /** Part of the heap that objects may fill: less than its old generation, which is two thirds. */
    private static final int LIMIT_PERCENT = 60;
    /** Part of the heap that may be allocated beyond the limit before the collector has to tell what of it is in use. */
    private static final int STEP_PERCENT = 5;
    private static final long PAUSE_NS = 2_000_000_000L;
    private static final int WHOLE_PERCENT = 100;
    private static final System.Logger LOG = System.getLogger(HeapRoom.class.getName());

    private static final HeapRoom OF_PROCESS = new HeapRoom(Runtime.getRuntime().maxMemory(), HeapRoom::usedBytes, System::gc);

    private final long limitBytes;
    private final long stepBytes;
    private final LongSupplier used;
    private final Runnable collector;
    private long usedAfterCollection;
    private long collectedNs;
    private boolean scarce;

    /**
     * @param maxBytes  size of the heap
     * @param used      what is in use, with garbage
     * @param collector collects garbage
     */
    HeapRoom(long maxBytes, LongSupplier used, Runnable collector) {
        limitBytes = maxBytes / WHOLE_PERCENT * LIMIT_PERCENT;
        stepBytes = maxBytes / WHOLE_PERCENT * STEP_PERCENT;
        this.used = used;
        this.collector = collector;
    }

    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /**
     * Requires room for one more object. Any thread.
     *
     * @throws VerbsException ENOMEM
     */
    public static void require(String verb) {
        if (OF_PROCESS.isScarce(System.nanoTime())) {
            throw new VerbsException(Errno.ENOMEM, verb, "the objects of programs fill the daemon's heap; destroy some");
        }
    }

    synchronized boolean isScarce(long nowNs) {
        long usedBytes = used.getAsLong();
        if (usedBytes < limitBytes) {
            scarce = false;
            return false;
        }
        boolean known = scarce ? nowNs - collectedNs < PAUSE_NS : usedBytes - usedAfterCollection < stepBytes;
        if (!known) {
            collector.run();
            usedAfterCollection = used.getAsLong();
            collectedNs = nowNs;
            boolean full = usedAfterCollection >= limitBytes;
            if (full && !scarce) {
                LOG.log(System.Logger.Level.WARNING, "the objects of programs fill the heap, new ones are refused with ENOMEM: "
                    + usedAfterCollection + " bytes of " + limitBytes);
            }
            scarce = full;
        }
        return scarce;
    }
}
