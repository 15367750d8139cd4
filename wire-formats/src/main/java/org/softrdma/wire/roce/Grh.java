// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;
import org.softrdma.wire.net.Ipv6;

/**
 * Global Route Header: RoCE v1's network header. A UD receive buffer begins with one; over IPv4, with the IPv4 header in the last 20 of
 * those 40 bytes instead.
 *
 * <pre>
 *  0 | IPVer (4 bits) = 6 | TClass (8 bits) | FlowLabel (20 bits) |
 *  4 | PayLen (2) | NxtHdr (1) = 0x1B | HopLmt (1) |
 *  8 | SGID (16) |
 * 24 | DGID (16) |
 * </pre>
 *
 * The fields are IPv6's, so this class differs from {@link Ipv6} in names and validity only. In the ICRC, TClass, FlowLabel and HopLmt are
 * all-ones. Source: IBA vol 1 §8.3.
 */
public final class Grh {
    /** Bytes. */
    public static final int LENGTH = 40;
    /** u32: IPVer bits 31:28, TClass bits 27:20, FlowLabel bits 19:0. */
    public static final int VERSION_CLASS_FLOW_OFFSET = 0;
    /** u16. */
    public static final int PAYLOAD_LENGTH_OFFSET = 4;
    /** u8. */
    public static final int NEXT_HEADER_OFFSET = 6;
    /** u8. */
    public static final int HOP_LIMIT_OFFSET = 7;
    /** u128. */
    public static final int SOURCE_OFFSET = 8;
    /** u128. */
    public static final int DESTINATION_OFFSET = 24;
    /** NxtHdr of a packet whose next header is a BTH. */
    public static final int NEXT_HEADER_BTH = 0x1B;

    private Grh() {
    }

    /**
     * {@return IPVer, 6 in a valid header}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static int version(ByteBuffer b, int at) {
        return b.get(at) >>> 4 & 0xF;
    }

    /**
     * {@return TClass, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static int trafficClass(ByteBuffer b, int at) {
        return b.getInt(at) >>> 20 & 0xFF;
    }

    /**
     * {@return FlowLabel, 20 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static int flowLabel(ByteBuffer b, int at) {
        return b.getInt(at) & 0xFFFFF;
    }

    /**
     * {@return PayLen: bytes from the BTH to the end of the ICRC inclusive, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static int payloadLength(ByteBuffer b, int at) {
        return b.getShort(at + PAYLOAD_LENGTH_OFFSET) & 0xFFFF;
    }

    /**
     * {@return NxtHdr, u8; {@link #NEXT_HEADER_BTH}}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static int nextHeader(ByteBuffer b, int at) {
        return b.get(at + NEXT_HEADER_OFFSET) & 0xFF;
    }

    /**
     * {@return HopLmt, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static int hopLimit(ByteBuffer b, int at) {
        return b.get(at + HOP_LIMIT_OFFSET) & 0xFF;
    }

    /**
     * {@return first 64 bits of the sender's GID}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static long sourceHigh(ByteBuffer b, int at) {
        return b.getLong(at + SOURCE_OFFSET);
    }

    /**
     * {@return last 64 bits of the sender's GID}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static long sourceLow(ByteBuffer b, int at) {
        return b.getLong(at + SOURCE_OFFSET + 8);
    }

    /**
     * {@return first 64 bits of the receiver's GID}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static long destinationHigh(ByteBuffer b, int at) {
        return b.getLong(at + DESTINATION_OFFSET);
    }

    /**
     * {@return last 64 bits of the receiver's GID}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     */
    public static long destinationLow(ByteBuffer b, int at) {
        return b.getLong(at + DESTINATION_OFFSET + 8);
    }

    /**
     * Writes all 40 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     * @param trafficClass u8
     * @param flowLabel 20 bits
     * @param payloadLength bytes from the BTH to the end of the ICRC, u16
     * @param nextHeader {@link #NEXT_HEADER_BTH} on the wire
     * @param hopLimit hops left, u8
     * @param sourceHigh first 64 bits of the sender's address
     * @param sourceLow last 64 bits of the sender's address
     * @param destinationHigh first 64 bits of the receiver's address
     * @param destinationLow last 64 bits of the receiver's address
     */
    public static void put(ByteBuffer b, int at, int trafficClass, int flowLabel, int payloadLength, int nextHeader, int hopLimit,
            long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
        Ipv6.put(b, at, trafficClass, flowLabel, payloadLength, nextHeader, hopLimit, sourceHigh, sourceLow, destinationHigh,
            destinationLow);
    }

    /**
     * {@return whether version, next header and length fit a RoCE v1 packet}
     *
     * @param b buffer, big-endian
     * @param at offset of the GRH
     * @param available bytes in the buffer from {@code at}; may be more than the packet (Ethernet padding)
     */
    public static boolean isValid(ByteBuffer b, int at, int available) {
        return Ipv6.isValid(b, at, available) && nextHeader(b, at) == NEXT_HEADER_BTH;
    }
}
