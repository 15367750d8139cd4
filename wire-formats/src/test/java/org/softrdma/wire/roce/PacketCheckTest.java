// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.Bytes;

class PacketCheckTest {
    /** A packet of this opcode and pad; only the bytes the check may look at exist. */
    private static int verdict(int opcode, int pad, int length) {
        ByteBuffer b = Bytes.filled(3 + length);
        if (length >= Bth.LENGTH) {
            Bth.put(b, 3, opcode, false, pad, 0xFFFF, 17, false, 0);
        }
        return PacketCheck.verdict(b, 3, length);
    }

    /** BTH and extended headers of an opcode, counted by hand from IBA vol 1 table 38 and annexes A14, A17 and A19; 0 if unknown. */
    private static int headerBytes(int opcode) {
        // RETH 16, AETH 4, AtomicETH 28, AtomicAckETH 8, ImmDt 4, IETH 4, FETH 4, in the order of operations 0..
        int[] rc = {0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20, 16, 4, 0, 4, 4, 4, 12, 28, 28, -1, 4, 4, -1, -1, -1, -1, 20, 16, -1, -1};
        int operation = opcode & 31;
        boolean response = operation >= 0x0d && operation <= 0x12;
        int extended = switch (opcode >> 5) {
            case 0 -> rc[operation];
            case 1 -> operation <= 0x0b ? rc[operation] : -1;
            // RDETH 4, and DETH 8 in requests; RESYNC has nothing else.
            case 2 -> operation == 0x15 ? 12 : operation <= 0x14 ? rc[operation] + (response ? 4 : 12) : -1;
            case 3 -> operation == 4 ? 8 : operation == 5 ? 12 : -1;
            case 4 -> operation == 1 ? 16 : -1;
            // XRCETH 4 in requests.
            case 5 -> operation <= 0x17 && operation != 0x15 ? rc[operation] + (response ? 0 : 4) : -1;
            default -> -1;
        };
        return extended < 0 ? 0 : 12 + extended;
    }

    @Test
    void shouldKnowTheHeadersOfEveryOpcode() {
        for (int opcode = 0; opcode < 256; opcode++) {
            assertEquals(headerBytes(opcode) > 0, Opcode.isKnown(opcode), Opcode.name(opcode));
            assertEquals(headerBytes(opcode), Opcode.isKnown(opcode) ? Opcode.headerLength(opcode) : 0, Opcode.name(opcode));
        }
    }

    @Test
    void shouldJudgeEveryOpcodeAtEveryLength() {
        for (int opcode = 0; opcode < 256; opcode++) {
            for (int pad = 0; pad < 4; pad++) {
                for (int length = 0; length < 100; length++) {
                    int spare = length - headerBytes(opcode) - pad - 4;
                    int expected;
                    if (length < 16) {
                        expected = PacketCheck.TOO_SHORT;
                    } else if (headerBytes(opcode) == 0) {
                        expected = PacketCheck.UNKNOWN_OPCODE;
                    } else if (Opcode.has(opcode, Opcode.PAYLOAD)) {
                        expected = spare >= 0 ? PacketCheck.OK : PacketCheck.BAD_LENGTH;
                    } else {
                        expected = spare == 0 && pad == 0 ? PacketCheck.OK : PacketCheck.BAD_LENGTH;
                    }
                    assertEquals(expected, verdict(opcode, pad, length), Opcode.name(opcode) + " pad " + pad + " length " + length);
                    if (expected == PacketCheck.OK) {
                        ByteBuffer b = Bytes.filled(length);
                        Bth.put(b, 0, opcode, false, pad, 0, 0, false, 0);
                        assertEquals(spare, PacketCheck.payloadLength(b, 0, length));
                    }
                }
            }
        }
    }

