// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * Atomic ACK Extended Transport Header: what memory held before the atomic.
 *
 * <pre>
 *  0 | original remote data (8) |
 * </pre>
 *
 * Source: IBA vol 1 §9.3.5.3 (its value is a number: big-endian here, host order in memory).
 */
public final class AtomicAckEth {
    /** Bytes. */
    public static final int LENGTH = 8;
    /** u64. */
    public static final int ORIGINAL_OFFSET = 0;

    private AtomicAckEth() {
    }

    /**
     * {@return value read before the change, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the AtomicAckETH
     */
    public static long original(ByteBuffer b, int at) {
        return b.getLong(at + ORIGINAL_OFFSET);
    }

    /**
     * Writes all 8 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the AtomicAckETH
     * @param original value before the change, u64
     */
    public static void put(ByteBuffer b, int at, long original) {
        b.putLong(at + ORIGINAL_OFFSET, original);
    }
}
