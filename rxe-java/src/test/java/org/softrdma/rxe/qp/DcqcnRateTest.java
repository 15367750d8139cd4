// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.softrdma.rxe.config.CongestionControl;

/** Expected rates are worked out from the equations of the DCQCN paper (SIGCOMM 2015, §3.1), by hand or by {@link Paper}. */
class DcqcnRateTest {
    private static final long US = 1_000;
    private static final double G = 1e9;
    /** As in the paper's tests: 40 Gbit/s. */
    private static final CongestionControl AT_40G = CongestionControl.DCQCN.withLineRate(40_000_000_000L);

    private final DcqcnRate rate = new DcqcnRate(AT_40G);

    @Test
    void shouldLimitNothingBeforeTheFirstNotification() {
        rate.advance(10_000_000 * US);
        assertFalse(rate.isLimiting());
        assertEquals(40 * G, rate.bitsPerSecond());
    }

    /** α is 1: R_C = R_C (1 − 1/2). Then five stages of (R_T + R_C) / 2, then R_T grows, but not over the line's rate. */
    @Test
    void shouldHalveAndRecoverFast() {
        rate.onNotification(0);
        assertTrue(rate.isLimiting());
        assertEquals(20 * G, rate.bitsPerSecond());
        assertEquals(40 * G, rate.target());
        assertEquals(1, rate.alpha(), 1e-12);
        double[] expected = {30, 35, 37.5, 38.75, 39.375, 39.6875, 39.84375, 39.921875};
        for (int i = 0; i < expected.length; i++) {
            rate.advance((i + 1) * 55 * US - 1);
            assertEquals((i == 0 ? 20 : expected[i - 1]) * G, rate.bitsPerSecond(), 1);
            rate.advance((i + 1) * 55 * US);
            assertEquals(expected[i] * G, rate.bitsPerSecond(), 1);
        }
    }

    @Test
    void shouldStopLimitingAtTheLineRate() {
        rate.onNotification(0);
        rate.advance(100_000 * US);
        assertFalse(rate.isLimiting());
        assertEquals(40 * G, rate.bitsPerSecond());
    }

    /** Two notifications: R_T = 20 Gbit/s, R_C = 10. From the sixth stage on, R_T rises by 40 Mbit/s each. */
    @Test
    void shouldIncreaseAdditivelyAfterFastRecovery() {
        rate.onNotification(0);
        rate.onNotification(0);
        assertEquals(10 * G, rate.bitsPerSecond());
        assertEquals(20 * G, rate.target());
        rate.advance(5 * 55 * US);
        assertEquals(19.6875 * G, rate.bitsPerSecond(), 1);
        assertEquals(20 * G, rate.target());
        rate.advance(6 * 55 * US);
        assertEquals(20.04 * G, rate.target(), 1);
        assertEquals((20.04 + 19.6875) / 2 * G, rate.bitsPerSecond(), 1);
        rate.advance(7 * 55 * US);
        assertEquals(20.08 * G, rate.target(), 1);
        assertEquals((20.08 + 19.86375) / 2 * G, rate.bitsPerSecond(), 1);
    }

    /** Each 10 MB sent are a stage, too; with both counters past five, the i-th stage adds i times 400 Mbit/s. */
    @Test
    void shouldCountBytesAndIncreaseFasterWhenBothCountersAreFar() {
        rate.onNotification(0);
        rate.onNotification(0);
        rate.onSent(9_999_999);
        assertEquals(10 * G, rate.bitsPerSecond());
        rate.onSent(1);
        assertEquals(15 * G, rate.bitsPerSecond());
        rate.onSent(50_000_000);
        assertEquals(20.04 * G, rate.target(), 1);
        // Six stages of bytes are counted; six of time are additive, as fewer than six were counted before each of them.
        rate.advance(6 * 55 * US);
        assertEquals(20.28 * G, rate.target(), 1);
        rate.advance(7 * 55 * US);
        assertEquals(20.68 * G, rate.target(), 1);
        rate.onSent(20_000_000);
        // A stage of bytes with 6 and 7 counted (1 · 400), then one with 7 and 7 (2 · 400).
        assertEquals(21.88 * G, rate.target(), 1);
    }

