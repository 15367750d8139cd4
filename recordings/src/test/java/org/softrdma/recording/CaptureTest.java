// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.Vcrc;
import org.softrdma.wire.pcap.Pcapng;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.RoceFrame;

/** Recordings as pcapng. */
class CaptureTest {
    /** A tagged segment: RDMA Write, last, STag 0x1f03, TO 0x7f0000000000. */
    private static final byte[] TAGGED = HexFormat.of().parseHex("c140" + "00001f03" + "00007f0000000000");

    private static List<RecordedEvent.Packet> packets(Track track) {
        return track.events().stream().filter(RecordedEvent.Packet.class::isInstance).map(RecordedEvent.Packet.class::cast).toList();
    }

    @Test
    void shouldKeepPacketsEndsAndComments() throws IOException {
        Recording back = Recording.read(Recordings.pcapng(Recordings.both()));
        assertEquals(Recording.Clock.WALL, back.clock());
        assertEquals(List.of("rxe0 qp 0x11", "rxe1 qp 0x12"), back.tracks().stream().map(track -> track.head().toString()).toList());
        Track requester = back.tracks().getFirst();
        assertTrue(requester.isPeerOf(back.tracks().get(1)));
        assertEquals(requester, back.peerOf(back.tracks().get(1)));
        for (int i = 0; i < 2; i++) {
            List<RecordedEvent.Packet> written = packets(Recordings.both().tracks().get(i));
            List<RecordedEvent.Packet> read = packets(back.tracks().get(i));
            assertEquals(written.size(), read.size());
            for (int j = 0; j < written.size(); j++) {
                assertArrayEquals(written.get(j).headers(), read.get(j).headers());
                assertEquals(written.get(j).length(), read.get(j).length());
                assertEquals(written.get(j).timeNs(), read.get(j).timeNs());
                assertEquals(written.get(j).sent(), read.get(j).sent());
            }
        }
        assertEquals(List.of("work request 7, packet 1 of 2", "state RTR > RTS", "1 work request posted"),
            packets(requester).get(0).notes());
        assertEquals(List.of("work request 7, packet 2 of 2, repeated: sequence NAK",
            "repeats: sequence NAK: the peer misses PSN 101 [sequence-nak]",
            "failed: remote access error: the peer refused the RDMA_WRITE of [0x7f0000000000, +2000) with rkey 0x1f03 "
                + "[nak-remote-access]",
            "state RTS > ERR", "completed: work request 7 REM_ACCESS_ERR (nak-remote-access)",
            "2 work requests completed with WR_FLUSH_ERR", "asynchronous event QP_FATAL"), packets(requester).getLast().notes());
        assertEquals(List.of("the peer's work request 7, packet 2 of 2",
            "refused: rkey 0x1f03 covers [0x7f0000000000, +1024), the RDMA_WRITE asked for [0x7f0000000400, +976) [rkey-range]"),
            packets(back.tracks().get(1)).getLast().notes());
    }

