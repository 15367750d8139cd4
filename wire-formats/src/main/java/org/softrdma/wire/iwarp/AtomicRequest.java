// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * Header of an atomic request, after the untagged header.
 *
 * <pre>
 *  0 | reserved (28 bits), operation (4 bits) |
 *  4 | request identifier (4) |
 *  8 | remote STag (4) |
 * 12 | remote tagged offset (8) |
 * 20 | add or swap data (8) |
 * 28 | add or swap mask (8) |
 * 36 | compare data (8) |
 * 44 | compare mask (8) |
 * </pre>
 *
 * FetchAdd adds field by field: a set bit of the add mask is the highest one of its field, from which nothing is carried on. CmpSwap
 * compares and swaps the bits that are set in the masks. Source: RFC 7306 §5.2.
 */
public final class AtomicRequest {
    /** Bytes. */
    public static final int LENGTH = 52;
    /** Operation: add to the memory. */
    public static final int FETCH_ADD = 0;
    /** Operation: store if the memory holds the value to compare with. */
    public static final int COMPARE_SWAP = 2;
    /** u32. */
    public static final int REQUEST_ID_OFFSET = 4;
    /** u32. */
    public static final int STAG_OFFSET = 8;
    /** u64. */
    public static final int TO_OFFSET = 12;
    /** u64. */
    public static final int ADD_SWAP_OFFSET = 20;
    /** u64. */
    public static final int ADD_SWAP_MASK_OFFSET = 28;
    /** u64. */
    public static final int COMPARE_OFFSET = 36;
    /** u64. */
    public static final int COMPARE_MASK_OFFSET = 44;

    private AtomicRequest() {
    }

    /**
     * {@return {@link #FETCH_ADD}, {@link #COMPARE_SWAP} or an unknown operation, 4 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int operation(ByteBuffer b, int at) {
        return b.getInt(at) & 0xF;
    }

    /**
     * {@return the number that comes back in the response, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int requestId(ByteBuffer b, int at) {
        return b.getInt(at + REQUEST_ID_OFFSET);
    }

    /**
     * {@return key of the remote memory, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int stag(ByteBuffer b, int at) {
        return b.getInt(at + STAG_OFFSET);
    }

    /**
     * {@return address of the 8 bytes to change, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static long to(ByteBuffer b, int at) {
        return b.getLong(at + TO_OFFSET);
    }

    /**
     * {@return the value to add or to store, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static long addSwap(ByteBuffer b, int at) {
        return b.getLong(at + ADD_SWAP_OFFSET);
    }

    /**
     * {@return for a swap the bits to store; for an addition the highest bit of each field, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static long addSwapMask(ByteBuffer b, int at) {
        return b.getLong(at + ADD_SWAP_MASK_OFFSET);
    }

    /**
     * {@return the value to compare with, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static long compare(ByteBuffer b, int at) {
        return b.getLong(at + COMPARE_OFFSET);
    }

    /**
     * {@return the bits to compare, u64}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static long compareMask(ByteBuffer b, int at) {
        return b.getLong(at + COMPARE_MASK_OFFSET);
    }

    /**
     * Writes all 52 bytes: an addition to all 64 bits as one field.
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     * @param requestId number that the response repeats, raw 32 bits
     * @param stag key of the remote memory, raw 32 bits
     * @param to address in the remote memory, u64
     * @param add value to add, u64
     */
    public static void putFetchAdd(ByteBuffer b, int at, int requestId, int stag, long to, long add) {
        put(b, at, FETCH_ADD, requestId, stag, to, add, 0, 0, 0);
    }

    /**
     * Writes all 52 bytes: all 64 bits are compared, and all are swapped.
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     * @param requestId number that the response repeats, raw 32 bits
     * @param stag key of the remote memory, raw 32 bits
     * @param to address in the remote memory, u64
     * @param compare value to compare with, u64
     * @param swap value to store, u64
     */
    public static void putCompareSwap(ByteBuffer b, int at, int requestId, int stag, long to, long compare, long swap) {
        put(b, at, COMPARE_SWAP, requestId, stag, to, swap, -1L, compare, -1L);
    }

    /**
     * Writes all 52 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     * @param operation operation, 4 bits
     * @param requestId number that the response repeats, raw 32 bits
     * @param stag key of the remote memory, raw 32 bits
     * @param to address in the remote memory, u64
     * @param addSwap value to add or to store, u64
     * @param addSwapMask for a swap the bits to store, for an addition the highest bit of each field; u64
     * @param compare value to compare with, u64
     * @param compareMask bits to compare, u64
     */
    public static void put(ByteBuffer b, int at, int operation, int requestId, int stag, long to, long addSwap, long addSwapMask,
            long compare, long compareMask) {
        b.putInt(at, operation & 0xF);
        b.putInt(at + REQUEST_ID_OFFSET, requestId);
        b.putInt(at + STAG_OFFSET, stag);
        b.putLong(at + TO_OFFSET, to);
        b.putLong(at + ADD_SWAP_OFFSET, addSwap);
        b.putLong(at + ADD_SWAP_MASK_OFFSET, addSwapMask);
        b.putLong(at + COMPARE_OFFSET, compare);
        b.putLong(at + COMPARE_MASK_OFFSET, compareMask);
    }
}
