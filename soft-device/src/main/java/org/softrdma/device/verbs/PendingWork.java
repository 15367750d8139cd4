// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.RecordedEvent.Effect;
import org.softrdma.recording.Track;
import org.softrdma.verbs.VerbsException;

/** Describes what completes into a completion queue, and what it waits for: for the message of a wait that timed out. */
final class PendingWork {
    /** Queue pairs that are described; further ones are only counted. */
    private static final int MAX_QUEUE_PAIRS = 3;

    private PendingWork() {
    }

    /** Returns one line. */
    static String describe(SoftContext context, SoftCompletionQueue queue) {
        List<SoftQueuePair> pairs = context.living.open().stream().map(OpenObject::object).filter(SoftQueuePair.class::isInstance)
            .map(SoftQueuePair.class::cast).filter(each -> each.completesInto(queue)).sorted(Comparator.comparingInt(SoftQueuePair::qpNum))
            .toList();
        if (pairs.isEmpty()) {
            return "no queue pair completes into this queue";
        }
        List<String> texts = new ArrayList<>();
        for (SoftQueuePair each : pairs.subList(0, Math.min(pairs.size(), MAX_QUEUE_PAIRS))) {
            texts.add(each + ": " + each.outstanding(queue) + lastTrouble(context, each));
        }
        if (pairs.size() > MAX_QUEUE_PAIRS) {
            texts.add(pairs.size() - MAX_QUEUE_PAIRS + " more queue pairs");
        }
        return String.join("; ", texts);
    }

    /** The reason for which the queue pair waited, repeated or failed last, if nothing has completed since. */
    private static String lastTrouble(SoftContext context, SoftQueuePair pair) {
        FlightRecorder recorder;
        try {
            recorder = context.recorder();
        } catch (VerbsException none) {
            return "";
        }
        String trouble = "";
        for (Track track : recorder.record(pair.qpNum()).tracks()) {
            if (track.head().kind() != Track.Kind.QUEUE_PAIR) {
                continue;
            }
            for (RecordedEvent event : track.events()) {
                if (event instanceof RecordedEvent.Completed) {
                    trouble = "";
                } else if (event instanceof RecordedEvent.Occurrence what
                    && (what.effect() == Effect.WAITS || what.effect() == Effect.REPEATS || what.effect() == Effect.FAILED)) {
                    trouble = "; " + what.failure();
                }
            }
        }
        return trouble;
    }
}