    /** Sizes counted by hand. */
    @Test
    void shouldAcceptTheCheatSheetSizes() {
        assertEquals(PacketCheck.OK, verdict(Opcode.RC_SEND_ONLY, 0, 16));
        assertEquals(PacketCheck.OK, verdict(Opcode.RC_SEND_ONLY_WITH_IMMEDIATE, 0, 20));
        assertEquals(PacketCheck.OK, verdict(Opcode.RC_RDMA_WRITE_ONLY, 0, 32));
        assertEquals(PacketCheck.OK, verdict(Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 0, 36));
        assertEquals(PacketCheck.OK, verdict(Opcode.RC_RDMA_READ_REQUEST, 0, 32));
        assertEquals(PacketCheck.OK, verdict(Opcode.RC_ACKNOWLEDGE, 0, 20));
        assertEquals(PacketCheck.OK, verdict(Opcode.RC_COMPARE_SWAP, 0, 44));
        assertEquals(PacketCheck.OK, verdict(Opcode.RC_ATOMIC_ACKNOWLEDGE, 0, 28));
        assertEquals(PacketCheck.OK, verdict(Opcode.UD_SEND_ONLY, 0, 24));
        assertEquals(PacketCheck.OK, verdict(Opcode.UD_SEND_ONLY, 0, 280));
        assertEquals(PacketCheck.OK, verdict(Opcode.CNP, 0, 32));
        assertEquals(PacketCheck.BAD_LENGTH, verdict(Opcode.RC_SEND_ONLY, 1, 16));
        assertEquals(PacketCheck.BAD_LENGTH, verdict(Opcode.RC_RDMA_WRITE_ONLY, 0, 31));
        assertEquals(PacketCheck.BAD_LENGTH, verdict(Opcode.RC_ACKNOWLEDGE, 0, 24));
        assertEquals(PacketCheck.BAD_LENGTH, verdict(Opcode.RC_ACKNOWLEDGE, 1, 21));
    }

    @Test
    void shouldRefuseOtherTransportVersions() {
        for (int version = 1; version < 16; version++) {
            ByteBuffer b = Bytes.filled(16);
            Bth.put(b, 0, Opcode.RC_SEND_ONLY, false, 0, 0xFFFF, 17, false, 0);
            b.put(1, (byte) version);
            assertEquals(PacketCheck.BAD_TRANSPORT_VERSION, PacketCheck.verdict(b, 0, 16));
        }
    }

    @Test
    void shouldNameEveryVerdict() {
        assertEquals("ok", PacketCheck.name(PacketCheck.OK));
        assertEquals("too short", PacketCheck.name(PacketCheck.TOO_SHORT));
        assertEquals("bad transport version", PacketCheck.name(PacketCheck.BAD_TRANSPORT_VERSION));
        assertEquals("unknown opcode", PacketCheck.name(PacketCheck.UNKNOWN_OPCODE));
        assertEquals("bad length", PacketCheck.name(PacketCheck.BAD_LENGTH));
        assertEquals("verdict 5", PacketCheck.name(5));
        assertEquals("verdict -1", PacketCheck.name(-1));
    }

    /** OK guarantees that every accessor of the opcode's headers stays inside the packet. */
    @Test
    void shouldMakeDescribingSafe() {
        for (int opcode = 0; opcode < 256; opcode++) {
            for (int length = 0; length < 64; length++) {
                ByteBuffer b = Bytes.filled(length);
                for (int i = 0; i < length; i++) {
                    b.put(i, (byte) (i == 0 ? opcode : i == 1 ? 0 : i * 37));
                }
                int end = length - 4;
                assertDoesNotThrow(() -> PacketText.describe(b, 0, end));
            }
        }
    }

    @Test
    void shouldDescribePackets() {
        assertEquals("RC SEND Only qp 17 psn 1193046 ackreq len 5 pad 3", describe("0430ffff 00000011 80123456 68656c6c6f000000"));
        assertEquals("RC Acknowledge qp 18 psn 1193046 ACK msn 1", describe("1100ffff 00000012 00123456 1f000001"));
        assertEquals("CNP qp 280 psn 0 becn", describe("8100ffff 40000118 00000000" + "00".repeat(16)));
        assertEquals("RC RDMA WRITE Only with Immediate qp 17 psn 1 pkey 0x7fff solicited va 0x1000 rkey 0x0000abcd of 0 imm 0x12345678"
            + " len 0",
            describe("0b807fff 00000011 00000001 0000000000001000 0000abcd 00000000 12345678"));
        assertEquals("UD SEND Only qp 1 psn 2 from qp 1 qkey 0x80010000 len 4",
            describe("6400ffff 00000001 00000002 80010000 00000001 01020304"));
        assertEquals("RC CmpSwap qp 17 psn 3 ackreq va 0x2000 rkey 0x00000102 swap/add 0x5 compare 0x6",
            describe("1300ffff 00000011 80000003 0000000000002000 00000102 0000000000000005 0000000000000006"));
        assertEquals("malformed (too short), 3 bytes", describe("040000"));
        assertEquals("RC RDMA READ Request qp 17 psn 3 malformed (bad length), 12 bytes", describe("0c00ffff 00000011 00000003"));
        assertEquals("opcode 0x1f qp 17 psn 3 malformed (unknown opcode), 12 bytes", describe("1f00ffff 00000011 00000003"));
    }

    private static String describe(String hex) {
        ByteBuffer b = Bytes.buffer(hex);
        return PacketText.describe(b, 0, b.capacity());
    }
}
