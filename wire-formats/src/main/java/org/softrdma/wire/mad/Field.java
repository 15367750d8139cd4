// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.mad;

import java.nio.ByteBuffer;

/**
 * One field of a structure: where it is, and how wide. Messages and attributes of management datagrams have up to fifty fields, so each is
 * a table of fields instead of a pair of methods for each. Offsets count from the structure's first byte, which is {@code at} as
 * everywhere. An attribute's structure is the same in each datagram that carries it, but begins at different offsets.
 */
public final class Field {
    private final int offset;
    private final int bytes;
    private final long mask;
    private final int shift;

    private Field(int offset, int bytes, long mask) {
        this.offset = offset;
        this.bytes = bytes;
        this.mask = mask;
        shift = Long.numberOfTrailingZeros(mask);
    }

    /**
     * {@return a field of whole bytes, 1..8 of them}
     *
     * @param offset offset in the structure, bytes
     * @param count bytes of the number
     */
    public static Field bytes(int offset, int count) {
        return new Field(offset, count, -1L >>> 64 - 8 * count);
    }

    /**
     * {@return some bits that lie side by side in a big-endian number of {@code count} bytes}
     *
     * @param offset offset in the structure, bytes
     * @param count bytes of the number
     * @param mask the field's bits in that number, side by side
     */
    public static Field bits(int offset, int count, long mask) {
        return new Field(offset, count, mask);
    }

    /**
     * {@return some bits of one byte}
     *
     * @param offset offset in the structure, bytes
     * @param mask the field's bits in the byte, side by side
     */
    public static Field bits(int offset, int mask) {
        return new Field(offset, 1, mask);
    }

    /**
     * {@return the same field of a structure that is {@code distance} bytes further inside another one}
     *
     * @param distance bytes to add to the offset
     */
    public Field within(int distance) {
        return new Field(offset + distance, bytes, mask);
    }

    /**
     * {@return the value of a field of up to 32 bits; of 32 bits as raw bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the structure
     */
    public int get(ByteBuffer b, int at) {
        return (int) getLong(b, at);
    }

    /**
     * {@return the value of any field; of 64 bits as raw bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the structure
     */
    public long getLong(ByteBuffer b, int at) {
        return (word(b, at) & mask) >>> shift;
    }

    /**
     * {@return whether a field of one bit is set}
     *
     * @param b buffer, big-endian
     * @param at offset of the structure
     */
    public boolean isSet(ByteBuffer b, int at) {
        return getLong(b, at) != 0;
    }

    /**
     * Writes the field and nothing else, from the low bits of {@code value}.
     *
     * @param b buffer, big-endian
     * @param at offset of the structure
     * @param value value to write
     */
    public void set(ByteBuffer b, int at, long value) {
        long word = word(b, at) & ~mask | value << shift & mask;
        int first = at + offset;
        for (int i = bytes - 1; i >= 0; i--) {
            b.put(first + i, (byte) word);
            word >>>= 8;
        }
    }

    /**
     * Copies the field and nothing else from one structure to another.
     *
     * @param from buffer to copy from
     * @param fromAt offset of the structure to copy from
     * @param to buffer to copy to
     * @param toAt offset of the structure to copy to
     */
    public void copy(ByteBuffer from, int fromAt, ByteBuffer to, int toAt) {
        set(to, toAt, getLong(from, fromAt));
    }

    private long word(ByteBuffer b, int at) {
        int first = at + offset;
        long word = 0;
        for (int i = 0; i < bytes; i++) {
            word = word << 8 | b.get(first + i) & 0xFF;
        }
        return word;
    }

    /** {@return the greatest value; −1 for 64 bits} */
    public long max() {
        return mask >>> shift;
    }

    /** {@return bytes between the first byte of the structure and the first byte with bits of this field} */
    public int offset() {
        return offset;
    }

    /** {@return bytes the mask of {@link #mask} is laid over} */
    public int length() {
        return bytes;
    }

    /** {@return which bits of those bytes, read as a big-endian number, are the field} */
    public long mask() {
        return mask;
    }
}
