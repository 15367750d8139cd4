// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.net.Vlan;

/** Every header as literal bytes, laid out by hand from the specification's tables, read and written. */
class HeaderLayoutTest {
    /** An odd offset, so that nothing relies on alignment. */
    private static final int AT = 5;

    /** The emitter writes exactly these bytes, the ones around stay, and position and limit do not move. */
    private static void assertEmits(String hex, Emitter emitter) {
        int length = Bytes.hex(hex).length;
        ByteBuffer b = Bytes.filled(AT + length + 3);
        b.limit(b.capacity() - 1).position(1);
        emitter.put(b, AT);
        assertEquals(1, b.position());
        b.clear();
        assertEquals("a5".repeat(AT) + hex.replace(" ", "") + "a5".repeat(3), Bytes.text(b));
    }

    private static ByteBuffer at(String hex) {
        return Bytes.buffer("a5".repeat(AT) + hex);
    }

    @Test
    void shouldReadAndWriteBth() {
        String hex = "0b b0 7fff 00 123456 80 fedcba";
        ByteBuffer b = at(hex);
        assertEquals(12, Bth.LENGTH);
        assertEquals(0x0B, Bth.opcode(b, AT));
        assertTrue(Bth.solicitedEvent(b, AT));
        assertFalse(Bth.migReq(b, AT));
        assertEquals(3, Bth.padCount(b, AT));
        assertEquals(0, Bth.transportVersion(b, AT));
        assertEquals(0x7FFF, Bth.pkey(b, AT));
        assertFalse(Bth.fecn(b, AT));
        assertFalse(Bth.becn(b, AT));
        assertEquals(0x123456, Bth.destQp(b, AT));
        assertTrue(Bth.ackRequest(b, AT));
        assertEquals(0xFEDCBA, Bth.psn(b, AT));
        assertEmits(hex, (e, i) -> Bth.put(e, i, 0x0B, true, 3, 0x7FFF, 0x123456, true, 0xFEDCBA));
    }

    @Test
    void shouldReadBthWithEveryBitTheOtherWay() {
        ByteBuffer b = at("f4 4f 8000 ff edcba9 7f 012345");
        assertEquals(0xF4, Bth.opcode(b, AT));
        assertFalse(Bth.solicitedEvent(b, AT));
        assertTrue(Bth.migReq(b, AT));
        assertEquals(0, Bth.padCount(b, AT));
        assertEquals(0xF, Bth.transportVersion(b, AT));
        assertEquals(0x8000, Bth.pkey(b, AT));
        assertTrue(Bth.fecn(b, AT));
        assertTrue(Bth.becn(b, AT));
        assertEquals(0xEDCBA9, Bth.destQp(b, AT));
        assertFalse(Bth.ackRequest(b, AT), "reserved bits beside A are not A");
        assertEquals(0x012345, Bth.psn(b, AT));
    }

    @Test
    void shouldSetSingleBthBits() {
        ByteBuffer b = at("04 00 ffff 00 000011 00 000000");
        Bth.setMigReq(b, AT, true);
        Bth.setFecn(b, AT, true);
        Bth.setBecn(b, AT, true);
        Bth.setAckRequest(b, AT, true);
        assertEquals("0440ffffc000001180000000", Bytes.text(b, AT, 12));
        Bth.setFecn(b, AT, false);
        assertEquals("0440ffff4000001180000000", Bytes.text(b, AT, 12));
        Bth.setMigReq(b, AT, false);
        Bth.setBecn(b, AT, false);
        Bth.setAckRequest(b, AT, false);
        assertEquals("0400ffff0000001100000000", Bytes.text(b, AT, 12));
    }

    @Test
    void shouldIgnoreHighBitsOfBthArguments() {
        assertEmits("04 30 ffff 00 ffffff 00 ffffff", (e, i) -> Bth.put(e, i, 0x104, false, 7, -1, -1, false, -1));
    }

    @Test
    void shouldReadAndWriteReth() {
        String hex = "f123456789abcdef 80fedcba ffffffff";
        ByteBuffer b = at(hex);
        assertEquals(16, Reth.LENGTH);
        assertEquals(0xF123456789ABCDEFL, Reth.va(b, AT));
        assertEquals(0x80FEDCBA, Reth.rkey(b, AT));
        assertEquals(4294967295L, Reth.length(b, AT));
        assertEmits(hex, (e, i) -> Reth.put(e, i, 0xF123456789ABCDEFL, 0x80FEDCBA, 4294967295L));
    }

