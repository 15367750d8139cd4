// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.ReasonValue;

/** Writes a recording as JSON lines; {@code docs/recordings.md} has the schema. */
final class JsonWriter {
    /** Version of the schema. */
    static final int VERSION = 1;

    private final Recording recording;
    private final Commentary commentary;
    private final Map<Track, Integer> numbers = new IdentityHashMap<>();

    JsonWriter(Recording recording) {
        this.recording = recording;
        commentary = new Commentary(recording);
    }

    void write(OutputStream out) throws IOException {
        JsonGenerator json = new JsonFactory().createGenerator(out).setRootValueSeparator(new SerializedString("\n"))
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        List<Recording.Entry> entries = recording.entries();
        long startNs = entries.isEmpty() ? 0 : entries.getFirst().event().timeNs();
        writeHead(json, startNs);
        for (Track track : recording.tracks()) {
            writeTrack(json, track);
        }
        for (Recording.Entry entry : entries) {
            writeEvent(json, entry, startNs);
        }
        json.writeRaw('\n');
        json.flush();
    }

    private void writeHead(JsonGenerator json, long startNs) throws IOException {
        json.writeStartObject();
        json.writeNumberField("softrdma_recording", VERSION);
        json.writeStringField("clock", word(recording.clock()));
        json.writeStringField("start", Long.toString(startNs));
        json.writeEndObject();
    }

    private void writeTrack(JsonGenerator json, Track track) throws IOException {
        Track.Head head = track.head();
        json.writeStartObject();
        json.writeNumberField("track", numbers.size());
        numbers.put(track, numbers.size());
        json.writeStringField("kind", word(head.kind()));
        json.writeStringField("device", head.device());
        json.writeNumberField("pid", head.pid());
        json.writeStringField("transport", word(head.protocol()));
        json.writeNumberField("number", Integer.toUnsignedLong(head.number()));
        json.writeStringField("type", head.type());
        json.writeStringField("state", head.state());
        if (head.peer() != Track.Head.UNKNOWN) {
            json.writeNumberField("peer", head.peer());
        }
        if (head.local() != null) {
            json.writeStringField("local", head.local().toString());
        }
        if (head.remote() != null) {
            json.writeStringField("remote", head.remote().toString());
        }
        json.writeNumberField("local_port", head.localPort());
        json.writeNumberField("remote_port", head.remotePort());
        json.writeNumberField("path_mtu", head.pathMtu());
        if (head.subnet() != null) {
            json.writeNumberField("local_lid", head.subnet().localLid());
            json.writeNumberField("remote_lid", head.subnet().remoteLid());
            json.writeNumberField("service_level", head.subnet().serviceLevel());
            json.writeStringField("pkey", "0x" + Integer.toHexString(head.subnet().pkey()));
        }
        json.writeNumberField("missed", track.missed());
        json.writeEndObject();
    }

    private void writeEvent(JsonGenerator json, Recording.Entry entry, long startNs) throws IOException {
        RecordedEvent event = entry.event();
        json.writeStartObject();
        json.writeNumberField("track", numbers.get(entry.track()));
        json.writeNumberField("n", event.number());
        json.writeNumberField("t", event.timeNs() - startNs);
        switch (event) {
            case RecordedEvent.Packet packet -> writePacket(json, entry.track(), packet);
            case RecordedEvent.StateChange change -> {
                json.writeStringField("event", "state");
                json.writeStringField("from", change.from());
                json.writeStringField("to", change.to());
            }
            case RecordedEvent.Posted posted -> {
                json.writeStringField("event", "posted");
                json.writeNumberField("requests", posted.requests());
            }
            case RecordedEvent.Completed completed -> writeCompleted(json, completed);
            case RecordedEvent.Flushed flushed -> {
                json.writeStringField("event", "flushed");
                json.writeNumberField("requests", flushed.requests());
            }
            case RecordedEvent.Raised raised -> {
                json.writeStringField("event", "raised");
                json.writeStringField("type", raised.type().name());
            }
            case RecordedEvent.Occurrence occurrence -> {
                json.writeStringField("event", word(occurrence.effect()));
                writeFailure(json, occurrence.failure());
            }
        }
        json.writeStringField("text", commentary.text(entry.track(), event));
        json.writeEndObject();
    }

    private static void writePacket(JsonGenerator json, Track track, RecordedEvent.Packet packet) throws IOException {
        PacketBytes bytes = new PacketBytes(track.head(), packet.headers());
        json.writeStringField("event", packet.sent() ? "sent" : "received");
        json.writeStringField("opcode", bytes.opcodeName());
        if (bytes.psn() >= 0) {
            json.writeNumberField("psn", bytes.psn());
        }
        json.writeNumberField("length", packet.length());
        json.writeStringField("headers", HexFormat.of().formatHex(packet.headers()));
        if (packet.remote() != null) {
            json.writeStringField("remote", packet.remote().toString());
        }
        if (packet.lid() != 0) {
            json.writeNumberField("remote_lid", packet.lid());
        }
        if (packet.work() != null) {
            json.writeStringField("wr_id", Long.toUnsignedString(packet.work().wrId()));
            json.writeNumberField("packet", packet.work().packet());
            json.writeNumberField("packets", packet.work().packets());
        }
        if (packet.again()) {
            json.writeBooleanField("again", true);
        }
        if (packet.because() != null) {
            json.writeStringField("because", packet.because().shortName());
        }
    }

    private static void writeCompleted(JsonGenerator json, RecordedEvent.Completed completed) throws IOException {
        json.writeStringField("event", "completed");
        json.writeStringField("queue", completed.send() ? "send" : "receive");
        json.writeStringField("wr_id", Long.toUnsignedString(completed.wrId()));
        json.writeStringField("status", completed.status().name());
        json.writeStringField("opcode", completed.opcode().name());
        json.writeNumberField("bytes", Integer.toUnsignedLong(completed.bytes()));
        if (completed.reason() != null) {
            json.writeStringField("reason", completed.reason().shortName());
        }
    }

    private static void writeFailure(JsonGenerator json, Failure failure) throws IOException {
        json.writeStringField("reason", failure.reason().shortName());
        List<ReasonValue> values = failure.reason().text().values();
        for (int i = 0; i < failure.valueCount(); i++) {
            ReasonValue value = values.get(i);
            if (value.isNumber()) {
                json.writeNumberField(value.word(), failure.value(i));
            } else {
                json.writeStringField(value.word(), value.format(failure.value(i)));
            }
        }
    }

    /** The word of a recording for an enum's constant. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
