// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.xdr;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;

/**
 * Cursor that writes an XDR message. A message that becomes longer than its buffer fails with
 * {@link java.nio.BufferOverflowException}.
 *
 * <p>Source: RFC 4506.
 */
public final class XdrWriter {
    private final ByteBuffer message;

    /** @param message big-endian, written from its position to its limit */
    public XdrWriter(ByteBuffer message) {
        this.message = message;
    }

    public XdrWriter u32(int value) {
        message.putInt(value);
        return this;
    }

    public XdrWriter u64(long value) {
        message.putLong(value);
        return this;
    }

    public XdrWriter bool(boolean value) {
        return u32(value ? 1 : 0);
    }

    /** Writes a variable-length opaque: length, bytes and padding. */
    public XdrWriter opaque(byte[] bytes) {
        message.putInt(bytes.length).put(bytes);
        return pad(bytes.length);
    }

    /** Writes the padding behind an opaque of so many bytes. */
    public XdrWriter pad(int length) {
        for (int i = length; (i & 3) != 0; i++) {
            message.put((byte) 0);
        }
        return this;
    }

    public int position() {
        return message.position();
    }

    /** Continues at another position; what is behind it is written again. */
    public void position(int position) {
        message.position(position);
    }

    /** Bytes that can still be written. */
    public int remaining() {
        return message.remaining();
    }

    /** Room for bytes at an offset behind the position, which remains where it is. */
    public ByteBuffer room(int offset, int length) {
        if (offset + length > message.remaining()) {
            throw new BufferOverflowException();
        }
        return message.slice(message.position() + offset, length);
    }

    /** @return a copy of what is written from a position on */
    public byte[] copy(int from) {
        byte[] bytes = new byte[message.position() - from];
        message.get(from, bytes);
        return bytes;
    }
}