    /** After ten periods of 55 µs without notification α = (255/256)^10, and a notification cuts by half of that. */
    @Test
    void shouldCutLessWhenNotificationsAreRare() {
        rate.onNotification(0);
        double before = 20;
        for (int stage = 0; stage < 10; stage++) {
            before = (before + 40) / 2;
        }
        rate.advance(10 * 55 * US);
        assertFalse(rate.isLimiting(), "40 less a thousandth is the line rate");
        rate.onNotification(10 * 55 * US);
        double alpha = Math.pow(255.0 / 256, 10);
        assertEquals(40 * G * (1 - alpha / 2), rate.bitsPerSecond(), 1);
        assertEquals(alpha * 255 / 256 + 1.0 / 256, rate.alpha(), 1e-12);
    }

    @Test
    void shouldNotStopAltogether() {
        for (int i = 0; i < 100; i++) {
            rate.onNotification(i);
        }
        assertEquals(0.04 * G, rate.bitsPerSecond());
    }

    /** Catching up gives the result that running timers would have given. Each step: µs to wait, then bytes or a notification. */
    @Property(tries = 500)
    void shouldBeWhatTheEquationsSay(@ForAll @Size(max = 60) List<@IntRange(max = 400) Integer> waits, @ForAll long what) {
        DcqcnRate machine = new DcqcnRate(AT_40G);
        Paper paper = new Paper();
        long nowUs = 0;
        for (int i = 0; i < waits.size(); i++) {
            nowUs += waits.get(i);
            paper.runTo(nowUs);
            if ((what >>> i & 3) != 0) {
                machine.advance(nowUs * US);
                if (machine.isLimiting()) {
                    machine.onSent(3_000_000);
                    paper.send(3_000_000);
                }
            } else {
                machine.onNotification(nowUs * US);
                paper.notified();
            }
            assertEquals(paper.rc, machine.bitsPerSecond(), 1e-6 * paper.rc, "R_C at " + nowUs + " us");
            assertEquals(paper.rt, machine.target(), 1e-6 * paper.rt, "R_T at " + nowUs + " us");
        }
    }

    /** The paper's reaction point, with a clock that ticks every microsecond. */
    private static final class Paper {
        double rc = 40 * G;
        double rt = 40 * G;
        private double alpha = 1;
        private boolean limited;
        private boolean alphaRuns;
        private int alphaUs;
        private int timerUs;
        private long bytes;
        private int t;
        private int bc;
        private long nowUs;

        void runTo(long us) {
            for (; nowUs < us; nowUs++) {
                if (alphaRuns && ++alphaUs == 55) {
                    alphaUs = 0;
                    alpha = (1 - 1.0 / 256) * alpha;
                }
                if (limited && ++timerUs == 55) {
                    timerUs = 0;
                    rise();
                    t++;
                }
            }
        }

        void send(long count) {
            bytes += count;
            if (bytes >= 10_000_000) {
                bytes -= 10_000_000;
                rise();
                bc++;
            }
        }

        void notified() {
            rt = rc;
            rc = Math.max(rc * (1 - alpha / 2), 40 * G / 1000);
            alpha = (1 - 1.0 / 256) * alpha + 1.0 / 256;
            limited = true;
            alphaRuns = true;
            alphaUs = 0;
            timerUs = 0;
            bytes = 0;
            t = 0;
            bc = 0;
        }

        private void rise() {
            if (t > 5 && bc > 5) {
                rt += (Math.min(t, bc) - 5) * 0.4 * G;
            } else if (t >= 5 || bc >= 5) {
                rt += 0.04 * G;
            }
            rt = Math.min(rt, 40 * G);
            rc = (rt + rc) / 2;
            if (rc >= 0.999 * 40 * G) {
                rc = 40 * G;
                rt = 40 * G;
                limited = false;
            }
        }
    }
}
