// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Byte strings for tests. */
public final class Bytes {
    /** Fill byte of emit tests' buffers, which no emitter writes by chance. */
    public static final byte FILL = (byte) 0xA5;

    private Bytes() {
    }

    /** Hexadecimal digits with any white space. */
    public static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
    }

    public static ByteBuffer buffer(String hex) {
        return ByteBuffer.wrap(hex(hex));
    }

    public static ByteBuffer filled(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, FILL);
        return ByteBuffer.wrap(bytes);
    }

    public static String text(ByteBuffer b, int at, int length) {
        byte[] bytes = new byte[length];
        b.get(at, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    public static String text(ByteBuffer b) {
        return text(b, 0, b.capacity());
    }
}
