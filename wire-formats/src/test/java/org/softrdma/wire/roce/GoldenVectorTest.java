// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.Reemission;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.pcap.Pcapng;

/** Known frames, both ways. A: ConnectX-4. B: scapy. C–F: computed with zlib, masking as in rxe. */
public class GoldenVectorTest {
    private static final String HELLO = "0430ffff 00000011 80123456 68656c6c6f000000";

    public enum Vector {
        A("e41d2dab2bc2 7cfe90643b32 0800", "45c2003c718c40004011 9161 0a001101 0a001201", "0000 12b7 0028 0000",
            "8100ffff 40000118 00000000" + "00".repeat(16), "82fd002a"),
        B("", "45010040 0478 4000 4011 b4d5 c0a80007 c0a80007", "c000 12b7 002c aca2",
            "2460ffff 000000d3 00cf1710 4630818be28935d90e9a95505401be885e500000", "78f353f3"),
        C("", "45000034 0000 4000 4011 6965 c0a82801 c0a82802", "c001 12b7 0020 0000", HELLO, "daace55b"),
        D("", "60000000 0020 11 40 fd000000000000000000000000000001 fd000000000000000000000000000002",
            "c001 12b7 0020 0000", HELLO, "8fb1ae35"),
        E("020000000002 020000000001 8915",
            "60000000 0018 1b 40 fe80000000000000021122fffe334455 fe80000000000000021122fffe334466", "", HELLO, "7637d106"),
        F("", "45000030 0000 4000 4011 6969 c0a82801 c0a82802", "c002 12b7 001c 0000", "1100ffff 00000012 00123456 1f000001", "1d3f0a4c");

        final int linkType;
        final byte[] bytes;
        final int ipAt;
        final int bthAt;
        final int end;
        final int version;

        Vector(String eth, String ip, String udp, String packet, String icrc) {
            bytes = Bytes.hex(eth + ip + udp + packet + icrc);
            linkType = eth.isEmpty() ? Pcapng.LINK_RAW_IP : Pcapng.LINK_ETHERNET;
            ipAt = Bytes.hex(eth).length;
            bthAt = ipAt + Bytes.hex(ip + udp).length;
            end = bytes.length - 4;
            version = udp.isEmpty() ? RoceFrame.VERSION_1 : ip.startsWith("4") ? RoceFrame.VERSION_2_IPV4 : RoceFrame.VERSION_2_IPV6;
        }

        ByteBuffer buffer() {
            return ByteBuffer.wrap(bytes.clone());
        }

