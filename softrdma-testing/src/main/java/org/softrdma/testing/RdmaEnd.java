// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.lang.foreign.Arena;
import java.time.Duration;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.WorkCompletion;

/**
 * One end of an {@link RdmaPair}. Memory that is registered with its protection domain belongs to the program, which closes it; everything
 * else is closed with the fabric.
 *
 * @param fabric  the fabric of the device
 * @param device  index of the device
 * @param context of the device
 * @param pd      protection domain of {@code qp}
 * @param cq      completion queue of both queues of {@code qp}
 * @param qp      in RTS, with 64 send and 64 receive requests, 4 elements each, and 64 bytes inline
 */
public record RdmaEnd(Fabric fabric, int device, Context context, ProtectionDomain pd, CompletionQueue cq, QueuePair qp) {
    /** Time limit of {@link #await()}, virtual or real. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Registers fresh memory, zeroed, that the peer may read, write and change by atomics.
     *
     * @param bytes its size
     * @return the region; the caller closes it
     */
    public MemoryRegion register(long bytes) {
        return pd.register(Arena.ofAuto().allocate(bytes, 8), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);
    }

    /**
     * Waits for the next completion, a failure too.
     *
     * @return the completion
     * @throws AssertionError if there is none within {@link #PATIENCE}
     */
    public WorkCompletion await() {
        WorkCompletion[] one = WorkCompletion.array(1);
        if (!fabric.runUntil(() -> cq.poll(one) == 1, PATIENCE)) {
            throw new AssertionError("no completion within " + PATIENCE.toSeconds() + (fabric.isSimulated() ? " virtual" : "")
                + " seconds; " + cq.pendingWork());
        }
        return one[0];
    }
}
