// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Streams over the host's TCP sockets. */
final class TcpStreams implements StreamKind {
    private static final int DEFAULT_BUFFER = 1 << 19;

    private final RStreamOptions options;
    private final Selector selector;
    private ServerSocketChannel listener;

    TcpStreams(RStreamOptions options) throws IOException {
        this.options = options;
        selector = Selector.open();
    }

    @Override
    public void listen(InetSocketAddress at) throws IOException {
        listener = ServerSocketChannel.open();
        listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        listener.bind(at, 1);
    }

    @Override
    public ByteChannel accept(Optimization optimization) throws IOException {
        return prepared(listener.accept());
    }

    @Override
    public ByteChannel connect(InetSocketAddress source, InetSocketAddress destination, Optimization optimization) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            if (source != null) {
                channel.bind(source);
            }
            channel.connect(destination);
            return prepared(channel);
        } catch (IOException refused) {
            channel.close();
            throw refused;
        }
    }

    private SocketChannel prepared(SocketChannel channel) throws IOException {
        int buffer = options.bufferBytes == 0 ? DEFAULT_BUFFER : options.bufferBytes;
        for (SocketOption<Integer> each : List.of(StandardSocketOptions.SO_SNDBUF, StandardSocketOptions.SO_RCVBUF)) {
            channel.setOption(each, buffer);
        }
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, options.keepAliveSeconds != 0);
        channel.configureBlocking(options.blocking);
        return channel;
    }

    @Override
    public void awaitReadable(ByteChannel stream) throws IOException {
        await((SocketChannel) stream, SelectionKey.OP_READ);
    }

    @Override
    public void awaitWritable(ByteChannel stream) throws IOException {
        await((SocketChannel) stream, SelectionKey.OP_WRITE);
    }

    /** Waits for a stream that does not block; a blocking one waits in its read or write. */
    private void await(SocketChannel stream, int operation) throws IOException {
        if (!stream.isBlocking()) {
            stream.register(selector, operation);
            selector.select();
            selector.selectedKeys().clear();
        }
    }

    @Override
    public String text(IOException failure) {
        return failure.getMessage();
    }

    @Override
    public void close() throws IOException {
        selector.close();
        if (listener != null) {
            listener.close();
        }
    }
}
