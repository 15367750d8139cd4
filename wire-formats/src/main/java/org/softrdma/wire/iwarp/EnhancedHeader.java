// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * Header of the enhanced start-up, before the private data: how many READs may be outstanding, and how a responder learns that it may send.
 *
 * <pre>
 *  0 | A B, IRD (14 bits) |
 *  2 | C D, ORD (14 bits) |
 * </pre>
 *
 * Source: RFC 6581 §6.
 */
public final class EnhancedHeader {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** IRD or ORD that asks for no negotiation. */
    public static final int NOT_NEGOTIATED = 0x3FFF;
    /** A: the initiator sends a first message of one of the kinds below, so that either side may talk first. */
    public static final int PEER_TO_PEER = 1;
    /** B: a zero-length SEND will do as first message. */
    public static final int RTR_SEND = 1 << 1;
    /** C: a zero-length RDMA WRITE will do. */
    public static final int RTR_WRITE = 1 << 2;
    /** D: a zero-length RDMA READ will do. */
    public static final int RTR_READ = 1 << 3;

    private static final int HIGH = 0x8000;
    private static final int SECOND = 0x4000;

    private EnhancedHeader() {
    }

    /**
     * {@return READs and atomics of the peer's that the sender of the frame can hold, 14 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int ird(ByteBuffer b, int at) {
        return b.getShort(at) & NOT_NEGOTIATED;
    }

    /**
     * {@return READs and atomics the sender of the frame wants to have outstanding, 14 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int ord(ByteBuffer b, int at) {
        return b.getShort(at + 2) & NOT_NEGOTIATED;
    }

    /**
     * {@return {@link #PEER_TO_PEER} and the RTR_ bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     */
    public static int control(ByteBuffer b, int at) {
        int first = b.getShort(at);
        int second = b.getShort(at + 2);
        return ((first & HIGH) != 0 ? PEER_TO_PEER : 0) | ((first & SECOND) != 0 ? RTR_SEND : 0)
            | ((second & HIGH) != 0 ? RTR_WRITE : 0) | ((second & SECOND) != 0 ? RTR_READ : 0);
    }

    /**
     * Writes all 4 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the header's first byte
     * @param ird READs and atomics that can be held, 14 bits
     * @param ord READs and atomics to have outstanding, 14 bits
     * @param control {@link #PEER_TO_PEER} and the RTR_ bits
     */
    public static void put(ByteBuffer b, int at, int ird, int ord, int control) {
        b.putShort(at, (short) (((control & PEER_TO_PEER) != 0 ? HIGH : 0) | ((control & RTR_SEND) != 0 ? SECOND : 0)
            | ird & NOT_NEGOTIATED));
        b.putShort(at + 2, (short) (((control & RTR_WRITE) != 0 ? HIGH : 0) | ((control & RTR_READ) != 0 ? SECOND : 0)
            | ord & NOT_NEGOTIATED));
    }
}
