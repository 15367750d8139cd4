// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.io.IOException;

/** Carries the messages by which the ends agree on a test. Each is sent in one piece, since the original reads each with one call. */
interface ControlChannel extends AutoCloseable {
    /** Sends a message of at most {@link Keys#TEXT_BYTES} bytes. */
    void write(byte[] message) throws IOException;

    /**
     * Receives a message.
     *
     * @throws IOException also if the peer sends fewer than {@code bytes}, or, where messages have a length, another number
     */
    byte[] read(int bytes) throws IOException;

    /** Notifies the peer that this end sends no more messages. */
    void writeDone() throws IOException;

    /** Whether {@link Keys} travel as text, not as a structure. */
    boolean isText();

    @Override
    void close();
}
