// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.verbs.reason.ReasonValue;

/**
 * Reads JSON lines. Fields and events that are not known are left out. The parser trusts nothing: any other input than a recording costs a
 * {@link MalformedRecordingException} that names the line.
 */
final class JsonReader {
    private static final long LONGEST_WORK = Integer.MAX_VALUE;

    private final byte[] bytes;
    private final List<Track.Head> heads = new ArrayList<>();
    private final List<Long> missed = new ArrayList<>();
    private final List<List<RecordedEvent>> events = new ArrayList<>();
    private Map<String, String> line = Map.of();
    private int lineNumber;
    private long startNs;

    JsonReader(byte[] bytes) {
        this.bytes = bytes;
    }

    Recording read() throws MalformedRecordingException {
        try (JsonParser json = new JsonFactory().createParser(bytes)) {
            if (!nextLine(json) || !has("softrdma_recording")) {
                throw malformed("the first line is not the head of a recording");
            }
            if (number("softrdma_recording", 0, Integer.MAX_VALUE) != JsonWriter.VERSION) {
                throw malformed("version " + text("softrdma_recording") + "; known is " + JsonWriter.VERSION);
            }
            Recording.Clock clock = constant(Recording.Clock.class, "clock");
            startNs = number("start", Long.MIN_VALUE, Long.MAX_VALUE);
            while (nextLine(json)) {
                if (has("event")) {
                    readEvent();
                } else {
                    readTrack();
                }
            }
            return new Recording(clock, tracks());
        } catch (MalformedRecordingException found) {
            throw found;
        } catch (IOException | IllegalArgumentException wrong) {
            throw malformed(wrong.getMessage());
        }
    }

    private List<Track> tracks() {
        List<Track> tracks = new ArrayList<>();
        for (int i = 0; i < heads.size(); i++) {
            tracks.add(new Track(heads.get(i), missed.get(i), events.get(i)));
        }
        return tracks;
    }

