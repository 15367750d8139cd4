// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.rxe.config.CongestionControl;

/**
 * Congestion control of one connected queue pair. As DCQCN's notification point it answers marked packets with CNPs, at most one in each
 * interval; as its reaction point it spaces requests and responses to the rate of {@link DcqcnRate}.
 *
 * <p>Packets are sent in small bursts, not one by one: bursts leave as trains, and a host that parks wakes late.
 * Source: IBA vol 1 annex A17 §A17.9.3; Zhu et al., SIGCOMM 2015, §3.1.
 */
public final class CongestionPoint {
    /** Length of a burst: a queue pair that has used up its rate waits until that much time's worth of packets may be sent together. */
    public static final long BURST_NS = 50_000;
    /** Longest unused time that is made good afterwards: a host that woke late is no reason to be slow. */
    public static final long CREDIT_NS = 200_000;
    /** Longest wait before the rate is read again: it may have risen, and at the lowest rates a packet costs much more time. */
    static final long RECHECK_NS = 1_000_000;
    private static final double BITS_NS = 8e9;

    private final CongestionControl settings;
    private final Counters<RxeCounter> counters;
    private DcqcnRate rate;
    private boolean owesNotification;
    private boolean everNotified;
    private long notifiedNs;
    /** The rate is used up until this time. */
    private long usedUntilNs;
    private long checkedNs;
    private long heldUntilNs = Deadline.NEVER;

    /** @param settings on, with a line rate */
    CongestionPoint(CongestionControl settings, Counters<RxeCounter> counters) {
        this.settings = settings;
        this.counters = counters;
        rate = new DcqcnRate(settings);
    }

    /** Starts over: no notification is owed, and no rate is limited. */
    void reset() {
        rate = new DcqcnRate(settings);
        owesNotification = false;
        everNotified = false;
        heldUntilNs = Deadline.NEVER;
    }

    /** A packet of the peer was marked by a switch. */
    void onMark(long nowNs) {
        if (!everNotified || nowNs - notifiedNs >= settings.cnpIntervalNs()) {
            everNotified = true;
            notifiedNs = nowNs;
            owesNotification = true;
        }
    }

    /** The peer reports by a CNP that packets of ours were marked. */
    void onNotification(long nowNs) {
        counters.count(RxeCounter.RP_CNP_HANDLED);
        if (!rate.isLimiting()) {
            usedUntilNs = nowNs;
        }
        rate.onNotification(nowNs);
    }

    /** Whether a CNP must be sent. */
    boolean owesNotification() {
        return owesNotification;
    }

    /** The CNP owed was sent. */
    void onNotified() {
        owesNotification = false;
    }

    /** Packets of this length that the rate allows now, at most {@code most}. */
    int packets(long nowNs, int most, int packetBytes) {
        double before = rate.bitsPerSecond();
        rate.advance(nowNs);
        if (!rate.isLimiting()) {
            return most;
        }
        checkedNs = nowNs;
        if (usedUntilNs - nowNs > 0) {
            // The part not paid off yet costs less time at a rate that has risen.
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

    /**
     * Bytes were sent, after {@link #packets} allowed them.
     *
     * @param more whether only the rate holds further packets back
     */
    void onSent(int bytes, boolean more) {
        heldUntilNs = Deadline.NEVER;
        if (rate.isLimiting()) {
            usedUntilNs += (long) (bytes * BITS_NS / rate.bitsPerSecond());
            rate.onSent(bytes);
            if (more) {
                heldUntilNs = Deadline.earlier(usedUntilNs + BURST_NS, checkedNs + RECHECK_NS);
            }
        }
    }

    /** When held packets may be sent, or {@link Deadline#NEVER}. */
    long deadlineNs() {
        return heldUntilNs;
    }

    void onTimer(long nowNs) {
        if (Deadline.isDue(heldUntilNs, nowNs)) {
            heldUntilNs = Deadline.NEVER;
        }
    }
}
