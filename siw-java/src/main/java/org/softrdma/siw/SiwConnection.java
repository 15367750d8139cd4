// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.siw.tcp.ByteStream;

/**
 * A queue pair and its stream. Lives from the end of the set-up until both directions of the stream have ended, or have been given up: when
 * the queue pair is done, what it has written goes out, the stream is closed, and the peer has a while to close it, too.
 */
final class SiwConnection extends StreamUser {
    private static final long NEVER = DeadlineHeap.NEVER;

    /** So long a finished stream may take to end by itself. */
    static final long LINGER_NS = 2_000_000_000L;
    /** Frames wait here while the stream takes no more. Full, the queue pair stops sending until there is room. */
    static final int SEND_BUFFER_BYTES = 1 << 18;

    /** So often the buffer is emptied in one turn; then others have theirs. */
    static final int MOST_FILLS = 8;

    private final SiwEngine engine;
    private final SiwMachine qp;
    private final ByteStream stream;
    private final Runnable onOver;
    /** Frames that the stream has not taken; null if there are none. */
    private StreamBuffer out;
    /** When the stream is given up, or {@link DeadlineHeap#NEVER}. */
    private long abortNs = NEVER;
    private boolean closed;
    private boolean over;
    private boolean overTold;

    /** The engine's mark: waits in its queue of connections with something to send. */
    boolean active;

    SiwConnection(SiwEngine engine, SiwMachine qp, ByteStream stream, Runnable agentDoorbell, Runnable onOver) {
        super(engine, agentDoorbell);
        this.engine = engine;
        this.qp = qp;
        this.stream = stream;
        this.onOver = onOver;
    }

    SiwMachine qp() {
        return qp;
    }

    @Override
    public void onReady() {
        if (over) {
            return;
        }
        try {
            if (stream.poll(qp.reader())) {
                qp.onEnd();
                abort();
            }
            engine.touched(this);
        } catch (RuntimeException | InternalError broken) {
            engine.onBroken(qp, this, broken);
        }
    }

    private void tellOver() {
        if (!overTold) {
            overTold = true;
            onOver.run();
        }
    }

    /** Writes frames and hands them to the stream, until neither goes on. @return frames written */
    int transmit(long nowNs) {
        if (over) {
            return 0;
        }
        if (out == null) {
            out = engine.sendBuffers().take();
        }
        int frames = 0;
        boolean goesOn = true;
        for (int fills = 0; goesOn && fills < MOST_FILLS; fills++) {
            frames += qp.transmit(nowNs, out);
            int full = out.length();
            stream.send(out);
            goesOn = qp.isBlocked() && out.length() < full;
        }
        if (out.isEmpty()) {
            giveBuffer();
        }
        if (goesOn) {
            // There is room already: nobody will tell of it.
            engine.touched(this);
        }
        if (qp.isFinished() && !over) {
            finish(nowNs);
        }
        return frames;
    }

    private void giveBuffer() {
        engine.sendBuffers().giveBack(out);
        out = null;
    }

    private void finish(long nowNs) {
        if (abortNs == NEVER) {
            abortNs = nowNs + LINGER_NS;
        }
        if (out == null && !closed) {
            closed = true;
            stream.close();
        }
        tellOver();
    }

    /** Nothing more will happen here. */
    boolean isOver() {
        return over;
    }

    /** The stream is of no use any more: the peer is gone, or will not end it, and nobody reads what was still to be said. */
    void abort() {
        if (!over) {
            over = true;
            engine.detached(this);
            qp.onStreamGone();
        }
        if (out != null) {
            giveBuffer();
        }
        stream.abort();
        tellOver();
    }

    @Override
    public long deadlineNs() {
        return over ? NEVER : Math.min(qp.deadlineNs(), abortNs);
    }

    @Override
    public void onTimer(long nowNs) {
        if (abortNs <= nowNs) {
            abort();
        } else {
            qp.onTimer(nowNs);
        }
    }
}
