// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Recordings made by hand: a WRITE of two packets, the second of which is lost once, and its end. */
final class Recordings {
    static final Gid A = Gid.ofIpv4(0x0a000001);
    static final Gid B = Gid.ofIpv4(0x0a000002);
    /** BTH: WRITE First, destination 0x12, AckReq clear, PSN 100; RETH: 0x7f0000000000, rkey 0x1f03, 2000 bytes. */
    static final byte[] WRITE_FIRST = HexFormat.of().parseHex("0600ffff000000120000006400007f0000000000" + "00001f03" + "000007d0");
    /** BTH: WRITE Last, AckReq, PSN 101. */
    static final byte[] WRITE_LAST = HexFormat.of().parseHex("0800ffff0000001280000065");
    /** Acknowledge for queue pair 0x11, PSN 100, and a NAK with MSN 0. */
    static final byte[] NAK = HexFormat.of().parseHex("1100ffff000000110000006560000000");
    /** BTH: SEND Only, P_Key 0x8001, destination 0x12, AckReq, PSN 9. */
    static final byte[] ON_PARTITION = HexFormat.of().parseHex("040080010000001280000009");
    /** BTH: UD SEND Only, P_Key 0x8001, destination 0xffffff, PSN 1; DETH: Q_Key 0xb1b, source 0x13. */
    static final byte[] TO_GROUP = HexFormat.of().parseHex("6400800100ffffff00000001" + "00000b1b00000013");
    static final Gid GROUP = new Gid(0xff12_401b_8001_0000L, 1);
    private static final long S = 1_790_312_312_000_000_000L;

    private Recordings() {
    }

    static Track.Head head(String device, int number, int peer, Gid local, Gid remote) {
        return new Track.Head(Track.Kind.QUEUE_PAIR, device, 4711, Track.Protocol.ROCE_V2, number, "RC", "ERR", peer, local, remote, 49170,
            4791, 1024);
    }

    static RecordedEvent.Packet packet(long number, long timeNs, boolean sent, byte[] headers, int length, RecordedEvent.Work work) {
        return new RecordedEvent.Packet(number, S + timeNs, sent, headers, length, null, 0, work, false, null, List.of());
    }

    /** The requester's end, with an event of each kind. */
    static Track requester() {
        return new Track(head("rxe0", 0x11, 0x12, A, B), 3, List.of(
            new RecordedEvent.StateChange(3, S, "RTR", "RTS"),
            new RecordedEvent.Posted(4, S, 1),
            packet(5, 0, true, WRITE_FIRST, 1056, new RecordedEvent.Work(7, 1, 2)),
            packet(6, 0, true, WRITE_LAST, 996, new RecordedEvent.Work(7, 2, 2)),
            packet(7, 2000, false, NAK, 20, null),
            new RecordedEvent.Occurrence(8, S + 2000, RecordedEvent.Effect.REPEATS, Failure.of(Reason.SEQUENCE_NAK, 101)),
            new RecordedEvent.Packet(9, S + 2000, true, WRITE_LAST, 996, null, 0, new RecordedEvent.Work(7, 2, 2), true,
                Reason.SEQUENCE_NAK, List.of()),
            new RecordedEvent.Occurrence(10, S + 4000, RecordedEvent.Effect.FAILED,
                Failure.of(Reason.NAK_REMOTE_ACCESS, WrOpcode.RDMA_WRITE.value(), 0x7f0000000000L, 2000, 0x1f03)),
            new RecordedEvent.StateChange(11, S + 4000, "RTS", "ERR"),
            new RecordedEvent.Completed(12, S + 4000, true, 7, WcStatus.REM_ACCESS_ERR, WcOpcode.RDMA_WRITE, 0, Reason.NAK_REMOTE_ACCESS),
            new RecordedEvent.Flushed(13, S + 4000, 2),
            new RecordedEvent.Raised(14, S + 4000, AsyncEventType.QP_FATAL)));
    }

    /** The responder's end, which did not receive the second packet at first. */
    static Track responder() {
        return new Track(head("rxe1", 0x12, 0x11, B, A), 0, List.of(
            packet(0, 1000, false, WRITE_FIRST, 1056, null),
            packet(1, 3000, false, WRITE_LAST, 996, null),
            new RecordedEvent.Occurrence(2, S + 3000, RecordedEvent.Effect.REFUSED, Failure.of(Reason.RKEY_RANGE, 0x1f03, 0x7f0000000000L,
                1024, WrOpcode.RDMA_WRITE.value(), 0x7f0000000400L, 976))));
    }

    static Recording both() {
        return new Recording(Recording.Clock.WALL, List.of(requester(), responder()));
    }

    /** The two ends of a connection between LIDs 5 and 7 of partition 0x8001, service level 3; and a datagram to a group. */
    static Recording onSubnet() {
        Track.Head left = new Track.Head(Track.Kind.QUEUE_PAIR, "ib0", 1, Track.Protocol.INFINIBAND, 0x11, "RC", "RTS", 0x12, Gid.ofLid(5),
            Gid.ofLid(7), 0, 0, 2048, new Track.Subnet(5, 7, 3, 0x8001));
        Track.Head right = new Track.Head(Track.Kind.QUEUE_PAIR, "ib1", 2, Track.Protocol.INFINIBAND, 0x12, "RC", "RTS", 0x11, Gid.ofLid(7),
            Gid.ofLid(5), 0, 0, 2048, new Track.Subnet(7, 5, 3, 0x8001));
        Track.Head group = new Track.Head(Track.Kind.QUEUE_PAIR, "ib0", 1, Track.Protocol.INFINIBAND, 0x13, "UD", "RTS",
            Track.Head.UNKNOWN, new Gid(0xfe80L << 48, 0xA), null, 0, 0, 2048, new Track.Subnet(5, 0, 0, 0x8001));
        return new Recording(Recording.Clock.WALL, List.of(
            new Track(left, 0, List.of(new RecordedEvent.Packet(0, S, true, ON_PARTITION, 1016, null, 0, null, false, null, List.of()))),
            new Track(right, 0, List.of(new RecordedEvent.Packet(0, S, false, ON_PARTITION, 1016, null, 0, null, false, null, List.of()))),
            new Track(group, 0, List.of(new RecordedEvent.Packet(0, S, true, TO_GROUP, 32, GROUP, 0xC001, null, false, null, List.of())))));
    }

    static byte[] json(Recording recording) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        recording.writeJson(out);
        return out.toByteArray();
    }

    static byte[] pcapng(Recording recording) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        recording.writePcapng(out);
        return out.toByteArray();
    }
}
