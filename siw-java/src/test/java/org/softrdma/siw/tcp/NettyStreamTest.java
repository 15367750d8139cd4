// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamSink;

/** The queue between Netty's event loop and the owner, without a socket. */
class NettyStreamTest {
    private final NettyStream stream = new NettyStream(1448);
    private final EmbeddedChannel channel = new EmbeddedChannel(stream);
    private final Taker taker = new Taker();
    private int rings;

    private static final class Taker implements StreamSink {
        int bytes;
        int ends;
        /** Number of pieces after which another sink takes over. */
        int wanted = Integer.MAX_VALUE;

        void poll(NettyStream stream) {
            ends += stream.poll(this) ? 1 : 0;
        }

        @Override
        public boolean onBytes(ByteBuffer b, MemorySegment memory, int from, int to) {
            for (int i = from; i < to; i++) {
                assertEquals((byte) bytes++, b.get(i));
            }
            assertEquals(-1, MemorySegment.ofBuffer(b).mismatch(memory));
            return --wanted > 0;
        }
    }

    /** Counts what the event loop reports. */
    private final class Rings implements ByteStream.Listener {
        @Override
        public void onReady() {
            throw new AssertionError("reported outside a round of the owner's");
        }

        @Override
        public void ring() {
            rings++;
        }
    }

    private static ByteBuf piece(int from, int length) {
        ByteBuf piece = Unpooled.directBuffer(length);
        for (int i = 0; i < length; i++) {
            piece.writeByte(from + i);
        }
        return piece;
    }

    /** Holds back written bytes, as a full socket does. */
    private static final class Full extends ChannelOutboundHandlerAdapter {
        ByteBuf written;
        ChannelPromise promise;

        @Override
        public void write(ChannelHandlerContext context, Object bytes, ChannelPromise whenWritten) {
            assertNull(promise, "one piece at a time");
            written = (ByteBuf) bytes;
            promise = whenWritten;
        }

        void write() {
            written.release();
            ChannelPromise done = promise;
            promise = null;
            done.setSuccess();
        }
    }

    @Test
    void shouldSendOnWhenTheEventLoopHasWritten() {
        Full full = new Full();
        channel.pipeline().addFirst(full);
        stream.listener(new Rings());
        StreamBuffer out = new StreamBuffer(1 << 20);
        out.wrote(1 << 20);
        stream.send(out);
        int taken = full.written.readableBytes();
        assertTrue(taken > 0 && taken < 1 << 20);
        assertEquals((1 << 20) - taken, out.length());

        stream.send(out);
        assertEquals((1 << 20) - taken, out.length());
        assertEquals(0, rings);

        full.write();
        assertEquals(1, rings);
        stream.send(out);
        assertTrue(out.length() < (1 << 20) - taken);
        full.write();
    }

    /** A peer that sends without pause gets one bounded turn. */
    @Test
    void shouldTakeNoMoreThanATurn() {
        stream.listener(new Rings());
        int pieces = NettyStream.TURN_BYTES / 1024 + 8;
        for (int i = 0; i < pieces; i++) {
            channel.writeInbound(piece(i * 1024, 1024));
        }
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        rings = 0;
        taker.poll(stream);
        assertEquals(NettyStream.TURN_BYTES, taker.bytes);
        assertEquals(1, rings, "there is more");
        assertEquals(0, taker.ends);
        taker.poll(stream);
        assertEquals(pieces * 1024, taker.bytes);
        assertEquals(1, taker.ends);
    }

    @Test
    void shouldTakeEverythingOnceNothingGoesOutAnyMore() {
        Full full = new Full();
        channel.pipeline().addFirst(full);
        StreamBuffer out = new StreamBuffer(1 << 20);
        out.wrote(1 << 20);
        stream.send(out);
        full.written.release();
        full.promise.setFailure(new IOException("connection reset"));
        channel.writeInbound(piece(0, 100));
        stream.send(out);
        assertTrue(out.isEmpty());
        taker.poll(stream);
        assertEquals(100, taker.bytes, "the last bytes of the peer");
    }

    @Test
    void shouldStopReadingWhenTooMuchWaits() {
        stream.listener(new Rings());
        int given = 0;
        while (channel.config().isAutoRead()) {
            channel.writeInbound(piece(given, 1 << 16));
            given += 1 << 16;
            assertTrue(given <= NettyStream.MAX_WAITING + (1 << 16));
        }
        assertTrue(given > NettyStream.MAX_WAITING);
        assertTrue(rings > 0);
        taker.poll(stream);
        assertEquals(given, taker.bytes);
        assertTrue(channel.config().isAutoRead());
    }

    @Test
    void shouldTellTheEndOnceAndBehindTheBytes() {
        channel.writeInbound(piece(0, 100));
        channel.close();
        taker.poll(stream);
        assertEquals(100, taker.bytes);
        assertEquals(1, taker.ends);
        taker.poll(stream);
        assertEquals(1, taker.ends);
    }

    /** After a handshake, undelivered bytes and the end of the stream are kept for the connection. */
    @Test
    void shouldKeepTheRestForTheNextSink() {
        channel.writeInbound(piece(0, 100), piece(100, 100));
        channel.close();
        taker.wanted = 1;
        taker.poll(stream);
        assertEquals(100, taker.bytes);
        assertEquals(0, taker.ends);
        taker.wanted = Integer.MAX_VALUE;
        taker.poll(stream);
        assertEquals(200, taker.bytes);
        assertEquals(1, taker.ends);
    }

    /** The owner aborts on its thread while bytes arrive on the event loop's thread: those bytes are released. */
    @Test
    void shouldReleaseBytesThatArriveDuringAnAbort() {
        ByteBuf late = new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 10, 10) {
            @Override
            public boolean isReadable() {
                stream.abort();
                return super.isReadable();
            }
        };
        late.writeZero(10);
        stream.channelRead(null, late);
        assertEquals(0, late.refCnt());
    }

    @Test
    void shouldForgetEverythingWhenAborted() {
        ByteBuf waiting = piece(0, 10);
        channel.writeInbound(waiting);
        stream.abort();
        assertEquals(0, waiting.refCnt());
        assertFalse(channel.isOpen());
        taker.poll(stream);
        assertEquals(0, taker.bytes + taker.ends);
        StreamBuffer out = new StreamBuffer(10);
        out.wrote(10);
        stream.send(out);
        assertTrue(out.isEmpty());
    }
}
