// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;

/**
 * Local route header: the first header of every packet on an InfiniBand link.
 *
 * <pre>
 *  0 | VL (4 bits) | LVer (4 bits) = 0 | SL (4 bits) | reserved (2 bits) | LNH (2 bits) |
 *  2 | DLID (2) |
 *  4 | reserved (5 bits) | PktLen (11 bits) |
 *  6 | SLID (2) |
 * </pre>
 *
 * The ICRC covers all of it but VL, which counts as ones. Source: IBA vol 1 §7.7.
 */
public final class Lrh {
    /** Bytes. */
    public static final int LENGTH = 8;
    /** u8: VL bits 7:4, LVer bits 3:0. */
    public static final int VL_OFFSET = 0;
    /** u8: SL bits 7:4, LNH bits 1:0. */
    public static final int SL_OFFSET = 1;
    /** u16. */
    public static final int DLID_OFFSET = 2;
    /** u16: PktLen bits 10:0. */
    public static final int PACKET_LENGTH_OFFSET = 4;
    /** u16. */
    public static final int SLID_OFFSET = 6;

    /** LNH: raw packet with an EtherType. */
    public static final int NEXT_RAW = 0;
    /** LNH: IPv6 datagram without BTH. */
    public static final int NEXT_IPV6 = 1;
    /** LNH: BTH. */
    public static final int NEXT_BTH = 2;
    /** LNH: GRH, and behind it the BTH. */
    public static final int NEXT_GRH = 3;

    /** Virtual lane of subnet management packets. */
    public static final int VL_MANAGEMENT = 15;
    /** Greatest LID of one port. */
    public static final int LAST_UNICAST_LID = 0xBFFF;
    /** First LID of multicast groups. */
    public static final int FIRST_MULTICAST_LID = 0xC000;
    /** Greatest LID of multicast groups. */
    public static final int LAST_MULTICAST_LID = 0xFFFE;
    /** LID of whatever port a directed packet reaches. */
    public static final int PERMISSIVE_LID = 0xFFFF;

    // Bits in the 8 bytes as one big-endian number.
    private static final int SL_SHIFT = 52;
    private static final int NEXT_HEADER_SHIFT = 48;
    private static final int DLID_SHIFT = 32;
    private static final int WORD = 4;

    private Lrh() {
    }

    /**
     * {@return VL, 4 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the LRH
     */
    public static int vl(ByteBuffer b, int at) {
        return b.get(at + VL_OFFSET) >>> 4 & 0xF;
    }

    /**
     * {@return LVer, 4 bits; 0 in a valid header}
     *
     * @param b buffer, big-endian
     * @param at offset of the LRH
     */
    public static int version(ByteBuffer b, int at) {
        return b.get(at + VL_OFFSET) & 0xF;
    }

    /**
     * {@return SL, 4 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the LRH
     */
    public static int sl(ByteBuffer b, int at) {
        return b.get(at + SL_OFFSET) >>> 4 & 0xF;
    }

    /**
     * {@return LNH, 2 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the LRH
     */
    public static int nextHeader(ByteBuffer b, int at) {
        return b.get(at + SL_OFFSET) & 0x3;
    }

    /**
     * {@return DLID, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the LRH
     */
    public static int dlid(ByteBuffer b, int at) {
        return b.getShort(at + DLID_OFFSET) & 0xFFFF;
    }

    /**
     * {@return bytes from the first one of the LRH to the last one of the ICRC, both inclusive; PktLen counts them in words}
     *
     * @param b buffer, big-endian
     * @param at offset of the LRH
     */
    public static int packetBytes(ByteBuffer b, int at) {
        return (b.getShort(at + PACKET_LENGTH_OFFSET) & 0x7FF) * WORD;
    }

    /**
     * {@return SLID, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the LRH
     */
    public static int slid(ByteBuffer b, int at) {
        return b.getShort(at + SLID_OFFSET) & 0xFFFF;
    }

    /**
     * {@return whether a LID is a multicast group's}
     *
     * @param lid LID, u16
     */
    public static boolean isMulticast(int lid) {
        return lid >= FIRST_MULTICAST_LID && lid <= LAST_MULTICAST_LID;
    }

    /**
     * Writes all 8 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the LRH
     * @param vl 4 bits
     * @param sl 4 bits
     * @param nextHeader 2 bits
     * @param dlid destination LID, u16
     * @param packetBytes from the LRH to the ICRC, a multiple of 4
     * @param slid source LID, u16
     */
    public static void put(ByteBuffer b, int at, int vl, int sl, int nextHeader, int dlid, int packetBytes, int slid) {
        b.putLong(at, header(vl, sl, nextHeader, dlid, packetBytes, slid));
    }

    /**
     * {@return the 8 bytes as one big-endian number}
     *
     * @param vl virtual lane, 4 bits
     * @param sl service level, 0..15
     * @param nextHeader LNH, 2 bits
     * @param dlid destination LID, u16
     * @param packetBytes bytes from the LRH to the ICRC, a multiple of four
     * @param slid source LID, u16
     */
    public static long header(int vl, int sl, int nextHeader, int dlid, int packetBytes, int slid) {
        return (long) (vl & 0xF) << 60 | (long) (sl & 0xF) << SL_SHIFT | (long) (nextHeader & 0x3) << NEXT_HEADER_SHIFT
            | (dlid & 0xFFFFL) << DLID_SHIFT
            | lengthField(packetBytes) | slid & 0xFFFFL;
    }

    /**
     * {@return SLID of a header as one number, u16}
     *
     * @param header the 8 bytes as one big-endian number
     */
    public static int slid(long header) {
        return (int) header & 0xFFFF;
    }

    /**
     * {@return DLID of a header as one number, u16}
     *
     * @param header the 8 bytes as one big-endian number
     */
    public static int dlid(long header) {
        return (int) (header >>> DLID_SHIFT) & 0xFFFF;
    }

    /**
     * {@return SL of a header as one number, 4 bits}
     *
     * @param header the 8 bytes as one big-endian number
     */
    public static int sl(long header) {
        return (int) (header >>> SL_SHIFT) & 0xF;
    }

    /**
     * {@return LNH of a header as one number, 2 bits}
     *
     * @param header the 8 bytes as one big-endian number
     */
    public static int nextHeader(long header) {
        return (int) (header >>> NEXT_HEADER_SHIFT) & 0x3;
    }

    /**
     * {@return PktLen within the 8 bytes as one big-endian number}
     *
     * @param packetBytes bytes from the LRH to the ICRC, a multiple of four
     */
    public static long lengthField(int packetBytes) {
        return (packetBytes / WORD & 0x7FFL) << 16;
    }

    /**
     * {@return whether version, next header and length fit a packet with a BTH}
     *
     * @param b buffer, big-endian
     * @param at offset of the LRH
     * @param available bytes in the buffer from {@code at}
     */
    public static boolean isValid(ByteBuffer b, int at, int available) {
        return available >= LENGTH && version(b, at) == 0 && (nextHeader(b, at) & NEXT_BTH) != 0 && packetBytes(b, at) >= LENGTH
            && packetBytes(b, at) <= available;
    }
}
