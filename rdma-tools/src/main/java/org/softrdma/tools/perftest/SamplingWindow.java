// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.concurrent.TimeUnit;

/** Time window of a timed test: a margin, the counted time, another margin. The caller passes the current time. */
final class SamplingWindow {
    private final long marginNs;
    private final long durationNs;
    private long beginNs;
    private boolean begun;

    SamplingWindow(int durationSeconds, int marginSeconds) {
        durationNs = TimeUnit.SECONDS.toNanos(durationSeconds);
        marginNs = TimeUnit.SECONDS.toNanos(marginSeconds);
    }

    void begin(long nowNs) {
        beginNs = nowNs;
        begun = true;
    }

    /** Whether events at this time count. */
    boolean isSampling(long nowNs) {
        long elapsedNs = nowNs - beginNs;
        return begun && elapsedNs >= marginNs && elapsedNs < durationNs - marginNs;
    }

    boolean isOver(long nowNs) {
        return begun && nowNs - beginNs >= durationNs;
    }

    long samplingNs() {
        return durationNs - 2 * marginNs;
    }
}
