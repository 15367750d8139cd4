// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import org.softrdma.rsocket.PollEvents;
import org.softrdma.rsocket.RServerSocketChannel;
import org.softrdma.rsocket.RSocketChannel;
import org.softrdma.rsocket.RSocketException;
import org.softrdma.rsocket.RSocketOptions;

/** Streams over rsockets. */
final class RdmaStreams implements StreamKind {
    private static final int DEFAULT_BUFFER = 1 << 19;
    private static final int MAX_INLINE = 0xfffe;
    private static final long FOR_EVER = -1;

    private final RStreamOptions options;
    private RServerSocketChannel listener;

    RdmaStreams(RStreamOptions options) {
        this.options = options;
    }

    /** Options of a connection. A buffer is twice the requested size, as with rsetsockopt. */
    private RSocketOptions socketOptions(Optimization optimization) {
        long asked = 2L * (options.bufferBytes == 0 ? DEFAULT_BUFFER : options.bufferBytes);
        int buffer = Math.clamp(asked, RSocketOptions.MIN_BUFFER, RSocketOptions.MAX_BUFFER);
        RSocketOptions all = RSocketOptions.DEFAULT.withBuffers(buffer, buffer).withKeepAlive(Math.max(0, options.keepAliveSeconds));
        return switch (optimization) {
            case MIXED -> all;
            case LATENCY -> all.withInline(Math.clamp(options.inlineBytes, 0, MAX_INLINE));
            case BANDWIDTH -> all.withInline(0);
        };
    }

    @Override
    public void listen(InetSocketAddress at) throws IOException {
        listener = RServerSocketChannel.open(socketOptions(Optimization.MIXED));
        listener.bind(at);
        listener.listen(1);
    }

    @Override
    public ByteChannel accept(Optimization optimization) throws IOException {
        listener.options(socketOptions(optimization));
        RSocketChannel accepted = listener.accept();
        accepted.configureBlocking(options.blocking);
        return accepted;
    }

    @Override
    public ByteChannel connect(InetSocketAddress source, InetSocketAddress destination, Optimization optimization) throws IOException {
        RSocketChannel channel = RSocketChannel.open(socketOptions(optimization));
        try {
            if (source != null) {
                channel.bind(source);
            }
            channel.connect(destination);
        } catch (IOException refused) {
            channel.close();
            throw refused;
        }
        channel.configureBlocking(options.blocking);
        return channel;
    }

    @Override
    public void awaitReadable(ByteChannel stream) throws IOException {
        ((RSocketChannel) stream).poll(PollEvents.IN, FOR_EVER);
    }

    @Override
    public void awaitWritable(ByteChannel stream) throws IOException {
        ((RSocketChannel) stream).poll(PollEvents.OUT, FOR_EVER);
    }

    @Override
    public String text(IOException failure) {
        return failure instanceof RSocketException named ? named.errno().text() : failure.getMessage();
    }

    @Override
    public void close() {
        if (listener != null) {
            listener.close();
        }
    }
}
