// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.net.Ipv4;

class RoceFrameTest {
    private static final String MACS = "020000000002020000000001";
    private static final String PACKET = "0430ffff000000118012345668656c6c6f000000daace55b";
    private static final String IPV4 = "450000340000400040116965c0a82801c0a82802";
    private static final String UDP = "c00112b700200000";
    private static final String GRH = "6000000000181b40fe80000000000000021122fffe334455fe80000000000000021122fffe334466";
    private static final String IPV6 = "6000000000201140fd000000000000000000000000000001fd000000000000000000000000000002";

    private final RoceFrame frame = new RoceFrame();

    private String ethernet(String hex) {
        ByteBuffer b = Bytes.buffer("a5a5" + MACS + hex);
        return RoceFrame.name(frame.dissectEthernet(b, 2, b.capacity() - 2));
    }

    private String ip(String hex) {
        ByteBuffer b = Bytes.buffer(hex);
        return RoceFrame.name(frame.dissectIp(b, 0, b.capacity()));
    }

    /** An IPv4 header with one change and its checksum made right again. */
    private static String ipv4With(int offset, int value) {
        ByteBuffer b = Bytes.buffer(IPV4);
        b.put(offset, (byte) value);
        b.putShort(10, (short) Ipv4.computeChecksum(b, 0));
        return Bytes.text(b);
    }

    @Test
    void shouldFindEachVersion() {
        assertEquals("ok", ethernet("0800" + IPV4 + UDP + PACKET));
        assertEquals(RoceFrame.VERSION_2_IPV4, frame.version());
        assertEquals(16, frame.ipAt());
        assertEquals(36, frame.udpAt());
        assertEquals(44, frame.bthAt());
        assertEquals(64, frame.end());
        assertEquals(24, frame.packetLength());
        assertEquals("ok", ethernet("86dd" + IPV6 + UDP + PACKET));
        assertEquals(RoceFrame.VERSION_2_IPV6, frame.version());
        assertEquals(64, frame.bthAt());
        assertEquals("ok", ethernet("8915" + GRH + PACKET));
        assertEquals(RoceFrame.VERSION_1, frame.version());
        assertEquals(56, frame.bthAt());
        assertEquals(76, frame.end());
    }

    @Test
    void shouldLookBehindVlanTags() {
        assertEquals("ok", ethernet("8100e064" + "0800" + IPV4 + UDP + PACKET));
        assertEquals(48, frame.bthAt());
        assertEquals("ok", ethernet("88a80001" + "8100e064" + "8915" + GRH + PACKET));
        assertEquals(64, frame.bthAt());
        assertEquals("other ethertype", ethernet("8100e064".repeat(3) + "0800" + IPV4 + UDP + PACKET));
        assertEquals("truncated ethernet", ethernet("8100e0"));
        assertEquals("truncated ethernet", ethernet("81000001" + "8100"));
    }

    /** A short RoCE v1 frame is padded behind the ICRC; so may an IP packet be, and a UDP datagram may end before its packet. */
    @Test
    void shouldIgnorePadding() {
        assertEquals("ok", ethernet("8915" + GRH + PACKET + "00".repeat(9)));
        assertEquals(76, frame.end());
        assertEquals("ok", ethernet("0800" + IPV4 + UDP + PACKET + "00".repeat(9)));
        assertEquals(64, frame.end());
        assertEquals("ok", ethernet("0800" + ipv4With(3, 0x38) + UDP + PACKET + "00000000"));
        assertEquals(64, frame.end());
    }

    @Test
    void shouldSayWhyNot() {
        assertEquals("other ethertype", ethernet("0806" + "00".repeat(46)));
        assertEquals("bad network header", ethernet("0800" + IPV6 + UDP + PACKET));
        assertEquals("bad network header", ethernet("86dd" + IPV4 + UDP + PACKET));
        assertEquals("bad network header", ethernet("8915" + IPV6 + UDP + PACKET));
        assertEquals("bad ipv4 checksum", ethernet("0800" + IPV4.replace("6965", "6966") + UDP + PACKET));
        assertEquals("ipv4 options", ethernet("0800" + ipv4Options() + UDP + PACKET));
        assertEquals("fragment", ethernet("0800" + ipv4With(6, 0x20) + UDP + PACKET));
        assertEquals("fragment", ethernet("0800" + ipv4With(7, 0x01) + UDP + PACKET));
        assertEquals("not udp", ethernet("0800" + ipv4With(9, 6) + UDP + PACKET));
        assertEquals("not udp", ethernet("86dd" + IPV6.replace("00201140", "00200040") + UDP + PACKET));
        assertEquals("other port", ethernet("0800" + IPV4 + "c00112b600200000" + PACKET));
        assertEquals("bad udp length", ethernet("0800" + IPV4 + "c00112b700210000" + PACKET));
        assertEquals("bad udp length", ethernet("0800" + IPV4 + "c00112b700070000" + PACKET));
        assertEquals("too short", ethernet("0800" + IPV4 + "c00112b700170000" + PACKET));
        assertEquals("ok", ethernet("0800" + IPV4 + "c00112b700180000" + PACKET));
        assertEquals("too short", ethernet("8915" + GRH.replace("00181b40", "000f1b40") + PACKET));
        assertEquals("ok", ethernet("8915" + GRH.replace("00181b40", "00101b40") + PACKET));
    }

    private static String ipv4Options() {
        ByteBuffer b = Bytes.buffer("460000380000400040110000c0a82801c0a8280201010101");
        b.putShort(10, (short) Ipv4.computeChecksum(b, 0));
        return Bytes.text(b);
    }

    @Test
    void shouldReadBareIp() {
        assertEquals("ok", ip(IPV4 + UDP + PACKET));
        assertEquals("ok", ip(IPV6 + UDP + PACKET));
        assertEquals("bad network header", ip(""));
        assertEquals("bad network header", ip("50"));
        ByteBuffer b = Bytes.buffer(IPV4 + UDP + PACKET);
        assertEquals(RoceFrame.OTHER_ETHERTYPE, frame.dissect(b, 113, 0, b.capacity()), "a link type of others");
    }

    @Test
    void shouldForgetTheLastFrame() {
        assertEquals("ok", ethernet("0800" + IPV4 + UDP + PACKET));
        assertEquals("other ethertype", ethernet("0806" + "00".repeat(46)));
        assertEquals(RoceFrame.VERSION_NONE, frame.version());
        assertThrows(IllegalStateException.class, () -> frame.computeIcrc(Bytes.filled(64), new Icrc()));
    }

    @Test
    void shouldNameVerdicts() {
        assertEquals("truncated ethernet", RoceFrame.name(RoceFrame.TRUNCATED_ETHERNET));
        assertEquals("too short", RoceFrame.name(RoceFrame.TOO_SHORT));
        assertEquals("verdict 11", RoceFrame.name(11));
    }
}
