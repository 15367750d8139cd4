// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * Flush Extended Transport Header: how far, and how much of a region, FLUSH shall push earlier writes.
 *
 * <pre>
 *  0 | reserved (bits 31:6) | SEL (5:4) | PLT (3:0) |
 * </pre>
 *
 * Source: IBA vol 1 release 1.6 as implemented by kernel rxe 6.4 and later.
 */
public final class Feth {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** u8 with SEL and PLT; the three bytes before it are reserved. */
    public static final int TYPE_OFFSET = 3;
    /** Placement bit: visible to every agent of the responder. */
    public static final int PLACEMENT_GLOBAL_VISIBILITY = 1;
    /** Placement bit: survives power loss. */
    public static final int PLACEMENT_PERSISTENCE = 2;
    /** Selectivity: the bytes the RETH names. */
    public static final int SELECT_RANGE = 0;
    /** Selectivity: the whole memory region. */
    public static final int SELECT_REGION = 1;

    private Feth() {
    }

    /**
     * {@return PLT: bit mask of {@code PLACEMENT_…}, 0..15}
     *
     * @param b buffer, big-endian
     * @param at offset of the FETH
     */
    public static int placementType(ByteBuffer b, int at) {
        return b.get(at + TYPE_OFFSET) & 0xF;
    }

    /**
     * {@return SEL: one of {@code SELECT_…}; 2 and 3 are reserved}
     *
     * @param b buffer, big-endian
     * @param at offset of the FETH
     */
    public static int selectivity(ByteBuffer b, int at) {
        return b.get(at + TYPE_OFFSET) >>> 4 & 3;
    }

    /**
     * Writes all 4 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the FETH
     * @param placementType bit mask, 0..15
     * @param selectivity 0..3
     */
    public static void put(ByteBuffer b, int at, int placementType, int selectivity) {
        b.putInt(at, (selectivity & 3) << 4 | placementType & 0xF);
    }
}