    /** Frames are whole, with zeros for the payload and an ICRC that fits. */
    @Test
    void shouldWriteWholePackets() throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Recordings.pcapng(Recordings.both()));
        PcapngReader reader = new PcapngReader(file);
        RoceFrame frame = new RoceFrame();
        int count = 0;
        while (reader.next()) {
            count++;
            assertEquals(reader.originalLength(), reader.length());
            assertEquals(RoceFrame.OK, frame.dissect(file, reader.linkType(), reader.offset(), reader.length()));
            assertEquals(Icrc.get(file, frame.end()), frame.computeIcrc(file, new Icrc()));
        }
        assertEquals(6, count);
    }

    @Test
    void shouldWriteSegmentsOfIwarp() throws IOException {
        Track.Head left = new Track.Head(Track.Kind.QUEUE_PAIR, "siw0", 1, Track.Protocol.IWARP, 5, "RC", "RTS", Track.Head.UNKNOWN,
            Recordings.A, Recordings.B, 40000, 7174, 0);
        Track.Head right = new Track.Head(Track.Kind.QUEUE_PAIR, "siw1", 1, Track.Protocol.IWARP, 9, "RC", "RTS", Track.Head.UNKNOWN,
            Recordings.B, Recordings.A, 7174, 40000, 0);
        Recording recording = new Recording(Recording.Clock.VIRTUAL, List.of(
            new Track(left, 0, List.of(new RecordedEvent.Packet(0, 5, true, TAGGED, 1014, null, 0, new RecordedEvent.Work(7, 1, 0), false,
                null, List.of()))),
            new Track(right, 0, List.of(new RecordedEvent.Packet(0, 6, false, TAGGED, 1014, null, 0, null, false, null, List.of())))));
        Recording back = Recording.read(Recordings.pcapng(recording));
        assertEquals(Recording.Clock.VIRTUAL, back.clock());
        assertTrue(back.tracks().get(0).isPeerOf(back.tracks().get(1)));
        RecordedEvent.Packet sent = packets(back.tracks().getFirst()).getFirst();
        assertEquals(1014, sent.length());
        assertArrayEquals(TAGGED, Arrays.copyOf(sent.headers(), TAGGED.length));
        assertEquals(List.of("work request 7, packet 1"), sent.notes());
    }

    /** Packets of datagrams have an address of their own. */
    @Test
    void shouldKeepTheAddressesOfDatagrams() throws IOException {
        byte[] datagram = HexFormat.of().parseHex("6400ffff000000120000000011111111" + "00000011");
        Track.Head head = new Track.Head(Track.Kind.QUEUE_PAIR, "rxe0", 1, Track.Protocol.ROCE_V2, 0x11, "UD", "RTS", Track.Head.UNKNOWN,
            Recordings.A, null, 0, 0, 0);
        Gid second = Gid.ofIpv4(0x0a000003);
        Recording recording = new Recording(Recording.Clock.WALL, List.of(new Track(head, 0, List.of(
            new RecordedEvent.Packet(0, 1, true, datagram, 30, Recordings.B, 0, new RecordedEvent.Work(1, 1, 1), false, null, List.of()),
            new RecordedEvent.Packet(1, 2, true, datagram, 30, second, 0, new RecordedEvent.Work(2, 1, 1), false, null, List.of())))));
        assertEquals(recording, Recording.read(Recordings.json(recording)));
        List<RecordedEvent.Packet> back = packets(Recording.read(Recordings.pcapng(recording)).tracks().getFirst());
        assertEquals(second, back.get(1).remote());
    }

    /** Records as the format of ERF has them (type 21), and an LRH as IBA vol 1 §7.7 has it: VL 0, SL 3, BTH next, DLID 7, 256 words. */
    @Test
    void shouldWritePacketsOfASubnet() throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Recordings.pcapng(Recordings.onSubnet()));
        PcapngReader reader = new PcapngReader(file);
        assertTrue(reader.next());
        assertEquals(197, reader.linkType());
        assertEquals(16 + 8 + 1016 + 2, reader.length());
        int record = reader.offset();
        assertEquals(21, file.get(record + 8));
        assertEquals(reader.length(), file.getShort(record + 10));
        int lrh = record + 16;
        assertEquals(0x0032_0007_0100_0005L, file.getLong(lrh));
        int bth = lrh + 8;
        byte[] headers = new byte[12];
        file.get(bth, headers);
        assertArrayEquals(Recordings.ON_PARTITION, headers);
        int icrcAt = bth + 1016 - 4;
        assertEquals(new Icrc().ofLrhFrame(file, lrh, bth, icrcAt), Icrc.get(file, icrcAt));
        assertEquals(Vcrc.of(file, lrh, icrcAt + 4), Vcrc.get(file, icrcAt + 4));
        assertTrue(reader.next());
        assertEquals(0x0032_0007_0100_0005L, file.getLong(reader.offset() + 16), "received by the other end: the same way");
        assertTrue(reader.next());
        lrh = reader.offset() + 16;
        assertEquals(0x0003_C001_0014_0005L, file.getLong(lrh), "to the group's LID, with a GRH, 20 words");
        int grh = lrh + 8;
        assertEquals(0xfe80L << 48, file.getLong(grh + 8));
        assertEquals(Recordings.GROUP.high(), file.getLong(grh + 24));
        assertEquals(new Icrc().ofGrhFrame(file, grh, grh + 40, grh + 40 + 28), Icrc.get(file, grh + 40 + 28));
    }

    @Test
    void shouldReadPacketsOfASubnet() throws IOException {
        Recording written = Recordings.onSubnet();
        assertEquals(written, Recording.read(Recordings.json(written)));
        Recording read = Recording.read(Recordings.pcapng(written));
        assertTrue(read.tracks().get(0).isPeerOf(read.tracks().get(1)));
        for (int i = 0; i < 2; i++) {
            Track.Head head = read.tracks().get(i).head();
            Track.Head before = written.tracks().get(i).head();
            assertEquals(Track.Protocol.INFINIBAND, head.protocol());
            assertEquals(before.local(), head.local());
            assertEquals(before.remote(), head.remote());
            assertEquals(before.subnet(), head.subnet());
            assertArrayEquals(Recordings.ON_PARTITION, packets(read.tracks().get(i)).getFirst().headers());
        }
        Track.Head sender = read.tracks().get(2).head();
        assertEquals(new Track.Subnet(5, 0xC001, 0, 0x8001), sender.subnet());
        assertEquals(Recordings.GROUP, sender.remote());
        assertArrayEquals(Recordings.TO_GROUP, packets(read.tracks().get(2)).getFirst().headers());
    }

    /** Lengths that no packet of a subnet has, as those of dropped ones. An LRH says 2,047 words at most, twelve of them LRH and GRH. */
    @ParameterizedTest
    @CsvSource({"0, 16", "13, 16", "31, 28", "65536, 8140"})
    void shouldWriteAnyLengthOnASubnet(int recorded, int written) throws IOException {
        Track group = Recordings.onSubnet().tracks().get(2);
        Recording recording = new Recording(Recording.Clock.WALL, List.of(new Track(group.head(), 0, List.of(
            new RecordedEvent.Packet(0, 1, false, Recordings.TO_GROUP, recorded, Recordings.GROUP, 5, null, false, null, List.of())))));
        assertEquals(written, packets(Recording.read(Recordings.pcapng(recording)).tracks().getFirst()).getFirst().length());
    }

    @Test
    void shouldReadTheCapturesOfOtherPrograms() throws IOException {
        // The kernel's own packets: interop-tests/lab made the file, see wire-formats/src/test/resources/golden/README.md.
        Recording capture;
        try (InputStream in = getClass().getResourceAsStream("RecordingFuzzTestInputs/shouldSurviveAnyBytes/capture.pcapng")) {
            capture = Recording.read(in.readAllBytes());
        }
        assertTrue(capture.tracks().size() >= 2, capture.tracks().size() + " tracks");
        assertTrue(capture.tracks().stream().allMatch(track -> track.head().device().equals("capture")
            && packets(track).stream().noneMatch(RecordedEvent.Packet::sent)));
    }

    @Test
    void shouldRefuseOtherLinkTypes() {
        ByteBuffer file = ByteBuffer.allocate(512);
        int at = Pcapng.putSectionHeader(file, 0);
        at = Pcapng.putInterface(file, at, 147, 0, "user0");
        at = Pcapng.putPacket(file, at, 0, 0, ByteBuffer.allocate(64), 0, 64);
        byte[] bytes = Arrays.copyOf(file.array(), at);
        String said = assertThrows(MalformedRecordingException.class, () -> Recording.read(bytes)).getMessage();
        assertEquals("packet 1 is of link type 147; known are 1 (Ethernet), 101 (IP) and 197 (ERF, for InfiniBand)", said);
    }

    @Test
    void shouldRefuseACaptureWithoutRoce() {
        ByteBuffer file = ByteBuffer.allocate(512);
        int at = Pcapng.putSectionHeader(file, 0);
        at = Pcapng.putInterface(file, at, Pcapng.LINK_ETHERNET, 0, "eth0");
        at = Pcapng.putPacket(file, at, 0, 0, ByteBuffer.allocate(64), 0, 64);
        byte[] bytes = Arrays.copyOf(file.array(), at);
        String said = assertThrows(MalformedRecordingException.class, () -> Recording.read(bytes)).getMessage();
        assertEquals("no packet of RoCE or InfiniBand among the 1 packets of this capture", said);
    }

    @Test
    void shouldSayHowToConvertAnOldCapture() {
        byte[] old = HexFormat.of().parseHex("d4c3b2a1020004000000000000000000");
        String said = assertThrows(MalformedRecordingException.class, () -> Recording.read(old)).getMessage();
        assertTrue(said.contains("editcap -F pcapng"), said);
    }

    @Test
    void shouldSayWhereACaptureIsDamaged() throws IOException {
        byte[] whole = Recordings.pcapng(Recordings.both());
        byte[] cut = Arrays.copyOf(whole, whole.length - 10);
        String said = assertThrows(MalformedRecordingException.class, () -> Recording.read(cut)).getMessage();
        assertTrue(said.matches("pcapng: bad block length at offset \\d+"), said);
    }

    @Test
    void shouldMergeRecordingsOfOneClockOnly() {
        Recording wall = new Recording(Recording.Clock.WALL, List.of(Recordings.requester()));
        Recording virtual = new Recording(Recording.Clock.VIRTUAL, List.of(Recordings.responder()));
        assertThrows(IllegalArgumentException.class, () -> Recording.merge(List.of(wall, virtual)));
        assertEquals(Recordings.both(), Recording.merge(List.of(wall, new Recording(Recording.Clock.WALL,
            List.of(Recordings.responder())))));
    }
}
