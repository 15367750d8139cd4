// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.wire.Bytes;

/** FPDUs that kernel siw 6.1 put on the wire, read and written byte for byte. */
class KernelFpduTest {
    private static final String A64 = "6162636465666768696a6b6c6d6e6f707172737475767778797a".repeat(2) + "6162636465666768696a6b6c";

    /** As captured; of those without CRC the field is zero. */
    enum Captured {
        SEND_CRC("0052 4143 00000000 00000000 00000001 00000000" + A64 + "5cd2de13", true),
        SEND_SOLICITED_CRC("0052 4145 00000000 00000000 00000003 00000000" + A64 + "3a05f0af", true),
        SEND_INVALIDATE_CRC("0052 4144 5afe0100 00000000 00000004 00000000" + A64 + "c4ff6e1d", true),
        SEND_EMPTY("0012 4143 00000000 00000000 00000002 00000000 00000000", false),
        READ_REQUEST_CRC("002e 4141 00000000 00000001 00000001 00000000 21dc2a00 0000557d87dfb000 00000040 5afe0100 0000000010000000"
            + "e0c45503", true),
        READ_RESPONSE_1_CRC("000f c142 5afe0100 0000000010000000 62 000000 c9bebf72", true),
        READ_RESPONSE_0_CRC("000e c142 5afe0100 0000000010000000 a2f487da", true),
        WRITE("004e c140 5afe0100 0000000010000000" + A64 + "00000000", false),
        SEND_16("0022 4143 00000000 00000000 00000001 00000000 00005579ef62d470 25e9bb00 00000040 00000000", false),
        TERMINATE_CRC("0016 4147 00000000 00000002 00000001 00000000 02020000 75d367ed", true);

        final byte[] bytes;
        final boolean crc;

        Captured(String hex, boolean crc) {
            bytes = Bytes.hex(hex);
            this.crc = crc;
        }

        ByteBuffer buffer() {
            return ByteBuffer.wrap(bytes.clone());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAgreeAboutLengthAndCrc(Captured c) {
        ByteBuffer b = c.buffer();
        int length = Fpdu.ulpduLength(b, 0);
        assertEquals(c.bytes.length, Fpdu.length(length));
        assertEquals(UlpduCheck.OK, UlpduCheck.verdict(b, Fpdu.HEADER_LENGTH, length));
        int crcAt = c.bytes.length - Fpdu.CRC_LENGTH;
        assertEquals(c.crc ? new MpaCrc().of(b, 0, crcAt) : 0, MpaCrc.get(b, crcAt));
        assertEquals(0, b.position());
        assertEquals(b.capacity(), b.limit());
    }

    /** Headers written from what was read, payload copied: the same bytes, in a buffer that had others. */
    @ParameterizedTest
    @EnumSource
    void shouldWriteTheSameBytes(Captured c) {
        ByteBuffer b = c.buffer();
        ByteBuffer again = Bytes.filled(c.bytes.length);
        int at = Fpdu.HEADER_LENGTH;
        int length = Fpdu.ulpduLength(b, 0);
        int opcode = Ddp.opcode(b, at);
        Fpdu.putUlpduLength(again, 0, length);
        int header = Ddp.headerLength(b, at);
        if (Ddp.isTagged(b, at)) {
            TaggedHeader.put(again, at, Ddp.isLast(b, at), opcode, TaggedHeader.stag(b, at), TaggedHeader.to(b, at));
        } else {
            UntaggedHeader.put(again, at, Ddp.isLast(b, at), opcode, UntaggedHeader.invalidateStag(b, at), UntaggedHeader.qn(b, at),
                UntaggedHeader.msn(b, at), UntaggedHeader.mo(b, at));
        }
        int body = at + header;
        if (opcode == RdmapOpcode.RDMA_READ_REQUEST) {
            ReadRequest.put(again, body, ReadRequest.sinkStag(b, body), ReadRequest.sinkTo(b, body), ReadRequest.size(b, body),
                ReadRequest.sourceStag(b, body), ReadRequest.sourceTo(b, body));
        } else {
            again.put(body, b, body, length - header + Fpdu.padLength(length));
        }
        int crcAt = c.bytes.length - Fpdu.CRC_LENGTH;
        MpaCrc.put(again, crcAt, c.crc ? new MpaCrc().of(again, 0, crcAt) : 0);
        assertEquals(Bytes.text(b), Bytes.text(again));
    }

    @Test
    void shouldReadWhatTheFieldsSay() {
        ByteBuffer read = Captured.READ_REQUEST_CRC.buffer();
        int body = Fpdu.HEADER_LENGTH + UntaggedHeader.LENGTH;
        assertFalse(Ddp.isTagged(read, 2));
        assertTrue(Ddp.isLast(read, 2));
        assertEquals(RdmapOpcode.RDMA_READ_REQUEST, Ddp.opcode(read, 2));
        assertEquals(RdmapOpcode.QN_REQUEST, UntaggedHeader.qn(read, 2));
        assertEquals(1, UntaggedHeader.msn(read, 2));
        assertEquals(0, UntaggedHeader.mo(read, 2));
        assertEquals(0x21dc2a00, ReadRequest.sinkStag(read, body));
        assertEquals(0x0000557d87dfb000L, ReadRequest.sinkTo(read, body));
        assertEquals(0x40, ReadRequest.size(read, body));
        assertEquals(0x5afe0100, ReadRequest.sourceStag(read, body));
        assertEquals(0x10000000L, ReadRequest.sourceTo(read, body));
        ByteBuffer invalidate = Captured.SEND_INVALIDATE_CRC.buffer();
        assertEquals(0x5afe0100, UntaggedHeader.invalidateStag(invalidate, 2));
        ByteBuffer write = Captured.WRITE.buffer();
        assertTrue(Ddp.isTagged(write, 2));
        assertEquals(0x5afe0100, TaggedHeader.stag(write, 2));
        assertEquals(0x10000000L, TaggedHeader.to(write, 2));
    }

    /** RFC 3720 appendix B.4: 32 bytes of zero. */
    @Test
    void shouldStoreTheCrcLeastSignificantByteFirst() {
        ByteBuffer b = ByteBuffer.allocate(36);
        MpaCrc.put(b, 32, new MpaCrc().of(b, 0, 32));
        assertEquals("aa36918a", Bytes.text(b, 32, 4));
    }
}
