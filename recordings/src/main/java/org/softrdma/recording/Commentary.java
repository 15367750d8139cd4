// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.softrdma.verbs.reason.Reason;

/**
 * Says what each event means, for people. A packet has a first comment about what it belongs to; events without a packet of their own are
 * further comments on the packet that they belong to: what was caused by a packet that was received follows it, and why a packet is sent
 * again comes with it.
 */
final class Commentary {
    private static final Pattern ABBREVIATION = Pattern.compile("\\b(ack|nak|rnr)\\b");

    private final Recording recording;
    /** Work requests of the sender by PSN, for each track whose other end is in the recording. */
    private final Map<Track, Map<Integer, RecordedEvent.Work>> peersWork = new IdentityHashMap<>();

    Commentary(Recording recording) {
        this.recording = recording;
        for (Track track : recording.tracks()) {
            Track peer = recording.peerOf(track);
            if (peer != null && track.head().protocol() != Track.Protocol.IWARP) {
                peersWork.put(track, workByPsn(peer));
            }
        }
    }

    private static Map<Integer, RecordedEvent.Work> workByPsn(Track track) {
        Map<Integer, RecordedEvent.Work> byPsn = new HashMap<>();
        for (RecordedEvent event : track.events()) {
            if (event instanceof RecordedEvent.Packet packet && packet.sent() && packet.work() != null) {
                byPsn.put(new PacketBytes(track.head(), packet.headers()).psn(), packet.work());
            }
        }
        return byPsn;
    }

    /** The event in words; of a packet its first comment. */
    String text(Track track, RecordedEvent event) {
        return switch (event) {
            case RecordedEvent.Packet packet -> packet.notes().isEmpty() ? text(track, packet) : packet.notes().getFirst();
            case RecordedEvent.StateChange change -> "state " + change.from() + " > " + change.to();
            case RecordedEvent.Posted posted -> posted.requests() + (posted.requests() == 1 ? " work request" : " work requests")
                + " posted";
            case RecordedEvent.Completed completed -> "completed: " + (completed.send() ? "work request " : "receive ")
                + Long.toUnsignedString(completed.wrId()) + " " + completed.status()
                + (completed.reason() == null ? "" : " (" + completed.reason().shortName() + ")");
            case RecordedEvent.Flushed flushed -> flushed.requests() + " work requests completed with WR_FLUSH_ERR";
            case RecordedEvent.Raised raised -> "asynchronous event " + raised.type();
            case RecordedEvent.Occurrence occurrence -> occurrence.effect().name().toLowerCase(Locale.ROOT) + ": "
                + occurrence.failure().sentence() + " [" + occurrence.failure().reason().shortName() + "]";
        };
    }

    private String text(Track track, RecordedEvent.Packet packet) {
        if (packet.work() != null) {
            return packet.work() + repetition(packet);
        }
        PacketBytes bytes = new PacketBytes(track.head(), packet.headers());
        RecordedEvent.Work ofPeer = packet.sent() || bytes.isResponse() ? null : peersWork.getOrDefault(track, Map.of()).get(bytes.psn());
        return ofPeer != null ? "the peer's " + ofPeer : bytes.role() + repetition(packet);
    }

    private static String repetition(RecordedEvent.Packet packet) {
        return packet.again() ? ", repeated" + (packet.because() == null ? "" : ": " + words(packet.because())) : "";
    }

    private static String words(Reason reason) {
        return ABBREVIATION.matcher(reason.shortName().replace('-', ' ')).replaceAll(word -> word.group().toUpperCase(Locale.ROOT));
    }

    /** A packet with its track and all its comments. */
    record Commented(Track track, RecordedEvent.Packet packet, List<String> comments) {
    }

    /** All packets in the order of time, with all comments. */
    List<Commented> packets() {
        Map<RecordedEvent.Packet, List<String>> comments = new IdentityHashMap<>();
        for (Track track : recording.tracks()) {
            comment(track, comments);
        }
        List<Commented> all = new ArrayList<>();
        for (Recording.Entry entry : recording.entries()) {
            if (entry.event() instanceof RecordedEvent.Packet packet) {
                all.add(new Commented(entry.track(), packet, comments.get(packet)));
            }
        }
        return all;
    }

    private void comment(Track track, Map<RecordedEvent.Packet, List<String>> comments) {
        List<String> waiting = new ArrayList<>();
        List<String> last = null;
        for (RecordedEvent event : track.events()) {
            if (event instanceof RecordedEvent.Packet packet) {
                List<String> own = new ArrayList<>(packet.notes().isEmpty() ? List.of(text(track, packet)) : packet.notes());
                own.addAll(waiting);
                waiting.clear();
                comments.put(packet, own);
                last = own;
            } else if (last == null || comesWithNext(event)) {
                waiting.add(text(track, event));
            } else {
                last.add(text(track, event));
            }
        }
        if (last != null) {
            last.addAll(waiting);
        }
    }

    /** Whether the event explains the next packet rather than being caused by the last one. */
    private static boolean comesWithNext(RecordedEvent event) {
        return event instanceof RecordedEvent.Posted
            || event instanceof RecordedEvent.Occurrence occurrence && occurrence.effect() == RecordedEvent.Effect.REPEATS;
    }
}
