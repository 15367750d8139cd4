// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.pcap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.Bytes;

/** Block layouts as in draft-ietf-opsawg-pcapng §4, written out by hand. */
class PcapngTest {
    private static final String SECTION = "0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c";
    private static final String INTERFACE = "00000001 00000028 0001 0000 00040000 0002 0004 74617030 0009 0001 09000000 0000 0000 00000028";
    private static final String PACKET = "00000006 00000028 00000000 12345678 9abcdef0 00000005 00000005 68656c6c6f000000 00000028";

    @Test
    void shouldWriteSpecifiedBlocks() {
        ByteBuffer frame = Bytes.buffer("ff68656c6c6fff").position(3);
        ByteBuffer b = Bytes.filled(120);
        int at = Pcapng.putSectionHeader(b, 1);
        assertEquals(1 + Pcapng.SECTION_HEADER_LENGTH, at);
        at = Pcapng.putInterface(b, at, Pcapng.LINK_ETHERNET, 0x40000, "tap0");
        assertEquals(69, at);
        at = Pcapng.putPacket(b, at, 0, 0x123456789ABCDEF0L, frame, 1, 5);
        assertEquals(69 + Pcapng.packetBlockLength(5), at);
        assertEquals(3, frame.position());
        assertEquals(0, b.position());
        assertEquals("a5" + (SECTION + INTERFACE + PACKET).replace(" ", "") + "a5".repeat(120 - at), Bytes.text(b));
    }

    @Test
    void shouldReadSpecifiedBlocks() {
        ByteBuffer b = Bytes.buffer("a5a5" + SECTION + INTERFACE + PACKET + "a5").position(2).limit(2 + 28 + 40 + 40);
        PcapngReader reader = new PcapngReader(b);
        assertTrue(reader.next());
        assertSame(b, reader.buffer());
        assertEquals(0x123456789ABCDEF0L, reader.timestampNs());
        assertEquals(Pcapng.LINK_ETHERNET, reader.linkType());
        assertEquals(0, reader.interfaceId());
        assertEquals("68656c6c6f", Bytes.text(b, reader.offset(), reader.length()));
        assertEquals(5, reader.originalLength());
        assertFalse(reader.next());
        assertFalse(reader.next());
        assertEquals(2, b.position());
    }

    @Property
    void shouldReadBackWhatItWrites(@ForAll @Size(max = 20) byte[][] packets, @ForAll String name, @ForAll long timestampNs) {
        ByteBuffer b = Bytes.filled(1 << 20);
        int at = Pcapng.putSectionHeader(b, 0);
        at = Pcapng.putInterface(b, at, Pcapng.LINK_ETHERNET, 0, name);
        at = Pcapng.putInterface(b, at, Pcapng.LINK_RAW_IP, 0, "");
        for (int i = 0; i < packets.length; i++) {
            at = Pcapng.putPacket(b, at, i & 1, timestampNs + i, ByteBuffer.wrap(packets[i]), 0, packets[i].length);
        }
        PcapngReader reader = new PcapngReader(b.limit(at));
        for (int i = 0; i < packets.length; i++) {
            assertTrue(reader.next());
            assertEquals(i & 1, reader.interfaceId());
            assertEquals((i & 1) == 0 ? 1 : 101, reader.linkType());
            assertEquals(timestampNs + i, reader.timestampNs());
            assertEquals(ByteBuffer.wrap(packets[i]), b.slice(reader.offset(), reader.length()));
        }
        assertFalse(reader.next());
    }

