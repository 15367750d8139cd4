// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import org.softrdma.tools.cli.ToolFailure;

/** Limits that a test must reach with at least one of its sizes: {@code -w} and {@code -y}. */
final class Limits {
    private final Parameters parameters;
    private boolean bandwidthReached;
    private boolean rateReached;

    Limits(Parameters parameters) {
        this.parameters = parameters;
    }

    void take(BandwidthReport report) {
        bandwidthReached |= report.average() >= parameters.limitBandwidth;
        rateReached |= report.rate() >= parameters.limitMessageRate;
    }

    /**
     * Checks a result against the limits.
     *
     * @throws ToolFailure in the original's words
     */
    void require() {
        if (!bandwidthReached && parameters.limitBandwidth >= 0) {
            throw new ToolFailure("Error: BW result is below bw limit");
        }
        if (!rateReached && parameters.limitMessageRate >= 0) {
            throw new ToolFailure("Error: Msg rate  is below msg_rate limit");
        }
    }
}
