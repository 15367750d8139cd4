// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.device.events.PacketDecoder;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Track;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.ib.Lrh;

/** Headers that a recording keeps of a packet. The formats are those of IBA vol 1 §9.2 to §9.3. */
class PacketEventsTest {
    private static final int BEFORE = 512;
    private static final Gid PEER = Gid.ofIpv4(0x0a000002);

    /** Calls of the observer: the name of the method, then its arguments. */
    private final List<List<Object>> calls = new ArrayList<>();
    private final QueuePairObserver observer = (QueuePairObserver) Proxy.newProxyInstance(getClass().getClassLoader(),
        new Class<?>[] {QueuePairObserver.class}, (proxy, method, arguments) -> {
            List<Object> call = new ArrayList<>(List.of(method.getName()));
            call.addAll(Arrays.asList(arguments));
            calls.add(call);
            return null;
        });

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    /** A packet of these headers, four bytes of payload and four of ICRC, with other bytes around it. */
    private static InboundPacket packet(byte[] headers) {
        int length = headers.length + 8;
        byte[] around = new byte[BEFORE + length + 16];
        Arrays.fill(around, (byte) 0xa5);
        System.arraycopy(headers, 0, around, BEFORE, headers.length);
        ByteBuffer buffer = ByteBuffer.allocateDirect(around.length).put(0, around);
        InboundPacket packet = new InboundPacket();
        packet.set(new ReceivedFrame().begin(buffer, BEFORE, length).addresses(Gid.ofIpv4(0x0a000001), PEER.high(), PEER.low())
            .ports(49152, 4791));
        return packet;
    }

    private PacketDecoder.Decoded decoded(Track.Kind kind, int length) {
        return decoded(new Track.Head(kind, "d0", 1, Track.Protocol.ROCE_V2, 0x000011, "RC", "RTS", 0x000022, null, null, 0, 0, 0), length);
    }

    private PacketDecoder.Decoded decoded(Track.Head head, int length) {
        List<Object> packet = calls.getFirst();
        assertEquals(List.of("packet", false), packet.subList(0, 2));
        assertEquals(List.of(length, 0L, 0L), packet.subList(5, 8), "length, and no work request");
        List<Object> more = calls.size() > 1 && calls.get(1).getFirst().equals("moreHeaders") ? calls.get(1) : null;
        long[] words = new long[more == null ? 2 : 6];
        words[0] = (long) packet.get(8);
        words[1] = (long) packet.get(9);
        for (int i = 2; i < words.length; i++) {
            words[i] = (long) more.get(i - 1);
        }
        return new PacketEvents().decode(head, false, (int) packet.get(2), (int) packet.get(3), (int) packet.get(4), length, words);
    }

    /** The packet goes to queue pair 0x11, which is the recorded one. */
    @ParameterizedTest
    @CsvSource({
        // ACKNOWLEDGE: AETH.
        "11 00 ffff 00000011 00fffffe 1f000007",
        // SEND_LAST with SE, M and pad 3, FECN, BECN and AckReq.
        "02 f0 ffff c0000011 80000001",
        // RDMA_WRITE_ONLY_WITH_IMMEDIATE: RETH and ImmDt, 20 bytes behind the BTH.
        "0b 00 ffff 40000011 80000002 0102030405060708 1112131400001000 deadbeef",
        // RDMA_READ_REQUEST: RETH.
        "0c 00 ffff 00000011 80000003 0102030405060708 1112131400001000",
        // FETCH_ADD: AtomicETH, 28 bytes.
        "14 00 ffff 00000011 80000004 0102030405060708 11121314 2122232425262728 3132333435363738",
        // ATOMIC_ACKNOWLEDGE: AETH and AtomicAckETH, 12 bytes.
        "12 00 ffff 00000011 00000005 1f000008 4142434445464748"})
    void shouldKeepTheHeadersAndNoPayload(String hex) {
        byte[] headers = bytes(hex);
        PacketEvents.received(observer, packet(headers));
        PacketDecoder.Decoded decoded = decoded(Track.Kind.QUEUE_PAIR, headers.length + 8);
        assertArrayEquals(headers, decoded.headers());
        assertNull(decoded.remote(), "the peer is the connection's");
        assertEquals(headers.length > 28 ? 2 : 1, calls.size());
    }

