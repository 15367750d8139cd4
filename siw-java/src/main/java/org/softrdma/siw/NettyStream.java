// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP connection of Netty's. Its event loop brings bytes and room, the owner takes and gives them. In between they wait in bounded
 * queues: what came in, up to {@link #MAX_WAITING} bytes and one read more, then nothing is read and TCP holds the peer back.
 */
final class NettyStream extends ChannelInboundHandlerAdapter implements ByteStream {
    /** More than that waits for the owner: reading stops. */
    static final int MAX_WAITING = 1 << 20;

    private final int emss;
    private final ConcurrentLinkedQueue<ByteBuf> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingBytes = new AtomicInteger();
    private volatile Channel channel;
    private volatile boolean ended;
    private volatile boolean dead;
    private volatile Runnable ready = () -> { };
    private boolean endTold;

    /** @param emss payload bytes of a full TCP segment */
    NettyStream(int emss) {
        this.emss = emss;
    }

    // ---- the event loop's side ----

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (dead || !bytes.isReadable()) {
            bytes.release();
            return;
        }
        int length = bytes.readableBytes();
        waiting.add(bytes);
        if (waitingBytes.addAndGet(length) > MAX_WAITING) {
            channel.config().setAutoRead(false);
            // The owner may have taken all of it in between, and would not look again.
            resumeIfTaken();
        }
        ready.run();
    }

    private void resumeIfTaken() {
        if (waitingBytes.get() <= MAX_WAITING / 2 && !channel.config().isAutoRead()) {
            channel.config().setAutoRead(true);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        ready.run();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended = true;
        ready.run();
    }

    /** The connection broke. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ended = true;
        context.close();
        ready.run();
    }

    // ---- the owner's side ----

    @Override
    public void onReady(Runnable whenReady) {
        ready = whenReady;
    }

    @Override
    public void poll(Sink sink) {
        // Read before the queue: what is in the queue then is all there will be.
        boolean last = ended;
        for (ByteBuf bytes = waiting.poll(); bytes != null; bytes = waiting.poll()) {
            try {
                int length = bytes.readableBytes();
                waitingBytes.addAndGet(-length);
                ByteBuffer b = bytes.nioBuffer();
                sink.onBytes(b, MemorySegment.ofBuffer(b), 0, length);
            } finally {
                bytes.release();
            }
        }
        resumeIfTaken();
        if (last && !endTold && !dead) {
            endTold = true;
            sink.onEnd();
        }
    }

    @Override
    public int emss() {
        return emss;
    }

    @Override
    public void send(StreamBuffer from) {
        if (dead || ended) {
            from.took(from.length());
            return;
        }
        // Until nothing is left, or nothing goes: the event loop writes meanwhile, and tells of room only after there was none.
        int count = room(from);
        while (count > 0) {
            ByteBuf bytes = channel.alloc().directBuffer(count);
            bytes.writeBytes(from.bytes().slice(from.start(), count));
            from.took(count);
            channel.writeAndFlush(bytes);
            count = room(from);
        }
    }

    private int room(StreamBuffer from) {
        return (int) Math.min(from.length(), channel.bytesBeforeUnwritable());
    }

    @Override
    public void close() {
        if (!dead) {
            // Behind everything written before.
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> ((DuplexChannel) channel).shutdownOutput());
        }
    }

    @Override
    public void abort() {
        dead = true;
        channel.close();
        for (ByteBuf bytes = waiting.poll(); bytes != null; bytes = waiting.poll()) {
            bytes.release();
        }
    }
}
