// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.engine.Guard;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.Agreement;
import org.softrdma.siw.mpa.MpaInitiator;
import org.softrdma.siw.mpa.MpaResponder;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamSink;
import org.softrdma.siw.qp.SiwCounter;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.siw.tcp.ByteStream;
import org.softrdma.wire.iwarp.Fpdu;
import org.softrdma.wire.iwarp.MpaCrc;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.Terminate;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * A stream from its first byte to the agreement: the frames of {@link MpaInitiator} or {@link MpaResponder}, and a time limit. With the
 * agreement it hands the stream over to the queue pair, with the bytes behind the reply that were read already, and is done. All methods
 * are for the device's owner.
 */
final class Handshake extends StreamUser implements StreamSink {
    private static final long NEVER = Deadline.NEVER;
    private static final int OUT_BYTES = 1024;
    /** Pauses that a responder waits: an initiator without an answer sends reminders, but siw as initiator fails on an early frame. */
    private static final int RESPONDERS_PAUSES = 10;
    private static final byte[] NOTHING = {};
    private static final Guard.Step<SiwEngine, Handshake> REPORT_FAULT = (engine, handshake, ns) -> {
        handshake.listener.onFailed(handshake, HandshakeListener.Failure.FAULT);
        return 1;
    };

    private enum Phase {
        /** No agreement yet. */
        OPEN,
        /** Refused, or failed: nothing more is expected of the peer but that it ends the stream. */
        CLOSING,
        /** The stream has ended. */
        ENDED,
        /** The stream is the queue pair's. */
        HANDED_OVER
    }

    private final SiwEngine engine;
    private final ByteStream stream;
    private final MpaOptions options;
    private final HandshakeListener listener;
    private final StreamBuffer out = new StreamBuffer(OUT_BYTES);
    /** Null in a responder. */
    private final MpaInitiator initiator;
    /** Null in an initiator. */
    private final MpaResponder responder;
    private SiwQueuePair qp;
    private Phase phase = Phase.OPEN;
    private long giveUpNs;
    /** A fault of ours ended it. The listener is notified once, even if that fails, too. */
    private boolean faulted;
    /** The request was handed to the listener. */
    private boolean requested;
    /** Nothing was received yet. */
    private boolean silent = true;

    private Handshake(SiwEngine engine, ByteStream stream, MpaOptions options, HandshakeListener listener, Runnable agentDoorbell,
            SiwQueuePair qp, MpaInitiator initiator) {
        super(engine, agentDoorbell);
        this.engine = engine;
        this.stream = stream;
        this.options = options;
        this.listener = listener;
        this.qp = qp;
        this.initiator = initiator;
        responder = initiator == null ? new MpaResponder(options) : null;
        giveUpNs = engine.nowNs() + options.timeoutNs();
        engine.timers().update(this);
        use(stream);
    }

    /**
     * Begins a connection with a request. The queue pair is in INIT.
     *
     * @param ird READs and atomics of the peer that we can hold
     * @param ord our READs and atomics that may be outstanding, if the peer agrees
     * @param privateData at most {@link SiwLimits#MAX_PRIVATE_DATA} bytes
     */
    static Handshake initiate(SiwEngine engine, ByteStream stream, MpaOptions options, HandshakeListener listener, Runnable agentDoorbell,
            SiwQueuePair qp, int ird, int ord, byte[] privateData) {
        MpaInitiator initiator = new MpaInitiator(options, ird, ord);
        Handshake handshake = new Handshake(engine, stream, options, listener, agentDoorbell, qp, initiator);
        initiator.writeRequest(handshake.out, privateData);
        return handshake;
    }

    /** Begins to wait for a request. */
    static Handshake await(SiwEngine engine, ByteStream stream, MpaOptions options, HandshakeListener listener, Runnable agentDoorbell) {
        return new Handshake(engine, stream, options, listener, agentDoorbell, null, null);
    }

    /** Whether the peer has sent nothing yet. */
    boolean isSilent() {
        return silent;
    }

    /** The peer's request; in a responder, from {@link HandshakeListener#onRequest} on. */
    MpaResponder request() {
        return responder;
    }

    /**
     * Accepts the request. The queue pair is in INIT, and in RTS when this returns.
     *
     * @return false if the peer has left meanwhile
     */
    boolean accept(SiwQueuePair to, int ird, int ord, byte[] privateData) {
        if (phase != Phase.OPEN) {
            return false;
        }
        qp = to;
        Agreement agreement = responder.accept(out, ird, ord, privateData, stream.emss());
        stream.send(out);
        // A peer-to-peer initiator sends first, which is waited for. Other initiators may never send, although RFC 5044 §7.1.2 expects it.
        handOver(agreement, responder.isPeerToPeer() ? NEVER : sendNotBeforeNs(RESPONDERS_PAUSES));
        return true;
    }

    /** Rejects the request. */
    void reject(byte[] privateData) {
        if (phase == Phase.OPEN) {
            responder.reject(out, privateData);
            end();
        }
    }

    /** Ends the stream without a reply. */
    void abort() {
        if (phase == Phase.OPEN) {
            drop();
        }
    }

    @Override
    void poll() {
        if (phase == Phase.ENDED || phase == Phase.HANDED_OVER) {
            return;
        }
        if (phase == Phase.OPEN) {
            stream.send(out);
        }
        if (stream.poll(this)) {
            onEnd();
        }
    }

