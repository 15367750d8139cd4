// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Errno;

/** Sends and receives one transfer at a time, as the options demand. With verification, byte n of a direction has the value n. */
final class Transfer {
    private final RStreamOptions options;
    private final StreamKind kind;
    private final Console console;
    private final ByteBuffer buffer;
    private byte nextSent;
    private byte nextReceived;
    private long verifiedBytes;

    /** @param capacity bytes of the largest transfer */
    Transfer(RStreamOptions options, StreamKind kind, Console console, int capacity) {
        this.options = options;
        this.kind = kind;
        this.console = console;
        try {
            buffer = ByteBuffer.allocateDirect(capacity);
        } catch (OutOfMemoryError tooLarge) {
            throw new ToolFailure(RStream.FAILED, "malloc: " + Errno.ENOMEM.text() + "\nfor transfers of " + capacity + " bytes; "
                + "-XX:MaxDirectMemorySize in SOFTRDMA_JAVA_OPTS allows more");
        }
    }

    void send(ByteChannel stream, int bytes) {
        buffer.clear().limit(bytes);
        if (options.verify) {
            for (int i = 0; i < bytes; i++) {
                buffer.put(i, nextSent++);
            }
        }
        try {
            while (buffer.hasRemaining()) {
                if (options.async) {
                    kind.awaitWritable(stream);
                }
                stream.write(buffer);
            }
        } catch (IOException failure) {
            throw failed("rsend", failure);
        }
    }

    void receive(ByteChannel stream, int bytes) {
        buffer.clear().limit(bytes);
        try {
            while (buffer.hasRemaining()) {
                if (options.async) {
                    kind.awaitReadable(stream);
                }
                if (stream.read(buffer) < 0) {
                    throw new ToolFailure("rrecv: the peer closed the stream, " + buffer.remaining() + " of " + bytes
                        + " bytes before the end of a transfer");
                }
            }
        } catch (IOException failure) {
            throw failed("rrecv", failure);
        }
        if (options.verify) {
            verify(bytes);
        }
    }

    private void verify(int bytes) {
        for (int i = 0; i < bytes; i++, verifiedBytes++) {
            if (buffer.get(i) != nextReceived++) {
                console.print("data verification failed byte " + verifiedBytes + "\n");
                throw ToolFailure.silent(RStream.FAILED);
            }
        }
    }

    private ToolFailure failed(String call, IOException failure) {
        return new ToolFailure(RStream.FAILED, call + ": " + kind.text(failure) + "\n" + failure.getMessage());
    }
}
