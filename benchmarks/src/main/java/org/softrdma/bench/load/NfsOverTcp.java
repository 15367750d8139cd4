// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Calls over TCP, in records of one fragment; the server answers them in order. */
final class NfsOverTcp implements NfsCalls.Transport {
    private static final int HEADERS = 8192;
    private static final int LAST_FRAGMENT = 0x80000000;

    private final NfsMessages messages;
    private final SocketChannel channel;
    private final ByteBuffer mark = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ByteBuffer data;
    private final ByteBuffer reply;

    NfsOverTcp(InetSocketAddress server, NfsMessages messages, int largest) throws IOException {
        this.messages = messages;
        channel = SocketChannel.open(server);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        data = ByteBuffer.allocateDirect(largest);
        reply = ByteBuffer.allocateDirect(largest + HEADERS);
    }

    @Override
    public void send(int slot, long offset, int size) throws IOException {
        ByteBuffer call = messages.call(offset, size);
        data.clear().limit(messages.reads() ? 0 : size);
        mark.clear().putInt(LAST_FRAGMENT | call.remaining() + data.remaining()).flip();
        ByteBuffer[] record = {mark, call, data};
        while (mark.hasRemaining() || call.hasRemaining() || data.hasRemaining()) {
            channel.write(record);
        }
    }

    @Override
    public void await(int slot) throws IOException {
        read(mark.clear());
        read(reply.clear().limit(mark.getInt(0) & ~LAST_FRAGMENT));
        NfsMessages.check(reply);
    }

    private void read(ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (channel.read(into) < 0) {
                throw new EOFException("the server has closed the connection");
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
