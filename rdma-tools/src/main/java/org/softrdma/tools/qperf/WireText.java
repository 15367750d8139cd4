// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A text in a message: 64 bytes, the rest of them 0. */
final class WireText {
    static final int BYTES = Parameter.TEXT_BYTES;

    private WireText() {
    }

    /** The text before the first 0, or all 64 bytes; characters that could be terminal commands are replaced by dots. */
    static String read(ByteBuffer from, int offset) {
        int length = 0;
        while (length < BYTES && from.get(offset + length) != 0) {
            length++;
        }
        byte[] bytes = new byte[length];
        from.get(offset, bytes);
        return printable(new String(bytes, StandardCharsets.UTF_8));
    }

    /** Writes a text, cut to its maximum length. */
    static void write(ByteBuffer into, int offset, String text) {
        into.put(offset, Arrays.copyOf(Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), BYTES - 1), BYTES));
    }

    /** Of a peer's text: control characters but the end of a line are dots. */
    static String printable(String text) {
        return text.replaceAll("[\\p{Cntrl}&&[^\n]]", ".");
    }
}
