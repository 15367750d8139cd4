// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import java.util.function.LongSupplier;

/**
 * Decides whether short calls are executed on the threads of their connections, which saves two changes of thread for each call: always,
 * until one of them took longer than a millisecond, because its data were not in the page cache. Then a tenth of a second passes first, so
 * that no connection's other calls wait for the disk more often. Any thread.
 */
final class ConnectionThreads {
    static final long LONGEST_NS = 1_000_000;
    static final long PAUSE_NS = 100_000_000;

    private final LongSupplier nanoTime;
    private volatile long notBeforeNs;

    /** @param nanoTime nanoseconds since any time */
    ConnectionThreads(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        notBeforeNs = nanoTime.getAsLong();
    }

    boolean mayExecute() {
        return nanoTime.getAsLong() - notBeforeNs >= 0;
    }

    /** Executes a call on the caller's thread, that of a connection. */
    void execute(Runnable call) {
        long beganNs = nanoTime.getAsLong();
        call.run();
        long endNs = nanoTime.getAsLong();
        if (endNs - beganNs > LONGEST_NS) {
            notBeforeNs = endNs + PAUSE_NS;
        }
    }
}
