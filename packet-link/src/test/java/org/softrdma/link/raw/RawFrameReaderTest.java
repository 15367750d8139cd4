// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.device.Counters;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;

/** Frames of a packet socket: accepted ones, and the counters of dropped ones. */
class RawFrameReaderTest {
    private static final int AT = TransmitBatch.HEADROOM;
    private static final int VIRTIO_BYTES = 10;
    private static final String NO_OFFLOAD = "00".repeat(VIRTIO_BYTES);
    private static final String MACS = "020000000001" + "020000000002";
    private static final String BTH = "0430ffff0000001180123456" + "68656c6c6f000000";
    private static final String V1 = MACS + "8915" + "6000000000181b40" + "fe800000000000000211 22fffe334455".replace(" ", "")
        + "fe80000000000000021122fffe334466" + BTH + "7637d106";
    private static final String V2_IPV4 = MACS + "0800" + "450000340000400040116965c0a82801c0a82802" + "c00112b700200000" + BTH
        + "daace55b";
    private static final String V2_IPV6 = MACS + "86dd" + "6000000000201140" + "fd000000000000000000000000000001"
        + "fd000000000000000000000000000002" + "c00112b700200000" + BTH + "8fb1ae35";

    /** ICMP from 192.168.40.1 for a packet of 192.168.40.2; the outer checksum is computed by hand: 46 bytes more than the packet. */
    private static final String RETURNED = MACS + "0800" + "4500004c000040004001" + "695d" + "c0a82801" + "c0a82802" + "0303000000000000"
        + "45000034000040004011" + "6965" + "c0a82802" + "c0a82801" + "12b712b700200000" + BTH;

    private final Gid ipv4 = gid("192.168.40.2");
    private final Gid ipv6 = gid("fd00::2");
    private final Gid linkLocal = gid("fe80::211:22ff:fe33:4466");
    private final Counters<RawCounter> counters = new Counters<>(RawCounter.class);
    private final RawFrameReader reader = new RawFrameReader(List.of(GidType.ROCE_V1, GidType.ROCE_V2), counters);
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(AT + 70_000);
    private final List<String> taken = new ArrayList<>();
    private final FrameHandler handler = new FrameHandler() {
        @Override
        public void onFrame(ReceivedFrame frame) {
            taken.add(frame.type() + " " + frame.length() + " " + frame.local() + " < " + new Gid(frame.remoteHigh(), frame.remoteLow())
                + " id " + frame.ipId() + " hops " + frame.hopLimit());
        }

        @Override
        public void onReturned(ReceivedFrame packet) {
            taken.add("returned " + packet.length() + " " + packet.local() + " > " + new Gid(packet.remoteHigh(), packet.remoteLow()));
        }
    };

    private static Gid gid(String text) {
        return Gid.of(InetAddress.ofLiteral(text));
    }

    RawFrameReaderTest() {
        reader.setLocalAddresses(List.of(ipv4, ipv6, linkLocal), List.of());
    }

    private int read(String frame) {
        byte[] bytes = HexFormat.of().parseHex(frame);
        buffer.put(AT, bytes);
        return reader.read(buffer, AT, bytes.length, handler);
    }

    private void expectDropped(RawCounter name, String frame) {
        long before = counters.get(name);
        read(NO_OFFLOAD + frame);
        assertEquals(List.of(), taken);
        assertEquals(before + 1, counters.get(name), name.name());
    }

    @Test
    void shouldTakeBothVersions() {
        read(NO_OFFLOAD + V1);
        read(NO_OFFLOAD + V2_IPV4);
        read(NO_OFFLOAD + V2_IPV6);
        assertEquals(List.of("ROCE_V1 24 fe80::211:22ff:fe33:4466 < fe80::211:22ff:fe33:4455 id 0 hops 64",
            "ROCE_V2 24 " + ipv4 + " < ::ffff:192.168.40.1 id 0 hops 64", "ROCE_V2 24 fd00::2 < fd00::1 id 0 hops 64"), taken);
    }

    /** Ethernet pads short frames. */
    @Test
    void shouldIgnorePadding() {
        read(NO_OFFLOAD + V1 + "00".repeat(9));
        assertTrue(taken.getFirst().startsWith("ROCE_V1 24 "), taken.toString());
        read(NO_OFFLOAD + V2_IPV4 + "00".repeat(9));
        assertTrue(taken.getLast().startsWith("ROCE_V2 24 "), taken.toString());
        read(NO_OFFLOAD + V2_IPV6 + "00".repeat(9));
        assertTrue(taken.getLast().startsWith("ROCE_V2 24 "), taken.toString());
        assertEquals(3, taken.size());
    }

