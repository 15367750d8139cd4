// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Private data of a connection request and of its acceptance: 40 bytes, big-endian.
 *
 * @param order   byte order of the peer's writes to this end's target list, and of messages in SENDs
 * @param credits posted receives, u16: messages that the peer may send before it receives credits
 * @param targets list in this end's memory that the peer writes its grants to; its length counts entries
 * @param buffer  first part of this end's memory that the peer may write
 *     Source: the rsocket protocol guide, "Connection Establishment"
 */
public record ConnectionData(ByteOrder order, int credits, RemoteBuffer targets, RemoteBuffer buffer) {
    static final int BYTES = 40;

    private static final int VERSION = 1;
    private static final int FLAG_BIG_ENDIAN = 1;

    private static final int VERSION_OFFSET = 0;
    private static final int FLAGS_OFFSET = 1;
    private static final int CREDITS_OFFSET = 2;
    private static final int TARGETS_OFFSET = 8;
    private static final int BUFFER_OFFSET = 24;

    /** {@return {@link #BYTES} bytes of private data} */
    public byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.put(VERSION_OFFSET, (byte) VERSION);
        bytes.put(FLAGS_OFFSET, (byte) (order == ByteOrder.BIG_ENDIAN ? FLAG_BIG_ENDIAN : 0));
        bytes.putShort(CREDITS_OFFSET, (short) credits);
        targets.put(bytes, TARGETS_OFFSET);
        buffer.put(bytes, BUFFER_OFFSET);
        return bytes.array();
    }

    /**
     * Parses the peer's data.
     *
     * @param privateData of an event of the connection manager; may be padded
     * @return the data
     * @throws StreamException EPROTO: the data are not those of a stream
     */
    public static ConnectionData parse(byte[] privateData) throws StreamException {
        if (privateData.length < BYTES) {
            throw StreamException.of(Violation.SHORT_CONNECTION_DATA, privateData.length + " bytes of " + BYTES);
        }
        ByteBuffer bytes = ByteBuffer.wrap(privateData);
        if (bytes.get(VERSION_OFFSET) != VERSION) {
            throw StreamException.of(Violation.UNKNOWN_VERSION, (bytes.get(VERSION_OFFSET) & 0xff) + ", not " + VERSION);
        }
        boolean bigEndian = (bytes.get(FLAGS_OFFSET) & FLAG_BIG_ENDIAN) != 0;
        ConnectionData data = new ConnectionData(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN,
            bytes.getShort(CREDITS_OFFSET) & 0xffff, RemoteBuffer.get(bytes, TARGETS_OFFSET), RemoteBuffer.get(bytes, BUFFER_OFFSET));
        if (data.targets.length() == 0) {
            throw StreamException.of(Violation.NO_TARGETS, "0 entries at 0x" + Long.toHexString(data.targets.address()));
        }
        return data;
    }
}