    /** The P_Key of a connection is the queue pair's, which its track has. */
    @Test
    void shouldKeepThePartitionOfAConnection() {
        byte[] headers = bytes("04 00 8001 00000011 80000001");
        PacketEvents.received(observer, packet(headers));
        Track.Head head = new Track.Head(Track.Kind.QUEUE_PAIR, "ib0", 1, Track.Protocol.INFINIBAND, 0x000011, "RC", "RTS", 0x000022, null,
            null, 0, 0, 0, new Track.Subnet(5, 7, 0, 0x8001));
        assertArrayEquals(headers, decoded(head, headers.length + 8).headers());
    }

    /** Words behind the headers contain nothing: neither payload nor ICRC, except where half a word belongs to a header. */
    @Test
    void shouldReportNoWordBehindTheHeaders() {
        PacketEvents.received(observer, packet(bytes("04 00 ffff 00000011 80000001")));
        assertEquals(List.of(0L, 0L), calls.getFirst().subList(8, 10));
        calls.clear();
        PacketEvents.received(observer, packet(bytes("11 00 ffff 00000011 00000001 1f000007")));
        assertEquals(0L, calls.getFirst().get(9));
    }

    /** A packet that reaches no queue pair is recorded with its addresses, and with the first value of the reason's sentence. */
    @ParameterizedTest
    @CsvSource({"DROP_UNKNOWN_QPN, 0x000033", "DROP_BAD_PKEY, 0x1234", "DROP_UNKNOWN_OPCODE, 0x04"})
    void shouldKeepThePacketsThatAreDropped(RxeCounter why, String value) {
        byte[] headers = bytes("04 00 1234 00000033 80000001");
        PacketEvents.dropped(observer, packet(headers), why);
        PacketDecoder.Decoded decoded = decoded(Track.Kind.DEVICE, headers.length + 8);
        assertArrayEquals(headers, decoded.headers());
        assertEquals(PEER, decoded.remote());
        assertEquals(List.of("occurred", RecordedEvent.Effect.DROPPED, why.reason(), (long) Integer.decode(value), 0x33L, 0L),
            calls.getLast());
    }

    @Test
    void shouldKeepTheExtendedHeadersOfPacketsThatAreDropped() {
        byte[] headers = bytes("0a 00 ffff 00000033 80000001 0102030405060708 1112131400001000");
        PacketEvents.dropped(observer, packet(headers), RxeCounter.DROP_UNKNOWN_QPN);
        assertArrayEquals(headers, decoded(Track.Kind.DEVICE, headers.length + 8).headers());
        calls.clear();
        PacketEvents.dropped(observer, packet(bytes("04 00 ffff 00000033 80000001")), RxeCounter.DROP_UNKNOWN_QPN);
        assertEquals(List.of(0L, 0L), calls.getFirst().subList(8, 10), "nothing of the payload");
    }

    @Test
    void shouldNameTheKeyOfADatagramForTheGsi() {
        PacketEvents.dropped(observer, packet(bytes("64 00 ffff 00000001 00000009 81010000 00000022")), RxeCounter.DROP_GSI_BAD_QKEY);
        assertEquals(List.of("occurred", RecordedEvent.Effect.DROPPED, Reason.DROP_GSI_BAD_QKEY), calls.getLast().subList(0, 3));
        assertEquals(0x81010000, ((Long) calls.getLast().get(3)).intValue());
        assertEquals(1L, calls.getLast().get(4));
    }

    /** Datagrams come from anywhere, and may be for a group. */
    @Test
    void shouldKeepTheSenderAndTheDestinationOfADatagram() {
        byte[] headers = bytes("64 00 8001 00ffffff 00000009 11111111 00000022");
        PacketEvents.received(observer, packet(headers));
        PacketDecoder.Decoded decoded = decoded(Track.Kind.QUEUE_PAIR, headers.length + 8);
        assertArrayEquals(headers, decoded.headers());
        assertEquals(PEER, decoded.remote());
        assertEquals(0, decoded.lid());
    }

    /** LIDs have 16 bits, and those of groups the highest of them. */
    @Test
    void shouldKeepTheSendersLid() {
        byte[] headers = bytes("64 00 8001 00ffffff 00000009 11111111 00000022");
        InboundPacket packet = packet(headers);
        packet.frame().onSubnet(Lrh.header(0, 0, Lrh.NEXT_GRH, 5, 0, 0xbffe), 0);
        PacketEvents.received(observer, packet);
        assertEquals(0xbffe, decoded(Track.Kind.QUEUE_PAIR, headers.length + 8).lid());
    }
}
