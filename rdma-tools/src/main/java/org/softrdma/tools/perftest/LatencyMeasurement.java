// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.function.LongSupplier;

/** Base of latency tests: one message under way at a time. */
abstract class LatencyMeasurement extends Measurement {
    final LatencyRecorder recorder;
    private final Outgoing outgoing;
    private final long gapNs;
    long posted;

    LatencyMeasurement(Endpoint endpoint, LatencyRecorder recorder, Outgoing outgoing) {
        super(endpoint, endpoint.parameters.iterations);
        this.recorder = recorder;
        this.outgoing = outgoing;
        gapNs = parameters.latencyGapUs * 1000L;
    }

    final boolean isDue(long done) {
        return parameters.timed ? !recorder.isOver() : done < parameters.iterations;
    }

    final void waitForGap() {
        if (gapNs > 0) {
            long untilNs = System.nanoTime() + gapNs;
            while (System.nanoTime() - untilNs < 0) {
                Thread.onSpinWait();
            }
        }
    }

    /** Records the time and posts a message. */
    final void post() {
        recorder.onPost();
        outgoing.post(true);
        posted++;
    }

    final void awaitSend() {
        while (pollSends(posted, posted) == 0) {
            idle.nothingCame(posted);
        }
    }

    @Override
    final LongSupplier progress() {
        return recorder.progress()::getOpaque;
    }
}