        int icrc(ByteBuffer b) {
            return switch (version) {
                case RoceFrame.VERSION_1 -> new Icrc().ofGrhFrame(b, ipAt, bthAt, end);
                case RoceFrame.VERSION_2_IPV4 -> new Icrc().ofIpv4Frame(b, ipAt, bthAt, end);
                default -> new Icrc().ofIpv6Frame(b, ipAt, bthAt, end);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldComputeIcrcWithoutTouchingTheBuffer(Vector v) {
        ByteBuffer b = v.buffer().limit(v.end).position(2);
        assertEquals(Icrc.get(v.buffer(), v.end), v.icrc(b));
        assertEquals(2, b.position());
        assertEquals(v.end, b.limit());
        assertArrayEquals(v.bytes, b.array());
        ByteBuffer direct = ByteBuffer.allocateDirect(v.bytes.length).put(0, v.bytes);
        assertEquals(Icrc.get(direct, v.end), v.icrc(direct));
        assertEquals(Icrc.get(direct, v.end), v.icrc(b.asReadOnlyBuffer()), "real headers need no patching");
    }

    @ParameterizedTest
    @EnumSource
    void shouldCoverEveryByteButTheMaskedOnes(Vector v) {
        int expected = Icrc.get(v.buffer(), v.end);
        for (int i = v.ipAt; i < v.end; i++) {
            for (int bit = 0; bit < 8; bit++) {
                ByteBuffer b = v.buffer();
                b.put(i, (byte) (b.get(i) ^ 1 << bit));
                boolean udpChecksum = v != Vector.E && (i == v.bthAt - 2 || i == v.bthAt - 1);
                boolean masked = isMasked(v, i - v.ipAt, bit) || udpChecksum || i == v.bthAt + 4;
                assertEquals(masked, v.icrc(b) == expected, "byte " + (i - v.ipAt) + " bit " + bit);
            }
        }
    }

    /** The masked L3 bits (IBA annex A17). */
    private static boolean isMasked(Vector v, int ipByte, int bit) {
        if (v.version == RoceFrame.VERSION_2_IPV4) {
            return List.of(1, 8, 10, 11).contains(ipByte);
        }
        return ipByte == 0 && bit < 4 || ipByte >= 1 && ipByte <= 3 || ipByte == 7;
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "B", "C", "D", "F"})
    void shouldComputeTheSameOverAPrefix(Vector v) {
        for (boolean direct : new boolean[] {false, true}) {
            int bthAt = 61;
            int packet = v.end - v.bthAt;
            int capacity = bthAt + packet + Icrc.LENGTH;
            ByteBuffer b = direct ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
            b.put(bthAt, v.bytes, v.bthAt, packet);
            ByteBuffer f = v.buffer();
            int udp = v.bthAt - Udp.LENGTH;
            int ip = v.ipAt;
            boolean v4 = v.version == RoceFrame.VERSION_2_IPV4;
            int prefixAt = v4
                ? Icrc.putIpv4Prefix(b, bthAt, Ipv4.source(f, ip), Ipv4.destination(f, ip), Ipv4.id(f, ip), Ipv4.dontFragment(f, ip),
                    Udp.sourcePort(f, udp), Udp.destinationPort(f, udp), packet + 4)
                : Icrc.putIpv6Prefix(b, bthAt, Ipv6.sourceHigh(f, ip), Ipv6.sourceLow(f, ip), Ipv6.destinationHigh(f, ip),
                    Ipv6.destinationLow(f, ip), Udp.sourcePort(f, udp), Udp.destinationPort(f, udp), packet + 4);
            assertEquals(bthAt - (v4 ? 36 : 56), prefixAt);
            b.limit(bthAt + packet).position(7);
            assertEquals(Icrc.get(f, v.end), new Icrc().overPrefix(b, prefixAt, bthAt, bthAt + packet));
            assertEquals(7, b.position());
            assertEquals(bthAt + packet, b.limit());
            assertEquals(Bytes.text(f, v.bthAt, packet), Bytes.text(b.clear(), bthAt, packet), "BTH byte 4 is back");
        }
    }

    /** The CRC input of C written out by hand, BTH byte 4 not yet patched. */
    @Test
    void shouldWriteTheSpecifiedIpv4Prefix() {
        ByteBuffer b = Bytes.filled(40);
        assertEquals(1, Icrc.putIpv4Prefix(b, 37, 0xC0A82801, 0xC0A82802, 0, true, 0xC001, 4791, 24));
        assertEquals("a5" + "ffffffffffffffff 45ff0034 0000 4000 ff11ffff c0a82801 c0a82802 c00112b70020ffff".replace(" ", "") + "a5a5a5",
            Bytes.text(b));
    }

    @Test
    void shouldWriteTheSpecifiedIpv6Prefix() {
        ByteBuffer b = Bytes.filled(58);
        assertEquals(1, Icrc.putIpv6Prefix(b, 57, 0xFD00000000000000L, 1, 0xFD00000000000000L, 2, 0xC001, 4791, 24));
        assertEquals("a5" + ("ffffffffffffffff 6fffffff 0020 11 ff fd000000000000000000000000000001 fd000000000000000000000000000002"
            + "c00112b70020ffff").replace(" ", "") + "a5", Bytes.text(b));
    }

    /** CRC register 0xDEBB20E3 after the eight 0xFF bytes. */
    @Test
    void shouldUseTheCrcTheSpecificationMeans() {
        CRC32 crc = new CRC32();
        crc.update(Bytes.hex("ff".repeat(8)));
        assertEquals(0xDEBB20E3, ~(int) crc.getValue());
    }

    @Test
    void shouldStoreLeastSignificantByteFirst() {
        ByteBuffer b = Bytes.filled(6);
        Icrc.put(b, 1, 0x5BE5ACDA);
        assertEquals("a5daace55ba5", Bytes.text(b));
        assertEquals(0x5BE5ACDA, Icrc.get(b, 1));
    }

    @ParameterizedTest
    @EnumSource
    void shouldDissect(Vector v) {
        RoceFrame frame = new RoceFrame();
        assertEquals(RoceFrame.OK, frame.dissect(v.buffer(), v.linkType, 0, v.bytes.length));
        assertEquals(v.version, frame.version());
        assertEquals(v.ipAt, frame.ipAt());
        assertEquals(v.bthAt, frame.bthAt());
        assertEquals(v.end, frame.end());
        assertEquals(Icrc.get(v.buffer(), v.end), frame.computeIcrc(v.buffer(), new Icrc()));
        assertEquals(PacketCheck.OK, PacketCheck.verdict(v.buffer(), v.bthAt, frame.packetLength()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldReemitEveryHeader(Vector v) {
        Reemission.assertIdentical(v.buffer(), v.linkType, 0, v.bytes.length);
    }

    /** Cut anywhere, a packet is refused by one verdict or another; cut to whole payload words it may pass, but its ICRC is wrong. */
    @ParameterizedTest
    @EnumSource
    void shouldRefuseEveryTruncation(Vector v) {
        RoceFrame frame = new RoceFrame();
        for (int length = 0; length < v.bytes.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(v.bytes, length));
            assertNotEquals(RoceFrame.OK, frame.dissect(cut, v.linkType, 0, length), "length " + length);
            assertEquals(RoceFrame.VERSION_NONE, frame.version());
            int packet = length - v.bthAt;
            if (packet >= 0 && PacketCheck.verdict(cut, v.bthAt, packet) == PacketCheck.OK) {
                assertTrue(Opcode.has(Bth.opcode(cut, v.bthAt), Opcode.PAYLOAD), "length " + length);
                assertFalse(v.icrc(cutTo(v, length)) == Icrc.get(cut, length - 4), "length " + length);
            }
        }
    }

    private static ByteBuffer cutTo(Vector v, int length) {
        ByteBuffer b = v.buffer();
        Arrays.fill(b.array(), length, b.capacity(), (byte) 0);
        return b;
    }

    @Test
    void shouldReadTheHardwareCnp() {
        ByteBuffer b = Vector.A.buffer();
        int bth = Vector.A.bthAt;
        assertEquals(0xE41D2DAB2BC2L, Ethernet.destination(b, 0));
        assertEquals(0x718C, Ipv4.id(b, 14));
        assertEquals(0xC2, Ipv4.tos(b, 14));
        assertEquals(Opcode.CNP, Bth.opcode(b, bth));
        assertTrue(Bth.becn(b, bth));
        assertEquals(0x118, Bth.destQp(b, bth));
        assertTrue(Cnp.isZero(b, bth + Bth.LENGTH));
        assertEquals(0x2A00FD82, Icrc.get(b, Vector.A.end));
    }

    @Test
    void shouldReadTheScapyUcSend() {
        ByteBuffer b = Vector.B.buffer();
        int bth = Vector.B.bthAt;
        assertEquals(1144, Ipv4.id(b, 0));
        assertEquals(Opcode.UC_SEND_ONLY, Bth.opcode(b, bth));
        assertTrue(Bth.migReq(b, bth));
        assertEquals(2, Bth.padCount(b, bth));
        assertEquals(211, Bth.destQp(b, bth));
        assertEquals(13571856, Bth.psn(b, bth));
        assertEquals(18, PacketCheck.payloadLength(b, bth, 36));
    }

    @Test
    void shouldReadTheAck() {
        ByteBuffer b = Vector.F.buffer();
        int bth = Vector.F.bthAt;
        int aeth = bth + Opcode.aethOffset(Bth.opcode(b, bth));
        assertEquals(Opcode.RC_ACKNOWLEDGE, Bth.opcode(b, bth));
        assertEquals(Syndrome.ACK_UNLIMITED, Aeth.syndrome(b, aeth));
        assertEquals(1, Aeth.msn(b, aeth));
    }
}
