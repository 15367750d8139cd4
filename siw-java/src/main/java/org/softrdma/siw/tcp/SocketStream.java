// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import org.softrdma.linux.SocketSet;
import org.softrdma.linux.TcpSocket;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamSink;

/** A TCP connection whose socket the owner itself reads and writes, without another thread. TCP keeps the bytes that are not read yet. */
final class SocketStream implements ByteStream, SocketSet.Watcher {
    /** Bytes read in one turn at most, for fairness between connections. */
    private static final int TURN_BYTES = 1 << 20;

    /** Bytes read behind the end of a long frame: the next frame's headers, which contain its length. */
    private static final int BEHIND_A_FRAME = 64;

    private final SocketStreams streams;
    private final TcpSocket socket;
    private Listener listener;
    /** There may be something to read. Epoll is edge-triggered and does not report it again. */
    private boolean readable;
    /** The peer sends no more: what the system has can be read up to the end. */
    private boolean ended;
    /** The socket has no room; epoll reports when it has. */
    private boolean full;
    /** Writing failed: nothing more can be sent. */
    private boolean broken;
    private boolean dead;

    SocketStream(SocketStreams streams, TcpSocket socket) {
        this.streams = streams;
        this.socket = socket;
    }

    @Override
    public void listener(Listener to) {
        boolean isNew = listener == null;
        listener = to;
        if (isNew) {
            socket.watch(this);
        }
    }

    @Override
    public void onNews(boolean mayRead, boolean hasEnded, boolean mayWrite) {
        readable |= mayRead;
        ended |= hasEnded;
        if (mayRead || full && mayWrite) {
            full &= !mayWrite;
            listener.onReady();
        }
    }

    @Override
    public boolean poll(StreamSink sink) {
        int taken = 0;
        boolean wanted = true;
        while (wanted && readable && !dead) {
            if (taken >= TURN_BYTES) {
                listener.ring();
                return false;
            }
            int pending = sink.pendingBytes();
            int room = pending > 0 ? pending + BEHIND_A_FRAME : streams.bytes().capacity();
            int count = pending > 0 ? readPending(sink, pending) : socket.read(streams.memory().address(), room);
            if (count > 0) {
                taken += count;
                // A short read has taken everything.
                readable = count == room || ended;
                wanted = deliver(sink, count, pending);
            } else {
                readable = false;
                if (count == TcpSocket.OVER) {
                    abort();
                    return true;
                }
            }
        }
        return false;
    }

    private int readPending(StreamSink sink, int pending) {
        return socket.read(sink.pendingBuffer().address() + sink.pendingOffset(), pending, streams.memory().address(), BEHIND_A_FRAME);
    }

    /**
     * Hands over what was read.
     *
     * @return as {@link StreamSink#onBytes} does
     */
    private boolean deliver(StreamSink sink, int count, int pending) {
        int filled = Math.min(count, pending);
        if (filled > 0) {
            sink.onFilled(filled);
        }
        return count == filled || dead || sink.onBytes(streams.bytes(), streams.memory(), 0, count - filled);
    }

    @Override
    public int emss() {
        return Math.max(SMALLEST_EMSS, socket.segmentBytes());
    }

    @Override
    public void send(StreamBuffer from) {
        while (!from.isEmpty() && !full && !broken && !dead) {
            int count = socket.write(from.memory().address() + from.start(), from.length());
            if (count > 0) {
                from.took(count);
            } else {
                full = count == TcpSocket.NOT_NOW;
                // The end is reported by reading, behind the last bytes of the peer.
                broken = count == TcpSocket.OVER;
            }
        }
        if (broken || dead) {
            from.took(from.length());
        }
    }

    @Override
    public void close() {
        socket.endOutput();
    }

    @Override
    public void abort() {
        dead = true;
        socket.close();
    }
}
