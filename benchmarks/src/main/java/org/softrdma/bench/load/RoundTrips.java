// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import org.HdrHistogram.Histogram;

/** The measuring end of a ping-pong, whatever the ball: one round trip after the other, of which half is the latency. */
final class RoundTrips {
    private static final long LONGEST_NS = 10_000_000_000L;

    private final Histogram halves = new Histogram(LONGEST_NS, 3);
    private long startAllocated = -1;
    private long allocated;

    /** There and back. */
    interface Trip {
        void go() throws IOException;
    }

    /** Warms up ({@code firstWarm}) and measures ({@code seconds}). */
    void run(Settings settings, Trip trip) throws IOException {
        long nowNs = System.nanoTime();
        long measureFromNs = nowNs + settings.seconds("firstWarm", 2);
        long untilNs = measureFromNs + settings.seconds("seconds", 2);
        while (nowNs - untilNs < 0) {
            long beganNs = nowNs;
            trip.go();
            nowNs = System.nanoTime();
            if (beganNs - measureFromNs >= 0) {
                record(nowNs - beganNs);
            }
        }
        allocated = Report.allocatedBytes() - startAllocated;
    }

    private void record(long tripNs) {
        if (startAllocated < 0) {
            startAllocated = Report.allocatedBytes();
        }
        halves.recordValue(tripNs >> 1);
    }

    void reportLatency() {
        Report.latency(halves);
    }

    /** Bytes of this process for each round trip. */
    void reportAllocation() {
        Report.value("alloc", (double) allocated / halves.getTotalCount());
    }
}
