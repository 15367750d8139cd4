// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.function.LongSupplier;

/** One end receives, and posts each used receive again. The measurement starts at the first message. */
final class BandwidthReceiver extends Measurement {
    private final BandwidthRecorder recorder;
    private final Incoming[] incoming;

    BandwidthReceiver(Endpoint endpoint, BandwidthRecorder recorder, Incoming[] incoming) {
        super(endpoint, recorder.total());
        this.recorder = recorder;
        this.incoming = incoming;
    }

    @Override
    void run() {
        while (parameters.timed ? !recorder.isOver() : recorder.completed() < recorder.total()) {
            int told = credits == null ? 0 : takeTold(recorder.completed());
            if (receive() + told == 0) {
                idle.nothingCame(recorder.completed());
            }
        }
        recorder.end();
        finishTelling(recorder.completed());
    }

    private int receive() {
        int polled = pollReceives(recorder.completed());
        if (polled == 0) {
            return 0;
        }
        if (recorder.completed() == 0) {
            recorder.begin();
        }
        recorder.onCompleted(polled);
        for (int i = 0; i < polled; i++) {
            incoming[(int) completions[i].wrId()].taken();
        }
        return polled;
    }

    @Override
    LongSupplier progress() {
        return recorder.progress()::getOpaque;
    }
}
