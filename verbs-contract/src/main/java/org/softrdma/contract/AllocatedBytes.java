// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.function.Executable;

/** What a piece of work allocates on the thread that does it. */
public final class AllocatedBytes {
    private static final int RUNS = 10;

    private AllocatedBytes() {
    }

    /**
     * The least that one of ten runs allocates. Objects that the JVM's compiler proves away are there until it is done, which takes long
     * where the machine is busy; an object that the work really needs is in every run.
     */
    public static long leastOf(Executable work) throws Throwable {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < RUNS; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            work.execute();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }
}