    /** A little-endian file of three sections' worth of oddities, built with the JDK's own byte order. */
    @Test
    void shouldReadTheOtherByteOrderUnknownBlocksAndSimplePackets() {
        ByteBuffer b = ByteBuffer.allocate(512).order(ByteOrder.LITTLE_ENDIAN);
        b.putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D).putShort((short) 1).putShort((short) 0).putLong(-1).putInt(28);
        b.putInt(1).putInt(20).putShort((short) 101).putShort((short) 0).putInt(6).putInt(20);
        b.putInt(0x0BAD).putInt(16).putInt(-1).putInt(16);
        int simple = b.position();
        b.putInt(3).putInt(24).putInt(9).put(Bytes.hex("0102030405060000")).putInt(24);
        b.putInt(6).putInt(36).putInt(0).putInt(1).putInt(2).putInt(3).putInt(1000).put(Bytes.hex("0a0b0c00")).putInt(36);
        PcapngReader reader = new PcapngReader(b.flip());
        assertTrue(reader.next());
        assertEquals(simple + 12, reader.offset());
        assertEquals(6, reader.length(), "cut at the interface's snap length");
        assertEquals(9, reader.originalLength());
        assertEquals(0, reader.timestampNs());
        assertEquals(101, reader.linkType());
        assertTrue(reader.next());
        assertEquals(((1L << 32) + 2) * 1000, reader.timestampNs(), "microseconds unless told otherwise");
        assertEquals(3, reader.length());
        assertEquals(1000, reader.originalLength());
        assertEquals(ByteOrder.LITTLE_ENDIAN, b.order());
        assertFalse(reader.next());
    }

    @Test
    void shouldStartAnewInEachSection() {
        String other = "00000001 00000014 0065 0000 00000000 00000014";
        ByteBuffer b = Bytes.buffer(SECTION + INTERFACE + PACKET + SECTION + other + PACKET + SECTION + PACKET);
        PcapngReader reader = new PcapngReader(b);
        assertTrue(reader.next());
        assertEquals(1, reader.linkType());
        assertTrue(reader.next());
        assertEquals(101, reader.linkType());
        assertMalformed(reader, 28 + 40 + 40 + 28 + 20 + 40 + 28, "unknown interface");
    }

    @Test
    void shouldConvertTimestamps() {
        assertEquals(5_000_000_000L, timestamp("00", 5));
        assertEquals(5_000_000L, timestamp("03", 5));
        assertEquals(5, timestamp("09", 5));
        assertEquals(5, timestamp("0c", 5999), "picoseconds are cut");
        assertEquals(0, timestamp("7f", -1), "10^-127 seconds");
        assertEquals(1_844_674_407L, timestamp("13", -1), "2^64 units of 10^-19 s, unsigned");
        assertEquals(1_500_000_000L, timestamp("81", 3), "halves");
        assertEquals(3_000_000_000L, timestamp("80", 3), "2^0");
        assertEquals(999_999_999L, timestamp("c0", -1), "2^-64 seconds, all but one");
        assertEquals(0, timestamp("ff", -1));
    }

    private static long timestamp(String resolution, long units) {
        ByteBuffer b = Bytes.buffer(SECTION + INTERFACE.replace("09000000", resolution + "000000") + PACKET);
        b.putLong(28 + 40 + 12, units);
        PcapngReader reader = new PcapngReader(b);
        assertTrue(reader.next());
        return reader.timestampNs();
    }

    @Test
    void shouldAddTimestampOffset() {
        String offset = "00000001 00000024 0001 0000 00000000 000e 0008 0000000000000002 0000 0000 00000024";
        ByteBuffer b = Bytes.buffer(SECTION + offset + PACKET);
        b.putLong(28 + 36 + 12, 7);
        PcapngReader reader = new PcapngReader(b);
        assertTrue(reader.next());
        assertEquals(2_000_007_000L, reader.timestampNs());
    }

    @Test
    void shouldRefuseHostileFiles() {
        refuse("00", 0, "truncated block");
        refuse(PACKET, 0, "no section header");
        refuse(SECTION.replace("1a2b3c4d", "1a2b3c4e"), 0, "no byte-order magic");
        refuse(SECTION.replace("0001 0000", "0002 0000"), 0, "unknown major version");
        refuse("0a0d0d0a 0000000c 1a2b3c4d 0000000c", 0, "truncated section header");
        refuse("0a0d0d0a 00000010 1a2b3c4d 00000010" + "00".repeat(20), 0, "section header too short");
        refuse(SECTION + "00000bad 00000010 00000000", 28, "bad block length");
        refuse(SECTION + "00000bad 00000000 00000000", 28, "bad block length");
        refuse(SECTION + "00000bad 0000000d 0000000d00", 28, "bad block length");
        refuse(SECTION + "00000bad fffffffc 00000000", 28, "bad block length");
        refuse(SECTION + "00000bad 7ffffffc 00000000", 28, "bad block length");
        refuse(SECTION + "00000bad 0000000c 00000010", 28, "block lengths differ");
        refuse(SECTION + "00000001 00000010 00000000 00000010", 28, "interface description too short");
        refuse(SECTION + INTERFACE.replace("0002 0004", "0002 ffff"), 28 + 16, "option longer than its block");
        refuse(SECTION + INTERFACE.replace("0009 0001", "0009 0002"), 28 + 24, "bad if_tsresol");
        refuse(SECTION + INTERFACE.replace("0009 0001", "000e 0001"), 28 + 24, "bad if_tsoffset");
        refuse(SECTION + INTERFACE + "00000006 0000000c 0000000c", 68, "packet block too short");
        refuse(SECTION + INTERFACE + PACKET.replace("00000000 12345678", "00000001 12345678"), 68, "unknown interface");
        refuse(SECTION + INTERFACE + PACKET.replace("00000000 12345678", "ffffffff 12345678"), 68, "unknown interface");
        refuse(SECTION + INTERFACE + PACKET.replace("00000005 00000005", "00000009 00000005"), 68, "longer than its block");
        refuse(SECTION + INTERFACE + PACKET.replace("00000005 00000005", "ffffffff 00000005"), 68, "longer than its block");
        refuse(SECTION + "00000003 00000010 00000000 00000010", 28, "unknown interface");
        refuse(SECTION + INTERFACE + "00000003 0000000c 0000000c", 68, "packet block too short");
        refuse(SECTION + INTERFACE + "00000003 00000010 00000001 00000010", 68, "longer than its block");
    }

    private static void refuse(String hex, int offset, String what) {
        assertMalformed(new PcapngReader(Bytes.buffer(hex)), offset, what);
    }

    private static void assertMalformed(PcapngReader reader, int offset, String what) {
        MalformedCaptureException e = assertThrows(MalformedCaptureException.class, () -> {
            while (reader.next()) {
                assertTrue(reader.length() >= 0);
            }
        });
        assertTrue(e.getMessage().contains(what), e.getMessage());
        assertTrue(e.getMessage().endsWith("at offset " + offset), e.getMessage());
        assertEquals(offset, e.offset());
    }

    @Test
    void shouldRefuseEveryTruncation() {
        byte[] file = Bytes.hex(SECTION + INTERFACE + PACKET);
        for (int length = 0; length < file.length; length++) {
            PcapngReader reader = new PcapngReader(ByteBuffer.wrap(file, 0, length));
            if (length == 0 || length == 28 || length == 68) {
                assertFalse(reader.next(), "whole blocks only");
            } else {
                assertThrows(MalformedCaptureException.class, reader::next, "length " + length);
            }
        }
    }

    @Property
    void shouldSurviveDamage(@ForAll long seed) {
        byte[] file = Bytes.hex(SECTION + INTERFACE + PACKET + PACKET);
        Random random = new Random(seed);
        for (int i = 0; i <= random.nextInt(4); i++) {
            file[random.nextInt(file.length)] = (byte) random.nextInt();
        }
        PcapngReader reader = new PcapngReader(ByteBuffer.wrap(file));
        try {
            while (reader.next()) {
                assertTrue(reader.offset() >= 0 && reader.length() >= 0 && reader.offset() + reader.length() <= file.length);
            }
        } catch (MalformedCaptureException e) {
            assertTrue(e.offset() >= 0 && e.offset() < file.length);
        }
    }
}
