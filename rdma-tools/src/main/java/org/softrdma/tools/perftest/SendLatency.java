// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

/** SENDs in both directions, alternating; the client begins. */
final class SendLatency extends LatencyMeasurement {
    private final Incoming incoming;
    private long received;

    SendLatency(Endpoint endpoint, LatencyRecorder recorder, Outgoing outgoing, Incoming incoming) {
        super(endpoint, recorder, outgoing);
        this.incoming = incoming;
    }

    @Override
    void run() {
        while (isDue(posted) || isDue(received)) {
            if (isDue(received) && !(posted == 0 && parameters.sends)) {
                awaitMessage();
            }
            if (isDue(posted)) {
                waitForGap();
                post();
                awaitSend();
            }
        }
    }

    /** Waits for the next message; a timed test may end meanwhile. */
    private void awaitMessage() {
        while (pollReceives(received) == 0) {
            if (parameters.timed && recorder.isOver()) {
                return;
            }
            idle.nothingCame(received);
        }
        if (received++ == 0) {
            recorder.begin();
        }
        recorder.onRound();
        incoming.taken();
    }
}
