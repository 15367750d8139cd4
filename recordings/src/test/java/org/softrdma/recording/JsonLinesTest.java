// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JSON lines as docs/recordings.md describes them. */
class JsonLinesTest {
    private static final String HEAD = "{\"softrdma_recording\":1,\"clock\":\"virtual\",\"start\":\"10\"}\n";
    private static final String TRACK = "{\"track\":0,\"kind\":\"queue_pair\",\"device\":\"rxe0\",\"pid\":1,\"transport\":\"roce_v2\","
        + "\"number\":17,\"type\":\"RC\",\"state\":\"RTS\",\"missed\":0}\n";

    private static Recording read(String text) throws IOException {
        return Recording.read(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldWriteThePlaceOnASubnet() throws IOException {
        List<String> lines = new String(Recordings.json(Recordings.onSubnet()), StandardCharsets.UTF_8).lines().toList();
        String track = lines.get(1);
        assertTrue(track.contains("\"transport\":\"infiniband\",") && track.contains("\"local\":\"::5\",\"remote\":\"::7\","), track);
        assertTrue(track.endsWith(",\"local_lid\":5,\"remote_lid\":7,\"service_level\":3,\"pkey\":\"0x8001\",\"missed\":0}"), track);
        assertTrue(lines.getLast().contains(",\"remote\":\"ff12:401b:8001::1\",\"remote_lid\":49153,"), lines.getLast());
    }

    /** A track of InfiniBand has its place on the subnet, and no other track has. */
    @ParameterizedTest
    @CsvSource({"infiniband, ''", "roce_v2, '\"pkey\":\"0x8001\",'", "infiniband, '\"pkey\":\"partition\",'",
        "infiniband, '\"pkey\":\"0x8001\",\"local_lid\":65536,'"})
    void shouldRefuseTracksWithTheWrongPlace(String transport, String place) {
        String track = TRACK.replace("roce_v2", transport).replace("\"missed\"", place + "\"missed\"");
        assertTrue(assertThrows(MalformedRecordingException.class, () -> read(HEAD + track)).getMessage().contains("line 2"));
    }

    @Test
    void shouldWriteTheDocumentedLines() throws IOException {
        List<String> lines = new String(Recordings.json(Recordings.both()), StandardCharsets.UTF_8).lines().toList();
        assertEquals(1 + 2 + 12 + 3, lines.size());
        assertEquals("{\"softrdma_recording\":1,\"clock\":\"wall\",\"start\":\"1790312312000000000\"}", lines.get(0));
        assertEquals("{\"track\":0,\"kind\":\"queue_pair\",\"device\":\"rxe0\",\"pid\":4711,\"transport\":\"roce_v2\",\"number\":17,"
            + "\"type\":\"RC\",\"state\":\"ERR\",\"peer\":18,\"local\":\"::ffff:10.0.0.1\",\"remote\":\"::ffff:10.0.0.2\","
            + "\"local_port\":49170,\"remote_port\":4791,\"path_mtu\":1024,\"missed\":3}", lines.get(1));
        assertEquals("{\"track\":0,\"n\":5,\"t\":0,\"event\":\"sent\",\"opcode\":\"RC RDMA WRITE First\",\"psn\":100,\"length\":1056,"
            + "\"headers\":\"0600ffff000000120000006400007f000000000000001f03000007d0\",\"wr_id\":\"7\",\"packet\":1,\"packets\":2,"
            + "\"text\":\"work request 7, packet 1 of 2\"}", lines.get(5));
        assertEquals("{\"track\":1,\"n\":0,\"t\":1000,\"event\":\"received\",\"opcode\":\"RC RDMA WRITE First\",\"psn\":100,"
            + "\"length\":1056,\"headers\":\"0600ffff000000120000006400007f000000000000001f03000007d0\","
            + "\"text\":\"the peer's work request 7, packet 1 of 2\"}", lines.get(7));
        assertEquals("{\"track\":0,\"n\":8,\"t\":2000,\"event\":\"repeats\",\"reason\":\"sequence-nak\",\"psn\":101,"
            + "\"text\":\"repeats: sequence NAK: the peer misses PSN 101 [sequence-nak]\"}", lines.get(9));
        assertTrue(lines.get(10).endsWith("\"again\":true,\"because\":\"sequence-nak\","
            + "\"text\":\"work request 7, packet 2 of 2, repeated: sequence NAK\"}"), lines.get(10));
        assertTrue(lines.stream().anyMatch(line -> line.contains("\"event\":\"refused\",\"reason\":\"rkey-range\",\"rkey\":\"0x1f03\","
            + "\"region\":\"0x7f0000000000\",\"region_bytes\":1024,\"operation\":\"RDMA_WRITE\",\"address\":\"0x7f0000000400\","
            + "\"bytes\":976,")));
        assertTrue(lines.stream().anyMatch(line -> line.contains("\"event\":\"completed\",\"queue\":\"send\",\"wr_id\":\"7\","
            + "\"status\":\"REM_ACCESS_ERR\",\"opcode\":\"RDMA_WRITE\",\"bytes\":0,\"reason\":\"nak-remote-access\"")));
    }

    @Test
    void shouldReadBackWhatItWrites() throws IOException {
        assertEquals(Recordings.both(), Recording.read(Recordings.json(Recordings.both())));
    }

    @Test
    void shouldIgnoreFieldsEventsAndReasonsThatItDoesNotKnow() throws IOException {
        Recording read = read(HEAD + TRACK.replace("\"pid\"", "\"later\":{\"a\":[1]},\"pid\"")
            + "{\"track\":0,\"n\":1,\"t\":5,\"event\":\"later\",\"x\":null}\n"
            + "{\"track\":0,\"n\":2,\"t\":6,\"event\":\"failed\",\"reason\":\"of-a-later-version\"}\n"
            + "{\"track\":0,\"n\":3,\"t\":7,\"event\":\"posted\",\"requests\":1}\n");
        assertEquals(Recording.Clock.VIRTUAL, read.clock());
        assertEquals(List.of(new RecordedEvent.Posted(3, 17, 1)), read.tracks().getFirst().events());
        assertEquals(Track.Head.UNKNOWN, read.tracks().getFirst().head().peer());
    }

    @Test
    void shouldReadARecordingWithoutEvents() throws IOException {
        assertTrue(read(HEAD).isEmpty());
        assertEquals(List.of(), new Recording(Recording.Clock.WALL, List.of()).entries());
        assertTrue(Recording.read(Recordings.json(new Recording(Recording.Clock.WALL, List.of()))).isEmpty());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', value = {
        "{\"event\":\"posted\"}| line 1: the first line is not the head",
        "{\"softrdma_recording\":2,\"clock\":\"wall\",\"start\":\"0\"}| version 2; known is 1",
        "{\"softrdma_recording\":1,\"clock\":\"sun\",\"start\":\"0\"}| line 1",
        "{\"softrdma_recording\":1,\"clock\":\"wall\",\"start\":\"soon\"}| line 1",
        "HEAD{\"track\":1}| track 1 instead of 0",
        "HEADTRACK{\"track\":1,\"n\":0,\"t\":0,\"event\":\"posted\",\"requests\":1}| line 3: track is 1",
        "HEADTRACK{\"track\":0,\"n\":0,\"t\":0,\"event\":\"posted\",\"requests\":-1}| requests is -1",
        "HEADTRACK{\"track\":0,\"n\":0,\"t\":0,\"event\":\"sent\",\"length\":20,\"headers\":\"0\"}| line 3",
        "HEADTRACK{\"track\":0,\"n\":0,\"t\":0,\"event\":\"sent\",\"length\":20}| no field 'headers'",
        "HEADTRACK{\"track\":0,\"n\":0,\"t\":0,\"event\":\"failed\",\"reason\":\"rkey-range\",\"rkey\":\"key\"}| line 3",
        "HEADTRACK{\"track\":0,\"n\":0,\"t\":0,\"event\":\"pos| line 3",
        "HEADTRACK[1]| line 3: not an object",
        "HEAD{\"track\":0,\"kind\":\"queue_pair\",\"device\":\"a\",\"pid\":1,\"transport\":\"roce_v2\",\"number\":1,\"type\":\"RC\","
            + "\"state\":\"RTS\",\"local\":\"localhost\",\"missed\":0}| 'localhost' is no address"})
    void shouldSayWhatIsWrongWithADamagedFile(String text, String message) {
        String file = text.replace("HEAD", HEAD).replace("TRACK", TRACK);
        String said = assertThrows(MalformedRecordingException.class, () -> read(file)).getMessage();
        assertTrue(said.contains(message.strip()), said);
    }

    @Test
    void shouldRefuseOtherFiles() {
        assertTrue(assertThrows(MalformedRecordingException.class, () -> read("hello")).getMessage().contains("neither pcapng nor JSON"));
        assertThrows(MalformedRecordingException.class, () -> read(""));
    }
}
