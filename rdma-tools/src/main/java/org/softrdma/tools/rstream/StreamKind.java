// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;

/** Kind of byte streams that can be tested. */
interface StreamKind extends AutoCloseable {
    void listen(InetSocketAddress at) throws IOException;

    /**
     * Accepts a connection.
     *
     * @param optimization of the connections that are made from now on
     */
    ByteChannel accept(Optimization optimization) throws IOException;

    /**
     * Connects to a server.
     *
     * @param source local address; null for any
     */
    ByteChannel connect(InetSocketAddress source, InetSocketAddress destination, Optimization optimization) throws IOException;

    /** Waits until a read would not return 0, or the stream has ended. */
    void awaitReadable(ByteChannel stream) throws IOException;

    /** Waits until a write would not return 0, or the stream has ended. */
    void awaitWritable(ByteChannel stream) throws IOException;

    /** @return the text that {@code perror} prints */
    String text(IOException failure);

    /** Stops listening. */
    @Override
    void close() throws IOException;

    /** Use of a connection, which decides how many bytes are sent inline. */
    enum Optimization { MIXED, LATENCY, BANDWIDTH }
}
