// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.Arrays;

/**
 * Statistics of a latency test, microseconds. As in the original, the two longest rounds are outliers: median, average and deviation are of
 * the others, and the maximum is the shorter of the two.
 */
record LatencyStatistics(double minimum, double maximum, double typical, double average, double deviation, double percentile99,
                         double percentile999) {
    private static final int OUTLIERS = 2;

    /**
     * Computes the statistics.
     *
     * @param roundsNs from post to post, at least three; not changed
     * @param nsToUnit divisor: 1000 for microseconds, 2000 where a message is half a round
     */
    static LatencyStatistics of(long[] roundsNs, double nsToUnit) {
        long[] sorted = roundsNs.clone();
        Arrays.sort(sorted);
        int count = sorted.length - OUTLIERS;
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += sorted[i];
        }
        double average = sum / count;
        double squares = 0;
        for (int i = 0; i < count; i++) {
            squares += (sorted[i] - average) * (sorted[i] - average);
        }
        double median = count % 2 == 0 ? (sorted[count / 2] + sorted[count / 2 - 1]) / 2.0 : sorted[count / 2];
        return new LatencyStatistics(sorted[0] / nsToUnit, sorted[count] / nsToUnit, median / nsToUnit, average / nsToUnit,
            Math.sqrt(squares / count) / nsToUnit, sorted[(int) Math.ceil(count * 0.99)] / nsToUnit,
            sorted[(int) Math.ceil(count * 0.999)] / nsToUnit);
    }
}
