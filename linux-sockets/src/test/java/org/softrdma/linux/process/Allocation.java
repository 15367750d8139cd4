// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Measurement of what a call allocates in the Java heap, after the JIT has compiled it. */
final class Allocation {
    static final int ATTEMPTS = 10;
    private static final int ROUNDS = 20_000;
    /** Time for the compiler, which may wait for a processor on a busy machine. */
    private static final long PATIENCE_NS = 20_000_000_000L;
    /** Samples, and what the JVM adds for the measurement itself. */
    private static final double MAX_BYTES_PER_ROUND = 0.5;

    private Allocation() {
    }

    static void assertNone(Runnable round) {
        assertNone(round, ROUNDS);
    }

    /** Runs {@link #ATTEMPTS} times as many rounds as named, or more until the compiler had its time. */
    static void assertNone(Runnable round, int rounds) {
        String level = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).getVMOption("TieredStopAtLevel").getValue();
        assumeTrue(level.equals("4"), "needs the optimising compiler, which removes what native calls allocate");
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double least = Double.MAX_VALUE;
        long endNs = System.nanoTime() + PATIENCE_NS;
        for (int attempt = 0; least > MAX_BYTES_PER_ROUND && (attempt < ATTEMPTS || System.nanoTime() - endNs < 0); attempt++) {
            long before = bean.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                round.run();
            }
            least = Math.min(least, (bean.getCurrentThreadAllocatedBytes() - before) / (double) rounds);
        }
        double bytes = least;
        assertTrue(bytes <= MAX_BYTES_PER_ROUND, () -> bytes + " bytes a round");
    }
}
