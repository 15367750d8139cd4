// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What stands between Netty and the owner, without a socket. */
class NettyStreamTest {
    private static final int HIGH = 1000;

    private final NettyStream stream = new NettyStream(1448);
    private final EmbeddedChannel channel = new EmbeddedChannel(stream);
    private final Taker taker = new Taker();
    private int rings;

    private static final class Taker implements ByteStream.Sink {
        int bytes;
        int ends;

        @Override
        public void onBytes(ByteBuffer b, MemorySegment memory, int from, int to) {
            for (int i = from; i < to; i++) {
                assertEquals((byte) bytes++, b.get(i));
            }
            assertEquals(-1, MemorySegment.ofBuffer(b).mismatch(memory));
        }

        @Override
        public void onEnd() {
            ends++;
        }
    }

    private static ByteBuf piece(int from, int length) {
        ByteBuf piece = Unpooled.directBuffer(length);
        for (int i = 0; i < length; i++) {
            piece.writeByte(from + i);
        }
        return piece;
    }

    /** A piece may fit once more as soon as it was written; whoever waited for room then would wait for ever. */
    @Test
    void shouldSendOnAsLongAsThereIsRoom() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(HIGH / 2, HIGH));
        StreamBuffer out = new StreamBuffer(10 * HIGH);
        out.wrote(10 * HIGH);
        stream.send(out);
        assertTrue(out.isEmpty());
        int sent = 0;
        for (ByteBuf each = channel.readOutbound(); each != null; each = channel.readOutbound()) {
            sent += each.readableBytes();
            each.release();
        }
        assertEquals(10 * HIGH, sent);
    }

    @Test
    void shouldStopReadingWhenTooMuchWaits() {
        stream.onReady(() -> rings++);
        int given = 0;
        while (channel.config().isAutoRead()) {
            channel.writeInbound(piece(given, 1 << 16));
            given += 1 << 16;
            assertTrue(given <= NettyStream.MAX_WAITING + (1 << 16));
        }
        assertTrue(given > NettyStream.MAX_WAITING);
        assertTrue(rings > 0);
        stream.poll(taker);
        assertEquals(given, taker.bytes);
        assertTrue(channel.config().isAutoRead());
    }

    @Test
    void shouldTellTheEndOnceAndBehindTheBytes() {
        channel.writeInbound(piece(0, 100));
        channel.close();
        stream.poll(taker);
        assertEquals(100, taker.bytes);
        assertEquals(1, taker.ends);
        stream.poll(taker);
        assertEquals(1, taker.ends);
    }

    @Test
    void shouldForgetEverythingWhenAborted() {
        ByteBuf waiting = piece(0, 10);
        channel.writeInbound(waiting);
        stream.abort();
        assertEquals(0, waiting.refCnt());
        assertFalse(channel.isOpen());
        stream.poll(taker);
        assertEquals(0, taker.bytes + taker.ends);
        StreamBuffer out = new StreamBuffer(10);
        out.wrote(10);
        stream.send(out);
        assertTrue(out.isEmpty());
    }
}
