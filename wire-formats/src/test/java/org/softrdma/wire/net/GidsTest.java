// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GidsTest {
    @Test
    void shouldMapIpv4() {
        assertEquals(0x0000FFFF_C0A82801L, Gids.lowFromIpv4(0xC0A82801));
        assertTrue(Gids.isIpv4Mapped(0, 0x0000FFFF_C0A82801L));
        assertFalse(Gids.isIpv4Mapped(1, 0x0000FFFF_C0A82801L));
        assertFalse(Gids.isIpv4Mapped(0, 0x0001FFFF_C0A82801L));
        assertFalse(Gids.isIpv4Mapped(0, 0xC0A82801L));
        assertEquals(0xC0A82801, Gids.ipv4(0x0000FFFF_C0A82801L));
    }

    /** RFC 4291 appendix A: ff:fe in the middle, the universal bit flipped; the GIDs of vector (e). */
    @Test
    void shouldDeriveLinkLocalGidAndGuidFromMac() {
        assertEquals(0xFE80000000000000L, Gids.LINK_LOCAL_HIGH);
        assertEquals(0x021122FFFE334455L, Gids.lowFromMac(0x001122334455L));
        assertEquals(0x505400FFFE123456L, Gids.nodeGuid(0x525400123456L), "a locally administered MAC loses the bit");
    }

    @Test
    void shouldClassify() {
        assertTrue(Gids.isLinkLocal(0xFE80000000000000L));
        assertTrue(Gids.isLinkLocal(0xFEBF000000000000L));
        assertFalse(Gids.isLinkLocal(0xFEC0000000000000L));
        assertTrue(Gids.isMulticast(0xFF0E000000000000L, 1));
        assertTrue(Gids.isMulticast(0, 0x0000FFFF_E0000001L));
        assertTrue(Gids.isMulticast(0, 0x0000FFFF_EFFFFFFFL));
        assertFalse(Gids.isMulticast(0, 0x0000FFFF_F0000000L));
        assertFalse(Gids.isMulticast(0xFE80000000000000L, 1));
    }

    /** RFC 5952 §4 and §5, one rule a row. */
    @ParameterizedTest
    @CsvSource({
        "20010db8000000000000000000000001, 2001:db8::1",
        "20010db8000000000001000000000001, 2001:db8::1:0:0:1",
        "20010db8000000010001000100010001, 2001:db8:0:1:1:1:1:1",
        "20010000000000010000000000000001, 2001:0:0:1::1",
        "2001db80000000000000000000000000, 2001:db80::",
        "0001000200030004000500060000000A, 1:2:3:4:5:6:0:a",
        "000100020003000400050006ABCD0000, 1:2:3:4:5:6:abcd:0",
        "00010002000300040005000600000000, 1:2:3:4:5:6::",
        "00000000000300040005000600070008, ::3:4:5:6:7:8",
        "00000000000000000000000000000000, ::",
        "00000000000000000000000000000001, ::1",
        "0000000000000000000000000a000001, ::a00:1",
        "00000000000000000000ffffc0000201, ::ffff:192.0.2.1",
        "fe80000000000000505400fffe123456, fe80::5054:ff:fe12:3456",
        "ff0e000000000000000000ffffe00001, ff0e::ff:ffe0:1",
    })
    void shouldFormatAndParseCanonically(String wire, String canonical) {
        long[] gid = Gids.parseWire(wire);
        assertEquals(canonical, Gids.format(gid[0], gid[1]));
        assertArrayEquals(gid, Gids.parse(canonical));
        assertEquals(wire.toLowerCase(), Gids.formatWire(gid[0], gid[1]));
    }

    @ParameterizedTest
    @CsvSource({
        "2001:0db8:0000:0000:0000:0000:0000:0001, 2001:db8::1",
        "2001:DB8::0:1, 2001:db8::1",
        "::FFFF:192.0.2.1, ::ffff:192.0.2.1",
        "0:0:0:0:0:ffff:192.0.2.1, ::ffff:192.0.2.1",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "::192.0.2.1, ::c000:201",
        "192.0.2.1, ::ffff:192.0.2.1",
        "1::2:3:4:5:6:7, 1:0:2:3:4:5:6:7",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
    })
    void shouldParseOtherSpellings(String text, String canonical) {
        long[] gid = Gids.parse(text);
        assertEquals(canonical, Gids.format(gid[0], gid[1]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4:5:6:7::8", "::1:2:3:4:5:6:7:8",
        "12345::", "g::", "::1.2.3", "::1.2.3.4.5", "::256.1.1.1", "::01.1.1.1", "1.2.3.4::", "1.2.3.4:1::", "::1.2.3.4:1", ":1::", "1::2:",
        "fe80::1%eth0", "1.2.3", "1.2.3.4.", ".1.2.3", "1.2.3.-4", "1.2.3.+4", "+1::", "1:2:3:4:5:6:7:1.2.3.4", "::\u0661", " ::1",
        "1:::2"})
    void shouldRefuseWhatIsNoAddress(String text) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> Gids.parse(text));
        assertTrue(refusal.getMessage().contains("not an IPv"), refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "00000000000000000000ffffc000020", "00000000000000000000ffffc00002011", "0000000000000000000 ffffc0000201",
        "00000000000000000000ffffc000020g", "+0000000000000000000ffffc0000201", "-000000000000000000ffffc0000201x"})
    void shouldRefuseWireTextThatIsNot32Digits(String text) {
        assertThrows(IllegalArgumentException.class, () -> Gids.parseWire(text));
    }

    @Test
    void shouldPrintAsSysfsDoes() {
        assertEquals("fe80:0000:0000:0000:5054:00ff:fe12:3456", Gids.formatFull(0xFE80000000000000L, 0x505400FFFE123456L));
        assertEquals("5054:00ff:fe12:3456", Gids.formatGuid(0x505400FFFE123456L));
        assertEquals("192.168.40.1", Gids.formatIpv4(0xC0A82801));
        assertEquals(0xC0A82801, Gids.parseIpv4("192.168.40.1"));
    }

    /** The JDK reads our text as the same address (it knows no canonical form, but it is an independent parser). */
    @Property
    void shouldFormatWhatTheJdkParses(@ForAll long high, @ForAll long low, @ForAll @IntRange(max = 255) int zeroGroups)
            throws UnknownHostException {
        long h = high;
        long l = low;
        for (int i = 0; i < 4; i++) {
            h &= (zeroGroups >>> i & 1) != 0 ? ~(0xFFFFL << 16 * i) : -1L;
            l &= (zeroGroups >>> i + 4 & 1) != 0 ? ~(0xFFFFL << 16 * i) : -1L;
        }
        String text = Gids.format(h, l);
        assertArrayEquals(new long[] {h, l}, Gids.parse(text));
        assertArrayEquals(new long[] {h, l}, Gids.parse(Gids.formatFull(h, l)));
        assertArrayEquals(new long[] {h, l}, Gids.parseWire(Gids.formatWire(h, l)));
        if (!Gids.isIpv4Mapped(h, l)) { // the JDK turns those into Inet4Address
            ByteBuffer address = ByteBuffer.wrap(((Inet6Address) InetAddress.ofLiteral(text)).getAddress());
            assertEquals(h, address.getLong(0));
            assertEquals(l, address.getLong(8));
        }
    }
}
