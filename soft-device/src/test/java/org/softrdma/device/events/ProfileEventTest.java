// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.recording.RecordedEvent.Effect;
import org.softrdma.recording.Track;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Java's flight recorder has what happened to queue pairs, but no packets. */
class ProfileEventTest {
    private static final Track.Head HEAD = new Track.Head(Track.Kind.QUEUE_PAIR, "rxe0", 1, Track.Protocol.ROCE_V2, 0x11, "RC", "RTS", 0x12,
        null, null, 0, 0, 0);

    @TempDir
    private Path directory;
    private final EventRing ring = (EventRing) new EventRings(() -> 0, (head, sent, opcode, bits, psn, length, words) -> null)
        .add(() -> HEAD);

    private void act() {
        ring.stateChanged(QpState.RTR, QpState.RTS);
        ring.packet(true, 4, 0, 5, 20, 0, 0, 0, 0);
        ring.occurred(Effect.REPEATS, Reason.SEQUENCE_NAK, 5, 0, 0);
        ring.failed(Effect.FAILED, Failure.of(Reason.NO_ANSWER, 0x12, 8, 68_108_864));
        ring.raised(AsyncEventType.QP_FATAL);
    }

    private static String line(RecordedEvent event) {
        return String.join(" | ", event.getString("end"), event.getString("kind"), Objects.toString(event.getString("reason")),
            event.getString("text"));
    }

    @Test
    void shouldReportWhatHappened() throws IOException {
        Path file = directory.resolve("why.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("softrdma.Event");
            recording.start();
            act();
            recording.stop();
            act();
            recording.dump(file);
        }
        assertEquals(List.of(
            "rxe0 qp 0x11 | state | null | RTR > RTS",
            "rxe0 qp 0x11 | repeats | sequence-nak | " + Failure.of(Reason.SEQUENCE_NAK, 5).sentence(),
            "rxe0 qp 0x11 | failed | no-answer | " + Failure.of(Reason.NO_ANSWER, 0x12, 8, 68_108_864).sentence(),
            "rxe0 qp 0x11 | raised | null | QP_FATAL"),
            RecordingFile.readAllEvents(file).stream().filter(event -> event.getEventType().getName().equals("softrdma.Event"))
                .map(ProfileEventTest::line).toList());
    }
}
