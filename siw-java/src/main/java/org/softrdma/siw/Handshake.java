// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.device.agent.DeadlineHeap;
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
    private static final long NEVER = DeadlineHeap.NEVER;
    private static final int OUT_BYTES = 1024;
    /** A responder waits that much longer: an initiator that hears nothing can say it again, but siw gives up what came too early. */
    private static final int RESPONDERS_PATIENCE = 10;
    private static final byte[] NOTHING = {};

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
    /** Null on the other side. */
    private final MpaInitiator initiator;
    /** Null on the other side. */
    private final MpaResponder responder;
    private SiwQueuePair qp;
    private Phase phase = Phase.OPEN;
    private long giveUpNs;
    private boolean asked;

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
     * Asks. The queue pair is in INIT.
     *
     * @param ird READs and atomics we hold for the peer
     * @param ord those of ours that we would have outstanding
     * @param privateData at most {@link SiwLimits#MAX_PRIVATE_DATA} bytes
     */
    static Handshake initiate(SiwEngine engine, ByteStream stream, MpaOptions options, HandshakeListener listener, Runnable agentDoorbell,
            SiwQueuePair qp, int ird, int ord, byte[] privateData) {
        MpaInitiator initiator = new MpaInitiator(options, ird, ord);
        Handshake handshake = new Handshake(engine, stream, options, listener, agentDoorbell, qp, initiator);
        initiator.writeRequest(handshake.out, privateData);
        return handshake;
    }

    /** Waits for a request. */
    static Handshake await(SiwEngine engine, ByteStream stream, MpaOptions options, HandshakeListener listener, Runnable agentDoorbell) {
        return new Handshake(engine, stream, options, listener, agentDoorbell, null, null);
    }

    /** What the peer asks for; of a responder, from {@link HandshakeListener#onRequest} on. */
    MpaResponder request() {
        return responder;
    }

    /**
     * Accepts what was asked. The queue pair is in INIT, and in RTS when this returns.
     *
     * @return false if the peer has gone meanwhile
     */
    boolean accept(SiwQueuePair to, int ird, int ord, byte[] privateData) {
        if (phase != Phase.OPEN) {
            return false;
        }
        qp = to;
        Agreement agreement = responder.accept(out, ird, ord, privateData, stream.emss());
        stream.send(out);
        // A peer that promises to talk first is waited for. Others may have programs that never do, though RFC 5044 §7.1.2 wants them to.
        handOver(agreement, responder.isPeerToPeer() ? NEVER : talkTime(RESPONDERS_PATIENCE));
        return true;
    }

    /** Refuses what was asked. */
    void reject(byte[] privateData) {
        if (phase == Phase.OPEN) {
            responder.reject(out, privateData);
            end();
        }
    }

    /** Gives up without a word. */
    void abort() {
        if (phase == Phase.OPEN) {
            drop();
        }
    }

    @Override
    public void onReady() {
        if (phase == Phase.ENDED || phase == Phase.HANDED_OVER) {
            return;
        }
        try {
            if (phase == Phase.OPEN) {
                stream.send(out);
            }
            if (stream.poll(this)) {
                onEnd();
            }
        } catch (RuntimeException | InternalError broken) {
            onBroken(broken);
        }
    }

    /** A state that cannot be, here or in who listens: this connection ends, and the rest of the device goes on. */
    void onBroken(Throwable cause) {
        if (phase == Phase.HANDED_OVER) {
            qp.onBroken(cause);
            return;
        }
        engine.onBrokenSetUp(cause);
        drop();
        try {
            listener.onFailed(this, HandshakeListener.Failure.FAULT);
        } catch (RuntimeException | InternalError again) {
            engine.onBrokenSetUp(again);
        }
    }

    @Override
    public boolean onBytes(ByteBuffer b, MemorySegment bytes, int from, int to) {
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
                handOver(initiator.agreement(stream.emss()), talkTime(1));
                if (options.pauseNs() != 0) {
                    qp.machine().insist();
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

    /** Kernel siw 6.1 overlooks a first frame that is there too early, and gives up if it sees one together with the reply. */
    private long talkTime(int pauses) {
        return options.pauseNs() == 0 ? SiwMachine.AT_ONCE : engine.nowNs() + pauses * options.pauseNs();
    }

    private void onRequest(ByteBuffer b, int from, int to) {
        responder.onBytes(b, from, to);
        if (responder.state() == MpaResponder.State.REQUESTED && !asked) {
            asked = true;
            if (responder.lacksCrc()) {
                engine.counters().count(SiwCounter.BAD_STARTUPS);
                reject(NOTHING);
                listener.onFailed(this, HandshakeListener.Failure.BROKE_RULES);
                return;
            }
            // From here on the application takes the time it needs.
            giveUpNs = NEVER;
            listener.onRequest(this);
        } else if (responder.state() == MpaResponder.State.FAILED) {
            fail(HandshakeListener.Failure.BROKE_RULES);
        }
    }

    /** Makes the stream the queue pair's: its connection is polled, and reports its end, from now on. */
    private void handOver(Agreement agreement, long talkAtNs) {
        engine.timers().remove(this);
        giveUpNs = NEVER;
        qp.connect(stream, agreement, talkAtNs, listener::onDisconnected);
        phase = Phase.HANDED_OVER;
        listener.onAgreed(this, agreement);
    }

    /** RFC 6581 §9: the peer learns what was wrong with its reply. A good CRC does no harm where none is used. */
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

    /** What was written goes out, and the stream ends; the peer has a while to end it, too. */
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
            case PEER_LEFT -> engine.counters().add(SiwCounter.ABANDONED_STARTUPS, asked ? 0 : 1);
            case BROKE_RULES -> engine.counters().count(SiwCounter.BAD_STARTUPS);
            default -> { }
        }
        drop();
        listener.onFailed(this, failure);
    }

    /** Nothing waits for its time limit any more, which peers that come and go could make very many. */
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
