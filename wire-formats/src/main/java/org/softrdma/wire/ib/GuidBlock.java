// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;

/** GUIDInfo: eight GUIDs of a port, of which the first block's first is fixed. Source: IBA vol 1 §14.2.5.5. */
public final class GuidBlock {
    /** GUIDs in a block. */
    public static final int ENTRIES = 8;

    private GuidBlock() {
    }

    /**
     * {@return GUID at {@code index} of the block at {@code at}, raw 64 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     */
    public static long get(ByteBuffer b, int at, int index) {
        return b.getLong(at + Long.BYTES * index);
    }

    /**
     * Writes a GUID.
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     * @param guid GUID, raw 64 bits
     */
    public static void set(ByteBuffer b, int at, int index, long guid) {
        b.putLong(at + Long.BYTES * index, guid);
    }
}
