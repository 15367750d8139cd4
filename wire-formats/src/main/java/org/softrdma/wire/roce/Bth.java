// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * Base Transport Header, the first header of every RoCE packet.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------+-+-+---+-------+-------------------------------+
 *  0|    OpCode     |S|M|Pad| TVer  |            P_Key              |
 *   +-+-+-----------+-+-+---+-------+-------------------------------+
 *  4|F|B| reserved  |           Destination QP                      |
 *   +-+-+-----------+-----------------------------------------------+
 *  8|A|  reserved   |           PSN                                 |
 *   +-+-------------+-----------------------------------------------+
 * </pre>
 *
 * Byte 4 (F, B, reserved) may change in flight and is all-ones in the ICRC; byte 8's reserved bits are covered. Source: IBA vol 1 §9.2.
 */
public final class Bth {
    /** Bytes. */
    public static final int LENGTH = 12;
    /** u8: transport in bits 7:5, operation in bits 4:0. */
    public static final int OPCODE_OFFSET = 0;
    /** u8: SE bit 7, M bit 6, PadCnt bits 5:4, TVer bits 3:0. */
    public static final int FLAGS_OFFSET = 1;
    /** u16. */
    public static final int PKEY_OFFSET = 2;
    /** u8: FECN bit 7, BECN bit 6, six reserved bits; the one BTH byte the ICRC masks. */
    public static final int CONGESTION_OFFSET = 4;
    /** u24. */
    public static final int DEST_QP_OFFSET = 5;
    /** u8: A bit 7, seven reserved bits. */
    public static final int ACK_REQUEST_OFFSET = 8;
    /** u24. */
    public static final int PSN_OFFSET = 9;

    private static final int SE = 0x80;
    private static final int M = 0x40;
    private static final int PAD_SHIFT = 4;
    private static final int FECN = 0x80;
    private static final int BECN = 0x40;
    private static final int A = 0x80;
    private static final int U24 = 0xFFFFFF;

    private Bth() {
    }

    /**
     * {@return opcode, 0..255; {@link Opcode} has the table, gaps included}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static int opcode(ByteBuffer b, int at) {
        return b.get(at + OPCODE_OFFSET) & 0xFF;
    }

    /**
     * {@return SE: the responder shall raise a completion event for a receive armed for solicited ones only}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static boolean solicitedEvent(ByteBuffer b, int at) {
        return (b.get(at + FLAGS_OFFSET) & SE) != 0;
    }

    /**
     * {@return M: path migration state. rxe sends 0 and ignores it; hardware RC peers often send 1}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static boolean migReq(ByteBuffer b, int at) {
        return (b.get(at + FLAGS_OFFSET) & M) != 0;
    }

    /**
     * {@return zero bytes after the payload that fill it to a multiple of four, 0..3}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static int padCount(ByteBuffer b, int at) {
        return b.get(at + FLAGS_OFFSET) >>> PAD_SHIFT & 3;
    }

    /**
     * {@return TVer, 0..15; only 0 exists}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static int transportVersion(ByteBuffer b, int at) {
        return b.get(at + FLAGS_OFFSET) & 0xF;
    }

    /**
     * {@return partition key, u16; bit 15 set means full member} Default partition: 0xFFFF.
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static int pkey(ByteBuffer b, int at) {
        return b.getShort(at + PKEY_OFFSET) & 0xFFFF;
    }

    /**
     * {@return forward congestion mark}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static boolean fecn(ByteBuffer b, int at) {
        return (b.get(at + CONGESTION_OFFSET) & FECN) != 0;
    }

    /**
     * {@return backward congestion mark, set in a CNP}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static boolean becn(ByteBuffer b, int at) {
        return (b.get(at + CONGESTION_OFFSET) & BECN) != 0;
    }

    /**
     * {@return receiving queue pair, u24; 1 is the GSI, 0xFFFFFF multicast}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static int destQp(ByteBuffer b, int at) {
        return b.getInt(at + CONGESTION_OFFSET) & U24;
    }

    /**
     * {@return A: the responder shall acknowledge this packet without waiting for more}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static boolean ackRequest(ByteBuffer b, int at) {
        return (b.get(at + ACK_REQUEST_OFFSET) & A) != 0;
    }

    /**
     * {@return packet sequence number, u24; compare with {@link Psn#compare} only}
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     */
    public static int psn(ByteBuffer b, int at) {
        return b.getInt(at + ACK_REQUEST_OFFSET) & U24;
    }

    /**
     * Writes all 12 bytes; M, FECN, BECN, TVer and the reserved bits become zero.
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     * @param opcode opcode, as in the header
     * @param solicitedEvent the bit SE
     * @param padCount 0..3
     * @param pkey u16
     * @param destQp u24
     * @param ackRequest the bit A
     * @param psn u24
     */
    public static void put(ByteBuffer b, int at, int opcode, boolean solicitedEvent, int padCount, int pkey, int destQp, boolean ackRequest,
            int psn) {
        int flags = (solicitedEvent ? SE : 0) | (padCount & 3) << PAD_SHIFT;
        b.putInt(at + OPCODE_OFFSET, opcode << 24 | flags << 16 | pkey & 0xFFFF);
        b.putInt(at + CONGESTION_OFFSET, destQp & U24);
        b.putInt(at + ACK_REQUEST_OFFSET, (ackRequest ? A << 24 : 0) | psn & U24);
    }

    /**
     * Sets or clears M and nothing else.
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     * @param on the new value of the bit
     */
    public static void setMigReq(ByteBuffer b, int at, boolean on) {
        setBit(b, at + FLAGS_OFFSET, M, on);
    }

    /**
     * Sets or clears FECN; allowed after the ICRC is computed, which masks it.
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     * @param on the new value of the bit
     */
    public static void setFecn(ByteBuffer b, int at, boolean on) {
        setBit(b, at + CONGESTION_OFFSET, FECN, on);
    }

    /**
     * Sets or clears BECN; allowed after the ICRC is computed, which masks it.
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     * @param on the new value of the bit
     */
    public static void setBecn(ByteBuffer b, int at, boolean on) {
        setBit(b, at + CONGESTION_OFFSET, BECN, on);
    }

    /**
     * Sets or clears A and nothing else; the ICRC covers it.
     *
     * @param b buffer, big-endian
     * @param at offset of the BTH
     * @param on the new value of the bit
     */
    public static void setAckRequest(ByteBuffer b, int at, boolean on) {
        setBit(b, at + ACK_REQUEST_OFFSET, A, on);
    }

    private static void setBit(ByteBuffer b, int offset, int mask, boolean on) {
        int value = b.get(offset);
        b.put(offset, (byte) (on ? value | mask : value & ~mask));
    }
}
