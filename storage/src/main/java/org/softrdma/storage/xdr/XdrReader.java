// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.xdr;

import java.nio.ByteBuffer;

/**
 * Cursor over an XDR message. Each method checks the bytes that it takes against the message's end.
 *
 * <p>Source: RFC 4506.
 */
public final class XdrReader {
    private final ByteBuffer message;

    /** @param message big-endian, read from its position to its limit */
    public XdrReader(ByteBuffer message) {
        this.message = message;
    }

    /** @return another cursor at the same place of the message */
    public XdrReader copy() {
        return new XdrReader(message.duplicate());
    }

    /** Reads an unsigned integer of 32 bits. */
    public int u32() {
        need(4);
        return message.getInt();
    }

    /** Reads an unsigned integer of 64 bits. */
    public long u64() {
        need(8);
        return message.getLong();
    }

    /**
     * Reads a boolean.
     *
     * @throws XdrException its word is neither 0 nor 1
     */
    public boolean bool() {
        int word = u32();
        if (word != 0 && word != 1) {
            throw new XdrException("a boolean is " + Integer.toUnsignedString(word));
        }
        return word == 1;
    }

    /**
     * Reads a variable-length opaque: length, bytes, and padding to a multiple of four.
     *
     * @param maxBytes longest length that is permitted
     * @return the bytes, a view of the message
     */
    public ByteBuffer opaque(int maxBytes) {
        int length = u32();
        if (length < 0 || length > maxBytes) {
            throw new XdrException("an opaque of " + Integer.toUnsignedString(length) + " bytes, at most " + maxBytes);
        }
        return fixed(length);
    }

    /** Reads a fixed-length opaque and its padding. */
    public ByteBuffer fixed(int length) {
        int padded = length + 3 & ~3;
        need(padded);
        ByteBuffer bytes = message.slice(message.position(), length);
        message.position(message.position() + padded);
        return bytes;
    }

    /** Reads over an array of words. */
    public void skipWords(int maxWords) {
        int count = u32();
        if (count < 0 || count > maxWords) {
            throw new XdrException("an array of " + Integer.toUnsignedString(count) + " words, at most " + maxWords);
        }
        fixed(4 * count);
    }

    private void need(int bytes) {
        if (message.remaining() < bytes) {
            throw new XdrException("needs " + bytes + " bytes, has " + message.remaining());
        }
    }
}
