// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.QueuePairCore;
import org.softrdma.device.qp.ReceiveCompletions;
import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.device.queue.LocalOperations;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.BufferPool;
import org.softrdma.siw.mpa.FpduReader;
import org.softrdma.siw.mpa.FpduWriter;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamParameters;
import org.softrdma.siw.mpa.StreamSink;
import org.softrdma.siw.mpa.UlpduHandler;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.iwarp.Ddp;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.TerminateCode;
import org.softrdma.wire.iwarp.UlpduCheck;

/**
 * The protocol state of one queue pair. Pure: input is bytes, time and commands, output is bytes and completions; no socket, thread or
 * clock is used here.
 *
 * <p>The states of iWARP under the names of the verbs: RESET and INIT are Idle, RTS is RTS, SQD is Closing (what was posted is still
 * completed, then the stream ends), SQE is passed through by a local Terminate, ERR is Error. There is no RTR: a connection begins with
 * {@link #start}.
 */
public final class SiwMachine extends QueuePairCore implements UlpduHandler {
    /** Argument of {@link #start}: sending may begin at once. */
    public static final long AT_ONCE = Long.MIN_VALUE;

    private final Counters<SiwCounter> counters;
    private final ReceiveCompletions receives;
    private final FpduReader reader;
    private final FpduWriter writer = new FpduWriter();
    private final Opening opening;
    private final Closing closing = new Closing();
    private final Termination termination = new Termination();

    private StreamParameters parameters;
    private OutstandingRequests outstanding;
    private PendingResponses responses;
    private Requester requester;
    private Responder responder;
    private Completer completer;
    /** The last frame was of a request, so a response is sent next. */
    private boolean respondNext;
    private boolean blocked;
    private boolean finished;
    private int terminatedBy = UlpduCheck.OK;

