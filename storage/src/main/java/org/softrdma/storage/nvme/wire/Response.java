// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.nio.ByteBuffer;

/**
 * Completion queue entry, which is the whole response capsule, little-endian.
 *
 * <pre>
 *  0 | result (8) |
 *  8 | head of the submission queue (2) | reserved (2) |
 * 12 | command identifier (2) |
 * 14 | status (2): bits 1..8 code, 9..11 type, 15 do not retry |
 * </pre>
 *
 * Source: NVMe 1.3 §4.6; NVMe over Fabrics 1.1 §2.2.
 */
public final class Response {
    /** Bytes. */
    public static final int LENGTH = 16;
    /** u64. */
    public static final int RESULT_OFFSET = 0;
    /** u16. */
    public static final int HEAD_OFFSET = 8;
    /** u16. */
    public static final int ID_OFFSET = 12;
    /** u16. */
    public static final int STATUS_OFFSET = 14;
    /** Head of the submission queue for a host that ignores it. */
    public static final int NO_HEAD = 0xffff;

    private Response() {
    }

    /** Writes a response. */
    public static void put(ByteBuffer b, long result, int head, int commandId, NvmeStatus status) {
        b.putLong(RESULT_OFFSET, result);
        b.putInt(HEAD_OFFSET, head);
        b.putShort(ID_OFFSET, (short) commandId);
        b.putShort(STATUS_OFFSET, (short) status.field());
    }

    /** Result, u64. */
    public static long result(ByteBuffer b) {
        return b.getLong(RESULT_OFFSET);
    }

    /** Command identifier, u16. */
    public static int id(ByteBuffer b) {
        return b.getShort(ID_OFFSET) & 0xffff;
    }

    /** Type of the status in bits 8..10, code in bits 0..7; 0 is success. */
    public static int status(ByteBuffer b) {
        return b.getShort(STATUS_OFFSET) >> 1 & 0x7ff;
    }
}
