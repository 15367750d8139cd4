// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.function.LongSupplier;

/** One end posts as many messages as its queues hold, and more with each completion. */
final class BandwidthSender extends Measurement {
    private final BandwidthRecorder recorder;
    private final Outgoing[] outgoing;
    private long posted;

    BandwidthSender(Endpoint endpoint, BandwidthRecorder recorder, Outgoing[] outgoing) {
        super(endpoint, recorder.total());
        this.recorder = recorder;
        this.outgoing = outgoing;
    }

    /** Warms up instead of measuring: fills each queue once and waits until all messages are done. */
    void warmUp() {
        for (Outgoing each : outgoing) {
            for (int i = 1; i <= parameters.txDepth; i++) {
                each.post(i == parameters.txDepth);
            }
            while (pollSends(parameters.txDepth, 0) == 0) {
                idle.nothingCame(0);
            }
        }
    }

    @Override
    void run() {
        recorder.begin();
        while (parameters.timed ? !recorder.isOver() : recorder.completed() < recorder.total()) {
            boolean lacksCredits = false;
            for (Outgoing each : outgoing) {
                posted += each.fillQueue(recorder);
                lacksCredits |= each.lacksCredits();
            }
            int polled = pollSends(posted, recorder.completed());
            if (polled == 0) {
                idle.nothingCame(recorder.completed(), lacksCredits);
            }
            for (int i = 0; i < polled; i++) {
                recorder.onCompleted(outgoing[(int) completions[i].wrId()].complete());
            }
        }
        recorder.end();
    }

    @Override
    LongSupplier progress() {
        return recorder.progress()::getOpaque;
    }
}
