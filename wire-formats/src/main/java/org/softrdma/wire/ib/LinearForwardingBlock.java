// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;

/** LinearForwardingTable: the output ports of 64 LIDs. The modifier is the block's number. Source: IBA vol 1 §14.2.5.10. */
public final class LinearForwardingBlock {
    /** LIDs in a block. */
    public static final int ENTRIES = 64;
    /** Blocks of the greatest table. */
    public static final int BLOCKS = (Lrh.LAST_UNICAST_LID + 1) / ENTRIES;
    /** Port of a LID that packets cannot be forwarded to. */
    public static final int NO_PORT = 0xFF;

    private LinearForwardingBlock() {
    }

    /**
     * {@return port of the block's {@code index}th LID, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     */
    public static int get(ByteBuffer b, int at, int index) {
        return b.get(at + index) & 0xFF;
    }

    /**
     * Writes a port.
     *
     * @param b buffer, big-endian
     * @param at offset of the attribute
     * @param index number of the entry, from 0
     * @param port port number, u8
     */
    public static void set(ByteBuffer b, int at, int index, int port) {
        b.put(at + index, (byte) port);
    }
}
