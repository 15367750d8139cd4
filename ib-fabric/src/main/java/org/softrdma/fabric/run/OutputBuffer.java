// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Bytes that wait to be written to a channel. */
final class OutputBuffer {
    /** Written from 0 to its position, read by the channel from its beginning. */
    private final ByteBuffer bytes;

    OutputBuffer(int capacity) {
        bytes = ByteBuffer.allocateDirect(capacity);
    }

    boolean isEmpty() {
        return bytes.position() == 0;
    }

    /** Bytes that still fit. */
    int room() {
        return bytes.remaining();
    }

    /**
     * Adds bytes.
     *
     * @return false if they do not fit; nothing was added
     */
    boolean add(ByteBuffer from, int at, int length) {
        if (length > bytes.remaining()) {
            return false;
        }
        bytes.put(bytes.position(), from, at, length);
        bytes.position(bytes.position() + length);
        return true;
    }

    /** Writes as much as the channel takes. */
    void writeTo(WritableByteChannel channel) throws IOException {
        bytes.flip();
        try {
            channel.write(bytes);
        } finally {
            bytes.compact();
        }
    }
}
