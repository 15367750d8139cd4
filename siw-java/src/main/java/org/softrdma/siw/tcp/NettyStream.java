// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamSink;

/**
 * A TCP connection of Netty's, where the owner cannot read and write sockets itself. Netty's event loop reads into a bounded queue of
 * {@link #MAX_WAITING} bytes and one read more, which the owner empties; when the queue is full, reading stops and TCP's flow control
 * stops the peer. The event loop also writes, {@link #TO_WRITE} bytes at a time, and rings the listener when it has. Only the owner
 * closes the channel.
 */
final class NettyStream extends ChannelInboundHandlerAdapter implements ByteStream {
    /** Bytes in the queue above which the event loop stops reading. */
    static final int MAX_WAITING = 1 << 20;
    /** Bytes that one {@link #poll} delivers at most, plus the rest of a read, for fairness between connections. */
    static final int TURN_BYTES = 2 * MAX_WAITING;
    /** Bytes handed to the event loop for one write. */
    private static final int TO_WRITE = 1 << 18;

    /** Listener until one is set: ignores everything. */
    private static final Listener NOBODY = new Listener() {
        @Override
        public void onReady() {
        }

        @Override
        public void ring() {
        }
    };

    private final int guessedEmss;
    private final ConcurrentLinkedQueue<ByteBuf> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingBytes = new AtomicInteger();
    private volatile Channel channel;
    /** The event loop is writing bytes; later ones must wait. */
    private volatile boolean loopWrites;
    /** Writing failed: nothing more can be sent. */
    private volatile boolean broken;
    private volatile boolean ended;
    private volatile boolean dead;
    private volatile Listener listener = NOBODY;
    private final ChannelFutureListener whenWritten = written -> {
        broken |= !written.isSuccess();
        loopWrites = false;
        listener.ring();
    };

    /** @param guessedEmss payload bytes of a full TCP segment, an estimate: Netty does not tell */
    NettyStream(int guessedEmss) {
        this.guessedEmss = guessedEmss;
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
        if (dead) {
            // Aborted since the check above: the owner may not have seen these bytes in the queue.
            forgetWaiting();
            return;
        }
        if (waitingBytes.addAndGet(length) > MAX_WAITING) {
            channel.config().setAutoRead(false);
            // The owner may have emptied the queue in between, and would not resume reading itself.
            resumeIfTaken();
        }
        listener.ring();
    }

    private void resumeIfTaken() {
        if (waitingBytes.get() <= MAX_WAITING / 2 && !channel.config().isAutoRead()) {
            channel.config().setAutoRead(true);
        }
    }

    /** The peer has closed its side. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            ended = true;
            listener.ring();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended = true;
        listener.ring();
    }

    /** The connection broke. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ended = true;
        listener.ring();
    }

    // ---- the owner's side ----

    @Override
    public void listener(Listener to) {
        listener = to;
    }

    @Override
    public boolean poll(StreamSink sink) {
        // Read before the queue: if set, the queue holds everything there will be.
        boolean last = ended;
        int taken = 0;
        boolean wanted = true;
        for (ByteBuf bytes = waiting.poll(); bytes != null; bytes = wanted && taken < TURN_BYTES ? waiting.poll() : null) {
            try {
                int length = bytes.readableBytes();
                taken += length;
                waitingBytes.addAndGet(-length);
                ByteBuffer b = bytes.nioBuffer();
                wanted = sink.onBytes(b, MemorySegment.ofBuffer(b), 0, length);
            } finally {
                bytes.release();
            }
        }
        resumeIfTaken();
        if (taken >= TURN_BYTES) {
            // The event loop reads as fast as the owner takes.
            listener.ring();
            return false;
        }
        if (!wanted || !last || dead) {
            return false;
        }
        abort();
        return true;
    }

    @Override
    public int emss() {
        return guessedEmss;
    }

    @Override
    public void send(StreamBuffer from) {
        if (dead || ended || broken) {
            from.took(from.length());
        } else if (!loopWrites && !from.isEmpty()) {
            leaveToLoop(from);
        }
    }

    private void leaveToLoop(StreamBuffer from) {
        int count = Math.min(from.length(), TO_WRITE);
        ByteBuf bytes = channel.alloc().directBuffer(count);
        bytes.writeBytes(from.bytes().slice(from.start(), count));
        from.took(count);
        loopWrites = true;
        channel.writeAndFlush(bytes).addListener(whenWritten);
    }

    @Override
    public void close() {
        if (!dead) {
            // The empty write is completed behind everything written before.
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> ((DuplexChannel) channel).shutdownOutput());
        }
    }

    @Override
    public void abort() {
        dead = true;
        channel.close();
        forgetWaiting();
    }

    /** Releases all bytes in the queue. Called by the owner or the event loop. */
    private void forgetWaiting() {
        for (ByteBuf bytes = waiting.poll(); bytes != null; bytes = waiting.poll()) {
            bytes.release();
        }
    }
}
