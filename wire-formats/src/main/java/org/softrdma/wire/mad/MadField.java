// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.mad;

/**
 * Makes fields of management datagrams whose offsets count, as in the specification's tables of messages, from the end of the common
 * header; {@code at} is, as everywhere, the first byte of the MAD.
 */
public final class MadField {
    private MadField() {
    }

    /**
     * {@return a field of whole bytes, 1..8 of them}
     *
     * @param offset offset in the structure, bytes
     * @param count bytes of the number
     */
    public static Field bytes(int offset, int count) {
        return Field.bytes(Mad.HEADER_LENGTH + offset, count);
    }

    /**
     * {@return some bits that lie side by side in a big-endian number of {@code count} bytes}
     *
     * @param offset offset in the structure, bytes
     * @param count bytes of the number
     * @param mask the field's bits in that number, side by side
     */
    public static Field bits(int offset, int count, long mask) {
        return Field.bits(Mad.HEADER_LENGTH + offset, count, mask);
    }

    /**
     * {@return some bits of one byte}
     *
     * @param offset offset in the structure, bytes
     * @param mask the field's bits in the byte, side by side
     */
    public static Field bits(int offset, int mask) {
        return Field.bits(Mad.HEADER_LENGTH + offset, mask);
    }
}
