// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** The lines the runner reads, {@code @ key value}, and what a process knows about itself. */
final class Report {
    private static final double[] PERCENTILES = {0, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};

    private static final com.sun.management.ThreadMXBean THREADS =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Report() {
    }

    static synchronized void value(String key, double value) {
        System.out.printf(Locale.ROOT, "@ %s %.6g%n", key, value);
        System.out.flush();
    }

    /** @param halfRoundTrips nanoseconds; reported in microseconds */
    static void latency(Histogram halfRoundTrips) {
        for (double percentile : PERCENTILES) {
            String name = percentile == (long) percentile ? Long.toString((long) percentile) : Double.toString(percentile);
            value("us.p" + name, halfRoundTrips.getValueAtPercentile(percentile) / 1e3);
        }
        value("us.mean", halfRoundTrips.getMean() / 1e3);
    }

    /** Heap bytes allocated by all Java threads since the start. */
    static long allocatedBytes() {
        return THREADS.getTotalThreadAllocatedBytes();
    }

    /** CPU time of this process, all threads. */
    static long cpuNs() {
        return SYSTEM.getProcessCpuTime();
    }
}
