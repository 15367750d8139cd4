// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.rxe.config.CongestionControl;

class CongestionPointTest {
    private static final int PACKET_BYTES = 4112;
    private static final long MS = 1_000_000;
    private static final String SLOW_TO_RISE = "timer=1s,bytes=999999999";

    /** At 1 Mbit/s a packet costs 33 ms, but a millisecond later the rate is a multiple of that, and more packets may be sent. */
    @Test
    void shouldNotGoOnWaitingForALowRateThatHasRisen() {
        CongestionPoint point = new CongestionPoint(CongestionControl.parse("dcqcn,rate=1gbit"), new Counters<>(RxeCounter.class));
        long nowNs = 0;
        for (int i = 0; i < 40; i++) {
            nowNs += 50_000;
            point.onNotification(nowNs);
        }
        long startNs = nowNs;
        assertEquals(1, point.packets(nowNs, 64, PACKET_BYTES));
        point.onSent(PACKET_BYTES, true);
        assertEquals(0, point.packets(nowNs + MS / 50, 64, PACKET_BYTES), "the rate is used up");
        point.onSent(0, true);
        int allowed = 0;
        while (allowed == 0) {
            nowNs = point.deadlineNs();
            assertTrue(nowNs - startNs <= 2 * MS, "it waits for " + (nowNs - startNs) + " ns");
            point.onTimer(nowNs);
            allowed = point.packets(nowNs, 64, PACKET_BYTES);
            point.onSent(allowed * PACKET_BYTES, true);
        }
        // Additive increase alone brings 40 Mbit/s each 55 us from the sixth stage on: 13 of them in the millisecond.
        assertTrue(nowNs - startNs >= MS / 2, "before the rate has risen, after " + (nowNs - startNs) + " ns");
    }

    private static CongestionPoint point(String settings) {
        return new CongestionPoint(CongestionControl.parse("dcqcn,rate=1gbit," + settings), new Counters<>(RxeCounter.class));
    }

    /** IBA vol 1 annex A17 leaves the interval open; the DCQCN paper, §3.1: one notification in it, however many packets are marked. */
    @Test
    void shouldOweOneNotificationInAnInterval() {
        CongestionPoint point = point("cnp=50us");
        point.onMark(1000);
        assertTrue(point.owesNotification());
        point.onNotified();
        point.onMark(50_999);
        assertFalse(point.owesNotification());
        point.onMark(51_000);
        assertTrue(point.owesNotification());
    }

    /** A packet of 1000 bytes takes 16 µs at half of 1 Gbit/s. The second notification slows down what follows, but forgives nothing. */
    @Test
    void shouldWaitUntilWhatWasSentIsPaidFor() {
        CongestionPoint point = point(SLOW_TO_RISE);
        point.onNotification(5 * MS);
        assertEquals(1, point.packets(5 * MS, 64, 1000), "nothing is used up, and no credit was gathered before");
        point.onSent(1000, false);
        point.onNotification(5 * MS);
        assertEquals(0, point.packets(5 * MS + 15_999, 64, 1000));
        assertEquals(1, point.packets(5 * MS + 16_000, 64, 1000));
    }

    /** 200 µs of 500 Mbit/s are 12,500 bytes. */
    @Test
    void shouldMakeGoodNoMoreThanItsCredit() {
        CongestionPoint point = point(SLOW_TO_RISE);
        point.onNotification(MS);
        assertEquals(1 + 12, point.packets(11 * MS, 64, 1000));
        point.onSent(1000, false);
        assertEquals(1 + 11, point.packets(11 * MS, 64, 1000), "less 16 of 200 microseconds");
    }

    /** Fast recovery, equation 3 of the DCQCN paper: half-way back to the line rate, 750 Mbit/s, after so many bytes. */
    @Test
    void shouldRaiseTheRateByBytesSent() {
        CongestionPoint point = point("timer=1s,bytes=1000");
        point.onNotification(MS);
        assertEquals(1, point.packets(MS, 64, 1000));
        point.onSent(1000, false);
        long paidNs = MS + 16_000;
        assertEquals(1 + 9, point.packets(paidNs + 100_000, 64, 1000), "9,375 bytes in 100 microseconds");
    }

    /** The same by the timer. The credit is time, and worth more at the higher rate. */
    @Test
    void shouldRaiseTheRateByTime() {
        CongestionPoint point = point("timer=100us,bytes=999999999");
        point.onNotification(MS);
        assertEquals(1 + 9, point.packets(MS + 100_000, 64, 1000), "9,375 bytes in 100 microseconds");
    }

    @Test
    void shouldHoldPacketsBackUntilABurstMayBeSent() {
        CongestionPoint point = point(SLOW_TO_RISE);
        point.onNotification(MS);
        point.packets(MS, 64, 1000);
        point.onSent(1000, true);
        long dueNs = MS + 16_000 + CongestionPoint.BURST_NS;
        assertEquals(dueNs, point.deadlineNs());
        point.onTimer(dueNs - 1);
        assertEquals(dueNs, point.deadlineNs());
        point.onTimer(dueNs);
        assertEquals(Deadline.NEVER, point.deadlineNs());
    }
}
