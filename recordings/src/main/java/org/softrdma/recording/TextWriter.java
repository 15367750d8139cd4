// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Writes a recording for people: one line for each event, in the order of time. */
final class TextWriter {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.nnnnnnnnn");
    private static final long NS_PER_SECOND = 1_000_000_000;

    private final Recording recording;
    private final Commentary commentary;

    TextWriter(Recording recording) {
        this.recording = recording;
        commentary = new Commentary(recording);
    }

    void write(OutputStream out) throws IOException {
        PrintStream lines = new PrintStream(out, false, StandardCharsets.UTF_8);
        for (Track track : recording.tracks()) {
            lines.println(track.head() + ": " + track.head().type() + (track.head().type().isEmpty() ? "" : ", ")
                + (track.head().state().isEmpty() ? "" : "state " + track.head().state() + ", ") + "pid " + track.head().pid() + ", "
                + track.events().size() + " events" + (track.missed() == 0 ? "" : ", " + track.missed() + " earlier ones overwritten"));
        }
        for (Recording.Entry entry : recording.entries()) {
            lines.println(time(entry.event().timeNs()) + " " + entry.track().head() + ": " + words(entry));
        }
        if (lines.checkError()) {
            throw new IOException("the recording cannot be written");
        }
    }

    private String time(long ns) {
        if (recording.clock() == Recording.Clock.VIRTUAL) {
            return String.format("%d.%09d", ns / NS_PER_SECOND, ns % NS_PER_SECOND);
        }
        return TIME.format(Instant.ofEpochSecond(ns / NS_PER_SECOND, ns % NS_PER_SECOND).atZone(ZoneId.systemDefault()));
    }

    private String words(Recording.Entry entry) {
        String text = commentary.text(entry.track(), entry.event());
        if (!(entry.event() instanceof RecordedEvent.Packet packet)) {
            return text;
        }
        PacketBytes bytes = new PacketBytes(entry.track().head(), packet.headers());
        return (packet.sent() ? "sent " : "received ") + bytes.opcodeName() + (bytes.psn() < 0 ? "" : " " + bytes.psn()) + ", "
            + packet.length() + " bytes: " + text;
    }
}
