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

class UlpduCheckTest {
    private static final String UNTAGGED = "00000000 %08x 00000001 %08x";
    private static final String TAGGED = "5afe0100 0000000010000000";

    private static int verdict(String hex) {
        ByteBuffer b = Bytes.buffer(hex);
        return UlpduCheck.verdict(b, 0, b.capacity());
    }

    private static String untagged(String control, int qn, int mo, int body) {
        return control + String.format(UNTAGGED, qn, mo) + "00".repeat(body);
    }

    /** Opcode, T, queue, and bytes behind the header: by RFC 5040 figure 4 and RFC 7306 figure 1. */
    @ParameterizedTest
    @CsvSource({"3, 0, 0", "4, 0, 0", "5, 0, 7", "6, 0, 9", "1, 1, 28", "7, 2, 4", "8, 0, 8", "9, 0, 8", "10, 1, 52", "11, 3, 12"})
    void shouldTakeEveryUntaggedMessageInItsQueueOnly(int opcode, int queue, int body) {
        String control = String.format("41%02x", 0x40 | opcode);
        for (int qn = 0; qn < 5; qn++) {
            assertEquals(qn == queue ? UlpduCheck.OK : TerminateCode.UNTAGGED_INVALID_QN, verdict(untagged(control, qn, 0, body)));
        }
        assertEquals(TerminateCode.OPERATION_UNEXPECTED_OPCODE, verdict(String.format("c1%02x", 0x40 | opcode) + TAGGED));
        for (int length = 0; length < 18 + RdmapOpcode.bodyLength(opcode); length++) {
            String cut = untagged(control, queue, 0, body).replaceAll("\\s", "").substring(0, 2 * length);
            assertEquals(TerminateCode.MPA_MARKER_OR_LENGTH, verdict(cut), "of " + length + " bytes");
        }
    }

    @ParameterizedTest
    @CsvSource({"0", "2"})
    void shouldTakeTaggedMessages(int opcode) {
        assertEquals(UlpduCheck.OK, verdict(String.format("c1%02x", 0x40 | opcode) + TAGGED));
        assertEquals(UlpduCheck.OK, verdict(String.format("81%02x", 0x40 | opcode) + TAGGED + "616263"));
        assertEquals(TerminateCode.OPERATION_UNEXPECTED_OPCODE, verdict(untagged(String.format("41%02x", 0x40 | opcode), 0, 0, 0)));
        assertEquals(TerminateCode.MPA_MARKER_OR_LENGTH, verdict(String.format("c1%02x", 0x40 | opcode) + TAGGED.substring(0, 23)));
    }

    @Test
    void shouldComplainInTheOrderOfTheLayers() {
        assertEquals(TerminateCode.MPA_MARKER_OR_LENGTH, verdict("41"));
        assertEquals(TerminateCode.UNTAGGED_DDP_VERSION, verdict("40 03"));
        assertEquals(TerminateCode.UNTAGGED_DDP_VERSION, verdict("42 43"));
        assertEquals(TerminateCode.TAGGED_DDP_VERSION, verdict("c0 40"));
        assertEquals(TerminateCode.OPERATION_RDMAP_VERSION, verdict("41 03"));
        assertEquals(TerminateCode.OPERATION_RDMAP_VERSION, verdict("c1 c0"));
        for (int opcode = 12; opcode < 16; opcode++) {
            assertEquals(TerminateCode.OPERATION_UNEXPECTED_OPCODE, verdict(String.format("41%02x", 0x40 | opcode)));
        }
    }

    @Test
    void shouldNotLookAtReservedBits() {
        assertEquals(UlpduCheck.OK, verdict(untagged("7d73", 0, 0, 3)));
    }

    @Test
    void shouldTakeRequestsInOneSegmentOnly() {
        assertEquals(TerminateCode.UNTAGGED_TOO_LONG, verdict(untagged("0141", 1, 0, 28)), "not the last segment");
        assertEquals(TerminateCode.UNTAGGED_TOO_LONG, verdict(untagged("4141", 1, 0, 29)));
        assertEquals(TerminateCode.UNTAGGED_INVALID_MO, verdict(untagged("4141", 1, 4, 28)));
        assertEquals(UlpduCheck.OK, verdict(untagged("4147", 2, 0, Terminate.MAX_LENGTH)));
        assertEquals(TerminateCode.UNTAGGED_TOO_LONG, verdict(untagged("4147", 2, 0, Terminate.MAX_LENGTH + 1)));
    }

    @Test
    void shouldShowHeadersThatAreThere() {
        ByteBuffer bad = Bytes.buffer(untagged("4143", 9, 0, 2));
        assertTrue(UlpduCheck.hasHeaders(bad, 0, bad.capacity()));
        assertFalse(UlpduCheck.hasHeaders(bad, 0, 17));
        assertFalse(UlpduCheck.hasHeaders(Bytes.buffer(untagged("404c", 0, 0, 2)), 0, 20));
    }
}
