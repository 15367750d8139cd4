// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.nio.ByteBuffer;

/**
 * The one descriptor of a command's data, little-endian. A keyed data block is memory of the host; a data block with an offset is in the
 * capsule, behind the command.
 *
 * <pre>
 * keyed:   0 | address (8) | length (3) | key (4) | type (1): 40, or 4f to invalidate the key with the response |
 * offset:  0 | offset (8)  | length (4) | reserved (3) | type (1): 01 |
 * </pre>
 *
 * Source: NVMe 1.3 §4.4; NVMe over Fabrics 1.1 §2.3.
 */
public final class DataDescriptor {
    /** Bytes. */
    public static final int LENGTH = 16;
    /** u64. */
    public static final int ADDRESS_OFFSET = 0;
    /** u24 or u32. */
    public static final int LENGTH_OFFSET = 8;
    /** u32 of a keyed data block. */
    public static final int KEY_OFFSET = 11;
    /** u8. */
    public static final int TYPE_OFFSET = 15;

    /** Type: keyed data block. */
    public static final int KEYED = 0x40;
    /** Type: keyed data block whose key is invalidated with the response. */
    public static final int KEYED_INVALIDATE = 0x4f;
    /** Type: data in the capsule. */
    public static final int IN_CAPSULE = 0x01;

    private DataDescriptor() {
    }

    public static int type(ByteBuffer b, int at) {
        return b.get(at + TYPE_OFFSET) & 0xff;
    }

    /** Address of the host's memory, or offset into the in-capsule data, u64. */
    public static long address(ByteBuffer b, int at) {
        return b.getLong(at + ADDRESS_OFFSET);
    }

    /** Bytes of a keyed data block, u24. */
    public static int keyedLength(ByteBuffer b, int at) {
        return b.getInt(at + LENGTH_OFFSET) & 0xffffff;
    }

    /** Bytes of in-capsule data, 0..2^32-1. */
    public static long inCapsuleLength(ByteBuffer b, int at) {
        return Integer.toUnsignedLong(b.getInt(at + LENGTH_OFFSET));
    }

    /** Key of the host's memory, u32. */
    public static int key(ByteBuffer b, int at) {
        return b.getInt(at + KEY_OFFSET);
    }

    /**
     * Writes a keyed data block.
     *
     * @param length 0..2^24-1
     */
    public static void putKeyed(ByteBuffer b, int at, long address, int length, int key) {
        b.putLong(at + ADDRESS_OFFSET, address);
        b.putInt(at + LENGTH_OFFSET, length);
        b.putInt(at + KEY_OFFSET, key);
        b.put(at + TYPE_OFFSET, (byte) KEYED);
    }
}
