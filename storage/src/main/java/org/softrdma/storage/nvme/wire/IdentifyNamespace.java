// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Description of a namespace, and the list of its identifiers, 4096 bytes each, little-endian; all bytes without a meaning here are zero.
 *
 * <p>Source: NVMe 1.3 §5.15, figures 114 and 116; NVMe 1.4 for the attribute of a read-only namespace.
 *
 * @param blocks     size in logical blocks
 * @param blockShift size of a logical block as a power of two
 * @param readOnly   whether writes are refused
 * @param id         the same on every path to the namespace, and after restarts
 */
public record IdentifyNamespace(long blocks, int blockShift, boolean readOnly, UUID id) {
    /** Bytes of each structure. */
    public static final int LENGTH = 4096;

    private static final int SIZE_OFFSET = 0;
    private static final int CAPACITY_OFFSET = 8;
    private static final int USED_OFFSET = 16;
    private static final int SHARING_OFFSET = 30;
    private static final int ATTRIBUTES_OFFSET = 99;
    private static final int BLOCK_SHIFT_OFFSET = 130;
    private static final int FORMAT_OFFSET = 26;
    private static final int FORMAT_LENGTH = 4;
    private static final int SHARED = 1;
    private static final int WRITE_PROTECTED = 1;

    private static final int DESCRIPTOR_TYPE_OFFSET = 0;
    private static final int DESCRIPTOR_LENGTH_OFFSET = 1;
    private static final int DESCRIPTOR_ID_OFFSET = 4;
    private static final int UUID_TYPE = 3;
    private static final int UUID_LENGTH = 16;

    /** Writes the namespace into a buffer of zeros. */
    public void put(ByteBuffer b) {
        b.putLong(SIZE_OFFSET, blocks);
        b.putLong(CAPACITY_OFFSET, blocks);
        b.putLong(USED_OFFSET, blocks);
        b.put(SHARING_OFFSET, (byte) SHARED);
        b.put(ATTRIBUTES_OFFSET, (byte) (readOnly ? WRITE_PROTECTED : 0));
        b.put(BLOCK_SHIFT_OFFSET, (byte) blockShift);
    }

    /** Writes the list of its identifiers, which has one, into a buffer of zeros. */
    public void putDescriptors(ByteBuffer b) {
        b.put(DESCRIPTOR_TYPE_OFFSET, (byte) UUID_TYPE);
        b.put(DESCRIPTOR_LENGTH_OFFSET, (byte) UUID_LENGTH);
        // A sequence of bytes, most significant first.
        b.putLong(DESCRIPTOR_ID_OFFSET, Long.reverseBytes(id.getMostSignificantBits()));
        b.putLong(DESCRIPTOR_ID_OFFSET + Long.BYTES, Long.reverseBytes(id.getLeastSignificantBits()));
    }

    /** Size in logical blocks, u64. */
    public static long blocks(ByteBuffer b) {
        return b.getLong(SIZE_OFFSET);
    }

    /** Size of a logical block of the format in use, as a power of two, u8. */
    public static int blockShift(ByteBuffer b) {
        int format = b.get(FORMAT_OFFSET) & 0xf;
        return b.get(BLOCK_SHIFT_OFFSET + format * FORMAT_LENGTH) & 0xff;
    }
}
