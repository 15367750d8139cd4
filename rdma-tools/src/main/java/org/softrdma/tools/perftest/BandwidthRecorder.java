// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.concurrent.atomic.AtomicLong;
import org.softrdma.tools.cli.ToolFailure;

/**
 * Times at which messages were posted and completed. To find the peak, every time is recorded, in preallocated memory; a timed test counts
 * the messages that complete within its window; otherwise the first and the last time suffice.
 */
final class BandwidthRecorder {
    private static final double NS_A_SECOND = 1e9;
    private static final double MEBIBYTE = 1 << 20;
    /** Bytes. */
    private static final double GIGABIT = 125e6;

    private final Parameters parameters;
    private final long total;
    private final boolean peaks;
    private final long[] postedNs;
    private final long[] completedNs;
    private final SamplingWindow window;
    /** Plain counter that another thread samples for display. */
    private final AtomicLong progress = new AtomicLong();
    private int posted;
    private long completed;
    private long counted;
    private long beginNs;
    private long endNs;

    BandwidthRecorder(Parameters parameters) {
        this.parameters = parameters;
        total = (long) parameters.iterations * parameters.queuePairs;
        peaks = !parameters.noPeak;
        try {
            postedNs = new long[peaks ? Math.toIntExact(total) : 0];
            completedNs = new long[postedNs.length];
        } catch (OutOfMemoryError | ArithmeticException tooMany) {
            throw new ToolFailure(" Cannot Allocate\nCouldn't allocate context\nThe peak needs 16 bytes a message; -N does without it.");
        }
        window = new SamplingWindow(parameters.duration, parameters.margin);
    }

    /** Starts the measurement: the first message is about to be posted, or was received. */
    void begin() {
        beginNs = System.nanoTime();
        window.begin(beginNs);
    }

    /** Records that {@code count} messages are about to be posted. */
    void onPost(int count) {
        if (peaks) {
            postedNs[posted] = System.nanoTime();
            posted += count;
        }
    }

    /**
     * Records completions.
     *
     * @param messages completed or received since the last call
     */
    void onCompleted(long messages) {
        completed += messages;
        progress.setOpaque(completed);
        if (peaks) {
            completedNs[(int) completed - 1] = System.nanoTime();
        } else if (parameters.timed && window.isSampling(System.nanoTime())) {
            counted += messages;
        }
    }

    void end() {
        endNs = System.nanoTime();
    }

    /** Whether the window of a timed test has passed. */
    boolean isOver() {
        return window.isOver(System.nanoTime());
    }

    /** Total number of messages to complete. */
    long total() {
        return total;
    }

    long completed() {
        return completed;
    }

    AtomicLong progress() {
        return progress;
    }

    BandwidthReport report(int messageBytes) {
        long messages = parameters.timed ? counted : total;
        double seconds = elapsedNs() / NS_A_SECOND;
        double unit = parameters.gigabits ? GIGABIT : MEBIBYTE;
        double average = (double) messageBytes * messages / seconds / unit;
        double peak = peaks ? messageBytes / (peakIntervalNs() / NS_A_SECOND) / unit : 0;
        return new BandwidthReport(messageBytes, messages, peak, average, messages / seconds / 1e6);
    }

    private long elapsedNs() {
        if (parameters.timed) {
            return window.samplingNs();
        }
        return peaks ? completedNs[(int) total - 1] - postedNs[0] : endNs - beginNs;
    }

    private double peakIntervalNs() {
        return Peak.intervalNs(postedNs, completedNs, parameters.postList, parameters.cqModeration);
    }
}
