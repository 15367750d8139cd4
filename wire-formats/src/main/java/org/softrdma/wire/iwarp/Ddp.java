// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * The two control bytes every DDP segment begins with, the second of which is RDMAP's.
 *
 * <pre>
 *  0 | T L, reserved (4 bits), DDP version (2 bits) |
 *  1 | RDMAP version (2 bits), reserved (2 bits), opcode (4 bits) |
 * </pre>
 *
 * Behind them a {@link TaggedHeader} or an {@link UntaggedHeader} goes on; offsets of both count from here. Source: RFC 5041 §4.1, RFC 5040
 * §4.1.
 */
public final class Ddp {
    /** Bytes. */
    public static final int CONTROL_LENGTH = 2;
    /** The one DDP version. */
    public static final int VERSION = 1;
    /** The one RDMAP version. */
    public static final int RDMAP_VERSION = 1;

    private static final int TAGGED = 0x80;
    private static final int LAST = 0x40;

    private Ddp() {
    }

    /**
     * {@return T: the segment names memory instead of a queue}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static boolean isTagged(ByteBuffer b, int at) {
        return (b.get(at) & TAGGED) != 0;
    }

    /**
     * {@return L: the last segment of its message}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static boolean isLast(ByteBuffer b, int at) {
        return (b.get(at) & LAST) != 0;
    }

    /**
     * {@return DV, the version of DDP, 2 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static int version(ByteBuffer b, int at) {
        return b.get(at) & 3;
    }

    /**
     * {@return RV, the version of RDMAP, 2 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static int rdmapVersion(ByteBuffer b, int at) {
        return b.get(at + 1) >>> 6 & 3;
    }

    /**
     * {@return an {@link RdmapOpcode}, 4 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static int opcode(ByteBuffer b, int at) {
        return b.get(at + 1) & 0xF;
    }

    /**
     * {@return bytes of the whole DDP header: {@link TaggedHeader#LENGTH} or {@link UntaggedHeader#LENGTH}}
     *
     * @param b buffer, big-endian
     * @param at offset of the DDP header
     */
    public static int headerLength(ByteBuffer b, int at) {
        return isTagged(b, at) ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
    }

    static void put(ByteBuffer b, int at, boolean tagged, boolean last, int opcode) {
        b.put(at, (byte) ((tagged ? TAGGED : 0) | (last ? LAST : 0) | VERSION));
        b.put(at + 1, (byte) (RDMAP_VERSION << 6 | opcode & 0xF));
    }
}
