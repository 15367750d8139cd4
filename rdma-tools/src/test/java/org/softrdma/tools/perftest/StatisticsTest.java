// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Numbers computed by hand. */
class StatisticsTest {
    private static final double EXACT = 1e-12;

    /** Rounds of 1 to 102 µs: the two longest are no part of the average, and the percentiles count the others. */
    @Test
    void shouldLeaveOutTheTwoLongestRounds() {
        long[] rounds = LongStream.rangeClosed(1, 102).map(i -> (103 - i) * 1000).toArray();

        LatencyStatistics statistics = LatencyStatistics.of(rounds, 1000);

        assertEquals(1, statistics.minimum(), EXACT);
        assertEquals(101, statistics.maximum(), EXACT);
        assertEquals(50.5, statistics.typical(), EXACT);
        assertEquals(50.5, statistics.average(), EXACT);
        // Of 1..n it is the square root of (n²-1)/12.
        assertEquals(Math.sqrt((100 * 100 - 1) / 12.0), statistics.deviation(), 1e-9);
        assertEquals(100, statistics.percentile99(), EXACT);
        assertEquals(101, statistics.percentile999(), EXACT);
    }

    @Test
    void shouldHalveRoundsOfTwoMessages() {
        LatencyStatistics statistics = LatencyStatistics.of(new long[] {4000, 8000, 6000, 90_000, 80_000}, 2000);

        assertEquals(2, statistics.minimum(), EXACT);
        assertEquals(3, statistics.typical(), EXACT);
        assertEquals(3, statistics.average(), EXACT);
        assertEquals(40, statistics.maximum(), EXACT);
    }

    /** Four messages, 100 ns apart; the last two are done 40 ns after they were posted. */
    @Test
    void shouldFindThePeak() {
        long[] posted = {0, 100, 200, 300};

        assertEquals(40, Peak.intervalNs(posted, new long[] {100, 200, 240, 340}, 1, 1), EXACT);
        // Only every second completes visibly; the last message alone took 40 ns.
        assertEquals(40, Peak.intervalNs(posted, new long[] {0, 200, 0, 340}, 1, 2), EXACT);
    }

    @Test
    void shouldCountAPostedListFromItsFirst() {
        // Lists of two: posts 1 and 3 have no time of their own.
        assertEquals(35, Peak.intervalNs(new long[] {0, 0, 200, 0}, new long[] {0, 120, 0, 270}, 2, 2), EXACT);
    }

    @Test
    void shouldSkipWhatDidNotCompleteVisibly() {
        // With two queue pairs the third completion did not come where one would have been due.
        assertEquals(25, Peak.intervalNs(new long[] {0, 0, 0, 0}, new long[] {0, 0, 0, 100}, 1, 2), EXACT);
    }

    @Test
    void shouldSampleBetweenTheMargins() {
        SamplingWindow window = new SamplingWindow(4, 1);
        assertFalse(window.isSampling(0));
        assertFalse(window.isOver(Long.MAX_VALUE));

        window.begin(Long.MAX_VALUE - 5);
        long second = 1_000_000_000;
        long begin = Long.MAX_VALUE - 5;
        assertFalse(window.isSampling(begin + second - 1));
        assertTrue(window.isSampling(begin + second));
        assertTrue(window.isSampling(begin + 3 * second - 1));
        assertFalse(window.isSampling(begin + 3 * second));
        assertFalse(window.isOver(begin + 4 * second - 1));
        assertTrue(window.isOver(begin + 4 * second));
        assertEquals(2 * second, window.samplingNs());
    }
}
