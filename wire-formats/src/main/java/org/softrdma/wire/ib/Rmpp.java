// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Field;

/**
 * Reliable multi-packet protocol: the header behind the common one in classes whose messages can be longer than a MAD.
 *
 * <pre>
 * 24 | RMPPVersion (1) | RMPPType (1) | RRespTime (5 bits), RMPPFlags (3 bits) | RMPPStatus (1) |
 * 28 | Data1 (4): segment number |
 * 32 | Data2 (4): in DATA, payload length; in ACK, last segment of the new window |
 * </pre>
 *
 * Offsets count from the MAD's first byte. Source: IBA vol 1 §13.6.2.
 */
public final class Rmpp {
    /** Bytes of header, common one included. */
    public static final int HEADER_END = 36;

    /** {@link #VERSION}. */
    public static final int VERSION_1 = 1;
    /** {@link #TYPE}: not a message of several packets. */
    public static final int TYPE_NONE = 0;
    /** {@link #TYPE}. */
    public static final int TYPE_DATA = 1;
    /** {@link #TYPE}. */
    public static final int TYPE_ACK = 2;
    /** {@link #TYPE}: the sender ends the transfer because of its resources. */
    public static final int TYPE_STOP = 3;
    /** {@link #TYPE}: the transfer failed. */
    public static final int TYPE_ABORT = 4;

    /** {@link #FLAGS}: the protocol is in use. */
    public static final int FLAG_ACTIVE = 1;
    /** {@link #FLAGS}: first segment. */
    public static final int FLAG_FIRST = 2;
    /** {@link #FLAGS}: last segment. */
    public static final int FLAG_LAST = 4;

    /** {@link #RESPONSE_TIME}: none given. */
    public static final int NO_RESPONSE_TIME = 31;

    /** {@link #STATUS}. */
    public static final int STATUS_NORMAL = 0;
    /** {@link #STATUS}: resources exhausted. */
    public static final int STATUS_RESOURCES_EXHAUSTED = 1;
    /** {@link #STATUS}: total transaction time too long. */
    public static final int STATUS_TOTAL_TIME = 118;
    /** {@link #STATUS}: inconsistent last flag and payload length. */
    public static final int STATUS_INCONSISTENT_LAST = 119;
    /** {@link #STATUS}: inconsistent first flag and segment number. */
    public static final int STATUS_INCONSISTENT_FIRST = 120;
    /** {@link #STATUS}: bad RMPPType. */
    public static final int STATUS_BAD_TYPE = 121;
    /** {@link #STATUS}: new window last too small. */
    public static final int STATUS_WINDOW_TOO_SMALL = 122;
    /** {@link #STATUS}: segment number too great. */
    public static final int STATUS_SEGMENT_TOO_GREAT = 123;
    /** {@link #STATUS}: illegal status. */
    public static final int STATUS_ILLEGAL = 124;
    /** {@link #STATUS}: unsupported version. */
    public static final int STATUS_UNSUPPORTED_VERSION = 125;
    /** {@link #STATUS}: too many retries. */
    public static final int STATUS_TOO_MANY_RETRIES = 126;
    /** {@link #STATUS}: unspecified error. */
    public static final int STATUS_UNSPECIFIED = 127;

    /** RMPPVersion, u8. */
    public static final Field VERSION = Field.bytes(24, 1);
    /** RMPPType, u8. */
    public static final Field TYPE = Field.bytes(25, 1);
    /** RRespTime, 5 bits. */
    public static final Field RESPONSE_TIME = Field.bits(26, 0xF8);
    /** RMPPFlags, 3 bits. */
    public static final Field FLAGS = Field.bits(26, 0x07);
    /** RMPPStatus, u8. */
    public static final Field STATUS = Field.bytes(27, 1);
    /** SegmentNumber, u32: 1 for the first. */
    public static final Field SEGMENT = Field.bytes(28, 4);
    /**
     * PayloadLength of a DATA packet, u32: in the first segment, of the whole message including the class header of each segment, or 0
     * if it is not known; in the last one, of that segment.
     */
    public static final Field PAYLOAD_LENGTH = Field.bytes(32, 4);
    /** NewWindowLast of an ACK, u32. */
    public static final Field NEW_WINDOW_LAST = Field.bytes(32, 4);

    private Rmpp() {
    }

    /**
     * {@return whether the packet belongs to a transfer}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static boolean isActive(ByteBuffer b, int at) {
        return (FLAGS.get(b, at) & FLAG_ACTIVE) != 0;
    }

    /**
     * {@return whether a flag is set}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param flag the flag, one bit
     */
    public static boolean has(ByteBuffer b, int at, int flag) {
        return (FLAGS.get(b, at) & flag) != 0;
    }

    /**
     * Writes all 12 bytes of the header.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param type RMPPType, u8
     * @param flags RMPPFlags, 4 bits
     * @param status RMPPStatus, u8
     * @param segment SegmentNumber, raw 32 bits
     * @param second the header's last four bytes, raw 32 bits: PayloadLength or NewWindowLast
     */
    public static void put(ByteBuffer b, int at, int type, int flags, int status, int segment, int second) {
        b.putInt(at + VERSION.offset(), VERSION_1 << 24 | (type & 0xFF) << 16 | (NO_RESPONSE_TIME << 3 | flags & 0x7) << 8 | status & 0xFF);
        b.putInt(at + SEGMENT.offset(), segment);
        b.putInt(at + PAYLOAD_LENGTH.offset(), second);
    }
}
