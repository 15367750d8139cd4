// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.rxe.config.CongestionControl;

/**
 * Congestion control of one connected queue pair. As DCQCN's notification point it answers marked packets with CNPs, one in an interval at
 * most; as its reaction point it spaces what the queue pair sends, requests and answers, to the rate of {@link DcqcnRate}.
 *
 * <p>Packets go out in small bursts, not one by one: that is what trains are made of, and a host that parks wakes late.
 * Source: IBA vol 1 annex A17 §A17.9.3; Zhu et al., SIGCOMM 2015, §3.1.
 */
public final class CongestionPoint {
    /** A queue pair that used its rate up waits until so much time's worth of it may go out together. */
    public static final long BURST_NS = 50_000;
    /** Up to so much time in which nothing went out is made good afterwards: a host that woke late is no reason to be slow. */
    public static final long CREDIT_NS = 200_000;
    /** So often at least a queue pair that waits looks what its rate has become: at the lowest ones a packet costs much more. */
    static final long LOOK_NS = 1_000_000;
    private static final double BITS_NS = 8e9;

    private final CongestionControl settings;
    private final Counters<RxeCounter> counters;
    private DcqcnRate rate;
    private boolean owesNotification;
    private boolean everNotified;
    private long notifiedNs;
    /** Up to this time the rate is used up. */
    private long usedUntilNs;
    private long lookedNs;
    private long heldUntilNs = DeadlineHeap.NEVER;

    /** @param settings on, with a line rate */
    CongestionPoint(CongestionControl settings, Counters<RxeCounter> counters) {
        this.settings = settings;
        this.counters = counters;
        rate = new DcqcnRate(settings);
    }

    /** The queue pair starts over. */
    void reset() {
        rate = new DcqcnRate(settings);
        owesNotification = false;
        everNotified = false;
        heldUntilNs = DeadlineHeap.NEVER;
    }

    /** A packet of the peer's was marked on its way. */
    void onMark(long nowNs) {
        if (!everNotified || nowNs - notifiedNs >= settings.cnpIntervalNs()) {
            everNotified = true;
            notifiedNs = nowNs;
            owesNotification = true;
        }
    }

    /** Packets of ours were. */
    void onNotification(long nowNs) {
        counters.count(RxeCounter.RP_CNP_HANDLED);
        if (!rate.isLimiting()) {
            usedUntilNs = nowNs;
        }
        rate.onNotification(nowNs);
    }

    /** Whether a CNP is to be sent. */
    boolean owesNotification() {
        return owesNotification;
    }

    /** It is being sent. */
    void onNotified() {
        owesNotification = false;
    }

    /** How many of {@code most} packets of this length the rate allows now. */
    int packets(long nowNs, int most, int packetBytes) {
        double before = rate.bitsPerSecond();
        rate.advance(nowNs);
        if (!rate.isLimiting()) {
            return most;
        }
        lookedNs = nowNs;
        if (usedUntilNs - nowNs > 0) {
            // What is not paid off yet costs less time at a rate that has risen.
            usedUntilNs = nowNs + (long) ((usedUntilNs - nowNs) * before / rate.bitsPerSecond());
        }
        long unusedNs = nowNs - usedUntilNs;
        if (unusedNs < 0) {
            return 0;
        }
        if (unusedNs > CREDIT_NS) {
            unusedNs = CREDIT_NS;
            usedUntilNs = nowNs - CREDIT_NS;
        }
        return (int) Math.min(most, 1 + (long) (unusedNs * rate.bitsPerSecond() / BITS_NS) / packetBytes);
    }

    /** After {@link #packets}: so many bytes went out. @param more the rate was all that kept others back */
    void onSent(int bytes, boolean more) {
        heldUntilNs = DeadlineHeap.NEVER;
        if (rate.isLimiting()) {
            usedUntilNs += (long) (bytes * BITS_NS / rate.bitsPerSecond());
            rate.onSent(bytes);
            if (more) {
                heldUntilNs = Math.min(usedUntilNs + BURST_NS, lookedNs + LOOK_NS);
            }
        }
    }

    /** When held packets may go out, or {@link DeadlineHeap#NEVER}. */
    long deadlineNs() {
        return heldUntilNs;
    }

    void onTimer(long nowNs) {
        if (heldUntilNs != DeadlineHeap.NEVER && nowNs - heldUntilNs >= 0) {
            heldUntilNs = DeadlineHeap.NEVER;
        }
    }
}