    /** @param holds buffers for {@link FpduReader} */
    public SiwMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<SiwCounter> counters, BufferPool holds) {
        super(qpn, queues, memory, new QpAttributes().accessFlags(AccessFlags.REMOTE_ANY).maxRdAtomic(0).maxDestRdAtomic(0));
        this.counters = counters;
        opening = new Opening(counters);
        reader = new FpduReader(this, holds);
        receives = new ReceiveCompletions(this, queues.recvCq(), counters.counter(SiwCounter.RDMA_RECVS));
        renew(0, 0);
    }

    /** Resets all state that belongs to one stream. */
    private void renew(int ord, int ird) {
        outstanding = new OutstandingRequests(ord);
        RemoteAccess access = new RemoteAccess(memory(), pd(), qpn(), attributes());
        responses = new PendingResponses(access, ird);
        SendRing ring = queues().sends();
        requester = new Requester(this, ring, new ScatterGather(memory(), pd(), qpn()),
            new LocalOperations(ring, memory(), pd(), qpn()), outstanding);
        responder = new Responder(this, access, queues().receives(), receives, responses);
        completer = new Completer(this, requester, outstanding);
        respondNext = true;
        blocked = false;
        termination.drop();
        finished = false;
        opening.end();
        closing.end();
    }

    // ---- commands ----

    /**
     * Starts a connection whose set-up is done: INIT → RTS.
     *
     * @param ord         our READs and atomics that may be outstanding
     * @param ird         the peer's READs and atomics that may be outstanding
     * @param first       message to send before anything else
     * @param notBeforeNs when sending may begin: {@link #AT_ONCE}, a time, or {@link Deadline#NEVER} for as soon as the peer has sent
     *     something, as responders must (RFC 5044 §7.1.2)
     */
    public void start(StreamParameters agreed, int ord, int ird, MpaOptions.Rtr first, long notBeforeNs) {
        assert state() == QpState.INIT : state();
        parameters = agreed;
        renew(ord, ird);
        reader.start(agreed);
        writer.start(agreed);
        attributes().maxRdAtomic(ord).maxDestRdAtomic(ird);
        opening.begin(first, notBeforeNs);
        enter(QpState.RTS);
    }

    /** Sends {@link Reminders} after the first frames, which the peer may miss. */
    public void sendReminders() {
        opening.beginReminders();
    }

    /** Applies a checked modify call. */
    public void modify(QpAttributes change, QpState to, long nowNs) {
        if (to == QpState.SQE) {
            termination.prepare(Termination.REQUESTED_LOCALLY);
        } else if (to == QpState.SQD) {
            closing.begin(nowNs);
        }
        apply(change, to == QpState.SQE ? QpState.ERR : to);
    }

    @Override
    protected void onTransition(QpState from, QpState to) {
    }

    @Override
    protected void onReset() {
        renew(0, 0);
        parameters = null;
        finished = true;
    }

    @Override
    protected void onClosed() {
        parameters = null;
        termination.drop();
        finished = true;
    }

    // ---- input ----

    /** The sink for the bytes of the stream. */
    public StreamSink reader() {
        return reader;
    }

    @Override
    public boolean isReceiving() {
        return isLive();
    }

    @Override
    public void onBadFraming(int code) {
        sendTerminate(code);
    }

    @Override
    public boolean onUlpdu(ByteBuffer b, MemorySegment bytes, int at, int length) {
        counters.count(SiwCounter.RCVD_FPDUS);
        SegmentEvents.report(observer(), false, b, at, length, 0, 0);
        opening.onReceived();
        int verdict = execute(b, bytes, at, length);
        if (verdict != UlpduCheck.OK) {
            if (UlpduCheck.hasHeaders(b, at, length)) {
                sendTerminate(verdict, b, at, length);
            } else {
                sendTerminate(verdict);
            }
        }
        return isLive();
    }

    /** Executes one segment: the first step of the ladder, its headers, then the part that it is for. */
    private int execute(ByteBuffer b, MemorySegment bytes, int at, int length) {
        int verdict = UlpduCheck.verdict(b, at, length);
        if (verdict != UlpduCheck.OK) {
            return verdict;
        }
        int opcode = Ddp.opcode(b, at);
        long writtenBytes = responder.takeWrittenBytes();
        return switch (opcode) {
            case RdmapOpcode.RDMA_WRITE -> responder.onWrite(b, bytes, at, length);
            case RdmapOpcode.RDMA_READ_REQUEST -> responder.onReadRequest(b, at);
            case RdmapOpcode.RDMA_READ_RESPONSE -> completer.onReadResponse(b, bytes, at, length);
            case RdmapOpcode.TERMINATE -> completer.onTerminate(b, at, length);
            case RdmapOpcode.IMMEDIATE, RdmapOpcode.IMMEDIATE_SOLICITED -> responder.onImmediate(b, at, opcode, writtenBytes);
            case RdmapOpcode.ATOMIC_REQUEST -> responder.onAtomicRequest(b, at);
            case RdmapOpcode.ATOMIC_RESPONSE -> completer.onAtomicResponse(b, at);
            default -> responder.onSend(b, bytes, at, length, opcode);
        };
    }

    /** Handles the end of the stream: the peer closed it, or it broke. */
    public void onEnd() {
        if (!isLive()) {
            return;
        }
        if (reader.isAtBoundary()) {
            noteFailure(Reason.CONNECTION_ENDED);
        } else {
            counters.count(SiwCounter.TORN_FRAMES);
            noteFailure(Reason.STREAM_TORN);
        }
        enterError();
    }

    /** Drops an incomplete frame: the stream was aborted, by either side. */
    public void onStreamGone() {
        reader.forget();
    }

    /** Whether the peer has sent anything, and so has finished the set-up. */
    boolean isPeerHeard() {
        return opening.isPeerHeard();
    }

    // ---- output ----

    /**
     * Writes frames while there is something to send and room in the buffer.
     *
     * @return how many were written
     */
    public int transmit(long nowNs, StreamBuffer out) {
        blocked = false;
        int sent = 0;
        if (termination.isPending()) {
            return transmitTerminate(out);
        }
        while (isLive() && opening.maySend(nowNs) && step(out)) {
            sent++;
        }
        counters.add(SiwCounter.SENT_FPDUS, sent);
        if (sent > 0) {
            opening.onSent(nowNs);
        }
        return sent + (termination.isPending() ? transmitTerminate(out) : 0);
    }

    /** Writes one frame. Messages are never interleaved, as siw 6.1 accepts only some of the interleavings that DDP allows. */
    private boolean step(StreamBuffer out) {
        int openingLength = opening.nextLength(requester.isMidMessage());
        if (openingLength != Opening.NOTHING) {
            return transmitOpening(out, openingLength);
        }
        boolean responsePossible = !responses.isEmpty() && !requester.isMidMessage();
        if (responsePossible && (respondNext || responses.isMidMessage())) {
            return transmitResponse(out);
        }
        int length = requester.nextLength(parameters.maxUlpdu());
        if (length != Requester.NOTHING) {
            return transmitRequest(out, length);
        }
        return isLive() && responsePossible && transmitResponse(out);
    }

    private boolean transmitRequest(StreamBuffer out, int length) {
        if (!makeRoom(out, length)) {
            return false;
        }
        if (!requester.write(out, writer.begin(out), length)) {
            return false;
        }
        writer.finish(out, length);
        respondNext = !requester.isMidMessage();
        closing.onProgress();
        return true;
    }

    private boolean transmitResponse(StreamBuffer out) {
        int length = responses.nextLength(parameters.maxUlpdu());
        if (!makeRoom(out, length)) {
            return false;
        }
        int at = writer.begin(out);
        int verdict = responses.write(out, at, length);
        if (verdict != UlpduCheck.OK) {
            onFailure(RecordedEvent.Effect.REFUSED, responses.explainRefusal());
            ByteBuffer refused = responses.oldestRequest();
            sendTerminate(verdict, refused, 0, refused.capacity());
            return false;
        }
        SegmentEvents.report(observer(), true, out.bytes(), at, length, 0, 0);
        writer.finish(out, length);
        respondNext = responses.isMidMessage();
        checkDrained();
        return true;
    }

    private boolean transmitOpening(StreamBuffer out, int length) {
        if (!makeRoom(out, length)) {
            return false;
        }
        int at = writer.begin(out);
        opening.write(out.bytes(), at, requester);
        SegmentEvents.report(observer(), true, out.bytes(), at, length, 0, 0);
        writer.finish(out, length);
        return true;
    }

    private int transmitTerminate(StreamBuffer out) {
        if (!makeRoom(out, termination.length())) {
            return 0;
        }
        termination.write(writer, out, observer());
        finished = true;
        counters.count(SiwCounter.SENT_TERMINATES);
        return 1;
    }

    private boolean makeRoom(StreamBuffer out, int length) {
        blocked = !writer.hasRoom(out, length);
        return !blocked;
    }

    /** Whether the last {@link #transmit} stopped because the buffer was full. */
    public boolean isBlocked() {
        return blocked;
    }

    /** Whether nothing more will be sent: the stream must be closed behind the bytes written. */
    public boolean isFinished() {
        return finished;
    }

    /** When {@link #onTimer} must be called, or {@link Deadline#NEVER}. */
    public long deadlineNs() {
        if (!isLive()) {
            return Deadline.NEVER;
        }
        return Deadline.earlier(closing.deadlineNs(), opening.deadlineNs());
    }

    /** Handles the end of the pause, the time of a reminder, and a disconnect without progress. */
    public void onTimer(long nowNs) {
        opening.onTimer(nowNs);
        if (state() == QpState.SQD && closing.isStuck(nowNs)) {
            counters.count(SiwCounter.STUCK_DISCONNECTS);
            noteFailure(Reason.STUCK_DISCONNECT);
            enterError();
        }
    }

    // ---- ends ----

    /** Ends the connection after a protocol violation of the peer, with a Terminate. */
    private void sendTerminate(int code) {
        if (isLive()) {
            termination.prepare(code);
            endInError(code);
        }
    }

    /** Ends the connection with a Terminate that has the headers of the segment that violated the protocol. */
    private void sendTerminate(int code, ByteBuffer segment, int at, int length) {
        if (isLive()) {
            termination.prepare(code, segment, at, length);
            endInError(code);
        }
    }

    private void endInError(int code) {
        counters.count(Termination.counterOf(code));
        if (!hasFailed()) {
            onFailure(RecordedEvent.Effect.REFUSED, Failure.of(Reason.STREAM_VIOLATION, code));
        }
        raise(Termination.eventOf(code));
        enterError();
    }

    private void noteFailure(Reason why) {
        onFailure(RecordedEvent.Effect.FAILED, Failure.of(why));
    }

    /** Records progress: a piece of the response to a work request was received. */
    void onResponse() {
        closing.onProgress();
    }

    /** Ends the connection after a work request failed here; its completion has the reason. */
    void failLocally() {
        if (isLive()) {
            termination.prepare(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
            counters.count(SiwCounter.LOCAL_ERRORS);
            enterError();
        }
    }

    /** Handles the peer's Terminate: we violated the protocol, or the peer failed. */
    void onTerminated(int code) {
        counters.count(SiwCounter.RCVD_TERMINATES);
        terminatedBy = code;
        if (!hasFailed()) {
            onFailure(RecordedEvent.Effect.FAILED, Failure.of(Reason.TERMINATED, code));
        }
        raise(AsyncEventType.QP_FATAL);
        enterError();
    }

    /** The {@link TerminateCode} the peer ended the connection with, or {@link UlpduCheck#OK}. */
    public int terminatedBy() {
        return terminatedBy;
    }

    /** Flushes everything posted. A Terminate that waits is still sent, if there was a connection. */
    @Override
    public void enterError() {
        if (parameters == null) {
            // Never connected: there is no peer to notify.
            termination.drop();
        }
        finished = !termination.isPending();
        super.enterError();
    }

    @Override
    protected void flushSends() {
        requester.flush();
    }

    @Override
    protected void flushReceives() {
        receives.flush();
    }

    /** Includes everything posted before the disconnect, begun or not. */
    @Override
    protected long drainEnd() {
        return queues().sends().tail();
    }

    /** Waits for the responses owed to the peer as well. */
    @Override
    protected boolean isRestDrained() {
        return responses.isEmpty();
    }

    @Override
    protected void onDrained() {
        noteFailure(Reason.ERR_BY_APPLICATION);
        enterError();
    }

    // ---- for the parts ----

    /** Whether the queue pair is connected and not in error. */
    boolean isLive() {
        return state() == QpState.RTS || state() == QpState.SQD;
    }

    Counters<SiwCounter> counters() {
        return counters;
    }

    /** Makes the completions of the send queue. */
    SendCompletions newSendCompletions() {
        return new SendCompletions(this, counters.counter(SiwCounter.RDMA_SENDS));
    }
}
