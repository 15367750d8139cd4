// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.wire.Bytes;

class MpaFrameTest {
    /** Request of kernel siw's {@code rping -c}, and reply of {@code rping -s}. */
    private static final String REQUEST = "4d504120494420526571204672616d65 10 02 0004 0001 0001";
    private static final String REPLY = "4d504120494420526570204672616d65 10 02 0004 0001 0001";
    private static final int EVERYTHING = EnhancedHeader.PEER_TO_PEER | EnhancedHeader.RTR_SEND | EnhancedHeader.RTR_WRITE
        | EnhancedHeader.RTR_READ;

    @Test
    void shouldReadAndWriteSiwsFrames() {
        ByteBuffer b = Bytes.buffer(REQUEST);
        assertEquals(MpaFrame.OK, MpaFrame.check(b, 0, 24, true));
        assertEquals(MpaFrame.BAD_KEY, MpaFrame.check(b, 0, 24, false));
        assertEquals(2, MpaFrame.revision(b, 0));
        assertTrue(MpaFrame.isEnhanced(b, 0));
        assertFalse(MpaFrame.has(b, 0, MpaFrame.CRC));
        assertEquals(24, MpaFrame.totalLength(b, 0));
        assertEquals(1, EnhancedHeader.ird(b, 20));
        assertEquals(1, EnhancedHeader.ord(b, 20));
        assertEquals(0, EnhancedHeader.control(b, 20));
        ByteBuffer out = Bytes.filled(25);
        MpaFrame.putRequest(out, 0, MpaFrame.ENHANCED, 2, 4);
        EnhancedHeader.put(out, 20, 1, 1, 0);
        assertEquals(Bytes.text(b) + "a5", Bytes.text(out));
        MpaFrame.putReply(out, 0, MpaFrame.ENHANCED, 2, 4);
        assertEquals(Bytes.text(Bytes.buffer(REPLY)) + "a5", Bytes.text(out));
        assertEquals(MpaFrame.OK, MpaFrame.check(Bytes.buffer(REPLY), 0, 24, false));
    }

    @Test
    void shouldAskForMoreAsLongAsBytesAreMissing() {
        ByteBuffer b = Bytes.buffer(REQUEST);
        for (int available = 0; available < 24; available++) {
            assertEquals(MpaFrame.INCOMPLETE, MpaFrame.check(b, 0, available, true), "with " + available + " bytes");
        }
    }

    @Test
    void shouldSeeAWrongKeyAtItsFirstWrongByte() {
        for (int i = 0; i < 16; i++) {
            ByteBuffer b = Bytes.buffer(REQUEST);
            b.put(i, (byte) (b.get(i) ^ 0x20));
            assertEquals(MpaFrame.INCOMPLETE, MpaFrame.check(b, 0, i, true));
            assertEquals(MpaFrame.BAD_KEY, MpaFrame.check(b, 0, i + 1, true));
        }
        assertEquals(MpaFrame.INCOMPLETE, MpaFrame.check(Bytes.buffer(REPLY), 0, 9, true), "the two kinds differ at the tenth byte");
        assertEquals(MpaFrame.BAD_KEY, MpaFrame.check(Bytes.buffer(REPLY), 0, 10, true));
    }

    @ParameterizedTest
    @CsvSource({"10, 02, 0000, NO_ENHANCED", "10, 02, 0003, NO_ENHANCED", "30, 02, 0000, OK", "30, 02, 0003, NO_ENHANCED",
        "10, 01, 0000, OK", "00, 02, 0000, OK", "40, 01, 0201, LONG", "40, 01, 0200, MORE", "00, 01, 0001, MORE"})
    void shouldJudgeLengths(String flags, String revision, String length, String verdict) {
        ByteBuffer b = Bytes.buffer("4d504120494420526570204672616d65" + flags + revision + length + "0000");
        int available = Integer.parseInt(length, 16) > 3 ? b.capacity() : 20 + Math.max(0, Integer.parseInt(length, 16));
        int expected = switch (verdict) {
            case "OK" -> MpaFrame.OK;
            case "MORE" -> MpaFrame.INCOMPLETE;
            case "LONG" -> MpaFrame.TOO_LONG;
            default -> MpaFrame.NO_ENHANCED_HEADER;
        };
        assertEquals(expected, MpaFrame.check(b, 0, verdict.equals("MORE") ? 20 : available, false));
    }

    /** A and B before the IRD, C and D before the ORD: RFC 6581 §6. */
    @ParameterizedTest
    @CsvSource({"80000000, 1", "40000000, 2", "00008000, 4", "00004000, 8", "ffffffff, 15"})
    void shouldKeepTheFourControlBitsApart(String hex, int control) {
        ByteBuffer b = Bytes.buffer(hex);
        assertEquals(control, EnhancedHeader.control(b, 0));
        assertEquals(control == EVERYTHING ? EnhancedHeader.NOT_NEGOTIATED : 0, EnhancedHeader.ird(b, 0));
        ByteBuffer out = Bytes.filled(4);
        EnhancedHeader.put(out, 0, EnhancedHeader.ird(b, 0), EnhancedHeader.ord(b, 0), control);
        assertEquals(hex, Bytes.text(out));
    }

    /** Pads and limits by RFC 5044 §4.2, §5: 1448 bytes of TCP payload at an MTU of 1500 with time stamps, 8948 at 9000. */
    @ParameterizedTest
    @CsvSource({"1448, false, 1442", "1448, true, 1430", "8948, false, 8942", "8948, true, 8870", "1449, false, 1442",
        "65483, false, 65474", "128, false, 122", "512, true, 502", "513, true, 498"})
    void shouldFillATcpSegment(int emss, boolean markers, int maxUlpdu) {
        assertEquals(maxUlpdu, Fpdu.maxUlpdu(emss, markers));
        assertTrue(Fpdu.length(maxUlpdu) <= emss);
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 8", "1, 1, 8", "2, 0, 8", "3, 3, 12", "18, 0, 24", "23, 3, 32", "65535, 3, 65544"})
    void shouldPadToFourBytes(int ulpdu, int pad, int fpdu) {
        assertEquals(pad, Fpdu.padLength(ulpdu));
        assertEquals(fpdu, Fpdu.length(ulpdu));
        assertTrue(fpdu <= Fpdu.MAX_LENGTH);
    }
}
