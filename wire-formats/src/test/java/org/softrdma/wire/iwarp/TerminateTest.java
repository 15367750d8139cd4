// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.wire.Bytes;

class TerminateTest {
    private static final int ALL = Terminate.SEGMENT_LENGTH | Terminate.DDP_HEADER | Terminate.RDMAP_HEADER;

    /** Bytes 20..22 of Terminates that kernel siw 6.1 sent, and what it meant by them. */
    @ParameterizedTest
    @CsvSource({
        "210203, 1202, 2", "210303, 1203, 2", "210403, 1204, 2", "210103, 1201, 2", "110003, 1100, 2", "110103, 1101, 2", "110203, 1102, 2",
        "010003, 1000, 2", "100007, 0100, 3", "100107, 0101, 3", "100307, 0103, 3", "10ff07, 01ff, 3", "200703, 0207, 2", "210600, 1206, 0",
        "110400, 1104, 0", "020200, 2002, 0", "020300, 2003, 0"})
    void shouldUnderstandSiwsOrder(String raw, String code, int headers) {
        ByteBuffer b = Bytes.buffer(raw + "00");
        assertEquals(Integer.parseInt(code, 16), Terminate.code(b, 0), TerminateCode.name(Terminate.code(b, 0)));
        assertEquals(headers, Integer.bitCount(Terminate.flags(b, 0)));
    }

    @ParameterizedTest
    @CsvSource({"0102e0, 0102", "1202c0, 1202", "110180, 1101", "200200, 2002", "200300, 2003", "020500, 0205", "020600, 0206"})
    void shouldUnderstandTheOrderOfTheSpecification(String raw, String code) {
        ByteBuffer b = Bytes.buffer(raw + "00");
        assertEquals(Integer.parseInt(code, 16), Terminate.code(b, 0));
        assertEquals(Integer.parseInt(raw.substring(4), 16), Terminate.flags(b, 0));
    }

    /** The one thing nobody can tell: siw says 20 05 and means RDMAP's version. */
    @Test
    void shouldReadWhatIsAmbiguousAsTheSpecificationDoes() {
        assertEquals(TerminateCode.MPA_LOCAL_CATASTROPHIC, Terminate.code(Bytes.buffer("20050000"), 0));
        assertEquals(TerminateCode.MPA_INSUFFICIENT_IRD, Terminate.code(Bytes.buffer("20060000"), 0));
    }

    @Test
    void shouldWriteTheHeadersOfTheSegmentToBlame() {
        ByteBuffer write = Bytes.buffer("c140 5afe0100 0000000010000000 61626364");
        ByteBuffer b = Bytes.filled(40);
        assertEquals(20, Terminate.put(b, 0, TerminateCode.TAGGED_BASE_BOUNDS, write, 0, 18));
        assertEquals("1101c000 0012 c140 5afe0100 0000000010000000 a5".replace(" ", ""), Bytes.text(b, 0, 21));
        assertTrue(Terminate.isComplete(b, 0, 20));
        assertFalse(Terminate.isComplete(b, 0, 19));

        ByteBuffer read = Bytes.buffer(
            "4141 00000000 00000001 00000007 00000000 21dc2a00 0000557d87dfb000 00000040 5afe0100 0000000010000000");
        ByteBuffer full = Bytes.filled(60);
        int length = Terminate.put(full, 0, TerminateCode.PROTECTION_ACCESS_RIGHTS, read, 0, 46);
        assertEquals(52, length);
        assertEquals("0102e000 002e".replace(" ", "") + Bytes.text(read) + "a5", Bytes.text(full, 0, 53));
        assertEquals(ALL, Terminate.flags(full, 0));
        assertEquals(46, Terminate.segmentLength(full, 0));
        assertTrue(Terminate.isComplete(full, 0, 52));
        for (int i = 0; i < 52; i++) {
            assertFalse(Terminate.isComplete(full, 0, i), "of " + i + " bytes");
        }
    }

