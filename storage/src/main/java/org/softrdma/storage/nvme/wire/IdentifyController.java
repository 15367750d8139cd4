// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Description of a controller, 4096 bytes, little-endian; all bytes without a meaning here are zero.
 *
 * <p>Source: NVMe 1.3 §5.15, figure 109; NVMe over Fabrics 1.1 §4.1.
 *
 * @param controller      u16
 * @param subsystem       name
 * @param serial          at most 20 ASCII characters
 * @param largestTransfer bytes of data of a command at most, a power of two from 4096
 * @param entries         of an I/O queue at most
 * @param inCapsule       bytes of in-capsule data of an I/O queue at most, a multiple of 16
 * @param namespaces      highest number of a namespace
 */
public record IdentifyController(int controller, String subsystem, String serial, int largestTransfer, int entries, int inCapsule,
                                 int namespaces) {
    /** Bytes. */
    public static final int LENGTH = 4096;
    /** Async event requests that a controller holds. */
    public static final int EVENT_REQUESTS = 4;
    /** Bit of the log page attributes: commands supported and effects. */
    private static final int EFFECTS_LOG = 1 << 1;
    /** Bit of the log page attributes: long log pages, with an offset. */
    private static final int LONG_LOG_PAGES = 1 << 2;

    private static final int SERIAL_OFFSET = 4;
    private static final int SERIAL_LENGTH = 20;
    private static final int MODEL_OFFSET = 24;
    private static final int MODEL_LENGTH = 40;
    private static final int FIRMWARE_OFFSET = 64;
    private static final int FIRMWARE_LENGTH = 8;
    private static final int MULTIPATH_OFFSET = 76;
    private static final int LARGEST_TRANSFER_OFFSET = 77;
    private static final int CONTROLLER_OFFSET = 78;
    private static final int VERSION_OFFSET = 80;
    private static final int ATTRIBUTES_OFFSET = 96;
    /** Kind of controller, since NVMe 1.4. */
    private static final int TYPE_OFFSET = 111;
    private static final byte IO_CONTROLLER = 1;
    private static final byte DISCOVERY_CONTROLLER = 2;
    private static final int ABORT_LIMIT_OFFSET = 258;
    private static final int EVENT_LIMIT_OFFSET = 259;
    private static final int LOG_ATTRIBUTES_OFFSET = 261;
    private static final int KEEP_ALIVE_OFFSET = 320;
    private static final int SUBMISSION_ENTRY_OFFSET = 512;
    private static final int COMPLETION_ENTRY_OFFSET = 513;
    private static final int COMMANDS_OFFSET = 514;
    private static final int NAMESPACES_OFFSET = 516;
    private static final int OPTIONAL_COMMANDS_OFFSET = 520;
    private static final int WRITE_CACHE_OFFSET = 525;
    private static final int DESCRIPTORS_OFFSET = 536;
    private static final int SUBSYSTEM_OFFSET = 768;
    private static final int COMMAND_CAPSULE_OFFSET = 1792;
    private static final int RESPONSE_CAPSULE_OFFSET = 1796;
    private static final int DESCRIPTOR_COUNT_OFFSET = 1803;

    private static final String MODEL = "softrdma nvmet";
    private static final String FIRMWARE = "1";
    private static final int PAGE = 4096;
    /** A subsystem with several ports and several controllers. */
    private static final int SEVERAL_CONTROLLERS = 3;
    /** Any command restarts the keep-alive timer. */
    private static final int ANY_COMMAND_KEEPS_ALIVE = 1 << 6;
    /** Keep-alive timeouts in units of 100 ms: seconds. */
    private static final int KEEP_ALIVE_UNIT = 10;
    private static final int WRITE_ZEROES = 1 << 3;
    private static final int KEYED_DESCRIPTORS = 1 << 2;
    /** Descriptors of any alignment, keyed descriptors, offsets in data blocks. */
    private static final int DESCRIPTORS = 1 | KEYED_DESCRIPTORS | 1 << 20;
    private static final int MAX_TRANSFER_SHIFT = 18;
    private static final int CAPSULE_UNIT = 16;

    /** Writes the structure of a controller for I/O into a buffer of zeros. */
    public void put(ByteBuffer b) {
        putCommon(b);
        b.put(MULTIPATH_OFFSET, (byte) SEVERAL_CONTROLLERS);
        b.put(TYPE_OFFSET, IO_CONTROLLER);
        b.put(ABORT_LIMIT_OFFSET, (byte) (EVENT_REQUESTS - 1));
        // Smallest and largest sizes of queue entries, as powers of two.
        b.put(SUBMISSION_ENTRY_OFFSET, (byte) 0x66);
        b.put(COMPLETION_ENTRY_OFFSET, (byte) 0x44);
        b.putInt(NAMESPACES_OFFSET, namespaces);
        b.putShort(OPTIONAL_COMMANDS_OFFSET, (short) WRITE_ZEROES);
        b.put(WRITE_CACHE_OFFSET, (byte) 1);
        b.putInt(COMMAND_CAPSULE_OFFSET, (Command.LENGTH + inCapsule) / CAPSULE_UNIT);
        b.putInt(RESPONSE_CAPSULE_OFFSET, Response.LENGTH / CAPSULE_UNIT);
        b.put(DESCRIPTOR_COUNT_OFFSET, (byte) 1);
        b.put(LOG_ATTRIBUTES_OFFSET, (byte) (EFFECTS_LOG | LONG_LOG_PAGES));
    }

    /** Writes the structure of a discovery controller into a buffer of zeros. Source: NVMe over Fabrics 1.1 §5.2, figure 33. */
    public void putDiscovery(ByteBuffer b) {
        putCommon(b);
        b.put(TYPE_OFFSET, DISCOVERY_CONTROLLER);
        b.put(LOG_ATTRIBUTES_OFFSET, (byte) LONG_LOG_PAGES);
    }

    private void putCommon(ByteBuffer b) {
        text(b, SERIAL_OFFSET, SERIAL_LENGTH, serial);
        text(b, MODEL_OFFSET, MODEL_LENGTH, MODEL);
        text(b, FIRMWARE_OFFSET, FIRMWARE_LENGTH, FIRMWARE);
        b.put(LARGEST_TRANSFER_OFFSET, (byte) Integer.numberOfTrailingZeros(largestTransfer / PAGE));
        b.putShort(CONTROLLER_OFFSET, (short) controller);
        b.putInt(VERSION_OFFSET, ControllerProperty.VERSION_1_3);
        b.putInt(ATTRIBUTES_OFFSET, ANY_COMMAND_KEEPS_ALIVE);
        b.put(EVENT_LIMIT_OFFSET, (byte) (EVENT_REQUESTS - 1));
        b.putShort(KEEP_ALIVE_OFFSET, (short) KEEP_ALIVE_UNIT);
        b.putShort(COMMANDS_OFFSET, (short) entries);
        b.putInt(DESCRIPTORS_OFFSET, DESCRIPTORS);
        b.put(SUBSYSTEM_OFFSET, subsystem.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes ASCII text with trailing blanks. */
    static void text(ByteBuffer b, int at, int length, String text) {
        for (int i = 0; i < length; i++) {
            b.put(at + i, (byte) (i < text.length() ? text.charAt(i) : ' '));
        }
    }

    /** Model, without trailing blanks. */
    public static String model(ByteBuffer b) {
        return text(b, MODEL_OFFSET, MODEL_LENGTH);
    }

    /** Serial number, without trailing blanks. */
    public static String serial(ByteBuffer b) {
        return text(b, SERIAL_OFFSET, SERIAL_LENGTH);
    }

    private static String text(ByteBuffer b, int at, int length) {
        byte[] bytes = new byte[length];
        b.get(at, bytes);
        return new String(bytes, StandardCharsets.US_ASCII).stripTrailing();
    }

    /** Bytes of data of a command at most, for pages of 4 KiB. */
    public static int largestTransfer(ByteBuffer b) {
        int shift = b.get(LARGEST_TRANSFER_OFFSET) & 0xff;
        return shift == 0 || shift > MAX_TRANSFER_SHIFT ? Integer.MAX_VALUE : PAGE << shift;
    }

    /** Whether the controller takes keyed descriptors. */
    public static boolean hasKeyedDescriptors(ByteBuffer b) {
        return (b.getInt(DESCRIPTORS_OFFSET) & KEYED_DESCRIPTORS) != 0;
    }
}
