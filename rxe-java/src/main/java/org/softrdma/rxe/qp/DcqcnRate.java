// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.rxe.config.CongestionControl;

/**
 * Rate limit of a queue pair: the rate machine of DCQCN's reaction point. A notification cuts the current rate R_C in proportion to α, the
 * estimate of the path's congestion; the rate before becomes the target R_T. From then on a timer and a counter of sent bytes raise the
 * rate: five stages halve the distance to the target, then the target itself rises, and faster once both have passed five stages. A rate
 * that is back at the line rate no longer limits.
 *
 * <p>No timer runs by itself: {@link #advance} applies all timer events since its last call.
 *
 * <p>Source: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, §3.1, equations 1 to 4 and figure 7; hyper
 * increase as in the QCN it comes from (IEEE 802.1Qau): i·R_HAI in the i-th stage.
 */
final class DcqcnRate {
    /** g: weight of one notification, or of one period without, in α. */
    static final double GAIN = 1.0 / 256;
    /** F: number of stages of fast recovery. */
    static final int RECOVERY_STAGES = 5;
    /** Lowest rate, as a part of the line rate. */
    static final double SLOWEST = 1.0 / 1000;
    /** Distance to the line rate, as a part of it, that counts as none. */
    private static final double CLOSE = 1.0 / 1000;

    private final CongestionControl settings;
    private final double lineRate;
    private boolean limiting;
    private double current;
    private double target;
    private double alpha = 1;
    private boolean everNotified;
    private long notifiedNs;
    /** End of the timer's present stage. */
    private long timerNs;
    private long bytesLeft;
    private int timerStages;
    private int byteStages;

    /** @param settings with a line rate */
    DcqcnRate(CongestionControl settings) {
        this.settings = settings;
        lineRate = settings.lineRate();
        current = lineRate;
        target = lineRate;
    }

    /** Whether the rate is limited. */
    boolean isLimiting() {
        return limiting;
    }

    /** R_C, bits per second; the line rate while nothing is limited. */
    double bitsPerSecond() {
        return current;
    }

    /** R_T, bits per second. */
    double target() {
        return target;
    }

    double alpha() {
        return alpha;
    }

    /** Equation 1, after equation 2 for the time since the last notification. */
    void onNotification(long nowNs) {
        advance(nowNs);
        if (everNotified) {
            alpha *= Math.pow(1 - GAIN, (nowNs - notifiedNs) / settings.alphaTimerNs());
        }
        everNotified = true;
        notifiedNs = nowNs;
        limiting = true;
        target = current;
        current = Math.max(current * (1 - alpha / 2), lineRate * SLOWEST);
        alpha = (1 - GAIN) * alpha + GAIN;
        timerStages = 0;
        byteStages = 0;
        timerNs = nowNs + settings.increaseTimerNs();
        bytesLeft = settings.increaseBytes();
    }

    /** Counts bytes that were sent under the limit. */
    void onSent(long bytes) {
        bytesLeft -= bytes;
        while (limiting && bytesLeft <= 0) {
            bytesLeft += settings.increaseBytes();
            increase();
            byteStages++;
        }
    }

    /** Applies the timer events up to now. */
    void advance(long nowNs) {
        while (limiting && nowNs - timerNs >= 0) {
            timerNs += settings.increaseTimerNs();
            increase();
            timerStages++;
        }
    }

    /** Ends one stage: equation 3, or 4, or hyper increase. */
    private void increase() {
        int furthest = Math.max(timerStages, byteStages);
        int hyperStage = Math.min(timerStages, byteStages) - RECOVERY_STAGES;
        if (hyperStage > 0) {
            target += (double) hyperStage * settings.hyperIncrease();
        } else if (furthest >= RECOVERY_STAGES) {
            target += settings.additiveIncrease();
        }
        target = Math.min(target, lineRate);
        current = (current + target) / 2;
        if (lineRate - current <= lineRate * CLOSE) {
            limiting = false;
            current = lineRate;
            target = lineRate;
        }
    }
}
