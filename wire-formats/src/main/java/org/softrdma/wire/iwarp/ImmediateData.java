// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/** The eight bytes of an Immediate Data message, all the application's. Source: RFC 7306 §6.1. */
public final class ImmediateData {
    /** Bytes. */
    public static final int LENGTH = 8;

    private ImmediateData() {
    }

    /**
     * {@return the immediate data, raw 64 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the eight bytes
     */
    public static long value(ByteBuffer b, int at) {
        return b.getLong(at);
    }

    /**
     * Writes the eight bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the eight bytes
     * @param value raw 64 bits
     */
    public static void put(ByteBuffer b, int at, long value) {
        b.putLong(at, value);
    }
}
