// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * Header of a Terminate, after the untagged header.
 *
 * <pre>
 *  0 | layer, error type (4 bits each) |
 *  1 | error code |
 *  2 | M D R, reserved (13 bits) |
 *  4 | with M: length of the segment that is to blame (2) |
 *  6 | with D: its DDP header, 14 or 18 bytes |
 *    | with R: its RDMAP header, of a READ or atomic request |
 * </pre>
 *
 * Kernel siw 6.1 on little-endian machines has the two nibbles of byte 0 and the three bits of byte 2 in reverse order; readers here
 * understand both. Without any of the three bits, a reading in the order of the specification comes first, if it means anything: then
 * siw's {@code 20 05} and {@code 20 06} (RDMAP version, opcode) read as MPA's. Source: RFC 5040 §4.8.
 */
public final class Terminate {
    /** Bytes that are always there. */
    public static final int CONTROL_LENGTH = 4;
    /** Bytes of the segment length that M and D bring. */
    public static final int SEGMENT_LENGTH_BYTES = 2;
    /** Most bytes: everything about an atomic request. */
    public static final int MAX_LENGTH = CONTROL_LENGTH + SEGMENT_LENGTH_BYTES + UntaggedHeader.LENGTH + AtomicRequest.LENGTH;
    /** M: the length of the segment is there. */
    public static final int SEGMENT_LENGTH = 0x80;
    /** D: the DDP header is there. */
    public static final int DDP_HEADER = 0x40;
    /** R: the RDMAP header is there. */
    public static final int RDMAP_HEADER = 0x20;

    private static final int FLAGS_OFFSET = 2;
    private static final int ALL_FLAGS = SEGMENT_LENGTH | DDP_HEADER | RDMAP_HEADER;
    private static final int ALL_FLAGS_REVERSED = 0x07;

    private Terminate() {
    }

    /**
     * {@return a {@link TerminateCode}, or 16 bits that look like one, whichever order the peer used}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int code(ByteBuffer b, int at) {
        int raw = b.getShort(at) & 0xFFFF;
        return isReversed(b, at) ? swapNibbles(raw) : raw;
    }

    /**
     * {@return {@link #SEGMENT_LENGTH}, {@link #DDP_HEADER} and {@link #RDMAP_HEADER}, whichever order the peer used}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int flags(ByteBuffer b, int at) {
        int raw = b.get(at + FLAGS_OFFSET) & 0xFF;
        return isReversed(b, at)
            ? ((raw & 1) != 0 ? SEGMENT_LENGTH : 0) | ((raw & 2) != 0 ? DDP_HEADER : 0) | ((raw & 4) != 0 ? RDMAP_HEADER : 0)
            : raw & ALL_FLAGS;
    }

    private static boolean isReversed(ByteBuffer b, int at) {
        int raw = b.get(at + FLAGS_OFFSET);
        if ((raw & ALL_FLAGS) != 0) {
            return false;
        }
        if ((raw & ALL_FLAGS_REVERSED) != 0) {
            return true;
        }
        int code = b.getShort(at) & 0xFFFF;
        return !TerminateCode.isKnown(code) && TerminateCode.isKnown(swapNibbles(code));
    }

    private static int swapNibbles(int code) {
        return (code & 0x0F00) << 4 | (code & 0xF000) >>> 4 | code & 0xFF;
    }

    /** {@return where the DDP header of the segment to blame stands, counted from the Terminate; there with {@link #DDP_HEADER}} */
    public static int ddpHeaderOffset() {
        return CONTROL_LENGTH + SEGMENT_LENGTH_BYTES;
    }

    /**
     * {@return bytes of the segment to blame, u16; there with {@link #SEGMENT_LENGTH}. siw 6.1 counts its payload only}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int segmentLength(ByteBuffer b, int at) {
        return b.getShort(at + CONTROL_LENGTH) & 0xFFFF;
    }

    /**
     * {@return whether the headers that the flags promise lie within {@code length} bytes}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     * @param length bytes of the header and all behind it
     */
    public static boolean isComplete(ByteBuffer b, int at, int length) {
        if (length < CONTROL_LENGTH) {
            return false;
        }
        int flags = flags(b, at);
        if ((flags & ALL_FLAGS) == 0) {
            return true;
        }
        int header = at + ddpHeaderOffset();
        int needed = ddpHeaderOffset() + ((flags & DDP_HEADER) != 0 ? Ddp.CONTROL_LENGTH : 0);
        if (length < needed || (flags & DDP_HEADER) == 0) {
            return length >= needed && (flags & RDMAP_HEADER) == 0;
        }
        needed = ddpHeaderOffset() + Ddp.headerLength(b, header);
        if ((flags & RDMAP_HEADER) != 0) {
            int opcode = Ddp.opcode(b, header);
            needed += RdmapOpcode.isKnown(opcode) ? RdmapOpcode.bodyLength(opcode) : 0;
        }
        return length >= needed;
    }

    /**
     * Writes the four bytes of a Terminate that blames no segment.
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     * @param code a {@link TerminateCode}
     * @return their number
     */
    public static int put(ByteBuffer b, int at, int code) {
        b.putInt(at, code << 16);
        return CONTROL_LENGTH;
    }

    /**
     * Writes a Terminate that blames a segment: its length, its DDP header and, of a READ or atomic request, its RDMAP header.
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     * @param code a {@link TerminateCode}
     * @param headers the buffer with the segment's headers, at {@code headersAt}; they have been judged good by {@link UlpduCheck}
     * @param headersAt offset of the segment's DDP header
     * @param segmentLength bytes of the whole segment
     * @return bytes written
     */
    public static int put(ByteBuffer b, int at, int code, ByteBuffer headers, int headersAt, int segmentLength) {
        int opcode = Ddp.opcode(headers, headersAt);
        boolean request = opcode == RdmapOpcode.RDMA_READ_REQUEST || opcode == RdmapOpcode.ATOMIC_REQUEST;
        int bytes = Ddp.headerLength(headers, headersAt) + (request ? RdmapOpcode.bodyLength(opcode) : 0);
        b.putInt(at, code << 16 | (SEGMENT_LENGTH | DDP_HEADER | (request ? RDMAP_HEADER : 0)) << 8);
        b.putShort(at + CONTROL_LENGTH, (short) segmentLength);
        b.put(at + ddpHeaderOffset(), headers, headersAt, bytes);
        return ddpHeaderOffset() + bytes;
    }
}
