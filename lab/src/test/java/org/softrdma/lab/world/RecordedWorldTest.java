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
import java.util.List;
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

    private static String refusal(byte[] file) {
        return assertThrows(IllegalArgumentException.class, () -> new RecordedWorld("file.pcapng", file)).getMessage();
    }

    @Test
    void shouldNameTheLinkTypesItDoesNotKnow() {
        ByteBuffer b = ByteBuffer.allocate(1024);
        int end = Pcapng.putInterface(b, Pcapng.putSectionHeader(b, 0), 147, 0, "user");
        end = Pcapng.putPacket(b, end, 0, 0, ByteBuffer.allocate(64), 0, 64);
        String message = refusal(Arrays.copyOf(b.array(), end));
        assertTrue(message.contains("file.pcapng has no packet of RoCE or iWARP") && message.contains("link type 147"), message);
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
