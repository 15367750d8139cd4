// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.nio.ByteBuffer;

/**
 * Fields of the commands with the opcode {@link Opcode#FABRICS}, within the 64 bytes of {@link Command}.
 *
 * <pre>
 *  4 | type (1) |
 * Connect:        40 | record format (2) | queue (2) | last entry of the submission queue (2) | attributes (1) |
 *                 48 | keep-alive timeout (4) |
 * Property Get:   40 | size: 0 four bytes, 1 eight (1) | 44 | offset (4) |
 * Property Set:   the same, and 48 | value (8) |
 * </pre>
 *
 * Source: NVMe over Fabrics 1.1 §3.3, §3.5, §3.6.
 */
public final class FabricsCommand {
    /** u8: one of CONNECT, PROPERTY_GET and PROPERTY_SET of {@link Opcode}. */
    public static final int TYPE_OFFSET = 4;
    /** u16. */
    public static final int RECORD_FORMAT_OFFSET = 40;
    /** u16. */
    public static final int QUEUE_OFFSET = 42;
    /** u16. */
    public static final int LAST_ENTRY_OFFSET = 44;
    /** u8. */
    public static final int CONNECT_ATTRIBUTES_OFFSET = 46;
    /** u32, milliseconds. */
    public static final int KEEP_ALIVE_OFFSET = 48;
    /** u8. */
    public static final int PROPERTY_SIZE_OFFSET = 40;
    /** u32. */
    public static final int PROPERTY_OFFSET_OFFSET = 44;
    /** u64. */
    public static final int PROPERTY_VALUE_OFFSET = 48;

    private static final int WITHOUT_FLOW_CONTROL = 1 << 2;

    private FabricsCommand() {
    }

    public static int type(ByteBuffer b) {
        return b.get(TYPE_OFFSET) & 0xff;
    }

    /** Record format of a Connect, u16. */
    public static int recordFormat(ByteBuffer b) {
        return b.getShort(RECORD_FORMAT_OFFSET) & 0xffff;
    }

    /** Queue of a Connect, u16; 0 is the admin queue. */
    public static int queue(ByteBuffer b) {
        return b.getShort(QUEUE_OFFSET) & 0xffff;
    }

    /** Entries of the submission queue of a Connect less one, u16. */
    public static int lastEntry(ByteBuffer b) {
        return b.getShort(LAST_ENTRY_OFFSET) & 0xffff;
    }

    /** Whether the host of a Connect ignores the submission queue head of responses. */
    public static boolean isWithoutFlowControl(ByteBuffer b) {
        return (b.get(CONNECT_ATTRIBUTES_OFFSET) & WITHOUT_FLOW_CONTROL) != 0;
    }

    /** Keep-alive timeout of a Connect, milliseconds, 0..2^32-1; 0 for none. */
    public static long keepAliveMs(ByteBuffer b) {
        return Integer.toUnsignedLong(b.getInt(KEEP_ALIVE_OFFSET));
    }

    /** Bytes of a property: 4 or 8; other sizes are returned as 0. */
    public static int propertyBytes(ByteBuffer b) {
        return switch (b.get(PROPERTY_SIZE_OFFSET) & 7) {
            case 0 -> Integer.BYTES;
            case 1 -> Long.BYTES;
            default -> 0;
        };
    }

    /** Offset of a property, u32. */
    public static int propertyOffset(ByteBuffer b) {
        return b.getInt(PROPERTY_OFFSET_OFFSET);
    }

    /** Value of a Property Set, u64. */
    public static long propertyValue(ByteBuffer b) {
        return b.getLong(PROPERTY_VALUE_OFFSET);
    }

    /**
     * Writes the fields of a Connect, without a keep-alive timeout.
     *
     * @param entries of the submission queue, 2..65536
     */
    public static void putConnect(ByteBuffer b, int queue, int entries) {
        b.putShort(QUEUE_OFFSET, (short) queue);
        b.putShort(LAST_ENTRY_OFFSET, (short) (entries - 1));
    }

    /** Writes the fields of a Property Get of four bytes. */
    public static void putPropertyGet(ByteBuffer b, int offset) {
        b.putInt(PROPERTY_OFFSET_OFFSET, offset);
    }

    /** Writes the fields of a Property Set of four bytes. */
    public static void putPropertySet(ByteBuffer b, int offset, int value) {
        b.putInt(PROPERTY_OFFSET_OFFSET, offset);
        b.putLong(PROPERTY_VALUE_OFFSET, Integer.toUnsignedLong(value));
    }
}
