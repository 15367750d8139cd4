// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.function.LongSupplier;
import org.softrdma.verbs.WcOpcode;

/**
 * Both ends send and receive. The server starts at the first received message. Sent messages are measured; in a timed test, where the ends
 * do not compare their results, received messages count as well.
 */
final class BandwidthDuplex extends Measurement {
    private final BandwidthRecorder recorder;
    private final Outgoing[] outgoing;
    private final Incoming[] incoming;
    private boolean maySend;
    private long posted;
    private long received;

    BandwidthDuplex(Endpoint endpoint, BandwidthRecorder recorder, Outgoing[] outgoing, Incoming[] incoming) {
        super(endpoint, recorder.total());
        this.recorder = recorder;
        this.outgoing = outgoing;
        this.incoming = incoming;
        maySend = parameters.sends;
    }

    @Override
    void run() {
        if (maySend) {
            recorder.begin();
        }
        while (parameters.timed ? !recorder.isOver() : recorder.completed() < recorder.total() || received < recorder.total()) {
            boolean lacksCredits = false;
            if (maySend) {
                for (Outgoing each : outgoing) {
                    posted += each.fillQueue(recorder);
                    lacksCredits |= each.lacksCredits();
                }
            }
            // Receives first: without them a fast sender starves an unreliable receiver.
            int polled = receive();
            polled += complete();
            if (polled == 0) {
                idle.nothingCame(received, lacksCredits);
            }
        }
        recorder.end();
        finishTelling(received);
    }

    private int receive() {
        int polled = pollReceives(received);
        if (polled > 0 && !maySend) {
            maySend = true;
            recorder.begin();
        }
        for (int i = 0; i < polled; i++) {
            incoming[(int) completions[i].wrId()].taken();
        }
        received += polled;
        if (parameters.timed && polled > 0) {
            recorder.onCompleted(polled);
        }
        return polled;
    }

    private int complete() {
        int polled = pollSends(posted, recorder.completed());
        for (int i = 0; i < polled; i++) {
            int index = (int) completions[i].wrId();
            if (completions[i].opcode() == WcOpcode.SEND) {
                recorder.onCompleted(outgoing[index].complete());
            } else {
                credits.onTold(index);
            }
        }
        return polled;
    }

    @Override
    LongSupplier progress() {
        return recorder.progress()::getOpaque;
    }
}
