// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntFunction;
import org.softrdma.storage.nvme.wire.NvmeStatus;
import org.softrdma.storage.nvme.wire.Opcode;

/**
 * The Get Log Page command. A controller of the subsystem has four pages: errors (none are kept), health, firmware, and the effects of
 * commands.
 *
 * <p>Source: NVMe 1.3 §5.14.
 */
final class LogPages implements CommandSet {
    private static final int ERRORS = 0x01;
    private static final int HEALTH = 0x02;
    private static final int FIRMWARE = 0x03;
    private static final int EFFECTS = 0x05;
    private static final int LONGEST_EFFECTS = 4096;

    private static final int FIRMWARE_SLOT_1 = 8;
    /** Health: kelvin, percent, percent. */
    private static final int TEMPERATURE_OFFSET = 1;
    private static final int ROOM_TEMPERATURE = 293;
    private static final int SPARE_OFFSET = 3;
    private static final int SPARE_THRESHOLD_OFFSET = 4;

    /** Effects: four bytes for each admin command, then for each I/O command. */
    private static final int IO_OFFSET = 1024;
    private static final int SUPPORTED = 1;
    private static final int CHANGES_BLOCKS = 1 << 1;

    /** Makes a page, little-endian, or returns null if there is none of that number. */
    private final IntFunction<ByteBuffer> pages;

    LogPages(IntFunction<ByteBuffer> pages) {
        this.pages = pages;
    }

    private static int number(CommandSlot command) {
        return command.dword(10) & 0xff;
    }

    /** Length requested, bytes; beyond what fits an int, the largest int. */
    private static int requested(CommandSlot command) {
        long dwords = (command.dword(10) >>> 16 | (command.dword(11) & 0xffffL) << 16) + 1;
        return (int) Math.min(dwords * Integer.BYTES, Integer.MAX_VALUE);
    }

    /** Offset requested, bytes, u64. */
    private static long offset(CommandSlot command) {
        return Integer.toUnsignedLong(command.dword(12)) | (long) command.dword(13) << 32;
    }

    /** Page of a controller of the subsystem; null if there is none of that number. */
    static ByteBuffer ofSubsystem(int number) {
        ByteBuffer page = switch (number) {
            case ERRORS -> ByteBuffer.allocate(64);
            case HEALTH, FIRMWARE -> ByteBuffer.allocate(512);
            case EFFECTS -> ByteBuffer.allocate(LONGEST_EFFECTS);
            default -> null;
        };
        if (page != null) {
            put(page.order(ByteOrder.LITTLE_ENDIAN), number);
        }
        return page;
    }

    @Override
    public void prepare(CommandSlot command) {
        ByteBuffer page = pages.apply(number(command));
        long offset = offset(command);
        if (page == null) {
            command.fail(NvmeStatus.INVALID_LOG_PAGE);
        } else if (offset < 0 || offset > page.limit() || offset % Integer.BYTES != 0) {
            command.fail(NvmeStatus.INVALID_FIELD);
        }
        command.gives(requested(command));
    }

    @Override
    public void execute(CommandSlot command) {
        ByteBuffer page = pages.apply(number(command));
        ByteBuffer data = command.data();
        int offset = (int) offset(command);
        // Bytes behind the end of a page are zero.
        for (int i = 0; i < data.limit(); i++) {
            data.put(i, offset + i < page.limit() ? page.get(offset + i) : 0);
        }
    }

    private static void put(ByteBuffer b, int page) {
        switch (page) {
            case HEALTH -> {
                b.putShort(TEMPERATURE_OFFSET, (short) ROOM_TEMPERATURE);
                b.put(SPARE_OFFSET, (byte) 100);
                b.put(SPARE_THRESHOLD_OFFSET, (byte) 0);
            }
            case FIRMWARE -> {
                b.put(0, (byte) 1);
                b.put(FIRMWARE_SLOT_1, (byte) '1');
                for (int i = 1; i < 8; i++) {
                    b.put(FIRMWARE_SLOT_1 + i, (byte) ' ');
                }
            }
            case EFFECTS -> putEffects(b);
            default -> {
                // No errors.
            }
        }
    }

    private static void putEffects(ByteBuffer b) {
        for (int each : new int[] {Opcode.GET_LOG_PAGE, Opcode.IDENTIFY, Opcode.ABORT, Opcode.SET_FEATURES, Opcode.GET_FEATURES,
            Opcode.ASYNC_EVENT_REQUEST, Opcode.KEEP_ALIVE}) {
            b.putInt(each * Integer.BYTES, SUPPORTED);
        }
        b.putInt(IO_OFFSET + Opcode.FLUSH * Integer.BYTES, SUPPORTED);
        b.putInt(IO_OFFSET + Opcode.READ * Integer.BYTES, SUPPORTED);
        b.putInt(IO_OFFSET + Opcode.WRITE * Integer.BYTES, SUPPORTED | CHANGES_BLOCKS);
        b.putInt(IO_OFFSET + Opcode.WRITE_ZEROES * Integer.BYTES, SUPPORTED | CHANGES_BLOCKS);
    }
}
