// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Recording;
import org.softrdma.recording.Track;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.RoceFrame;

/** Compares recordings with captures of the same packets, and shows them to Wireshark. */
@ExtendWith(TsharkExtension.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RecordingTest {
    /** Comments are expert information, too; this is above them. */
    private static final String NOTES_AND_WORSE = "_ws.malformed || _ws.expert.severity >= 0x400000";

    @TempDir
    private Path directory;

    /** Of every kind of packet, the recorded headers, length and time are those of the capture. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRecordThePacketsThatACaptureShows(boolean ipv6) throws IOException {
        Path capture = directory.resolve("all.pcapng");
        Recording recording = EveryPacket.captureTo(capture, ipv6).getFirst();
        List<String> recorded = new ArrayList<>();
        for (Track track : recording.tracks()) {
            for (RecordedEvent event : track.events()) {
                if (event instanceof RecordedEvent.Packet packet) {
                    recorded.add(line(packet.timeNs(), packet.sent(), packet.headers(), packet.length()));
                }
            }
        }
        List<String> captured = captured(capture, ipv6);
        assertTrue(captured.size() > 200, captured.size() + " packets");
        assertEquals(captured.stream().sorted().toList(), recorded.stream().sorted().toList());
    }

    private static String line(long timeNs, boolean sent, byte[] headers, int length) {
        return timeNs + (sent ? " sent " : " received ") + HexFormat.of().formatHex(headers) + " " + length;
    }

    /** The packets of a capture at the end with the lower address. */
    private static List<String> captured(Path capture, boolean ipv6) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(capture));
        PcapngReader reader = new PcapngReader(file);
        RoceFrame frame = new RoceFrame();
        List<String> lines = new ArrayList<>();
        while (reader.next()) {
            assertEquals(RoceFrame.OK, frame.dissect(file, reader.linkType(), reader.offset(), reader.length()));
            byte[] headers = new byte[Opcode.headerLength(Bth.opcode(file, frame.bthAt()))];
            file.get(frame.bthAt(), headers);
            long source = ipv6 ? Ipv6.sourceLow(file, frame.ipAt()) : Ipv4.source(file, frame.ipAt()) & 0xff;
            lines.add(line(reader.timestampNs(), source == 1, headers, frame.packetLength()));
        }
        return lines;
    }

    /** A lossy run of all services at both ends, in one file: each packet has a comment, and none is malformed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldShowWiresharkACommentOnEachPacket(boolean ipv6) throws Exception {
        Recording both = Recording.merge(EveryPacket.captureTo(directory.resolve("all.pcapng"), ipv6));
        Path file = directory.resolve("recording.pcapng");
        try (OutputStream out = Files.newOutputStream(file)) {
            both.writePcapng(out);
        }
        assertEquals(List.of(), Tshark.read(file, "-Y", NOTES_AND_WORSE));
        List<String> comments = Tshark.fields(file, "frame.comment");
        long packets = both.tracks().stream().flatMap(track -> track.events().stream()).filter(RecordedEvent.Packet.class::isInstance)
            .count();
        assertEquals(packets, comments.size());
        assertEquals(0, comments.stream().filter(String::isBlank).count());
        assertTrue(comments.stream().anyMatch(comment -> comment.matches("work request 0, packet 2 of 3.*")), comments::toString);
        assertTrue(comments.stream().anyMatch(comment -> comment.contains(", repeated: sequence NAK")), comments::toString);
        assertTrue(comments.stream().anyMatch(comment -> comment.startsWith("the peer's work request")), comments::toString);
        assertEquals(both.tracks().stream().filter(track -> track.events().stream().anyMatch(RecordedEvent.Packet.class::isInstance))
            .count(), Tshark.fields(file, "frame.interface_name").stream().distinct().count());
    }
}