    @Test
    void shouldCountDroppedFramesByReason() {
        expectDropped(RawCounter.FRAME_TOO_SHORT, "");
        expectDropped(RawCounter.FRAME_TOO_SHORT, MACS);
        expectDropped(RawCounter.FRAME_NOT_ROCE, MACS + "0806" + "00".repeat(28));
        expectDropped(RawCounter.FRAME_BAD_NETWORK_HEADER, V1.replace("181b40", "191b40"));
        expectDropped(RawCounter.FRAME_BAD_NETWORK_HEADER, V1.replace("181b40", "181140"));
        expectDropped(RawCounter.FRAME_TOO_SHORT, V1.replace("00181b40", "000f1b40"));
        expectDropped(RawCounter.FRAME_BAD_IPV4_CHECKSUM, V2_IPV4.replace("6965c0a8", "6966c0a8"));
        // One more word of header, four no-operation options: 0x0306 more in the checksum.
        expectDropped(RawCounter.FRAME_IPV4_OPTIONS, V2_IPV4.replace("45000034", "46000038").replace("6965c0a8", "665fc0a8")
            .replace("c0a82802", "c0a8280201010101"));
        expectDropped(RawCounter.FRAME_BAD_UDP_LENGTH, V2_IPV4.replace("12b70020", "12b70021"));
        expectDropped(RawCounter.FRAME_NOT_ROCE, V2_IPV4.replace("12b70020", "12b80020"));
        expectDropped(RawCounter.FRAME_OTHER_ADDRESS, V2_IPV6.replace("00000002c001", "00000003c001"));
        expectDropped(RawCounter.FRAME_BAD_SOURCE, V2_IPV6.replace("1140fd", "1140ff"));
        expectDropped(RawCounter.FRAME_BAD_SOURCE, V1.replace("fe80000000000000021122fffe334455", "00".repeat(16)));
        // 4000 becomes 2000: more fragments; the checksum is adapted.
        expectDropped(RawCounter.FRAME_FRAGMENT, V2_IPV4.replace("40004011" + "6965", "20004011" + "8965"));
    }

    /** A frame for each counter of received frames; a new counter needs a case here. The others are counted where packets wait. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = "FRAME_.*")
    void shouldCountEachReasonByName(RawCounter reason) {
        String name = reason.name().toLowerCase(Locale.ROOT);
        assertEquals(0, counters.toMap().get(name));
        read(NO_OFFLOAD + switch (reason) {
            case FRAME_BAD_NETWORK_HEADER -> V1.replace("181b40", "191b40");
            case FRAME_BAD_IPV4_CHECKSUM -> V2_IPV4.replace("6965c0a8", "6966c0a8");
            case FRAME_IPV4_OPTIONS -> V2_IPV4.replace("45000034", "46000038").replace("6965c0a8", "665fc0a8")
                .replace("c0a82802", "c0a8280201010101");
            case FRAME_FRAGMENT -> V2_IPV4.replace("40004011" + "6965", "20004011" + "8965");
            case FRAME_BAD_UDP_LENGTH -> V2_IPV4.replace("12b70020", "12b70021");
            case FRAME_TOO_SHORT -> "";
            // 4,481 bytes of packet are 0x1181, 4,489 of UDP datagram are 0x1189.
            case FRAME_TOO_LONG -> V2_IPV6.replace("6000000000201140", "6000000011891140").replace("12b70020", "12b71189")
                + "00".repeat(4481 - 24);
            case FRAME_NOT_ROCE -> MACS + "0806" + "00".repeat(28);
            case FRAME_OTHER_ADDRESS -> V2_IPV6.replace("00000002c001", "00000003c001");
            case FRAME_BAD_SOURCE -> V2_IPV6.replace("1140fd", "1140ff");
            case FRAME_RETURNED -> RETURNED;
            case UNSENT_NEIGHBOUR_UNREACHABLE, UNSENT_NEIGHBOUR_QUEUE_FULL, UNSENT_OWN_QUEUE_FULL ->
                throw new AssertionError(reason + " counts packets that are sent");
        });
        assertEquals(1, counters.toMap().get(name));
        assertEquals(reason == RawCounter.FRAME_RETURNED ? 1 : 0, taken.size());
    }

    @Test
    void shouldTakeOnlyTheVersionsOfTheLink() {
        RawFrameReader v1Only = new RawFrameReader(List.of(GidType.ROCE_V1), counters);
        v1Only.setLocalAddresses(List.of(ipv4), List.of());
        byte[] bytes = HexFormat.of().parseHex(NO_OFFLOAD + V2_IPV4);
        buffer.put(AT, bytes);
        v1Only.read(buffer, AT, bytes.length, handler);
        assertEquals(List.of(), taken);
        assertEquals(1, counters.get(RawCounter.FRAME_NOT_ROCE));
    }

    /** Three packets of 24, 24 and 16 bytes under one set of headers: their identifications are unknown. */
    @Test
    void shouldCutUncutTrains() {
        String train = "0105" + "0000" + "1800" + "0000" + "0000";
        String headers = MACS + "86dd" + "6000000000481140" + "fd000000000000000000000000000001" + "fd000000000000000000000000000002"
            + "c00112b700480000";
        assertEquals(3, read(train + headers + "11".repeat(24) + "22".repeat(24) + "33".repeat(16)));
        assertEquals(List.of("ROCE_V2 24 fd00::2 < fd00::1 id -1 hops 64", "ROCE_V2 24 fd00::2 < fd00::1 id -1 hops 64",
            "ROCE_V2 16 fd00::2 < fd00::1 id -1 hops 64"), taken);
    }

