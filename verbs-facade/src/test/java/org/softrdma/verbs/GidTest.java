// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet4Address;
import java.net.InetAddress;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GidTest {
    /** RFC 5952 sections 1, 2, 4 and 5; the last lines are what glibc's inet_ntop prints. */
    @ParameterizedTest
    @CsvSource({
        "20010db8000000000000000000010001, 2001:db8::1:1",
        "20010db8000000000001000000000001, 2001:db8::1:0:0:1",
        "20010db8000000000000000000000001, 2001:db8::1",
        "20010db8000000010001000100010001, 2001:db8:0:1:1:1:1:1",
        "20010000000000010000000000000001, 2001:0:0:1::1",
        "20010db8000000000000000200000001, 2001:db8::2:0:1",
        "20010db8000000000000000000000aaa, 2001:db8::aaa",
        "20010db8aaaabbbbccccddddeeee0001, 2001:db8:aaaa:bbbb:cccc:dddd:eeee:1",
        "00000000000000000000000000000000, ::",
        "00000000000000000000000000000001, ::1",
        "00010000000000000000000000000000, 1::",
        "00000001000000000000000000000000, 0:1::",
        "fe80000000000000505400fffe123456, fe80::5054:ff:fe12:3456",
        "ffffffffffffffffffffffffffffffff, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "00000000000000000000ffff0a000001, ::ffff:10.0.0.1",
        "00000000000000000000ffffffffffff, ::ffff:255.255.255.255",
        "00000000000000000000ffff00000000, ::ffff:0.0.0.0",
        "00000000000000000000fffe01020304, ::fffe:102:304",
        "00000000000000000001ffff01020304, ::1:ffff:102:304",
        "0000000000000000ffff000001020304, ::ffff:0:102:304",
        "00000000000000000000000001020304, ::1.2.3.4",
        "00000000000000000000000000010002, ::0.1.0.2",
        "0000000000000000000000000000ffff, ::ffff",
    })
    void shouldPrintTheCanonicalText(String wire, String text) {
        Gid gid = Gid.parseWireText(wire);
        assertEquals(text, gid.toString());
        assertEquals(wire, gid.wireText());
    }

    @Example
    void shouldPrintEightFullGroupsLikeSysfs() {
        assertEquals("fe80:0000:0000:0000:5054:00ff:fe12:3456", new Gid(0xfe80L << 48, 0x505400fffe123456L).sysfsText());
        assertEquals("0000:0000:0000:0000:0000:ffff:0a00:0001", Gid.ofIpv4(0x0a000001).sysfsText());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fe80", "fe80::1", "0000000000000000000000000000000", "000000000000000000000000000000000",
        "+0000000000000010000000000000001", "0000000000000001+000000000000001", "-0000000000000010000000000000001",
        "g0000000000000000000000000000000", "0000000000000000000000000000000 ", "\uff11000000000000000000000000000000\uff11"})
    void shouldRefuseWireTextThatIsNot32HexDigits(String text) {
        assertThrows(IllegalArgumentException.class, () -> Gid.parseWireText(text));
    }

    @Example
    void shouldAcceptUpperCaseWireText() {
        assertEquals(new Gid(0xfe80L << 48, 0xabcdefL), Gid.parseWireText("FE800000000000000000000000ABCDEF"));
    }

    @Example
    void shouldMapIpv4Addresses() throws Exception {
        Gid gid = Gid.ofIpv4(0xc0a80001);
        assertEquals(new Gid(0, 0x0000ffffc0a80001L), gid);
        assertTrue(gid.isIpv4Mapped());
        assertEquals(0xc0a80001, gid.ipv4());
        assertInstanceOf(Inet4Address.class, gid.toInetAddress());
        assertEquals(gid, Gid.of(InetAddress.getByName("192.168.0.1")));
        assertFalse(new Gid(1, 0x0000ffffc0a80001L).isIpv4Mapped());
        assertFalse(new Gid(0, 0x0001ffffc0a80001L).isIpv4Mapped());
        assertFalse(Gid.ZERO.isIpv4Mapped());
    }

    @Example
    void shouldKnowKindsOfAddresses() {
        assertTrue(new Gid(0xfe80L << 48, 1).isLinkLocal());
        assertTrue(new Gid(0xfebfL << 48, 1).isLinkLocal());
        assertFalse(new Gid(0xfec0L << 48, 1).isLinkLocal());
        assertFalse(new Gid(0xfe7fL << 48, 1).isLinkLocal());
        assertTrue(new Gid(0xff02L << 48, 1).isMulticast());
        assertFalse(new Gid(0xfeffL << 48, 1).isMulticast());
        assertTrue(Gid.ofIpv4(0xe0000001).isMulticast());
        assertTrue(Gid.ofIpv4(0xefffffff).isMulticast());
        assertFalse(Gid.ofIpv4(0xf0000000).isMulticast());
        assertFalse(Gid.ofIpv4(0xdfffffff).isMulticast());
        assertTrue(Gid.ZERO.isZero());
        assertFalse(new Gid(0, 1).isZero());
        assertFalse(new Gid(1, 0).isZero());
    }

    /** The JDK reads what we print as the same address, whatever the run of zeros. */
    @Property
    void shouldPrintTextThatMeansTheSameAddress(@ForAll long high, @ForAll long low, @ForAll int zeroGroups) throws Exception {
        long keepHigh = high;
        long keepLow = low;
        for (int group = 0; group < 4; group++) {
            keepHigh &= (zeroGroups >> group & 1) == 0 ? -1L : ~(0xffffL << 16 * group);
            keepLow &= (zeroGroups >> 4 + group & 1) == 0 ? -1L : ~(0xffffL << 16 * group);
        }
        Gid gid = new Gid(keepHigh, keepLow);
        assertEquals(gid, Gid.of(InetAddress.getByName(gid.toString())), gid.wireText());
        assertEquals(gid, Gid.of(InetAddress.getByName(gid.sysfsText())));
        assertEquals(gid, Gid.of(gid.toInetAddress()));
        assertEquals(gid, Gid.parseWireText(gid.wireText()));
    }
}