    @Test
    void shouldReadAndWriteAeth() {
        String hex = "62 fedcba";
        ByteBuffer b = at(hex);
        assertEquals(4, Aeth.LENGTH);
        assertEquals(0x62, Aeth.syndrome(b, AT));
        assertEquals(0xFEDCBA, Aeth.msn(b, AT));
        assertEmits(hex, (e, i) -> Aeth.put(e, i, 0x62, 0xFEDCBA));
        assertEmits("ff 000000", (e, i) -> Aeth.put(e, i, 0xFF, 0x1000000));
        assertEquals(0xFF, Aeth.syndrome(at("ff000000"), AT));
    }

    @Test
    void shouldReadAndWriteAtomicEth() {
        String hex = "f123456789abcdef 80fedcba f0e0d0c0b0a09080 8070605040302010";
        ByteBuffer b = at(hex);
        assertEquals(28, AtomicEth.LENGTH);
        assertEquals(0xF123456789ABCDEFL, AtomicEth.va(b, AT));
        assertEquals(0x80FEDCBA, AtomicEth.rkey(b, AT));
        assertEquals(0xF0E0D0C0B0A09080L, AtomicEth.swapAdd(b, AT));
        assertEquals(0x8070605040302010L, AtomicEth.compare(b, AT));
        assertEmits(hex, (e, i) -> AtomicEth.put(e, i, 0xF123456789ABCDEFL, 0x80FEDCBA, 0xF0E0D0C0B0A09080L, 0x8070605040302010L));
    }

    @Test
    void shouldReadAndWriteAtomicAckEth() {
        assertEquals(8, AtomicAckEth.LENGTH);
        assertEquals(0xF0E0D0C0B0A09080L, AtomicAckEth.original(at("f0e0d0c0b0a09080"), AT));
        assertEmits("f0e0d0c0b0a09080", (e, i) -> AtomicAckEth.put(e, i, 0xF0E0D0C0B0A09080L));
    }

    @Test
    void shouldReadAndWriteImmDtAndIeth() {
        assertEquals(4, ImmDt.LENGTH);
        assertEquals(4, Ieth.LENGTH);
        assertEquals(0x87654321, ImmDt.immediate(at("87654321"), AT));
        assertEquals(0x87654321, Ieth.rkey(at("87654321"), AT));
        assertEmits("87654321", (e, i) -> ImmDt.put(e, i, 0x87654321));
        assertEmits("87654321", (e, i) -> Ieth.put(e, i, 0x87654321));
    }

    @Test
    void shouldReadAndWriteDeth() {
        ByteBuffer b = at("80010000 ff fedcba");
        assertEquals(8, Deth.LENGTH);
        assertEquals(0x80010000, Deth.qkey(b, AT));
        assertEquals(0xFEDCBA, Deth.sourceQp(b, AT), "the reserved byte is not part of it");
        assertEmits("80010000 00 fedcba", (e, i) -> Deth.put(e, i, 0x80010000, 0xFFFEDCBA));
    }

    @Test
    void shouldReadAndWriteXrcethAndRdeth() {
        assertEquals(4, Xrceth.LENGTH);
        assertEquals(4, Rdeth.LENGTH);
        assertEquals(0xFEDCBA, Xrceth.srqn(at("fffedcba"), AT));
        assertEquals(0xFEDCBA, Rdeth.eeContext(at("fffedcba"), AT));
        assertEmits("00fedcba", (e, i) -> Xrceth.put(e, i, 0xFFFEDCBA));
        assertEmits("00fedcba", (e, i) -> Rdeth.put(e, i, 0xFFFEDCBA));
    }

    @Test
    void shouldReadAndWriteFeth() {
        ByteBuffer b = at("ffffffd2");
        assertEquals(4, Feth.LENGTH);
        assertEquals(1, Feth.selectivity(b, AT));
        assertEquals(2, Feth.placementType(b, AT));
        int both = Feth.PLACEMENT_GLOBAL_VISIBILITY | Feth.PLACEMENT_PERSISTENCE;
        assertEmits("00000013", (e, i) -> Feth.put(e, i, both, Feth.SELECT_REGION));
    }

    @Test
    void shouldWriteWholeCnp() {
        assertEquals(16, Cnp.LENGTH);
        assertTrue(Cnp.isZero(at("00".repeat(16)), AT));
        for (int i = 0; i < 16; i++) {
            ByteBuffer b = at("00".repeat(16));
            b.put(AT + i, (byte) 0x80);
            assertFalse(Cnp.isZero(b, AT), "byte " + i);
        }
        String hex = "81 00 ffff 40 000118 00 000000" + "00".repeat(16);
        assertEmits(hex, (e, i) -> assertEquals(i + 28, Cnp.putPacket(e, i, 0xFFFF, 0x118)));
    }

