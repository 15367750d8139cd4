// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * RDMA WRITEs in both directions, alternating: each end polls the last byte of its memory, which holds the number of WRITEs modulo 256. The
 * server begins. Polling the completion queue meanwhile drives the device.
 */
final class WriteLatency extends LatencyMeasurement {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final long ownMark;
    private final long peersMark;
    private long received;

    WriteLatency(Endpoint endpoint, LatencyRecorder recorder, Outgoing outgoing, int messageBytes) {
        super(endpoint, recorder, outgoing);
        ownMark = endpoint.sendsFrom(0) + messageBytes - 1;
        peersMark = endpoint.peerUses(0) + messageBytes - 1;
    }

    @Override
    void run() {
        recorder.begin();
        while (isDue(posted) || isDue(received)) {
            if (isDue(received) && !(posted == 0 && !parameters.sends)) {
                awaitMark();
            }
            if (isDue(posted)) {
                waitForGap();
                endpoint.memory().set(ValueLayout.JAVA_BYTE, ownMark, (byte) (posted + 1));
                post();
                awaitSend();
                recorder.onRound();
            }
        }
    }

    /** Waits for the next message; a timed test may end meanwhile. */
    private void awaitMark() {
        byte mark = (byte) (received + 1);
        while ((byte) BYTE.getAcquire(endpoint.memory(), peersMark) != mark) {
            if (parameters.timed && recorder.isOver()) {
                return;
            }
            if (pollSends(posted, posted) == 0) {
                idle.nothingCame(received);
            }
        }
        received++;
    }
}
