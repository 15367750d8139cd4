// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.pcap;

import java.nio.ByteBuffer;

/**
 * Header of a record in the Extensible Record Format, the form in which Wireshark reads InfiniBand packets without any setting.
 *
 * <pre>
 *  0 | time (8, little-endian): seconds since 1970 in the high half, their 2^-32 in the low half |
 *  8 | type (1) | flags (1) = 4, records of varying length | record length (2) | losses (2) | packet length (2) |
 * </pre>
 */
public final class Erf {
    /** Bytes. */
    public static final int LENGTH = 16;
    /** Type of records with InfiniBand packets, LRH to VCRC. */
    public static final int TYPE_INFINIBAND = 21;

    private static final int TYPE_OFFSET = 8;
    private static final int FLAGS_OFFSET = 9;
    private static final int RECORD_LENGTH_OFFSET = 10;
    private static final int LOSSES_OFFSET = 12;
    private static final int PACKET_LENGTH_OFFSET = 14;
    private static final int VARYING_LENGTH = 4;
    private static final long SECOND_NS = 1_000_000_000L;

    private Erf() {
    }

    /**
     * {@return type of the record, u8}
     *
     * @param b buffer
     * @param at offset of the record
     */
    public static int type(ByteBuffer b, int at) {
        return b.get(at + TYPE_OFFSET) & 0xFF;
    }

    /**
     * Writes all 16 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the record
     * @param epochNs time, nanoseconds since 1970
     * @param type of the packet
     * @param packetLength bytes of the packet behind the header
     */
    public static void put(ByteBuffer b, int at, long epochNs, int type, int packetLength) {
        long time = epochNs / SECOND_NS << 32 | (epochNs % SECOND_NS << 32) / SECOND_NS;
        b.putLong(at, Long.reverseBytes(time));
        b.put(at + TYPE_OFFSET, (byte) type);
        b.put(at + FLAGS_OFFSET, (byte) VARYING_LENGTH);
        b.putShort(at + RECORD_LENGTH_OFFSET, (short) (LENGTH + packetLength));
        b.putShort(at + LOSSES_OFFSET, (short) 0);
        b.putShort(at + PACKET_LENGTH_OFFSET, (short) packetLength);
    }
}
