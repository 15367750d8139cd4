// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.Bytes;

/** Frames of captures: records of type 21 around the packets of IBA vol 1 §7.8. */
class IbFrameTest {
    private static final String RECORD = "0000000000000000" + "1504" + "0038" + "0000" + "0028";
    /** The specification's example of a local packet, LRH to ICRC, and two bytes of VCRC. */
    private static final String LOCAL = "7012375c000e17d2" + "0a2024870087b1b3000dec2a" + "01710a1c015d400238f27a050000000e"
        + "bb884d85fd5cfba4728bc0690ed40000" + "9625b75a" + "0000";
    private static final String GRH = "60000000" + "0014" + "1b40" + "fe800000000000000000000000000001"
        + "fe800000000000000000000000000002";
    /** LNH 3, 17 words: 8 + 40 + 12 + 4 + 4 bytes. */
    private static final String GLOBAL = "0003000700110005" + GRH + "11ffffff00000012" + "80000001" + "1f000001" + "00000000" + "0000";

    private final IbFrame frame = new IbFrame();

    @Test
    void shouldFindALocalPacket() {
        ByteBuffer b = Bytes.buffer("ff" + RECORD + LOCAL);
        assertTrue(frame.find(b, 1, b.capacity() - 1));
        assertEquals(17, frame.lrhAt());
        assertFalse(frame.isRouted());
        assertEquals(25, frame.bthAt());
        assertEquals(0x0e * 4 - 8, frame.packetLength());
    }

    @Test
    void shouldFindAPacketWithAGlobalRoute() {
        ByteBuffer b = Bytes.buffer(RECORD + GLOBAL);
        assertTrue(frame.find(b, 0, b.capacity()));
        assertTrue(frame.isRouted());
        assertEquals(24, frame.grhAt());
        assertEquals(64, frame.bthAt());
        assertEquals(20, frame.packetLength());
    }

    /** Each from a frame that is right, with one thing changed. */
    @Test
    void shouldFindNothingElse() {
        ByteBuffer b = Bytes.buffer(RECORD + GLOBAL);
        refuse(b, 8, 0x02, "a record of Ethernet");
        refuse(b, 16, 0x01, "another version of the LRH");
        refuse(b, 17, 0x00, "a raw packet");
        refuse(b, 17, 0x01, "an IP packet");
        refuse(b, 21, 0x12, "longer than the record");
        refuse(b, 21, 0x0f, "no room for an ICRC");
        refuse(b, 30, 0x06, "TCP behind the GRH");
        for (int length = 0; length < b.capacity() - Vcrc.LENGTH; length++) {
            assertFalse(frame.find(b, 0, length), length + " bytes");
        }
    }

    private void refuse(ByteBuffer b, int at, int value, String what) {
        byte before = b.get(at);
        b.put(at, (byte) value);
        assertFalse(frame.find(b, 0, b.capacity()), what);
        b.put(at, before);
    }

    @Property(tries = 2000)
    void shouldStayWithinAnyBytes(@ForAll @Size(max = 120) byte[] bytes, @ForAll @IntRange(max = 8) int before) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        if (bytes.length > 24) {
            b.put(8, (byte) 21).put(16, (byte) 0).put(17, (byte) (2 | bytes[17] & 1)).put(20, (byte) 0);
        }
        int at = Math.min(before, bytes.length);
        if (frame.find(b, at, bytes.length - at)) {
            assertTrue(frame.bthAt() + frame.packetLength() <= bytes.length && frame.packetLength() >= 16);
        }
    }
}
