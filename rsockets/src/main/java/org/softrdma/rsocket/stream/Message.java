// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

/**
 * What one end tells the other in 32 bits, which go with a transfer or alone: three bits say the kind, 29 a number. As immediate data they
 * are big-endian.
 * Source: the rsocket protocol guide, "Message Format"; the keep-alive is in librdmacm only.
 */
public final class Message {
    /** Bytes came; the number says how many. */
    static final int DATA = 0;
    /** More may be sent: 16 bits that say up to which message. The list of targets may have a new entry. */
    static final int CREDITS = 4;
    /** An entry of the list of memory for direct transfers is new; the number is its index. */
    static final int IOMAP = 6;
    /** The number is {@link #DISCONNECT}, {@link #KEEP_ALIVE} or {@link #SHUTDOWN}. */
    public static final int CONTROL = 7;

    /** It ends both directions. */
    static final int DISCONNECT = 0;
    /** Names the work request of a keep-alive, which tells the peer's program nothing and is never on the wire. */
    public static final int KEEP_ALIVE = 1;
    /** The sender sends no more data. */
    static final int SHUTDOWN = 2;

    /** As SEND, where there is no RDMA WRITE with immediate data. */
    public static final int BYTES = 4;
    /** Largest number. */
    static final int MAX_VALUE = (1 << 29) - 1;

    private Message() {
    }

    /** @param value 0..{@link #MAX_VALUE} */
    public static int of(int kind, int value) {
        return kind << 29 | value;
    }

    /** 0..7; those without a name here are reserved. */
    public static int kind(int message) {
        return message >>> 29;
    }

    static int value(int message) {
        return message & MAX_VALUE;
    }
}
