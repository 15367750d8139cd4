// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** One netlink message of a program: struct nlmsghdr and attributes. The bytes were copied; all lengths are checked. */
public final class NldevRequest {
    /** Bytes of struct nlmsghdr: u32 length, u16 type, u16 flags, u32 sequence, u32 port. */
    public static final int HEADER_BYTES = 16;

    private static final int TYPE = 4;
    private static final int FLAGS = 6;
    private static final int SEQUENCE = 8;
    private static final int PORT = 12;
    private static final int ACK = 4;
    private static final int DUMP = 0x300;
    private static final int ATTRIBUTE_HEADER_BYTES = 4;
    private static final int ATTRIBUTE_TYPE_MASK = 0x3fff;
    private static final int ALIGNMENT = 4;

    private final ByteBuffer message;

    private NldevRequest(ByteBuffer message) {
        this.message = message;
    }

    /**
     * Reads the first message of a datagram.
     *
     * @return null if it is not complete
     */
    public static NldevRequest of(byte[] datagram) {
        ByteBuffer bytes = ByteBuffer.wrap(datagram).order(ByteOrder.nativeOrder());
        if (datagram.length < HEADER_BYTES || bytes.getInt(0) < HEADER_BYTES || bytes.getInt(0) > datagram.length) {
            return null;
        }
        return new NldevRequest(bytes.limit(bytes.getInt(0)));
    }

    /** Type of the message: {@link Nldev#GET} and others. */
    public int type() {
        return message.getShort(TYPE) & 0xFFFF;
    }

    /** Whether all objects are requested (NLM_F_DUMP). */
    public boolean isDump() {
        return (message.getShort(FLAGS) & DUMP) == DUMP;
    }

    /** Whether the reply ends with an acknowledgement (NLM_F_ACK). */
    boolean isAcknowledged() {
        return (message.getShort(FLAGS) & ACK) != 0;
    }

    int sequence() {
        return message.getInt(SEQUENCE);
    }

    int port() {
        return message.getInt(PORT);
    }

    /** Copy of the header, which an error repeats. */
    byte[] header() {
        byte[] header = new byte[HEADER_BYTES];
        message.get(0, header);
        return header;
    }

    /** A number of 4 bytes, or {@code otherwise} if the request has no such attribute. */
    public int number(int attribute, int otherwise) {
        int at = find(attribute, Integer.BYTES);
        return at < 0 ? otherwise : message.getInt(at);
    }

    /** A text without its final zero; empty if the request has no such attribute. */
    public String text(int attribute) {
        int at = find(attribute, 0);
        if (at < 0) {
            return "";
        }
        int length = (message.getShort(at - ATTRIBUTE_HEADER_BYTES) & 0xFFFF) - ATTRIBUTE_HEADER_BYTES;
        byte[] bytes = new byte[length];
        message.get(at, bytes);
        String text = new String(bytes, StandardCharsets.US_ASCII);
        int end = text.indexOf('\0');
        return end < 0 ? text : text.substring(0, end);
    }

    /** Offset of an attribute's value of at least so many bytes, or -1. */
    private int find(int attribute, int leastBytes) {
        int at = HEADER_BYTES;
        while (at + ATTRIBUTE_HEADER_BYTES <= message.limit()) {
            int length = message.getShort(at) & 0xFFFF;
            if (length < ATTRIBUTE_HEADER_BYTES || at + length > message.limit()) {
                return -1;
            }
            if ((message.getShort(at + 2) & ATTRIBUTE_TYPE_MASK) == attribute) {
                return length - ATTRIBUTE_HEADER_BYTES >= leastBytes ? at + ATTRIBUTE_HEADER_BYTES : -1;
            }
            at += length + ALIGNMENT - 1 & -ALIGNMENT;
        }
        return -1;
    }
}
