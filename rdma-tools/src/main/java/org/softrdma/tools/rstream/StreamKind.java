// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;

/** What the test needs of streams. */
interface StreamKind extends AutoCloseable {
    void listen(InetSocketAddress at) throws IOException;

    /** @param optimization of the connections that are made from now on */
    ByteChannel accept(Optimization optimization) throws IOException;

    /** @param source null for any */
    ByteChannel connect(InetSocketAddress source, InetSocketAddress destination, Optimization optimization) throws IOException;

    /** Waits until a read would not be 0, or the stream is over. */
    void awaitReadable(ByteChannel stream) throws IOException;

    /** Waits until a write would not be 0, or the stream is over. */
    void awaitWritable(ByteChannel stream) throws IOException;

    /** What {@code perror} says of it. */
    String text(IOException failure);

    /** Listens no more. */
    @Override
    void close() throws IOException;

    /** What a connection is to be good at: how much is sent inline. */
    enum Optimization { MIXED, LATENCY, BANDWIDTH }
}
