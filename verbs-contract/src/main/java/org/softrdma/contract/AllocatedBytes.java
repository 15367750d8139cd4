// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.function.Executable;

/** Measures the bytes that a piece of work allocates on its thread. */
public final class AllocatedBytes {
    private static final int RUNS = 10;

    private AllocatedBytes() {
    }

    /**
     * Returns the minimum of ten runs. Objects that the JIT compiler eliminates are allocated until compilation is done, which takes long
     * on a busy machine; an object that the work really needs is allocated in every run.
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
