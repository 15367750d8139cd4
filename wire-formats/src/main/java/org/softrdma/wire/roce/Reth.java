// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * RDMA Extended Transport Header: which remote memory an RDMA READ, WRITE, ATOMIC WRITE or FLUSH means.
 *
 * <pre>
 *  0 | virtual address (8) |
 *  8 | R_Key (4)           |
 * 12 | DMA length (4)      |
 * </pre>
 *
 * Source: IBA vol 1 §9.3.3.
 */
public final class Reth {
    /** Bytes. */
    public static final int LENGTH = 16;
    /** u64. */
    public static final int VA_OFFSET = 0;
    /** u32. */
    public static final int RKEY_OFFSET = 8;
    /** u32. */
    public static final int DMA_LENGTH_OFFSET = 12;

    private Reth() {
    }

    /**
     * {@return first remote address of the whole message, u64, in the address space of the memory region}
     *
     * @param b buffer, big-endian
     * @param at offset of the RETH
     */
    public static long va(ByteBuffer b, int at) {
        return b.getLong(at + VA_OFFSET);
    }

    /**
     * {@return key of the remote memory, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the RETH
     */
    public static int rkey(ByteBuffer b, int at) {
        return b.getInt(at + RKEY_OFFSET);
    }

    /**
     * {@return bytes of the whole message, not of this packet, u32} IBA allows up to 2^31; the field can say more.
     *
     * @param b buffer, big-endian
     * @param at offset of the RETH
     */
    public static long length(ByteBuffer b, int at) {
        return b.getInt(at + DMA_LENGTH_OFFSET) & 0xFFFF_FFFFL;
    }

    /**
     * Writes all 16 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the RETH
     * @param va first remote address, u64
     * @param rkey remote key, raw 32 bits
     * @param length bytes of the whole message, u32
     */
    public static void put(ByteBuffer b, int at, long va, int rkey, long length) {
        b.putLong(at + VA_OFFSET, va);
        b.putInt(at + RKEY_OFFSET, rkey);
        b.putInt(at + DMA_LENGTH_OFFSET, (int) length);
    }
}
