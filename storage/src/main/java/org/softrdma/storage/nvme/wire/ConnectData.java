// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Data of a Connect, little-endian. Names end with a zero.
 *
 * <pre>
 *   0 | host identifier (16) |
 *  16 | controller (2) |
 * 256 | name of the subsystem (256) |
 * 512 | name of the host (256) |
 * </pre>
 *
 * Source: NVMe over Fabrics 1.1 §3.3, figure 20.
 */
public final class ConnectData {
    /** Bytes. */
    public static final int LENGTH = 1024;
    /** 16 bytes. */
    public static final int HOST_ID_OFFSET = 0;
    /** u16. */
    public static final int CONTROLLER_OFFSET = 16;
    /** 256 bytes. */
    public static final int SUBSYSTEM_OFFSET = 256;
    /** 256 bytes. */
    public static final int HOST_OFFSET = 512;
    /** Controller of an admin queue: the target assigns one. */
    public static final int ANY_CONTROLLER = 0xffff;
    /** Longest name, bytes without the zero. Source: NVMe 1.3 §7.9 */
    public static final int LONGEST_NAME = 223;

    private ConnectData() {
    }

    public static UUID hostId(ByteBuffer b) {
        return new UUID(Long.reverseBytes(b.getLong(HOST_ID_OFFSET)), Long.reverseBytes(b.getLong(HOST_ID_OFFSET + Long.BYTES)));
    }

    /** Controller, u16. */
    public static int controller(ByteBuffer b) {
        return b.getShort(CONTROLLER_OFFSET) & 0xffff;
    }

    /** @return null if the name is empty, has no end, or is too long */
    public static String subsystem(ByteBuffer b) {
        return name(b, SUBSYSTEM_OFFSET);
    }

    /** @return null if the name is empty, has no end, or is too long */
    public static String host(ByteBuffer b) {
        return name(b, HOST_OFFSET);
    }

    private static String name(ByteBuffer b, int at) {
        int length = 0;
        while (length <= LONGEST_NAME && b.get(at + length) != 0) {
            length++;
        }
        if (length == 0 || length > LONGEST_NAME) {
            return null;
        }
        byte[] bytes = new byte[length];
        b.get(at, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Writes the data of a Connect.
     *
     * @param subsystem 1..223 bytes
     * @param host      1..223 bytes
     */
    public static void put(ByteBuffer b, UUID hostId, int controller, String subsystem, String host) {
        for (int at = 0; at < LENGTH; at += Long.BYTES) {
            b.putLong(at, 0);
        }
        b.putLong(HOST_ID_OFFSET, Long.reverseBytes(hostId.getMostSignificantBits()));
        b.putLong(HOST_ID_OFFSET + Long.BYTES, Long.reverseBytes(hostId.getLeastSignificantBits()));
        b.putShort(CONTROLLER_OFFSET, (short) controller);
        b.put(SUBSYSTEM_OFFSET, subsystem.getBytes(StandardCharsets.UTF_8));
        b.put(HOST_OFFSET, host.getBytes(StandardCharsets.UTF_8));
    }
}
