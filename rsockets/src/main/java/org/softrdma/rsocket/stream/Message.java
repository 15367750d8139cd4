// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

/**
 * Messages of the protocol: 32 bits, sent with a transfer or alone. The upper three bits are the kind, the lower 29 a value. Immediate data
 * are big-endian.
 * Source: the rsocket protocol guide, "Message Format"; the keep-alive is in librdmacm only.
 */
public final class Message {
    /** Data were written; the value is their number of bytes. */
    static final int DATA = 0;
    /** New credits: the lower 16 bits are the number of the last message permitted. The target list may have a new entry. */
    static final int CREDITS = 4;
    /** New entry in the list of memory for direct transfers; the value is its index. */
    static final int IOMAP = 6;
    /** Control message: {@link #DISCONNECT}, {@link #KEEP_ALIVE} or {@link #SHUTDOWN}. */
    public static final int CONTROL = 7;

    /** End of both directions. */
    static final int DISCONNECT = 0;
    /** Work request ID of a keep-alive, which has no message on the wire. */
    public static final int KEEP_ALIVE = 1;
    /** End of the sender's data. */
    static final int SHUTDOWN = 2;

    /** Length of a message in a SEND, used where RDMA WRITE has no immediate data. */
    public static final int BYTES = 4;
    /** Largest value. */
    static final int MAX_VALUE = (1 << 29) - 1;

    private Message() {
    }

    /**
     * Composes a message.
     *
     * @param kind  0..7
     * @param value 0..{@link #MAX_VALUE}
     * @return the message, u32
     */
    public static int of(int kind, int value) {
        return kind << 29 | value;
    }

    /**
     * Extracts a message's kind.
     *
     * @param message u32
     * @return 0..7; kinds without a name here are reserved
     */
    public static int kind(int message) {
        return message >>> 29;
    }

    static int value(int message) {
        return message & MAX_VALUE;
    }
}
