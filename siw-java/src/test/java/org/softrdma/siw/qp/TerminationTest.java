// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.AsyncEventType;

class TerminationTest {
    /** Untagged header: last segment of a Terminate, queue 2, MSN 1, offset 0. RFC 5040 §4.8 */
    private static final int HEADER = 18;

    private final Termination termination = new Termination();

    /** Terminate control field of 4 bytes; with a segment, its length of 2 bytes and its DDP header of 18 follow, RFC 5040 §4.8. */
    @Test
    void shouldBePendingUntilDropped() {
        assertFalse(termination.isPending());
        assertEquals(0, termination.length());
        termination.prepare(0x2002);
        assertTrue(termination.isPending());
        assertEquals(HEADER + 4, termination.length());
        termination.drop();
        assertFalse(termination.isPending());
        assertEquals(0, termination.length());
    }

    /** A SEND in queue 0 that found no receive: untagged DDP header, no RDMAP header besides it. */
    @Test
    void shouldNameTheSegmentThatCausedIt() {
        byte[] send = HexFormat.of().parseHex("4143" + "00000000" + "00000000" + "00000001" + "00000000" + "68690000");
        termination.prepare(0x1202, ByteBuffer.wrap(send), 0, HEADER + 2);
        assertEquals(HEADER + 4 + 2 + HEADER, termination.length());
    }

    /** Layer, type and code of RFC 5040 §4.8, 5041 §7 and 5044 §8; the events of IBA vol 1 §11.6.3.2. */
    @ParameterizedTest
    @CsvSource({
        "0x0000, LOCAL_ERRORS, QP_FATAL", "0x00FF, LOCAL_ERRORS, QP_FATAL",
        "0x0100, BAD_ACCESS, QP_ACCESS_ERR", "0x0101, BAD_ACCESS, QP_ACCESS_ERR", "0x0109, BAD_ACCESS, QP_ACCESS_ERR",
        "0x01FF, BAD_ACCESS, QP_ACCESS_ERR",
        "0x0205, BAD_SEGMENT, QP_REQ_ERR", "0x0206, BAD_SEGMENT, QP_REQ_ERR", "0x0207, BAD_SEGMENT, QP_REQ_ERR",
        "0x1000, LOCAL_ERRORS, QP_FATAL",
        "0x1100, BAD_ACCESS, QP_ACCESS_ERR", "0x1101, BAD_ACCESS, QP_ACCESS_ERR", "0x1103, BAD_ACCESS, QP_ACCESS_ERR",
        "0x1104, BAD_SEGMENT, QP_REQ_ERR",
        "0x1201, BAD_SEGMENT, QP_REQ_ERR", "0x1202, NO_BUFFER, QP_REQ_ERR", "0x1203, BAD_SEGMENT, QP_REQ_ERR",
        "0x1205, TOO_LONG, QP_REQ_ERR", "0x1206, BAD_SEGMENT, QP_REQ_ERR",
        "0x2002, BAD_CRC, QP_FATAL", "0x2003, BAD_FRAMING, QP_FATAL"})
    void shouldCountAndReportTheError(int code, SiwCounter counter, AsyncEventType event) {
        assertEquals(counter, Termination.counterOf(code));
        assertEquals(event, Termination.eventOf(code));
    }
}
