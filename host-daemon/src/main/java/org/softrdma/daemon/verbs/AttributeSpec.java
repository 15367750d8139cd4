// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.abi.uverbs.IoctlAttribute;

/**
 * One attribute that a method knows. The checks and their errors are those of {@code uverbs_process_attr} in the kernel.
 *
 * @param id       number, {@link org.softrdma.abi.uverbs.UverbsAttribute}
 * @param kind     what its data is
 * @param minBytes least length of input, or of the room for output
 * @param maxBytes greatest length
 * @param required the method fails with EINVAL without it
 */
record AttributeSpec(int id, Kind kind, int minBytes, int maxBytes, boolean required) {
    /** Meanings of an attribute's data. */
    enum Kind {
        /** Input: in the attribute itself up to 8 bytes, longer input behind a pointer. */
        INPUT,
        /** Room for output behind a pointer. */
        OUTPUT,
        /** Handle or descriptor, read or written in the attribute itself; its length is 0. */
        NUMBER
    }

    /** Longest length that the field of an attribute can say. */
    private static final int ANY_LENGTH = 0xFFFF;

    /** Input of an exact length; a number of less than 8 bytes may come as u64, as libibverbs passes constants. */
    static AttributeSpec input(int id, int bytes) {
        return new AttributeSpec(id, Kind.INPUT, bytes, Math.max(bytes, Long.BYTES), true);
    }

    /** Input of at least that length. */
    static AttributeSpec inputFrom(int id, int bytes) {
        return new AttributeSpec(id, Kind.INPUT, bytes, ANY_LENGTH, true);
    }

    /** Flags or a constant, in up to 8 bytes at the caller's choice. */
    static AttributeSpec bits(int id) {
        return new AttributeSpec(id, Kind.INPUT, 1, Long.BYTES, true);
    }

    /** Output; more room than it needs does no harm. */
    static AttributeSpec output(int id, int bytes) {
        return new AttributeSpec(id, Kind.OUTPUT, bytes, ANY_LENGTH, true);
    }

    /** Handle or descriptor, existing or new. */
    static AttributeSpec number(int id) {
        return new AttributeSpec(id, Kind.NUMBER, 0, 0, true);
    }

    AttributeSpec optional() {
        return new AttributeSpec(id, kind, minBytes, maxBytes, false);
    }

    /** Returns whether a length is allowed, and nothing is in the reserved bits. */
    boolean admits(int bytes, int elementId) {
        return bytes >= minBytes && bytes <= maxBytes && (elementId == 0 || kind == Kind.NUMBER);
    }

    /** Returns whether input of a length is in the attribute itself. */
    static boolean isInline(int bytes) {
        return bytes <= IoctlAttribute.BYTES - IoctlAttribute.DATA_OFFSET;
    }
}
