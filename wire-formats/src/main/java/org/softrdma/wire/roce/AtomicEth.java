// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * Atomic Extended Transport Header of CmpSwap and FetchAdd.
 *
 * <pre>
 *  0 | virtual address (8)  |
 *  8 | R_Key (4)            |
 * 12 | swap or add data (8) |
 * 20 | compare data (8)     |
 * </pre>
 *
 * CmpSwap swaps the value at 12 in if memory equals the value at 20; FetchAdd adds the value at 12, and 20 is sent as zero.
 * Source: IBA vol 1 §9.3.4.
 */
public final class AtomicEth {
    /** Bytes. */
    public static final int LENGTH = 28;
    /** u64. */
    public static final int VA_OFFSET = 0;
    /** u32. */
    public static final int RKEY_OFFSET = 8;
    /** u64. */
    public static final int SWAP_ADD_OFFSET = 12;
    /** u64. */
    public static final int COMPARE_OFFSET = 20;

    private AtomicEth() {
    }

    /**
     * {@return address of the 8 bytes to change, u64; a responder requires 8-byte alignment}
     *
     * @param b buffer, big-endian
     * @param at offset of the AtomicETH
     */
    public static long va(ByteBuffer b, int at) {
        return b.getLong(at + VA_OFFSET);
    }

    /**
     * {@return key of the remote memory, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the AtomicETH
     */
    public static int rkey(ByteBuffer b, int at) {
        return b.getInt(at + RKEY_OFFSET);
    }

    /**
     * {@return value to store (CmpSwap) or to add (FetchAdd), u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the AtomicETH
     */
    public static long swapAdd(ByteBuffer b, int at) {
        return b.getLong(at + SWAP_ADD_OFFSET);
    }

    /**
     * {@return value memory must hold for CmpSwap to store, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the AtomicETH
     */
    public static long compare(ByteBuffer b, int at) {
        return b.getLong(at + COMPARE_OFFSET);
    }

    /**
     * Writes all 28 bytes. For FetchAdd pass {@code compare} 0.
     *
     * @param b buffer, big-endian
     * @param at offset of the AtomicETH
     * @param va first remote address, u64
     * @param rkey remote key, raw 32 bits
     * @param swapAdd value to store or to add, u64
     * @param compare value to compare with, u64
     */
    public static void put(ByteBuffer b, int at, long va, int rkey, long swapAdd, long compare) {
        b.putLong(at + VA_OFFSET, va);
        b.putInt(at + RKEY_OFFSET, rkey);
        b.putLong(at + SWAP_ADD_OFFSET, swapAdd);
        b.putLong(at + COMPARE_OFFSET, compare);
    }
}
