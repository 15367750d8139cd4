// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.siw.tcp.ByteStream;

/**
 * A queue pair and its stream. Exists from the end of the set-up until both directions of the stream have ended or were aborted: when the
 * queue pair is finished, what it has written is sent, the stream is closed, and the peer has a limited time to close it, too.
 */
final class SiwConnection extends StreamUser {
    private static final long NEVER = Deadline.NEVER;

    /** How long a finished stream may linger before it is reset. */
    static final long LINGER_NS = 2_000_000_000L;
    /** Size of the buffer for frames that the stream has no room for. When it is full, the queue pair stops sending. */
    static final int SEND_BUFFER_BYTES = 1 << 18;

    /** Maximum buffer flushes per turn, for fairness between connections. */
    static final int MOST_FILLS = 8;

    private final SiwEngine engine;
    private final SiwMachine qp;
    private final ByteStream stream;
    private final Runnable onOver;
    /** Frames that the stream has not taken yet; null if there are none. */
    private StreamBuffer out;
    /** When the stream is aborted, or {@link Deadline#NEVER}. */
    private long abortNs = NEVER;
    private boolean closed;
    private boolean over;
    private boolean overReported;

    /** Set by the engine: the connection is in its queue of connections with something to send. */
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
    void poll() {
        if (over) {
            return;
        }
        if (stream.poll(qp.reader())) {
            qp.onEnd();
            abort();
        }
        engine.touched(this);
    }

    @Override
    public void onFault(Throwable cause) {
        qp.onFault(cause);
        abort();
    }

    @Override
    public String faultOutcome() {
        return qp.faultOutcome();
    }

    private void reportOver() {
        if (!overReported) {
            overReported = true;
            onOver.run();
        }
    }

    /**
     * Writes frames and hands them to the stream, until there is nothing to send or no room, or the turn is over.
     *
     * @return frames written
     */
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
            // There is room already, which the stream does not report.
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
        reportOver();
    }

    /** Whether the stream has ended and nothing more will happen. */
    boolean isOver() {
        return over;
    }

    /** Aborts the stream: the peer has left, or does not close its side in time, and will not read what is left to send. */
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
        reportOver();
    }

    @Override
    public long deadlineNs() {
        return over ? NEVER : Deadline.earlier(qp.deadlineNs(), abortNs);
    }

    @Override
    public void onTimer(long nowNs) {
        if (Deadline.isDue(abortNs, nowNs)) {
            abort();
        } else {
            qp.onTimer(nowNs);
        }
    }
}