    @Test
    void shouldReadAndWriteEthernetAndVlan() {
        String hex = "e41d2dab2bc2 fcfe90643b32 8100";
        ByteBuffer b = at(hex);
        assertEquals(14, Ethernet.LENGTH);
        assertEquals(0xE41D2DAB2BC2L, Ethernet.destination(b, AT));
        assertEquals(0xFCFE90643B32L, Ethernet.source(b, AT));
        assertEquals(0x8100, Ethernet.type(b, AT));
        assertEmits(hex, (e, i) -> Ethernet.put(e, i, 0xE41D2DAB2BC2L, 0xFCFE90643B32L, 0x8100));
        ByteBuffer tag = at("bfff 8915");
        assertEquals(4, Vlan.LENGTH);
        assertEquals(5, Vlan.priority(tag, AT));
        assertTrue(Vlan.dropEligible(tag, AT));
        assertEquals(0xFFF, Vlan.vid(tag, AT));
        assertEquals(0x8915, Vlan.type(tag, AT));
        assertEmits("bfff 8915", (e, i) -> Vlan.put(e, i, 5, true, 0xFFF, 0x8915));
        assertEmits("e064 0800", (e, i) -> Vlan.put(e, i, 7, false, 100, 0x0800));
    }

    @Test
    void shouldMapGroupsToMacs() {
        // RFC 1112 §6.4: only 23 bits of the group fit; RFC 2464 §7.
        assertEquals(0x01005E010203L, Ethernet.multicastOfIpv4(0xE0810203));
        assertEquals(0x01005E7FFFFFL, Ethernet.multicastOfIpv4(0xEFFFFFFF));
        assertEquals(0x3333FFEE0102L, Ethernet.multicastOfIpv6(0x12345678FFEE0102L));
    }

    @Test
    void shouldReadAndWriteIpv4() {
        // RFC 1071 arithmetic done by hand for the classic example header.
        String hex = "45 00 0073 0000 4000 40 11 b861 c0a80001 c0a800c7";
        ByteBuffer b = at(hex);
        assertEquals(20, Ipv4.LENGTH);
        assertEquals(4, Ipv4.version(b, AT));
        assertEquals(20, Ipv4.headerLength(b, AT));
        assertEquals(0, Ipv4.tos(b, AT));
        assertEquals(0x73, Ipv4.totalLength(b, AT));
        assertEquals(0, Ipv4.id(b, AT));
        assertTrue(Ipv4.dontFragment(b, AT));
        assertFalse(Ipv4.isFragment(b, AT));
        assertEquals(64, Ipv4.ttl(b, AT));
        assertEquals(17, Ipv4.protocol(b, AT));
        assertEquals(0xB861, Ipv4.checksum(b, AT));
        assertEquals(0xB861, Ipv4.computeChecksum(b, AT));
        assertTrue(Ipv4.isChecksumValid(b, AT));
        assertEquals(0xC0A80001, Ipv4.source(b, AT));
        assertEquals(0xC0A800C7, Ipv4.destination(b, AT));
        assertEmits(hex, (e, i) -> Ipv4.put(e, i, 0, 0x73, 0, true, 64, 17, 0xC0A80001, 0xC0A800C7));
        b.put(AT + 8, (byte) 63);
        assertFalse(Ipv4.isChecksumValid(b, AT));
        assertEquals(0xB961, Ipv4.computeChecksum(b, AT), "RFC 1141: one hop less is 0x0100 more");
    }

    @Test
    void shouldReadIpv4HighBits() {
        ByteBuffer b = at("45 ff ffff fedc 0000 ff ff ffff ffffffff fffffffe");
        assertEquals(255, Ipv4.tos(b, AT));
        assertEquals(65535, Ipv4.totalLength(b, AT));
        assertEquals(0xFEDC, Ipv4.id(b, AT));
        assertFalse(Ipv4.dontFragment(b, AT));
        assertEquals(255, Ipv4.ttl(b, AT));
        assertEquals(255, Ipv4.protocol(b, AT));
        assertEquals(0xFFFF, Ipv4.checksum(b, AT));
        assertTrue(Ipv4.isFragment(at("45000073 0000 2000 4011b861 c0a80001 c0a800c7"), AT), "more fragments");
        assertTrue(Ipv4.isFragment(at("45000073 0000 0001 4011b861 c0a80001 c0a800c7"), AT), "not the first");
    }

