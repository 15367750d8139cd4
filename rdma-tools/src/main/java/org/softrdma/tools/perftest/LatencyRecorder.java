// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.softrdma.tools.cli.ToolFailure;

/** Times at which messages were posted; the time from one to the next is a round. In a timed test rounds are only counted. */
final class LatencyRecorder {
    private final Parameters parameters;
    private final long[] postedNs;
    private final SamplingWindow window;
    /** Plain counter that another thread samples for display. */
    private final AtomicLong progress = new AtomicLong();
    private int posted;
    private long counted;
    private long rounds;

    LatencyRecorder(Parameters parameters) {
        this.parameters = parameters;
        try {
            postedNs = new long[parameters.iterations];
        } catch (OutOfMemoryError tooMany) {
            throw new ToolFailure(" Cannot Allocate\nCouldn't allocate context");
        }
        window = new SamplingWindow(parameters.duration, parameters.margin);
    }

    void begin() {
        window.begin(System.nanoTime());
    }

    /** Records that a message is about to be posted. */
    void onPost() {
        if (!parameters.timed) {
            postedNs[posted++] = System.nanoTime();
        }
    }

    /** Counts a complete round. */
    void onRound() {
        progress.setOpaque(++rounds);
        if (parameters.timed && window.isSampling(System.nanoTime())) {
            counted++;
        }
    }

    /** Whether the window of a timed test has passed. */
    boolean isOver() {
        return window.isOver(System.nanoTime());
    }

    AtomicLong progress() {
        return progress;
    }

    /** Nanoseconds from each post to the next, in order. */
    long[] rounds() {
        long[] rounds = new long[posted - 1];
        Arrays.setAll(rounds, i -> postedNs[i + 1] - postedNs[i]);
        return rounds;
    }

    /** Rounds counted in a timed test. */
    long counted() {
        return counted;
    }

    /** Duration of the count. */
    long countedNs() {
        return window.samplingNs();
    }
}
