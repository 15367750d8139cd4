// SPDX-License-Identifier: Apache-2.0
package example;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import org.softrdma.recording.EventCollection;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Recording;
import org.softrdma.recording.Track;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.QueuePair;

/** docs/recordings.md. */
class Recordings {
    static List<Recording> record(Context context, QueuePair qp) {
        FlightRecorder recorder = FlightRecorder.of(context);       // EOPNOTSUPP for a device that is not one of ours
        Recording all = recorder.record();                          // what the rings hold now
        Recording one = recorder.record(qp.qpNum());

        try (EventCollection everything = recorder.collect(1_000_000)) {    // all events from now on: simulations and tests
            qp.close();
            Recording whole = everything.recording();
            return List.of(all, one, whole);
        }
    }

    static void keep(FlightRecorder alice, FlightRecorder bob, OutputStream out, Path path) throws IOException {
        Recording both = Recording.merge(List.of(alice.record(), bob.record()));
        both.writePcapng(out);
        both.writeJson(out);
        Recording back = Recording.read(path);                      // of either kind, MalformedRecordingException if it is damaged

        for (Track track : back.tracks()) {
            for (RecordedEvent event : track.events()) {
                switch (event) {
                    case RecordedEvent.Packet packet -> System.out.println(packet);
                    case RecordedEvent.StateChange change -> System.out.println(change);
                    default -> System.out.println("neither");
                }
            }
        }
    }
}
