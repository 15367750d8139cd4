// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamSink;
import org.softrdma.wire.net.Tcp;

/** A stream whose bytes are written to a {@link StreamCapture}, as segments of a TCP connection with beginning and end. */
final class CapturedStream implements ByteStream {
    private final ByteStream stream;
    private final StreamCapture capture;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final boolean initiated;
    private final CapturedSink sink = new CapturedSink();
    private boolean begun;
    /** Sequence numbers of the next bytes, u32. */
    private int sent;
    private int received;
    private boolean outputEnded;
    private boolean inputEnded;
    private boolean reset;

    CapturedStream(ByteStream stream, StreamCapture capture, InetSocketAddress local, InetSocketAddress remote, boolean initiated) {
        this.stream = stream;
        this.capture = capture;
        this.local = local;
        this.remote = remote;
        this.initiated = initiated;
    }

    // ---- segments ----

    private void begin() {
        begun = true;
        InetSocketAddress initiator = initiated ? local : remote;
        InetSocketAddress responder = initiated ? remote : local;
        capture.write(initiator, responder, 0, 0, Tcp.SYN, null, 0, 0);
        capture.write(responder, initiator, 0, 1, Tcp.SYN | Tcp.ACK, null, 0, 0);
        capture.write(initiator, responder, 1, 1, Tcp.ACK, null, 0, 0);
        sent = 1;
        received = 1;
    }

    private void writeSent(int flags, ByteBuffer payload, int offset, int length) {
        capture.write(local, remote, sent, received, flags | Tcp.ACK, payload, offset, length);
        sent += length;
    }

    private void writeReceived(int flags, ByteBuffer payload, int offset, int length) {
        capture.write(remote, local, received, sent, flags | Tcp.ACK, payload, offset, length);
        received += length;
    }

    private void onSent(ByteBuffer b, int from, int to) {
        for (int at = from; at < to; at += StreamCapture.MOST_BYTES) {
            writeSent(Tcp.PSH, b, at, Math.min(to - at, StreamCapture.MOST_BYTES));
        }
    }

    private void onReceived(ByteBuffer b, int from, int to) {
        for (int at = from; at < to; at += StreamCapture.MOST_BYTES) {
            writeReceived(Tcp.PSH, b, at, Math.min(to - at, StreamCapture.MOST_BYTES));
        }
    }

    private void endOutput() {
        if (!outputEnded) {
            outputEnded = true;
            writeSent(Tcp.FIN, null, 0, 0);
            sent++;
        }
    }

    // ---- the stream ----

    @Override
    public void listener(Listener listener) {
        if (!begun) {
            begin();
        }
        stream.listener(listener);
    }

    @Override
    public boolean poll(StreamSink to) {
        sink.next = to;
        boolean over = stream.poll(sink);
        if (over && !inputEnded) {
            inputEnded = true;
            writeReceived(Tcp.FIN, null, 0, 0);
            received++;
        }
        return over;
    }

    @Override
    public int emss() {
        return stream.emss();
    }

    @Override
    public void send(StreamBuffer from) {
        int start = from.start();
        int waiting = from.length();
        stream.send(from);
        int taken = waiting - from.length();
        if (taken > 0 && !outputEnded && !inputEnded && !reset) {
            // Bytes that were taken stay in the buffer until it is written again.
            onSent(from.bytes(), start, start + taken);
        }
    }

    @Override
    public void close() {
        stream.close();
        endOutput();
    }

    @Override
    public void abort() {
        stream.abort();
        if (reset) {
            return;
        }
        reset = true;
        if (inputEnded) {
            endOutput();
        } else {
            writeSent(Tcp.RST, null, 0, 0);
        }
    }

    /** Sink between the stream and the one that polls. */
    private final class CapturedSink implements StreamSink {
        private StreamSink next;

        @Override
        public boolean onBytes(ByteBuffer b, MemorySegment memory, int from, int to) {
            onReceived(b, from, to);
            return next.onBytes(b, memory, from, to);
        }

        @Override
        public int pendingBytes() {
            return next.pendingBytes();
        }

        @Override
        public MemorySegment pendingBuffer() {
            return next.pendingBuffer();
        }

        @Override
        public int pendingOffset() {
            return next.pendingOffset();
        }

        @Override
        public void onFilled(int count) {
            int from = next.pendingOffset();
            onReceived(next.pendingBuffer().asByteBuffer(), from, from + count);
            next.onFilled(count);
        }
    }
}
