// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.SendRequest;
import org.softrdma.wire.roce.Psn;

/** A send queue without a queue pair: {@link SendState} over a ring, moved by hand as requester and completer move it. PSNs wrap. */
final class SendQueueFixture {
    static final int FIRST_PSN = 0xfffffe;

    final SendRing ring = new SendRing(1024, 1, 0);
    final SendState state = new SendState(ring);

    SendQueueFixture() {
        state.reset(FIRST_PSN);
    }

    static int psn(int index) {
        return Psn.add(FIRST_PSN, index);
    }

    /** Posts a request of that many packets and transmits all of them. */
    void transmit(SendRequest request, int packets) {
        ring.write(request);
        ring.publish();
        ring.setPsns(state.started, state.nextPsn, packets);
        state.started++;
        state.nextPsn = Psn.add(state.nextPsn, packets);
        for (int i = 0; i < packets; i++) {
            state.advance(1);
        }
    }

    void transmitSend(int packets) {
        transmit(new SendRequest().send(), packets);
    }

    /** Acknowledges packets of the oldest request, and completes it after the last one. */
    void acknowledge(int packets) {
        for (int i = 0; i < packets; i++) {
            boolean last = state.unacked == state.lastPsn(ring.head());
            state.unacked = Psn.next(state.unacked);
            if (last) {
                ring.release(ring.head() + 1);
            }
        }
    }
}
