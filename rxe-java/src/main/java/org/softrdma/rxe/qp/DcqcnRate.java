// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.rxe.config.CongestionControl;

/**
 * How fast a queue pair may send: the rate machine of DCQCN's reaction point. A notification cuts the current rate R_C in proportion to
 * α, the estimate of how congested the way is; what was the rate becomes the target R_T. From then on a timer and a counter of bytes sent
 * raise the rate: five stages halve the distance to the target, then the target itself rises, and faster once both have got that far.
 * When the rate is back at the line's, it is no limit any more.
 *
 * <p>Nothing runs by itself: {@link #advance} makes good all timer events since it was called last.
 *
 * <p>Source: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, §3.1, equations 1 to 4 and figure 7; hyper
 * increase as in the QCN it comes from (IEEE 802.1Qau): i·R_HAI in the i-th stage.
 */
final class DcqcnRate {
    /** g: what one notification, or one period without, weighs in α. */
    static final double GAIN = 1.0 / 256;
    /** F: stages of fast recovery. */
    static final int RECOVERY_STAGES = 5;
    /** The slowest rate is this part of the line rate. */
    static final double SLOWEST = 1.0 / 1000;
    /** Closer to the line rate than this part of it is as good as there. */
    private static final double CLOSE = 1.0 / 1000;

    private final CongestionControl settings;
    private final double lineRate;
    private boolean limiting;
    private double current;
    private double target;
    private double alpha = 1;
    private boolean everNotified;
    private long notifiedNs;
    /** When the timer's present stage ends. */
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

    /** Whether there is a rate to keep. */
    boolean isLimiting() {
        return limiting;
    }

    /** R_C, bits per second; the line rate while nothing is limited. */
    double bitsPerSecond() {
        return current;
    }

    /** R_T. */
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

    /** So many bytes were sent under the limit. */
    void onSent(long bytes) {
        bytesLeft -= bytes;
        while (limiting && bytesLeft <= 0) {
            bytesLeft += settings.increaseBytes();
            increase();
            byteStages++;
        }
    }

    /** Time has passed. */
    void advance(long nowNs) {
        while (limiting && nowNs - timerNs >= 0) {
            timerNs += settings.increaseTimerNs();
            increase();
            timerStages++;
        }
    }

    /** One stage is over. Equation 3, or 4, or hyper increase. */
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
