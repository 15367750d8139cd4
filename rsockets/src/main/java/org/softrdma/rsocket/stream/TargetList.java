// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.nio.ByteBuffer;

/**
 * The peer's memory that we may write, one target after the other; the next ones stand in a list in our memory, which the peer writes.
 * A target is used up before the next one is looked at, and leaves zeros: the peer may write while we look, but both halves of an entry
 * are other than zero only when the entry is complete, for aligned eight bytes appear at once.
 */
public final class TargetList {
    public static final int ENTRIES = 2;
    public static final int BYTES = ENTRIES * RemoteBuffer.BYTES;

    private final ByteBuffer list;
    private int next;
    private long address;
    private int key;
    private long left;

    /** @param list zeros, aligned to eight bytes, in the byte order that {@link ConnectionData#order} announces */
    TargetList(ByteBuffer list) {
        this.list = list;
    }

    /** The first target comes with the connection and stands for the first entry. */
    void begin(RemoteBuffer first) {
        address = first.address();
        key = first.key();
        left = first.length();
        next = 1;
    }

    /** Bytes that may be written at {@link #address} now, u32. */
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
