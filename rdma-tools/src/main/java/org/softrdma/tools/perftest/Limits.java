// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import org.softrdma.tools.cli.ToolFailure;

/** What a test must reach, {@code -w} and {@code -y}: with one of its sizes at least. */
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

    /** @throws ToolFailure in the original's words */
    void require() {
        if (!bandwidthReached && parameters.limitBandwidth >= 0) {
            throw new ToolFailure("Error: BW result is below bw limit");
        }
        if (!rateReached && parameters.limitMessageRate >= 0) {
            throw new ToolFailure("Error: Msg rate  is below msg_rate limit");
        }
    }
}