    /** Reads the next object: a flat one, whose fields are kept as text. */
    private boolean nextLine(JsonParser json) throws IOException {
        JsonToken token = json.nextToken();
        if (token == null) {
            return false;
        }
        lineNumber++;
        if (token != JsonToken.START_OBJECT) {
            throw malformed("not an object");
        }
        line = new HashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            if (value == null) {
                throw malformed("the line ends early");
            }
            if (value.isStructStart()) {
                json.skipChildren();
            } else if (value != JsonToken.VALUE_NULL) {
                line.put(name, json.getText());
            }
        }
        if (json.currentToken() != JsonToken.END_OBJECT) {
            throw malformed("the line ends early");
        }
        return true;
    }

    private void readTrack() throws MalformedRecordingException {
        if (number("track", 0, Integer.MAX_VALUE) != heads.size()) {
            throw malformed("track " + text("track") + " instead of " + heads.size());
        }
        heads.add(new Track.Head(constant(Track.Kind.class, "kind"), text("device"), number("pid", 0, Long.MAX_VALUE),
            constant(Track.Protocol.class, "transport"), (int) number("number", 0, 0xffff_ffffL), text("type"), text("state"),
            has("peer") ? number("peer", 0, 0xffff_ffffL) : Track.Head.UNKNOWN, gid("local"), gid("remote"), optional("local_port", 0xffff),
            optional("remote_port", 0xffff), optional("path_mtu", 0xffff), subnet()));
        missed.add(number("missed", 0, Long.MAX_VALUE));
        events.add(new ArrayList<>());
    }

    /** The place on a subnet, or null if the track has none. */
    private Track.Subnet subnet() throws MalformedRecordingException {
        return has("pkey") ? new Track.Subnet(optional("local_lid", 0xffff), optional("remote_lid", 0xffff), optional("service_level", 15),
            Integer.decode(text("pkey")) & 0xffff) : null;
    }

    private void readEvent() throws MalformedRecordingException {
        int track = (int) number("track", 0, heads.size() - 1L);
        RecordedEvent event = event(number("n", 0, Long.MAX_VALUE), startNs + number("t", Long.MIN_VALUE, Long.MAX_VALUE));
        if (event != null) {
            events.get(track).add(event);
        }
    }

    /** The event of the line, or null if it is not known. */
    private RecordedEvent event(long number, long timeNs) throws MalformedRecordingException {
        String kind = text("event");
        return switch (kind) {
            case "sent", "received" -> new RecordedEvent.Packet(number, timeNs, kind.equals("sent"), headers(),
                (int) number("length", 0, Integer.MAX_VALUE), gid("remote"), optional("remote_lid", 0xffff), work(),
                Boolean.parseBoolean(line.get("again")), has("because") ? Reason.named(text("because")) : null, List.of());
            case "state" -> new RecordedEvent.StateChange(number, timeNs, text("from"), text("to"));
            case "posted" -> new RecordedEvent.Posted(number, timeNs, (int) number("requests", 1, Integer.MAX_VALUE));
            case "flushed" -> new RecordedEvent.Flushed(number, timeNs, (int) number("requests", 1, Integer.MAX_VALUE));
            case "completed" -> new RecordedEvent.Completed(number, timeNs, text("queue").equals("send"), wrId(),
                constant(WcStatus.class, "status"), constant(WcOpcode.class, "opcode"), (int) number("bytes", 0, 0xffff_ffffL),
                has("reason") ? Reason.named(text("reason")) : null);
            case "raised" -> new RecordedEvent.Raised(number, timeNs, constant(AsyncEventType.class, "type"));
            case "repeats", "waits", "dropped", "refused", "failed" -> occurrence(number, timeNs);
            default -> null;
        };
    }

    private RecordedEvent occurrence(long number, long timeNs) throws MalformedRecordingException {
        Reason reason = Reason.named(text("reason"));
        if (reason == null) {
            return null;
        }
        List<ReasonValue> places = reason.text().values();
        long[] values = new long[places.size()];
        int known = 0;
        while (known < values.length && has(places.get(known).word())) {
            values[known] = places.get(known).parse(text(places.get(known).word()));
            known++;
        }
        return new RecordedEvent.Occurrence(number, timeNs, constant(RecordedEvent.Effect.class, "event"),
            Failure.of(reason, Arrays.copyOf(values, known)));
    }

    private RecordedEvent.Work work() throws MalformedRecordingException {
        return has("wr_id")
            ? new RecordedEvent.Work(wrId(), (int) number("packet", 0, LONGEST_WORK), (int) number("packets", 0, LONGEST_WORK)) : null;
    }

    private long wrId() throws MalformedRecordingException {
        return Long.parseUnsignedLong(text("wr_id"));
    }

    private byte[] headers() throws MalformedRecordingException {
        String hex = text("headers");
        if (hex.length() > 2 * PacketBytes.MAX_HEADERS) {
            throw malformed("headers of " + hex.length() / 2 + " bytes");
        }
        return HexFormat.of().parseHex(hex);
    }

    // ---- fields ----

    private boolean has(String field) {
        return line.containsKey(field);
    }

    private String text(String field) throws MalformedRecordingException {
        String value = line.get(field);
        if (value == null) {
            throw malformed("no field '" + field + "'");
        }
        return value;
    }

    private long number(String field, long min, long max) throws MalformedRecordingException {
        long value = Long.parseLong(text(field));
        if (value < min || value > max) {
            throw malformed(field + " is " + value);
        }
        return value;
    }

    private int optional(String field, int max) throws MalformedRecordingException {
        return has(field) ? (int) number(field, 0, max) : 0;
    }

    private <E extends Enum<E>> E constant(Class<E> type, String field) throws MalformedRecordingException {
        return Enum.valueOf(type, text(field).toUpperCase(Locale.ROOT));
    }

    /** Reads an address in any of the texts of an IP address; nothing is looked up. */
    private Gid gid(String field) throws MalformedRecordingException {
        try {
            return has(field) ? Gid.of(InetAddress.ofLiteral(text(field))) : null;
        } catch (IllegalArgumentException other) {
            throw malformed("'" + text(field) + "' is no address");
        }
    }

    private MalformedRecordingException malformed(String why) {
        return new MalformedRecordingException("recording, line " + lineNumber + ": " + why);
    }
}
