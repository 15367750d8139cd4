// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * Private data of connections, little-endian: each connection is one queue.
 *
 * <pre>
 * request:  0 | record format (2) | queue (2) | receives of the host (2) | last entry of the submission queue (2) |
 *           8 | controller (2) | 0 (22) |
 * accept:   0 | record format (2) | receives of the target (2) | 0 (28) |
 * reject:   0 | record format (2) | {@link Refusal} (2) |
 * </pre>
 *
 * Source: NVMe over Fabrics 1.1 §7.3.6. Linux before 6.9 leaves the controller zero.
 *
 * @param queue      0 is the admin queue, u16
 * @param receives   responses that the host can receive at once, 1..65535
 * @param entries    entries of the submission queue, 2..65536
 * @param controller of an I/O queue, u16; 0 if the host does not say
 */
public record QueueRequest(int queue, int receives, int entries, int controller) {
    /** Bytes of a request. */
    public static final int LENGTH = 32;

    private static final int FORMAT_OFFSET = 0;
    private static final int QUEUE_OFFSET = 2;
    private static final int RECEIVES_OFFSET = 4;
    private static final int LAST_ENTRY_OFFSET = 6;
    private static final int CONTROLLER_OFFSET = 8;
    private static final int ACCEPT_RECEIVES_OFFSET = 2;
    private static final int REFUSAL_OFFSET = 2;
    private static final int REJECT_LENGTH = 4;
    private static final int FORMAT = 0;

    /** Reasons for which a connection is refused. */
    public enum Refusal {
        /** The private data are too short. */
        INVALID_LENGTH(1),
        INVALID_FORMAT(2),
        INVALID_QUEUE(3),
        INVALID_SUBMISSION_QUEUE_SIZE(4),
        INVALID_RECEIVE_QUEUE_SIZE(5),
        NO_RESOURCES(6),
        /** The host permits no RDMA READs. */
        INVALID_READ_DEPTH(7),
        INVALID_CONTROLLER(9);

        private final int code;

        Refusal(int code) {
            this.code = code;
        }

        /** The name of its counter. */
        public String counter() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** @return the private data of the reject */
        public byte[] toBytes() {
            return little(REJECT_LENGTH).putShort(FORMAT_OFFSET, (short) FORMAT).putShort(REFUSAL_OFFSET, (short) code).array();
        }
    }

    /**
     * Checks the form of private data.
     *
     * @param bytes of any length
     * @return null if {@link #parse} can read them
     */
    public static Refusal check(byte[] bytes) {
        if (bytes.length < LENGTH) {
            return Refusal.INVALID_LENGTH;
        }
        ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (b.getShort(FORMAT_OFFSET) != FORMAT) {
            return Refusal.INVALID_FORMAT;
        }
        if (b.getShort(LAST_ENTRY_OFFSET) == 0) {
            return Refusal.INVALID_SUBMISSION_QUEUE_SIZE;
        }
        return b.getShort(RECEIVES_OFFSET) == 0 ? Refusal.INVALID_RECEIVE_QUEUE_SIZE : null;
    }

    /** Reads private data that passed {@link #check}. */
    public static QueueRequest parse(byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new QueueRequest(u16(b, QUEUE_OFFSET), u16(b, RECEIVES_OFFSET), u16(b, LAST_ENTRY_OFFSET) + 1, u16(b, CONTROLLER_OFFSET));
    }

    private static int u16(ByteBuffer b, int at) {
        return b.getShort(at) & 0xffff;
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Private data of an accept.
     *
     * @param receives commands that the target can receive at once
     */
    public static byte[] accept(int receives) {
        return little(LENGTH).putShort(FORMAT_OFFSET, (short) FORMAT).putShort(ACCEPT_RECEIVES_OFFSET, (short) receives).array();
    }

    /** @return private data of a request */
    public byte[] toBytes() {
        return little(LENGTH).putShort(FORMAT_OFFSET, (short) FORMAT).putShort(QUEUE_OFFSET, (short) queue)
            .putShort(RECEIVES_OFFSET, (short) receives).putShort(LAST_ENTRY_OFFSET, (short) (entries - 1))
            .putShort(CONTROLLER_OFFSET, (short) controller).array();
    }
}
