// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * Private data of a connection request and its answer: eight bytes, big-endian. A peer without them has {@link #DEFAULT}.
 *
 * <pre>
 *  0 | magic (4): f6ab0e18 |
 *  4 | version: 1 |
 *  5 | flags: 1 the sender takes SENDs that invalidate |
 *  6 | longest SEND of the sender, in KiB, minus one |
 *  7 | longest SEND that the sender receives, in KiB, minus one |
 * </pre>
 *
 * Source: RFC 8797 §4.
 *
 * @param invalidation whether the sender takes SENDs that invalidate one of its keys
 * @param sendBytes    longest SEND of the sender, 1024..262144, a multiple of 1024
 * @param receiveBytes longest SEND that the sender receives, 1024..262144, a multiple of 1024
 */
public record PrivateData(boolean invalidation, int sendBytes, int receiveBytes) {
    /** Bytes. */
    public static final int LENGTH = 8;
    /** Longest SEND that can be expressed, bytes. */
    public static final int LONGEST = 262_144;

    /** Sizes of a peer that sends no private data. Source: RFC 8166 §3.3.2 */
    public static final PrivateData DEFAULT = new PrivateData(false, 1024, 1024);

    private static final int MAGIC = 0xf6ab0e18;
    private static final int VERSION = 1;
    private static final int VERSION_OFFSET = 4;
    private static final int FLAGS_OFFSET = 5;
    private static final int SEND_OFFSET = 6;
    private static final int RECEIVE_OFFSET = 7;
    private static final int INVALIDATION = 1;
    private static final int UNIT = 1024;

    public PrivateData {
        check(sendBytes);
        check(receiveBytes);
    }

    /** {@return whether private data can express the length of a SEND: 1024..262144, a multiple of 1024} */
    public static boolean isSize(int bytes) {
        return bytes >= UNIT && bytes <= LONGEST && bytes % UNIT == 0;
    }

    private static void check(int bytes) {
        if (!isSize(bytes)) {
            throw new IllegalArgumentException(bytes + " is no multiple of 1024 from 1024 to 262144");
        }
    }

    /**
     * Reads private data.
     *
     * @param bytes of any length
     * @return {@link #DEFAULT} if the bytes are something else
     */
    public static PrivateData parse(byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        if (bytes.length < LENGTH || b.getInt(0) != MAGIC || b.get(VERSION_OFFSET) != VERSION) {
            return DEFAULT;
        }
        return new PrivateData((b.get(FLAGS_OFFSET) & INVALIDATION) != 0, size(b, SEND_OFFSET), size(b, RECEIVE_OFFSET));
    }

    private static int size(ByteBuffer b, int at) {
        return ((b.get(at) & 0xff) + 1) * UNIT;
    }

    /** @return the eight bytes */
    public byte[] toBytes() {
        ByteBuffer b = ByteBuffer.allocate(LENGTH).putInt(0, MAGIC);
        b.put(VERSION_OFFSET, (byte) VERSION);
        b.put(FLAGS_OFFSET, (byte) (invalidation ? INVALIDATION : 0));
        b.put(SEND_OFFSET, (byte) (sendBytes / UNIT - 1));
        b.put(RECEIVE_OFFSET, (byte) (receiveBytes / UNIT - 1));
        return b.array();
    }
}
