// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.nio.ByteBuffer;

/**
 * Submission queue entry at the start of a command capsule, little-endian; in-capsule data follow it.
 *
 * <pre>
 *  0 | opcode (1) | flags (1) | command identifier (2) |
 *  4 | namespace (4) |
 *  8 | reserved (8), metadata pointer (8) |
 * 24 | {@link DataDescriptor} (16) |
 * 40 | command dwords 10..15 (24) |
 * </pre>
 *
 * Source: NVMe 1.3 §4.2; NVMe over Fabrics 1.1 §2.1.
 */
public final class Command {
    /** Bytes. */
    public static final int LENGTH = 64;
    /** u8: {@link Opcode}. */
    public static final int OPCODE_OFFSET = 0;
    /** u8: bits 0 and 1 fused operation, bits 6 and 7 kind of data pointer. */
    public static final int FLAGS_OFFSET = 1;
    /** u16. */
    public static final int ID_OFFSET = 2;
    /** u32. */
    public static final int NAMESPACE_OFFSET = 4;
    /** Offset of the data descriptor. */
    public static final int DESCRIPTOR_OFFSET = 24;
    /** u32 each. */
    public static final int DWORD10_OFFSET = 40;

    private static final int FLAGS_CHECKED = 0xc3;
    private static final int DESCRIPTOR_IN_COMMAND = 0x40;

    private Command() {
    }

    public static int opcode(ByteBuffer b) {
        return b.get(OPCODE_OFFSET) & 0xff;
    }

    /** Whether the command is not fused and has a data descriptor, as all commands over fabrics. */
    public static boolean hasValidFlags(ByteBuffer b) {
        return (b.get(FLAGS_OFFSET) & FLAGS_CHECKED) == DESCRIPTOR_IN_COMMAND;
    }

    /** Command identifier, u16. */
    public static int id(ByteBuffer b) {
        return b.getShort(ID_OFFSET) & 0xffff;
    }

    /** Namespace, u32. */
    public static int namespace(ByteBuffer b) {
        return b.getInt(NAMESPACE_OFFSET);
    }

    /**
     * A command dword.
     *
     * @param number 10..15
     * @return u32
     */
    public static int dword(ByteBuffer b, int number) {
        return b.getInt(DWORD10_OFFSET + (number - 10) * Integer.BYTES);
    }

    /** First logical block of a read, write or write zeroes, u64. */
    public static long startBlock(ByteBuffer b) {
        return b.getLong(DWORD10_OFFSET);
    }

    /** Logical blocks of a read, write or write zeroes, 1..65536. */
    public static int blocks(ByteBuffer b) {
        return (dword(b, 12) & 0xffff) + 1;
    }

    /** Whether a read or write goes to the medium before it completes. */
    public static boolean isForced(ByteBuffer b) {
        return (dword(b, 12) & 1 << 30) != 0;
    }

    /**
     * Writes a command without data into a buffer of zeros.
     *
     * @param namespace for {@link Opcode#FABRICS}, the type
     */
    public static void put(ByteBuffer b, int opcode, int id, int namespace) {
        b.put(OPCODE_OFFSET, (byte) opcode);
        b.put(FLAGS_OFFSET, (byte) DESCRIPTOR_IN_COMMAND);
        b.putShort(ID_OFFSET, (short) id);
        b.putInt(NAMESPACE_OFFSET, namespace);
        // A descriptor of no bytes.
        DataDescriptor.putKeyed(b, DESCRIPTOR_OFFSET, 0, 0, 0);
    }

    /**
     * Writes a command dword.
     *
     * @param number 10..15
     * @return the buffer
     */
    public static ByteBuffer putDword(ByteBuffer b, int number, int value) {
        return b.putInt(DWORD10_OFFSET + (number - 10) * Integer.BYTES, value);
    }

    /**
     * Writes the logical blocks of a read.
     *
     * @param blocks 1..65536
     */
    public static void putRange(ByteBuffer b, long start, int blocks) {
        b.putLong(DWORD10_OFFSET, start);
        putDword(b, 12, blocks - 1);
    }
}