    /**
     * Lengths by RFC 5040 §4.8: 4 control bytes, 2 of the segment's length, a DDP header of 14 or 18 bytes, an RDMAP header of 28 bytes
     * (READ request) or, RFC 7306 §5.2, 52 bytes. The RDMAP header follows the DDP header, so it is never there without that.
     */
    @ParameterizedTest
    @CsvSource({
        // Columns: control bits of byte 2, the segment's first two bytes, bytes needed; -1: never complete.
        "00, 4141, 4", "80, 4141, 6", "40, c140, 20", "40, 4143, 24", "c0, c140, 20", "c0, 4141, 24", "20, 4141, -1", "a0, 4141, -1",
        "60, 4141, 52", "e0, 4141, 52", "e0, 414a, 76", "e0, 4143, 24", "e0, 414f, 24", "e0, c140, 20",
        "01, 4141, 6", "02, c140, 20", "03, 4141, 24", "04, 4141, -1", "05, 4141, -1", "06, 414a, 76", "07, 4141, 52"})
    void shouldSayWhetherThePromisedHeadersAreThere(String control, String segment, int needed) {
        String whole = "0100" + control + "00" + "0000" + segment + "00".repeat(80);
        for (int length = 0; length <= 80; length++) {
            // Reading past the end of this buffer would throw.
            ByteBuffer b = Bytes.buffer(whole.substring(0, 2 * length));
            assertEquals(needed >= 0 && length >= needed, Terminate.isComplete(b, 0, length), "of " + length + " bytes");
        }
    }

    @Test
    void shouldWriteFourBytesWithoutSegment() {
        ByteBuffer b = Bytes.filled(5);
        assertEquals(4, Terminate.put(b, 0, TerminateCode.MPA_CRC));
        assertEquals("20020000a5", Bytes.text(b));
        assertTrue(Terminate.isComplete(b, 0, 4));
        assertFalse(Terminate.isComplete(b, 0, 3));
    }

    /** Terminate that siw sent for a READ of an unknown STag, with its headers. */
    @Test
    void shouldFindTheHeadersInSiwsTerminate() {
        ByteBuffer b = Bytes.buffer("10000700 0000 4141 00000000 00000001 00000040 00000000 5afe0100 0000000010000000 00000040 00000100"
            + "0000557b2b671000");
        assertTrue(Terminate.isComplete(b, 0, b.capacity()));
        assertEquals(ALL, Terminate.flags(b, 0));
        int request = Terminate.ddpHeaderOffset() + UntaggedHeader.LENGTH;
        assertEquals(RdmapOpcode.RDMA_READ_REQUEST, Ddp.opcode(b, Terminate.ddpHeaderOffset()));
        assertEquals(0x5afe0100, ReadRequest.sinkStag(b, request));
        assertEquals(0x100, ReadRequest.sourceStag(b, request));
    }

    @Test
    void shouldNameEveryCodeOfTheRegistry() {
        int[] layers = {0x0000, 0x0100, 0x0101, 0x0102, 0x0103, 0x0104, 0x0109, 0x01FF, 0x0205, 0x0206, 0x0207, 0x0208, 0x0209, 0x02FF,
            0x1000, 0x1100, 0x1101, 0x1102, 0x1103, 0x1104, 0x1201, 0x1202, 0x1203, 0x1204, 0x1205, 0x1206, 0x2001, 0x2002, 0x2003,
            0x2004, 0x2005, 0x2006, 0x2007};
        for (int code : layers) {
            assertTrue(TerminateCode.isKnown(code), Integer.toHexString(code));
            assertNotNull(TerminateCode.name(code));
        }
        for (int code : new int[] {0x0105, 0x0201, 0x1105, 0x1200, 0x1207, 0x2000, 0x2008, 0x2101, 0x3000}) {
            assertFalse(TerminateCode.isKnown(code), Integer.toHexString(code));
        }
        assertEquals("layer 3 type 0 code 0x07", TerminateCode.name(0x3007));
    }
}
