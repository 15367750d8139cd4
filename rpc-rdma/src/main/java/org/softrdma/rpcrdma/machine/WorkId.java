// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

/**
 * Identifiers of work requests: the kind, an index, and how many places of the send queue its completion frees.
 *
 * <pre>
 * bits 63..56 kind | 55..32 places | 31..0 index
 * </pre>
 */
public final class WorkId {
    /** A receive; the index is its slot. */
    public static final int RECEIVE = 0;
    /** An RDMA READ of part of a call; the index is the exchange. */
    public static final int READ = 1;
    /** An RDMA WRITE in the middle of a long reply. */
    public static final int WRITE = 2;
    /** The SEND of a reply; the index is the exchange. */
    public static final int SEND = 3;
    /** The SEND of a call in the reverse direction; the index is its buffer. */
    public static final int REVERSE = 4;
    /** The last invalidation of a client's call; the index is the call. */
    public static final int INVALIDATE = 5;

    private static final int KIND_SHIFT = 56;
    private static final int PLACES_SHIFT = 32;
    private static final int PLACES_MASK = 0xffffff;

    private WorkId() {
    }

    /**
     * Makes an identifier.
     *
     * @param places places of the send queue that the completion frees, 24 bits
     */
    static long of(int kind, int places, int index) {
        return (long) kind << KIND_SHIFT | (long) places << PLACES_SHIFT | Integer.toUnsignedLong(index);
    }

    /** @return identifier of the receive in a slot */
    public static long receive(int slot) {
        return of(RECEIVE, 0, slot);
    }

    public static int kind(long id) {
        return (int) (id >>> KIND_SHIFT);
    }

    static int places(long id) {
        return (int) (id >>> PLACES_SHIFT) & PLACES_MASK;
    }

    public static int index(long id) {
        return (int) id;
    }
}
