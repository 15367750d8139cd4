// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nfs4.state;

/**
 * A range of locked bytes.
 *
 * @param first of the bytes, u64
 * @param last  of the bytes, u64; all ones: to the end of the file, wherever it will be
 * @param write whether it excludes readers
 */
public record LockRange(long first, long last, boolean write) {
    private static final long TO_THE_END = -1;

    /**
     * @param offset u64
     * @param length u64, all ones: to the end of the file
     * @throws Nfs4Exception INVAL: it has no bytes, or goes beyond the largest offset
     */
    public static LockRange of(long offset, long length, boolean write) throws Nfs4Exception {
        if (length == TO_THE_END) {
            return new LockRange(offset, TO_THE_END, write);
        }
        long last = offset + length - 1;
        if (length == 0 || Long.compareUnsigned(last, offset) < 0) {
            throw new Nfs4Exception(Nfs4Status.INVAL);
        }
        return new LockRange(offset, last, write);
    }

    /** Number of bytes, u64; all ones: to the end of the file. */
    public long length() {
        return last == TO_THE_END ? TO_THE_END : last - first + 1;
    }

    boolean overlaps(LockRange other) {
        return Long.compareUnsigned(first, other.last) <= 0 && Long.compareUnsigned(other.first, last) <= 0;
    }

    boolean contains(LockRange other) {
        return Long.compareUnsigned(first, other.first) <= 0 && Long.compareUnsigned(other.last, last) <= 0;
    }

    boolean isNextTo(LockRange other) {
        return write == other.write && (isBefore(other) || other.isBefore(this));
    }

    private boolean isBefore(LockRange other) {
        return last != TO_THE_END && last + 1 == other.first;
    }

    LockRange joined(LockRange other) {
        return new LockRange(Long.compareUnsigned(first, other.first) < 0 ? first : other.first,
            Long.compareUnsigned(last, other.last) > 0 ? last : other.last, write);
    }
}
