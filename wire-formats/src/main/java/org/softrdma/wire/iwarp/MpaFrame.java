// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * The frame either side of a connection begins with: the initiator's request, the responder's reply.
 *
 * <pre>
 *  0 | key (16)                      "MPA ID Req Frame" or "MPA ID Rep Frame"
 * 16 | M C R S, reserved (4 bits) |
 * 17 | revision |
 * 18 | private data length (2) |
 * 20 | private data |
 * </pre>
 *
 * With S the private data begins with an {@link EnhancedHeader}. Source: RFC 5044 §7.1.1, RFC 6581 §6.
 */
public final class MpaFrame {
    /** Bytes before the private data. */
    public static final int LENGTH = 20;
    /** Most bytes of private data. */
    public static final int MAX_PRIVATE_DATA = 512;
    /** The sender of the frame wants markers in what it receives. */
    public static final int MARKERS = 0x80;
    /** The sender wants CRCs; they are used in both directions if either side does. */
    public static final int CRC = 0x40;
    /** A reply that refuses the connection. */
    public static final int REJECTED = 0x20;
    /** The private data begins with an {@link EnhancedHeader}; from revision 2 on. */
    public static final int ENHANCED = 0x10;

    /** u8. */
    public static final int FLAGS_OFFSET = 16;
    /** u8. */
    public static final int REVISION_OFFSET = 17;
    /** u16. */
    public static final int PRIVATE_DATA_LENGTH_OFFSET = 18;

    /** All {@link #totalLength} bytes are there. */
    public static final int OK = 0;
    /** A good frame as far as it goes: bytes are missing. */
    public static final int INCOMPLETE = 1;
    /** Not the key that was expected. */
    public static final int BAD_KEY = 2;
    /** More private data than there can be. */
    public static final int TOO_LONG = 3;
    /** S is set, but the private data is too short for an {@link EnhancedHeader}; a reply that rejects may do without. */
    public static final int NO_ENHANCED_HEADER = 4;

    private static final long KEY_BEGIN = 0x4d50_4120_4944_2052L;
    private static final long REQUEST_END = 0x6571_2046_7261_6d65L;
    private static final long REPLY_END = 0x6570_2046_7261_6d65L;
    private static final String[] NAMES = {"ok", "incomplete", "bad key", "too much private data", "no enhanced header"};

    private MpaFrame() {
    }

    /**
     * Judges the beginning of a stream. A wrong key is seen at its first wrong byte.
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     * @param available bytes the buffer has from {@code at} on
     * @param request whether the frame is a request, not a reply
     * @return {@link #OK}, {@link #INCOMPLETE}, or what is wrong
     */
    public static int check(ByteBuffer b, int at, int available, boolean request) {
        long end = request ? REQUEST_END : REPLY_END;
        for (int i = 0; i < Math.min(available, FLAGS_OFFSET); i++) {
            int expected = (int) ((i < Long.BYTES ? KEY_BEGIN : end) >>> 56 - 8 * (i & 7)) & 0xFF;
            if ((b.get(at + i) & 0xFF) != expected) {
                return BAD_KEY;
            }
        }
        if (available < LENGTH) {
            return INCOMPLETE;
        }
        int privateData = privateDataLength(b, at);
        if (privateData > MAX_PRIVATE_DATA) {
            return TOO_LONG;
        }
        if (isEnhanced(b, at) && privateData < EnhancedHeader.LENGTH && !(privateData == 0 && has(b, at, REJECTED))) {
            return NO_ENHANCED_HEADER;
        }
        return available < LENGTH + privateData ? INCOMPLETE : OK;
    }

    /**
     * {@return text for messages, such as "bad key"}
     *
     * @param verdict as {@link #check} returns it
     */
    public static String name(int verdict) {
        return verdict >= 0 && verdict < NAMES.length ? NAMES[verdict] : "verdict " + verdict;
    }

    /**
     * {@return all eight bits of the flags, reserved ones included}
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     */
    public static int flags(ByteBuffer b, int at) {
        return b.get(at + FLAGS_OFFSET) & 0xFF;
    }

    /**
     * {@return whether all of {@code flags} are set}
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     * @param flags bit mask of the flags of this class
     */
    public static boolean has(ByteBuffer b, int at, int flags) {
        return (flags(b, at) & flags) == flags;
    }

    /**
     * {@return the revision, u8; 1, or 2 with the enhanced start-up}
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     */
    public static int revision(ByteBuffer b, int at) {
        return b.get(at + REVISION_OFFSET) & 0xFF;
    }

    /**
     * {@return whether an {@link EnhancedHeader} belongs to it: S, which means something from revision 2 on}
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     */
    public static boolean isEnhanced(ByteBuffer b, int at) {
        return revision(b, at) >= 2 && has(b, at, ENHANCED);
    }

    /**
     * {@return bytes behind the first {@link #LENGTH}, u16; an {@link EnhancedHeader} counts}
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     */
    public static int privateDataLength(ByteBuffer b, int at) {
        return b.getShort(at + PRIVATE_DATA_LENGTH_OFFSET) & 0xFFFF;
    }

    /**
     * {@return bytes of the whole frame}
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     */
    public static int totalLength(ByteBuffer b, int at) {
        return LENGTH + privateDataLength(b, at);
    }

    /**
     * Writes a request's first 20 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     * @param flags bit mask of the flags of this class
     * @param revision revision, u8
     * @param privateDataLength bytes after the first 20, u16
     */
    public static void putRequest(ByteBuffer b, int at, int flags, int revision, int privateDataLength) {
        put(b, at, REQUEST_END, flags, revision, privateDataLength);
    }

    /**
     * Writes a reply's first 20 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the frame
     * @param flags bit mask of the flags of this class
     * @param revision revision, u8
     * @param privateDataLength bytes after the first 20, u16
     */
    public static void putReply(ByteBuffer b, int at, int flags, int revision, int privateDataLength) {
        put(b, at, REPLY_END, flags, revision, privateDataLength);
    }

    private static void put(ByteBuffer b, int at, long keyEnd, int flags, int revision, int privateDataLength) {
        b.putLong(at, KEY_BEGIN);
        b.putLong(at + Long.BYTES, keyEnd);
        b.put(at + FLAGS_OFFSET, (byte) flags);
        b.put(at + REVISION_OFFSET, (byte) revision);
        b.putShort(at + PRIVATE_DATA_LENGTH_OFFSET, (short) privateDataLength);
    }
}
