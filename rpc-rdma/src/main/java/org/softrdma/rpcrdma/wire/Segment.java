// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * A range of the client's memory, big-endian.
 *
 * <pre>
 *  0 | handle: the rkey |
 *  4 | length |
 *  8 | offset: the address |
 * </pre>
 *
 * Source: RFC 8166 §3.4.1.
 */
public final class Segment {
    /** Bytes. */
    public static final int LENGTH = 16;
    /** u32. */
    public static final int HANDLE_OFFSET = 0;
    /** u32. */
    public static final int LENGTH_OFFSET = 4;
    /** u64. */
    public static final int ADDRESS_OFFSET = 8;

    private Segment() {
    }

    /** The rkey. */
    public static int handle(ByteBuffer b, int at) {
        return b.getInt(at + HANDLE_OFFSET);
    }

    /** Bytes, 0..2^32-1. */
    public static long length(ByteBuffer b, int at) {
        return Integer.toUnsignedLong(b.getInt(at + LENGTH_OFFSET));
    }

    /** Address, u64. */
    public static long address(ByteBuffer b, int at) {
        return b.getLong(at + ADDRESS_OFFSET);
    }

    /**
     * Writes a segment.
     *
     * @param length 0..2^32-1
     */
    public static void put(ByteBuffer b, int at, int handle, long length, long address) {
        b.putInt(at + HANDLE_OFFSET, handle);
        b.putInt(at + LENGTH_OFFSET, (int) length);
        b.putLong(at + ADDRESS_OFFSET, address);
    }
}
