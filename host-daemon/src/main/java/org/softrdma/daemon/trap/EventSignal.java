// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.linux.process.EventPipe;

/**
 * Keeps one byte in a file's pipe for each event that the program can read, so that the program polls its descriptor natively, also with
 * edge-triggered epoll. Of more events than the pipe has room for, those beyond have no byte until others are read. Any thread; never
 * waits.
 */
public final class EventSignal {
    private final EventPipe pipe;
    private final MemorySegment drained = Arena.ofAuto().allocate(EventPipe.MAX_RECORD_BYTES);
    /** Events that the program can read. Below 0 for a moment if one is read before it was counted. */
    private int events;
    private int bytes;

    /** Starts with no event. */
    public EventSignal(EventPipe pipe) {
        this.pipe = pipe;
    }

    /** Adds one event. */
    public synchronized void add() {
        events++;
        settle();
    }

    /** Removes events that were delivered or dropped. */
    public synchronized void remove(int count) {
        events -= count;
        settle();
    }

    private void settle() {
        while (bytes > Math.max(events, 0)) {
            int wanted = (int) Math.min(bytes - Math.max(events, 0), drained.byteSize());
            int taken = pipe.drain(drained.asSlice(0, wanted));
            // The program has read bytes itself, which the kernel's file does not have.
            bytes = taken < wanted ? 0 : bytes - taken;
        }
        while (bytes < events && pipe.writeByte()) {
            bytes++;
        }
    }
}
