// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.io.IOException;

/** Carries the messages by which the ends agree on a test. Each is sent in one piece: the original reads once and wants all of it. */
interface ControlChannel extends AutoCloseable {
    /** At most {@link Keys#TEXT_BYTES} bytes. */
    void write(byte[] message) throws IOException;

    /** @throws IOException also if fewer than {@code bytes} will come, or, where messages have a length, another number */
    byte[] read(int bytes) throws IOException;

    /** Tells the peer that this end has nothing more to say. */
    void writeDone() throws IOException;

    /** Whether {@link Keys} travel as text, not as a structure. */
    boolean isText();

    @Override
    void close();
}
