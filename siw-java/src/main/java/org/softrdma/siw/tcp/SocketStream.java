// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import org.softrdma.linux.SocketSet;
import org.softrdma.linux.TcpSocket;
import org.softrdma.siw.mpa.StreamBuffer;

/** A TCP connection whose socket the owner reads and writes. There is no other thread: what is not read yet is TCP's to keep. */
final class SocketStream implements ByteStream, SocketSet.Watcher {
    /** So much is read in one turn; then others have theirs. */
    private static final int TURN_BYTES = 1 << 20;

    /** Read together with the end of a long frame: the next one's headers, which tell how long that is. */
    private static final int BEHIND_A_FRAME = 64;

    private final SocketStreams streams;
    private final TcpSocket socket;
    private Runnable ready;
    /** There may be something to read, which nobody will tell again. */
    private boolean readable;
    /** The peer sends no more: what is there can be read to its end. */
    private boolean ended;
    /** There is no room, and we will be told when there is. */
    private boolean full;
    /** Nothing goes out any more. */
    private boolean broken;
    private boolean dead;

    SocketStream(SocketStreams streams, TcpSocket socket) {
        this.streams = streams;
        this.socket = socket;
    }

    @Override
    public void onReady(Runnable whenReady) {
        boolean isNew = ready == null;
        ready = whenReady;
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
            ready.run();
        }
    }

    @Override
    public void poll(Sink sink) {
        int taken = 0;
        while (readable && !dead) {
            if (taken >= TURN_BYTES) {
                ready.run();
                return;
            }
            int missing = sink.missing();
            int wanted = missing > 0 ? missing + BEHIND_A_FRAME : streams.bytes().capacity();
            int count = missing > 0 ? readTo(sink, missing) : socket.read(streams.memory().address(), wanted);
            if (count > 0) {
                taken += count;
                // Less than asked for is all there was.
                readable = count == wanted || ended;
                deliver(sink, count, missing);
            } else {
                readable = false;
                if (count == TcpSocket.OVER) {
                    sink.onEnd();
                    abort();
                }
            }
        }
    }

    private int readTo(Sink sink, int missing) {
        return socket.read(sink.landing().address() + sink.landingOffset(), missing, streams.memory().address(), BEHIND_A_FRAME);
    }

    private void deliver(Sink sink, int count, int missing) {
        int landed = Math.min(count, missing);
        if (landed > 0) {
            sink.onLanded(landed);
        }
        if (count > landed && !dead) {
            sink.onBytes(streams.bytes(), streams.memory(), 0, count - landed);
        }
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
                // Reading tells of it, too, behind what the peer has said last.
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
