// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

/** READs or atomics, one after the other. The peer is passive. */
final class FetchLatency extends LatencyMeasurement {
    FetchLatency(Endpoint endpoint, LatencyRecorder recorder, Outgoing outgoing) {
        super(endpoint, recorder, outgoing);
    }

    @Override
    void run() {
        recorder.begin();
        while (isDue(posted)) {
            waitForGap();
            post();
            awaitSend();
            recorder.onRound();
        }
    }
}