    @Test
    void shouldCheckIpv4Header() {
        ByteBuffer b = at("45000073000040004011b861c0a80001c0a800c7");
        assertTrue(Ipv4.isValid(b, AT, 0x73));
        assertTrue(Ipv4.isValid(b, AT, 0x74), "padding behind");
        assertFalse(Ipv4.isValid(b, AT, 0x72), "cut");
        assertFalse(Ipv4.isValid(b, AT, 19), "not even a header");
        assertFalse(Ipv4.isValid(at("65000073000040004011b861c0a80001c0a800c7"), AT, 0x73), "version 6");
        assertFalse(Ipv4.isValid(at("44000073000040004011b861c0a80001c0a800c7"), AT, 0x73), "IHL 4");
        assertFalse(Ipv4.isValid(at("45000013000040004011b861c0a80001c0a800c7"), AT, 0x73), "total length below header");
        assertFalse(Ipv4.isValid(at("46000017000040004011b861c0a80001c0a800c7"), AT, 0x73), "total length below header with options");
    }

    @Test
    void shouldReadAndWriteIpv6AndGrh() {
        String hex = "61cabcde 0020 11 40 fd000000000000010000000000000002 ff0e0000000000030000000000000004";
        ByteBuffer b = at(hex);
        assertEquals(40, Ipv6.LENGTH);
        assertEquals(6, Ipv6.version(b, AT));
        assertEquals(0x1C, Ipv6.trafficClass(b, AT));
        assertEquals(0xABCDE, Ipv6.flowLabel(b, AT));
        assertEquals(0x20, Ipv6.payloadLength(b, AT));
        assertEquals(17, Ipv6.nextHeader(b, AT));
        assertEquals(64, Ipv6.hopLimit(b, AT));
        assertEquals(0xFD00000000000001L, Ipv6.sourceHigh(b, AT));
        assertEquals(2, Ipv6.sourceLow(b, AT));
        assertEquals(0xFF0E000000000003L, Ipv6.destinationHigh(b, AT));
        assertEquals(4, Ipv6.destinationLow(b, AT));
        assertEmits(hex, (e, i) -> Ipv6.put(e, i, 0x1C, 0xABCDE, 0x20, 17, 64, 0xFD00000000000001L, 2, 0xFF0E000000000003L, 4));
        assertTrue(Ipv6.isValid(b, AT, 72));
        assertFalse(Ipv6.isValid(b, AT, 71));
        assertFalse(Ipv6.isValid(b, AT, 39));
        assertFalse(Grh.isValid(b, AT, 72), "next header is UDP");

        String grh = "61cabcde ffff 1b ff fd000000000000010000000000000002 ff0e0000000000030000000000000004";
        ByteBuffer g = at(grh);
        assertEquals(6, Grh.version(g, AT));
        assertEquals(0x1C, Grh.trafficClass(g, AT));
        assertEquals(0xABCDE, Grh.flowLabel(g, AT));
        assertEquals(0xFFFF, Grh.payloadLength(g, AT));
        assertEquals(0x1B, Grh.nextHeader(g, AT));
        assertEquals(0xFF, Grh.hopLimit(g, AT));
        assertEquals(0xFD00000000000001L, Grh.sourceHigh(g, AT));
        assertEquals(2, Grh.sourceLow(g, AT));
        assertEquals(0xFF0E000000000003L, Grh.destinationHigh(g, AT));
        assertEquals(4, Grh.destinationLow(g, AT));
        assertTrue(Grh.isValid(g, AT, 40 + 65535));
        assertFalse(Grh.isValid(g, AT, 40 + 65534));
        assertEmits(grh, (e, i) -> Grh.put(e, i, 0x1C, 0xABCDE, 0xFFFF, 0x1B, 0xFF, 0xFD00000000000001L, 2, 0xFF0E000000000003L, 4));
    }

    @Test
    void shouldReadAndWriteUdp() {
        String hex = "c001 12b7 0020 fedc";
        ByteBuffer b = at(hex);
        assertEquals(8, Udp.LENGTH);
        assertEquals(0xC001, Udp.sourcePort(b, AT));
        assertEquals(4791, Udp.destinationPort(b, AT));
        assertEquals(Udp.DEST_PORT_ROCE, Udp.destinationPort(b, AT));
        assertEquals(32, Udp.length(b, AT));
        assertEquals(0xFEDC, Udp.checksum(b, AT));
        assertEmits(hex, (e, i) -> Udp.put(e, i, 0xC001, 4791, 32, 0xFEDC));
        assertTrue(Udp.isValid(b, AT, 32));
        assertTrue(Udp.isValid(b, AT, 33));
        assertFalse(Udp.isValid(b, AT, 31));
        assertFalse(Udp.isValid(b, AT, 7));
        assertFalse(Udp.isValid(at("c00112b700070000"), AT, 32));
    }

    private interface Emitter {
        void put(ByteBuffer b, int at);
    }
}
