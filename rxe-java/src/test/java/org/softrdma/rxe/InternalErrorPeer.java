// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.device.qp.QueuePairCore;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.ReceiveRequest;

/**
 * A program whose queue pair meets an internal error while a receive is posted; it prints what the program learns. A process of its own,
 * since an internal error ends the test where assertions are enabled.
 */
final class InternalErrorPeer {
    private InternalErrorPeer() {
    }

    public static void main(String[] arguments) {
        SimulatedPair.Side side = new RawPeer(new SimulatedPair.Setup()).side;
        side.qp.postReceive(new ReceiveRequest().begin(5).element(side.memory(64, SimulatedPair.ALL_REMOTE), 0, 64));
        QueuePairCore machine = side.engine().find(side.qp.qpNum());
        machine.onFault(new IllegalStateException("a defect"));
        System.out.println(side.qp.state());
        System.out.println(side.events());
        FlightRecorder.of(side.context).record().tracks().forEach(track -> track.events().forEach(event -> {
            if (event instanceof RecordedEvent.Occurrence occurrence) {
                System.out.println(occurrence.effect() + " " + occurrence.failure());
            }
        }));
    }
}
