// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.nio.ByteBuffer;

/**
 * Memory of the peer that may be written: 16 bytes in the byte order of their buffer. The values need no check: a peer that names memory
 * it does not have fails its own connection.
 *
 * @param address u64
 * @param key     remote key, u32
 * @param length  u32; bytes, or entries of a list
 */
public record RemoteBuffer(long address, int key, long length) {
    public static final int BYTES = 16;

    private static final int KEY = 8;
    private static final int LENGTH = 12;

    static RemoteBuffer get(ByteBuffer from, int at) {
        return new RemoteBuffer(from.getLong(at), from.getInt(at + KEY), Integer.toUnsignedLong(from.getInt(at + LENGTH)));
    }

    void put(ByteBuffer into, int at) {
        put(into, at, address, key, (int) length);
    }

    /**
     * Writes the fields of a buffer.
     *
     * @param into    destination
     * @param at      index of the first byte
     * @param address u64
     * @param key     remote key, u32
     * @param length  u32
     */
    public static void put(ByteBuffer into, int at, long address, int key, int length) {
        into.putLong(at, address).putInt(at + KEY, key).putInt(at + LENGTH, length);
    }
}
