// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.lab.ladder.Arrow;
import org.softrdma.lab.lesson.Lessons;
import org.softrdma.wire.pcap.Pcapng;

/** Recordings: the same packets as the simulation that wrote them, and clear words about files that are none. */
class RecordedWorldTest {
    @TempDir
    Path directory;

    /** A lesson after its solution, and the recording of it. */
    private byte[] recording(String lesson, List<String> labels) throws IOException {
        var of = Lessons.load().get(lesson);
        try (SimulatedWorld world = new SimulatedWorld(of.scene())) {
            for (Command command : of.check().solution()) {
                if (command.action().equals("play")) {
                    world.settle(Duration.ofMillis(5));
                } else {
                    world.execute(command);
                }
            }
            world.settle(Duration.ofMillis(50));
            world.ladder().arrows().forEach(arrow -> labels.add(text(arrow)));
            Path file = directory.resolve(lesson + ".pcapng");
            assertTrue(world.fabric().record(file));
            return Files.readAllBytes(file);
        }
    }

    private static String text(Arrow arrow) {
        return arrow.summary().label() + " " + arrow.summary().psn() + " " + arrow.length();
    }

    @Test
    void shouldShowRoceAsItWasSent() throws IOException {
        List<String> sent = new ArrayList<>();
        RecordedWorld recorded = new RecordedWorld("x", recording("loss-and-go-back-n", sent));
        assertTrue(sent.size() > 25, sent.toString());
        assertEquals(sent, recorded.ladder().arrows().stream().map(RecordedWorldTest::text).toList());
        assertTrue(recorded.ladder().arrows().stream().anyMatch(Arrow::isRepeated));
    }

    @Test
    void shouldShowV1AndIwarpToo() throws IOException {
        List<String> sent = new ArrayList<>();
        RecordedWorld recorded = new RecordedWorld("x", recording("connections-by-address", sent));
        assertTrue(sent.stream().anyMatch(each -> each.startsWith("MPA request")), sent.toString());
        assertEquals(sent.stream().sorted().toList(), recorded.ladder().arrows().stream().map(RecordedWorldTest::text).sorted().toList());
        Cursor cursor = new Cursor();
        assertEquals(6, ((List<?>) recorded.news(cursor).get("lanes")).size());
    }

    /** Records of ERF: the packet between LIDs of IBA vol 1 §7.8, an acknowledgement between GIDs, and one of Ethernet. */
    @Test
    void shouldShowInfiniBand() {
        String record = "0000000000000000" + "1504" + "0038" + "0000" + "0028";
        List<String> packets = List.of(
            record + "7012375c000e17d2" + "0a2024870087b1b3000dec2a" + "01710a1c015d400238f27a050000000e"
                + "bb884d85fd5cfba4728bc0690ed40000" + "9625b75a" + "0000",
            record + "0003000700110005" + "60000000" + "0014" + "1b40" + "fe800000000000000000000000000001"
                + "fe800000000000000000000000000002" + "11008001000000128000000a" + "1f000001" + "00000000" + "0000",
            record.replace("1504", "0204") + "00".repeat(60));
        ByteBuffer b = ByteBuffer.allocate(2048);
        int end = Pcapng.putInterface(b, Pcapng.putSectionHeader(b, 0), 197, 0, "ib0");
        for (String packet : packets) {
            byte[] bytes = HexFormat.of().parseHex(packet);
            end = Pcapng.putPacket(b, end, 0, 0, ByteBuffer.wrap(bytes), 0, bytes.length);
        }
        RecordedWorld recorded = new RecordedWorld("x", Arrays.copyOf(b.array(), end));
        assertEquals(List.of("RDMA WRITE Only 912426 48", "ACK 10 20"),
            recorded.ladder().arrows().stream().map(RecordedWorldTest::text).toList());
        Map<String, Object> news = recorded.news(new Cursor());
        assertEquals(List.of("LID 6098", "LID 14172", "fe80:0:0:0:0:0:0:1", "fe80:0:0:0:0:0:0:2"), news.get("lanes"));
        assertEquals(Map.of("no InfiniBand packet with a BTH", 1), news.get("others"));
    }

    private static String refusal(byte[] file) {
        return assertThrows(IllegalArgumentException.class, () -> new RecordedWorld("file.pcapng", file)).getMessage();
    }

    @Test
    void shouldNameTheLinkTypesItDoesNotKnow() {
        ByteBuffer b = ByteBuffer.allocate(1024);
        int end = Pcapng.putInterface(b, Pcapng.putSectionHeader(b, 0), 147, 0, "user");
        end = Pcapng.putPacket(b, end, 0, 0, ByteBuffer.allocate(64), 0, 64);
        String message = refusal(Arrays.copyOf(b.array(), end));
        assertTrue(message.contains("file.pcapng has no packet of RoCE, InfiniBand or iWARP"), message);
        assertTrue(message.contains("link type 147"), message);
    }

    @Test
    void shouldSayWhereAFileIsDamaged() throws IOException {
        byte[] whole = recording("loss-and-go-back-n", new ArrayList<>());
        for (int length = 0; length < whole.length; length += 1 + length / 7) {
            String message = lengthRefusal(Arrays.copyOf(whole, length));
            assertTrue(message == null || message.startsWith("file.pcapng"), length + ": " + message);
        }
        byte[] noFile = "GIF89a, and nothing else in here".getBytes();
        assertTrue(refusal(noFile).contains("at offset 0"), refusal(noFile));
        assertTrue(refusal(new byte[0]).contains("has no packet"), refusal(new byte[0]));
    }

    /** The message of the refusal; null if what is left is a whole file. */
    private static String lengthRefusal(byte[] file) {
        try {
            new RecordedWorld("file.pcapng", file);
            return null;
        } catch (IllegalArgumentException refused) {
            return refused.getMessage();
        }
    }
}