    /** Handles a fault of ours, here or in the listener: ends this connection; the rest of the device continues. */
    @Override
    public void onFault(Throwable cause) {
        if (phase == Phase.HANDED_OVER) {
            qp.onFault(cause);
        } else if (!faulted) {
            faulted = true;
            drop();
            engine.guard().run(REPORT_FAULT, engine, this, engine.nowNs());
        }
    }

    @Override
    public String faultOutcome() {
        return phase == Phase.HANDED_OVER ? qp.faultOutcome() : "connection set-up aborted";
    }

    @Override
    public boolean onBytes(ByteBuffer b, MemorySegment bytes, int from, int to) {
        silent = false;
        if (phase == Phase.OPEN && initiator != null) {
            onReply(b, bytes, from, to);
        } else if (phase == Phase.OPEN) {
            onRequest(b, from, to);
        }
        return phase != Phase.HANDED_OVER;
    }

    private void onReply(ByteBuffer b, MemorySegment bytes, int from, int to) {
        int taken = initiator.onBytes(b, from, to);
        switch (initiator.state()) {
            case AGREED -> {
                if (!qp.isConnectable()) {
                    fail(HandshakeListener.Failure.QP_LOST);
                    return;
                }
                handOver(initiator.agreement(stream.emss()), sendNotBeforeNs(1));
                if (options.pauseNs() != 0) {
                    qp.machine().sendReminders();
                }
                qp.machine().reader().onBytes(b, bytes, from + taken, to);
            }
            case REJECTED -> {
                end();
                listener.onRejected(this, initiator.privateData());
            }
            case FAILED -> {
                engine.counters().count(SiwCounter.BAD_STARTUPS);
                writeTerminate(initiator.failure());
                end();
                listener.onFailed(this, HandshakeListener.Failure.BROKE_RULES);
            }
            default -> { }
        }
    }

    /** Earliest time to send. Kernel siw 6.1 misses a first frame that is received too early, and fails on one received with the reply. */
    private long sendNotBeforeNs(int pauses) {
        return options.pauseNs() == 0 ? SiwMachine.AT_ONCE : engine.nowNs() + pauses * options.pauseNs();
    }

    private void onRequest(ByteBuffer b, int from, int to) {
        responder.onBytes(b, from, to);
        if (responder.state() == MpaResponder.State.REQUESTED && !requested) {
            requested = true;
            if (responder.lacksCrc()) {
                engine.counters().count(SiwCounter.BAD_STARTUPS);
                reject(NOTHING);
                listener.onFailed(this, HandshakeListener.Failure.BROKE_RULES);
                return;
            }
            // The application has no time limit.
            giveUpNs = NEVER;
            listener.onRequest(this);
        } else if (responder.state() == MpaResponder.State.FAILED) {
            fail(HandshakeListener.Failure.BROKE_RULES);
        }
    }

    /** Hands the stream to the queue pair, whose connection polls it and reports its end from now on. */
    private void handOver(Agreement agreement, long sendNotBeforeNs) {
        engine.timers().remove(this);
        giveUpNs = NEVER;
        qp.connect(stream, agreement, sendNotBeforeNs, listener::onDisconnected);
        phase = Phase.HANDED_OVER;
        listener.onAgreed(this, agreement);
    }

    /** Writes a Terminate that names the error in the reply. RFC 6581 §9. The CRC is always good; without CRCs the peer ignores it. */
    private void writeTerminate(int code) {
        ByteBuffer b = out.bytes();
        int at = out.end();
        UntaggedHeader.put(b, at + Fpdu.HEADER_LENGTH, true, RdmapOpcode.TERMINATE, 0, RdmapOpcode.QN_TERMINATE, 1, 0);
        int length = UntaggedHeader.LENGTH + Terminate.put(b, at + Fpdu.HEADER_LENGTH + UntaggedHeader.LENGTH, code);
        Fpdu.putUlpduLength(b, at, length);
        int end = at + Fpdu.length(length);
        // 22 bytes need no pad.
        MpaCrc.put(b, end - Fpdu.CRC_LENGTH, new MpaCrc().of(b, at, end - Fpdu.CRC_LENGTH));
        out.wrote(end - at);
    }

    /** Sends what was written and closes the stream; then the peer has a limited time to close it, too. */
    private void end() {
        phase = Phase.CLOSING;
        giveUpNs = engine.nowNs() + SiwConnection.LINGER_NS;
        engine.timers().update(this);
        stream.send(out);
        stream.close();
    }

    private void fail(HandshakeListener.Failure failure) {
        switch (failure) {
            case TIMED_OUT -> engine.counters().count(SiwCounter.SLOW_STARTUPS);
            case PEER_LEFT -> engine.counters().add(SiwCounter.ABANDONED_STARTUPS, requested ? 0 : 1);
            case BROKE_RULES -> engine.counters().count(SiwCounter.BAD_STARTUPS);
            default -> { }
        }
        drop();
        listener.onFailed(this, failure);
    }

    /** Ends the stream and removes the timer at once: peers that connect and leave could pile up very many timers. */
    private void drop() {
        phase = Phase.ENDED;
        giveUpNs = NEVER;
        engine.timers().remove(this);
        stream.abort();
    }

    private void onEnd() {
        if (phase == Phase.OPEN) {
            fail(HandshakeListener.Failure.PEER_LEFT);
        } else {
            drop();
        }
    }

    @Override
    public long deadlineNs() {
        return giveUpNs;
    }

    @Override
    public void onTimer(long nowNs) {
        if (phase == Phase.OPEN) {
            fail(HandshakeListener.Failure.TIMED_OUT);
        } else {
            drop();
        }
    }
}
