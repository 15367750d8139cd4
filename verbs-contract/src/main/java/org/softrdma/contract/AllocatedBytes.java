// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.function.Executable;

/** Measures the bytes that a piece of work allocates on its thread. */
public final class AllocatedBytes {
    private static final int RUNS = 10;
    /** Runs at most, as long as each of them allocated more than {@link #FEW}. */
    private static final int MOST_RUNS = 100;
    /** Bytes of the measurement itself, and of rare events of the JVM. */
    private static final long FEW = 1000;

    private AllocatedBytes() {
    }

    /**
     * Returns the minimum of ten runs, or of a hundred if these allocate. Objects that the JIT compiler eliminates are allocated until
     * compilation is done, which takes long on a busy machine; an object that the work really needs is allocated in every run.
     */
    public static long leastOf(Executable work) throws Throwable {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < RUNS || i < MOST_RUNS && least > FEW; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            work.execute();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }
}
