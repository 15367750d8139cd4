// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.QueuePairCore;
import org.softrdma.device.qp.ReceiveCompletions;
import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.device.queue.LocalOperations;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
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
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.Terminate;
import org.softrdma.wire.iwarp.TerminateCode;
import org.softrdma.wire.iwarp.UlpduCheck;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * The protocol state of one queue pair. Pure: bytes, time and commands come in, bytes and completions go out, and nothing here knows a
 * socket, a thread or a clock.
 *
 * <p>The states of iWARP under the names of the verbs: RESET and INIT are Idle, RTS is RTS, SQD is Closing (what was posted is still done,
 * then the stream ends), SQE is passed through on the way of a local Terminate, ERR is Error. There is no RTR: a connection begins with
 * {@link #start}.
 */
public final class SiwMachine extends QueuePairCore implements UlpduHandler {
    /** When {@link #start} is told so, we may send at once. */
    public static final long AT_ONCE = Long.MIN_VALUE;

    /** Local catastrophic error, unspecified: the application asked for a Terminate. */
    private static final int LOCAL_TERMINATE = TerminateCode.RDMAP_LOCAL_CATASTROPHIC | 0xFF;

    private final Counters<SiwCounter> counters;
    private final ReceiveCompletions receives;
    private final FpduReader reader;
    private final FpduWriter writer = new FpduWriter();
    private final Reminders reminders = new Reminders();
    private final Closing closing = new Closing();
    /** The Terminate that is to be sent. */
    private final ByteBuffer terminate = ByteBuffer.allocate(UntaggedHeader.LENGTH + Terminate.MAX_LENGTH);
    private int terminateLength;

    private StreamParameters parameters;
    private OutstandingRequests outstanding;
    private PendingResponses responses;
    private Sender outbound;
    private Receiver inbound;
    private MpaOptions.Rtr firstMessage = MpaOptions.Rtr.NONE;
    /** Before, nothing may be sent; {@link DeadlineHeap#NEVER}: not before the peer has sent something. */
    private long talkFromNs;
    private boolean peerHeard;
    /** After a request a response has its turn. */
    private boolean respondNext;
    private boolean blocked;
    private boolean finished;
    private int terminatedBy = UlpduCheck.OK;

    /** @param holds as {@link FpduReader} has them */
    public SiwMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<SiwCounter> counters, BufferPool holds) {
        super(qpn, queues, memory, new QpAttributes().accessFlags(AccessFlags.REMOTE_ANY).maxRdAtomic(0).maxDestRdAtomic(0));
        this.counters = counters;
        reader = new FpduReader(this, holds);
        receives = new ReceiveCompletions(this, queues.recvCq(), counters.counter(SiwCounter.RDMA_RECVS));
        renew(0, 0);
    }

    /** A stream's worth of state. */
    private void renew(int ord, int ird) {
        outstanding = new OutstandingRequests(ord);
        RemoteAccess access = new RemoteAccess(memory(), pd(), qpn(), attributes());
        responses = new PendingResponses(access, ird);
        SendRing ring = queues().sends();
        outbound = new Sender(this, ring, new ScatterGather(memory(), pd(), qpn()),
            new LocalOperations(ring, memory(), pd(), qpn()), outstanding);
        inbound = new Receiver(this, access, queues().receives(), receives, outbound, outstanding, responses);
        respondNext = true;
        blocked = false;
        peerHeard = false;
        terminateLength = 0;
        finished = false;
        firstMessage = MpaOptions.Rtr.NONE;
        reminders.end();
        closing.end();
    }

    // ---- commands ----

    /**
     * The connection is set up: INIT → RTS.
     *
     * @param ord       READs and atomics of ours that may be outstanding
     * @param ird       READs and atomics of the peer's that we hold
     * @param first     what to send before anything else
     * @param talkAtNs  when we may send: {@link #AT_ONCE}, a time, or with {@link DeadlineHeap#NEVER} once the peer has sent something, as
     *     responders must (RFC 5044 §7.1.2)
     */
    public void start(StreamParameters agreed, int ord, int ird, MpaOptions.Rtr first, long talkAtNs) {
        assert state() == QpState.INIT : state();
        parameters = agreed;
        renew(ord, ird);
        reader.start(agreed);
        writer.start(agreed);
        attributes().maxRdAtomic(ord).maxDestRdAtomic(ird);
        firstMessage = first;
        talkFromNs = talkAtNs;
        enter(QpState.RTS);
    }

    /** What is said first may be overlooked: it is to be followed by {@link Reminders} until the peer is heard. */
    public void insist() {
        reminders.begin();
    }

    /** Applies a checked modify call. */
    public void modify(QpAttributes change, QpState to, long nowNs) {
        if (to == QpState.SQE) {
            prepareTerminate(LOCAL_TERMINATE, null, 0, 0);
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
        terminateLength = 0;
        finished = true;
    }

    // ---- input ----

    /** Where the bytes of the stream go. */
    public StreamSink reader() {
        return reader;
    }

    @Override
    public boolean isReceiving() {
        return isLive();
    }

    @Override
    public void onBadFraming(int code) {
        sendTerminate(code, null, 0, 0);
    }

    @Override
    public boolean onUlpdu(ByteBuffer b, MemorySegment bytes, int at, int length) {
        counters.count(SiwCounter.RCVD_FPDUS);
        if (!peerHeard) {
            peerHeard = true;
            reminders.end();
            talkFromNs = talkFromNs == DeadlineHeap.NEVER ? AT_ONCE : talkFromNs;
        }
        int verdict = inbound.execute(b, bytes, at, length);
        if (verdict != UlpduCheck.OK) {
            boolean headers = UlpduCheck.hasHeaders(b, at, length);
            sendTerminate(verdict, headers ? b : null, at, length);
        }
        return isLive();
    }

    /** The stream has ended: the peer closed it, or it broke. */
    public void onEnd() {
        if (!isLive()) {
            return;
        }
        if (!reader.isAtBoundary()) {
            counters.count(SiwCounter.TORN_FRAMES);
        }
        enterError();
    }

    /** Nothing of the stream comes any more, whoever gave it up. */
    public void onStreamGone() {
        reader.forget();
    }

    /** Whether the peer has sent anything: then it knows that the connection is set up. */
    boolean isPeerHeard() {
        return peerHeard;
    }

    // ---- output ----

    /**
     * Writes frames as long as there is something to send and room.
     *
     * @return how many
     */
    public int transmit(long nowNs, StreamBuffer out) {
        blocked = false;
        int sent = 0;
        if (terminateLength > 0) {
            return transmitTerminate(out);
        }
        while (isLive() && mayTalk(nowNs) && step(out)) {
            sent++;
        }
        counters.add(SiwCounter.SENT_FPDUS, sent);
        if (sent > 0) {
            reminders.onSent(nowNs);
        }
        return sent + (terminateLength > 0 ? transmitTerminate(out) : 0);
    }

    private boolean mayTalk(long nowNs) {
        return talkFromNs == AT_ONCE || talkFromNs != DeadlineHeap.NEVER && nowNs - talkFromNs >= 0;
    }

    /** One frame: messages are never mixed, as siw 6.1 takes only some of the mixtures that DDP allows. */
    private boolean step(StreamBuffer out) {
        if (firstMessage != MpaOptions.Rtr.NONE) {
            return transmitFirst(out);
        }
        if (reminders.isDue() && !outbound.isMidMessage()) {
            return transmitReminder(out);
        }
        boolean responsePossible = !responses.isEmpty() && !outbound.isMidMessage();
        if (responsePossible && (respondNext || responses.isMidMessage())) {
            return transmitResponse(out);
        }
        int length = outbound.nextLength(parameters.maxUlpdu());
        if (length != Sender.NOTHING) {
            return transmitRequest(out, length);
        }
        return isLive() && responsePossible && transmitResponse(out);
    }

    private boolean transmitRequest(StreamBuffer out, int length) {
        if (!makeRoom(out, length)) {
            return false;
        }
        if (!outbound.write(out, writer.begin(out), length)) {
            return false;
        }
        writer.finish(out, length);
        respondNext = !outbound.isMidMessage();
        closing.onProgress();
        return true;
    }

    private boolean transmitResponse(StreamBuffer out) {
        int length = responses.nextLength(parameters.maxUlpdu());
        if (!makeRoom(out, length)) {
            return false;
        }
        if (!responses.write(out, writer.begin(out), length)) {
            sendTerminate(TerminateCode.PROTECTION_INVALID_STAG, null, 0, 0);
            return false;
        }
        writer.finish(out, length);
        respondNext = responses.isMidMessage();
        checkDrained();
        return true;
    }

    private boolean transmitFirst(StreamBuffer out) {
        int length = firstMessage == MpaOptions.Rtr.WRITE ? TaggedHeader.LENGTH
            : UntaggedHeader.LENGTH + RdmapOpcode.bodyLength(RdmapOpcode.RDMA_READ_REQUEST);
        if (!makeRoom(out, length)) {
            return false;
        }
        int at = writer.begin(out);
        if (firstMessage == MpaOptions.Rtr.WRITE) {
            writeNothing(out, at);
        } else {
            outbound.writeReadyToReceiveRead(out.bytes(), at);
        }
        writer.finish(out, length);
        firstMessage = MpaOptions.Rtr.NONE;
        return true;
    }

    private boolean transmitReminder(StreamBuffer out) {
        if (!makeRoom(out, TaggedHeader.LENGTH)) {
            return false;
        }
        writeNothing(out, writer.begin(out));
        writer.finish(out, TaggedHeader.LENGTH);
        reminders.onReminded();
        counters.count(SiwCounter.SENT_REMINDERS);
        return true;
    }

    private static void writeNothing(StreamBuffer out, int at) {
        TaggedHeader.put(out.bytes(), at, true, RdmapOpcode.RDMA_WRITE, 0, 0);
    }

    private int transmitTerminate(StreamBuffer out) {
        if (!makeRoom(out, terminateLength)) {
            return 0;
        }
        out.bytes().put(writer.begin(out), terminate, 0, terminateLength);
        writer.finish(out, terminateLength);
        terminateLength = 0;
        finished = true;
        counters.count(SiwCounter.SENT_TERMINATES);
        return 1;
    }

    private boolean makeRoom(StreamBuffer out, int length) {
        blocked = !writer.hasRoom(out, length);
        return !blocked;
    }

    /** Stopped for want of room. */
    public boolean isBlocked() {
        return blocked;
    }

    /** Nothing more is to be sent: once everything written is gone, the stream shall end. */
    public boolean isFinished() {
        return finished;
    }

    /** When {@link #onTimer} must be called, or {@link DeadlineHeap#NEVER}. */
    public long deadlineNs() {
        return !isLive() ? DeadlineHeap.NEVER
            : Math.min(closing.deadlineNs(), talkFromNs != AT_ONCE ? talkFromNs : reminders.deadlineNs());
    }

    /** The pause is over, the peer has been silent for long enough, or nothing goes on in closing. */
    public void onTimer(long nowNs) {
        if (mayTalk(nowNs)) {
            talkFromNs = AT_ONCE;
        }
        reminders.onTimer(nowNs);
        if (state() == QpState.SQD && closing.isStuck(nowNs)) {
            counters.count(SiwCounter.STUCK_DISCONNECTS);
            enterError();
        }
    }

    // ---- ends ----

    /** The peer broke the rules: tells it so, and everything ends. @param b the segment to blame, or null */
    private void sendTerminate(int code, ByteBuffer b, int at, int length) {
        if (!isLive()) {
            return;
        }
        count(code);
        prepareTerminate(code, b, at, length);
        raise(eventOf(code));
        enterError();
    }

    private void prepareTerminate(int code, ByteBuffer b, int at, int length) {
        UntaggedHeader.put(terminate, 0, true, RdmapOpcode.TERMINATE, 0, RdmapOpcode.QN_TERMINATE, 1, 0);
        terminateLength = UntaggedHeader.LENGTH + (b == null ? Terminate.put(terminate, UntaggedHeader.LENGTH, code)
            : Terminate.put(terminate, UntaggedHeader.LENGTH, code, b, at, length));
    }

    /** A piece of the answer to a work request came. */
    void onAnswer() {
        closing.onProgress();
    }

    /** A work request of ours could not go on; its completion says why. */
    void failLocally() {
        if (isLive()) {
            prepareTerminate(TerminateCode.RDMAP_LOCAL_CATASTROPHIC, null, 0, 0);
            counters.count(SiwCounter.LOCAL_ERRORS);
            enterError();
        }
    }

    /** The peer says that we broke the rules, or that it cannot go on. */
    void onTerminated(int code) {
        counters.count(SiwCounter.RCVD_TERMINATES);
        terminatedBy = code;
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
            terminateLength = 0;
        }
        finished = terminateLength == 0;
        super.enterError();
    }

    @Override
    protected void flushSends() {
        outbound.flush();
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
    protected boolean isResponderDrained() {
        return responses.isEmpty();
    }

    @Override
    protected void onDrained() {
        enterError();
    }

    private void count(int code) {
        counters.count(switch (code) {
            case TerminateCode.MPA_CRC -> SiwCounter.BAD_CRC;
            case TerminateCode.MPA_MARKER_OR_LENGTH -> SiwCounter.BAD_FRAMING;
            case TerminateCode.UNTAGGED_NO_BUFFER -> SiwCounter.NO_BUFFER;
            case TerminateCode.UNTAGGED_TOO_LONG -> SiwCounter.TOO_LONG;
            default -> switch (code >>> 8) {
                case TerminateCode.RDMAP_LOCAL_CATASTROPHIC >>> 8, TerminateCode.DDP_LOCAL_CATASTROPHIC >>> 8 -> SiwCounter.LOCAL_ERRORS;
                case TerminateCode.PROTECTION_INVALID_STAG >>> 8 -> SiwCounter.BAD_ACCESS;
                case TerminateCode.TAGGED_INVALID_STAG >>> 8 ->
                    code == TerminateCode.TAGGED_DDP_VERSION ? SiwCounter.BAD_SEGMENT : SiwCounter.BAD_ACCESS;
                default -> SiwCounter.BAD_SEGMENT;
            };
        });
    }

    /** IBA vol 1 §11.6.3.2: who asked for what it may not have, who asked badly, and what is our own fault. */
    private static AsyncEventType eventOf(int code) {
        return switch (code >>> 8) {
            case TerminateCode.PROTECTION_INVALID_STAG >>> 8, TerminateCode.TAGGED_INVALID_STAG >>> 8 ->
                code == TerminateCode.TAGGED_DDP_VERSION ? AsyncEventType.QP_REQ_ERR : AsyncEventType.QP_ACCESS_ERR;
            case TerminateCode.OPERATION_UNEXPECTED_OPCODE >>> 8, TerminateCode.UNTAGGED_NO_BUFFER >>> 8 -> AsyncEventType.QP_REQ_ERR;
            default -> AsyncEventType.QP_FATAL;
        };
    }

    // ---- what the parts share ----

    /** Connected, and not broken. */
    boolean isLive() {
        return state() == QpState.RTS || state() == QpState.SQD;
    }

    Counters<SiwCounter> counters() {
        return counters;
    }

    /** Completes send work requests of this queue pair. */
    SendCompletions newSendCompletions() {
        return new SendCompletions(this, counters.counter(SiwCounter.RDMA_SENDS));
    }
}
