// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.softrdma.device.Counters;
import org.softrdma.rxe.config.CongestionControl;

class CongestionPointTest {
    private static final int PACKET_BYTES = 4112;
    private static final long MS = 1_000_000;

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
}
