// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.mad;

import java.nio.ByteBuffer;

/**
 * One field of a management datagram: where it is, and how wide. Messages of communication management have up to fifty of them, so each
 * message is a table of fields instead of a pair of methods for each. Offsets count, as in the specification's tables, from the end of
 * the common header; {@code at} is, as everywhere, the first byte of the MAD.
 */
public final class MadField {
    private final int offset;
    private final int bytes;
    private final long mask;
    private final int shift;

    private MadField(int offset, int bytes, long mask) {
        this.offset = offset;
        this.bytes = bytes;
        this.mask = mask;
        shift = Long.numberOfTrailingZeros(mask);
    }

    /** A field of whole bytes, 1..8 of them. */
    public static MadField bytes(int offset, int count) {
        return new MadField(offset, count, -1L >>> 64 - 8 * count);
    }

    /** Some bits that lie side by side in a big-endian number of {@code count} bytes. */
    public static MadField bits(int offset, int count, long mask) {
        return new MadField(offset, count, mask);
    }

    /** Some bits of one byte. */
    public static MadField bits(int offset, int mask) {
        return new MadField(offset, 1, mask);
    }

    /** For fields of up to 32 bits; those of 32 as raw bits. */
    public int get(ByteBuffer b, int at) {
        return (int) getLong(b, at);
    }

    /** For any field; those of 64 bits as raw bits. */
    public long getLong(ByteBuffer b, int at) {
        return (word(b, at) & mask) >>> shift;
    }

    /** Writes the field and nothing else, from the low bits of {@code value}. */
    public void set(ByteBuffer b, int at, long value) {
        long word = word(b, at) & ~mask | value << shift & mask;
        int first = at + Mad.HEADER_LENGTH + offset;
        for (int i = bytes - 1; i >= 0; i--) {
            b.put(first + i, (byte) word);
            word >>>= 8;
        }
    }

    private long word(ByteBuffer b, int at) {
        int first = at + Mad.HEADER_LENGTH + offset;
        long word = 0;
        for (int i = 0; i < bytes; i++) {
            word = word << 8 | b.get(first + i) & 0xFF;
        }
        return word;
    }

    /** Greatest value; −1 for 64 bits. */
    public long max() {
        return mask >>> shift;
    }

    /** Bytes between the common header and the first byte with bits of this field. */
    public int offset() {
        return offset;
    }

    /** Bytes the mask of {@link #mask} is laid over. */
    public int length() {
        return bytes;
    }

    /** Which bits of those bytes, read as a big-endian number, are the field. */
    public long mask() {
        return mask;
    }
}
