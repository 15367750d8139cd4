// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.nio.ByteBuffer;

/**
 * The peer's memory that this end may write, one target after the other. The peer writes further targets to a list in this end's memory.
 * A target is used up before the next entry is read, and the entry is cleared. The peer may write while this end reads; an entry counts
 * only if both of its halves are not zero, which shows that it is complete, since aligned eight bytes become visible at once.
 */
public final class TargetList {
    /** Number of targets in a list. */
    public static final int ENTRIES = 2;
    /** Size of a list. */
    public static final int BYTES = ENTRIES * RemoteBuffer.BYTES;

    private final ByteBuffer list;
    private int next;
    private long address;
    private int key;
    private long left;

    /** @param list zeros, aligned to eight bytes, in the byte order announced by {@link ConnectionData#order} */
    TargetList(ByteBuffer list) {
        this.list = list;
    }

    /** Sets the first target, which is part of the connection data and takes the place of the first entry. */
    void begin(RemoteBuffer first) {
        address = first.address();
        key = first.key();
        left = first.length();
        next = 1;
    }

    /** {@return bytes that may be written at {@link #address} now, u32} */
    long left() {
        if (left == 0) {
            take(next * RemoteBuffer.BYTES);
        }
        return left;
    }

    private void take(int at) {
        if (list.getLong(at) == 0 || list.getLong(at + Long.BYTES) == 0) {
            return;
        }
        RemoteBuffer target = RemoteBuffer.get(list, at);
        list.putLong(at, 0).putLong(at + Long.BYTES, 0);
        address = target.address();
        key = target.key();
        left = target.length();
        next = (next + 1) % ENTRIES;
    }

    long address() {
        return address;
    }

    int key() {
        return key;
    }

    void advance(int bytes) {
        address += bytes;
        left -= bytes;
    }
}