    /** A guest of this host can write a frame's virtio_net_hdr, and could otherwise cause one packet check per byte. */
    @Test
    void shouldDropTrainsOfImpossiblePackets() {
        String headers = MACS + "86dd" + "6000000000281140" + "fd000000000000000000000000000001" + "fd000000000000000000000000000002"
            + "c00112b700280000";
        assertEquals(1, read("0105" + "0000" + "0f00" + "0000" + "0000" + headers + "11".repeat(32)));
        assertEquals(List.of(), taken);
        assertEquals(1, counters.get(RawCounter.FRAME_TOO_SHORT));
        assertEquals(2, read("0105" + "0000" + "1000" + "0000" + "0000" + headers + "11".repeat(32)));
        assertEquals(2, taken.size());
    }

    @Test
    void shouldDeliverReturnedPackets() {
        read(NO_OFFLOAD + RETURNED);
        assertEquals(List.of("returned 20 " + ipv4 + " > ::ffff:192.168.40.1"), taken);
        assertEquals(1, counters.get(RawCounter.FRAME_RETURNED));
    }

    /** Every frame is delivered or counted, once; an ICMP port unreachable is both. */
    @Test
    void shouldSurviveAnyFrame() {
        long seed = 89_15;
        SplittableRandom random = new SplittableRandom(seed);
        String[] seeds = {NO_OFFLOAD + V1, NO_OFFLOAD + V2_IPV4, NO_OFFLOAD + V2_IPV6, NO_OFFLOAD + RETURNED,
            "0105" + "0000" + "1000" + "0000" + "0000" + V2_IPV4};
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = HexFormat.of().parseHex(seeds[i % seeds.length]);
            for (int flips = random.nextInt(4); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            int length = random.nextInt(8) == 0 ? random.nextInt(bytes.length + 1) : bytes.length;
            buffer.put(AT, bytes);
            int ipv4At = AT + VIRTIO_BYTES + Ethernet.LENGTH;
            if (random.nextBoolean() && buffer.getShort(ipv4At - 2) == Ethernet.TYPE_IPV4) {
                buffer.putShort(ipv4At + Ipv4.CHECKSUM_OFFSET, (short) Ipv4.computeChecksum(buffer, ipv4At));
            }
            long before = sumOfCounters();
            taken.clear();
            int packets = reader.read(buffer, AT, length, handler);
            assertEquals(packets, taken.size() + sumOfCounters() - before, "seed " + seed + ", frame " + i);
        }
        assertTrue(counters.get(RawCounter.FRAME_RETURNED) > 10_000);
    }

    private long sumOfCounters() {
        return counters.toMap().values().stream().mapToLong(Long::longValue).sum() - counters.get(RawCounter.FRAME_RETURNED);
    }
}
