// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.AtomicAckEth;
import org.softrdma.wire.roce.AtomicEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Feth;
import org.softrdma.wire.roce.Ieth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.PacketCheck;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.Syndrome;

/**
 * Executes requests, in order and once, and answers them. {@link #onRequest} is the ladder every request climbs:
 * psn, sequence, operation, place, length, resources, key, execute, complete, acknowledge.
 * Source: IBA vol 1 §9.7.4, §9.7.5, §9.9.3.
 */
public final class Responder {
    private static final int OK = -1;
    /** Requests that are answered by a response of their own, remembered until it is certain that it arrived. */
    private static final int ANSWERED = Opcode.READ_REQUEST | Opcode.ATOMIC_REQUEST | Opcode.FLUSH | Opcode.ATOMIC_WRITE;

    private final RcMachine qp;
    private final RequestContext landing;
    private final ReceiveSource receives;
    private final ReceiveCompletions completions;
    private final InboundMessage message;
    private final MemoryTable memory;
    private final long[] atomicResult = new long[1];
    private ResponseQueue responses = new ResponseQueue(1);
    private ResponderResources fetches = new ResponderResources(1);

    private int expectedPsn;
    private int msn;
    /** A NAK for the gap, or an RNR NAK, is on its way: silence until the expected PSN comes. */
    private boolean refused;

    Responder(RcMachine qp) {
        this.qp = qp;
        landing = qp.landing();
        receives = landing.receives();
        completions = new ReceiveCompletions(qp);
        message = new InboundMessage(qp);
        memory = qp.memory();
    }

    /** The queue pair goes to RTR. */
    void start(int psn, int maxFetches) {
        expectedPsn = psn;
        msn = 0;
        refused = false;
        message.end();
        responses = new ResponseQueue(maxFetches);
        fetches = new ResponderResources(maxFetches);
    }

    public int expectedPsn() {
        return expectedPsn;
    }

    public int msn() {
        return msn;
    }

    /**
     * Up to where a repeated SEND or WRITE packet is acknowledged: all that was executed, but not past the next READ or atomic, whose own
     * response may be lost. A requester that believed such an ACK (kernel rxe 6.1 does) would complete it without its data.
     */
    public int acknowledgeable(int psn) {
        return Psn.add(fetches.firstAfter(psn, expectedPsn), -1);
    }

    void dropResponses() {
        responses.clear();
    }

    /** A request passed the edge's checks. */
    void onRequest(ReceivedFrame frame) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        int opcode = Bth.opcode(buffer, at);
        int psn = Bth.psn(buffer, at);

        int order = Psn.compare(psn, expectedPsn);
        if (order > 0) {
            onGap();
            return;
        }
        if (order < 0) {
            onDuplicate(frame, opcode, psn);
            return;
        }
        refused = false;
        int payload = Opcode.isKnown(opcode) ? PacketCheck.payloadLength(buffer, at, frame.length()) : 0;
        int verdict = checkOperation(buffer, at, opcode);
        if (verdict == OK && !landing.accepts(buffer, at, opcode)) {
            qp.counters().count(RxeCounter.REFUSED_XRCETH);
            verdict = Syndrome.NAK_INVALID_REQUEST;
        }
        if (verdict == OK) {
            verdict = checkLength(buffer, at, opcode, payload);
        }
        if (verdict == OK && InboundMessage.needsReceive(opcode) && !receives.take()) {
            onReceiverNotReady();
            return;
        }
        if (verdict == OK) {
            verdict = execute(frame, opcode, psn, payload);
        }
        if (verdict != OK) {
            refuse(verdict);
        }
    }

    /** Packets are missing: one NAK tells so; the requester goes back. IBA vol 1 §9.7.4.1.3 */
    private void onGap() {
        qp.counters().count(RxeCounter.OUT_OF_SEQ_REQUEST);
        if (!refused && responses.refuse(expectedPsn, msn, Syndrome.NAK_PSN_SEQUENCE)) {
            qp.counters().count(RxeCounter.SEND_SEQ_ERR);
            refused = true;
        }
    }

    /** No receive is posted: the requester shall come back later. Packets already behind this one are lost, and get no NAK of their own. */
    private void onReceiverNotReady() {
        if (responses.refuse(expectedPsn, msn, Syndrome.rnr(qp.minRnrTimer()))) {
            qp.counters().count(RxeCounter.SEND_RNR_ERR);
            refused = true;
        }
    }

    /** Repeated requests are answered again but not executed again. IBA vol 1 §9.7.5.1.4 */
    private void onDuplicate(ReceivedFrame frame, int opcode, int psn) {
        qp.counters().count(RxeCounter.DUPLICATE_REQUEST);
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        boolean answered = true;
        if (Opcode.has(opcode, Opcode.READ_REQUEST)) {
            int reth = at + Opcode.rethOffset(opcode);
            int rkey = Reth.rkey(buffer, reth);
            long va = Reth.va(buffer, reth);
            long length = Reth.length(buffer, reth);
            int id = fetches.findRead(psn, rkey, va, length, qp.mtu());
            if (id < 0) {
                qp.counters().count(RxeCounter.DROP_UNKNOWN_DUPLICATE);
            } else {
                responses.dropFrom(psn, qp.mtu());
                answered = responses.read(psn, fetches.msn(id), fetches.pd(id), rkey, va, length, true);
            }
        } else if (Opcode.has(opcode, Opcode.ATOMIC_REQUEST)) {
            int id = fetches.findAtomic(psn);
            if (id < 0) {
                qp.counters().count(RxeCounter.DROP_UNKNOWN_DUPLICATE);
            } else {
                responses.dropFrom(psn, qp.mtu());
                answered = responses.atomic(psn, fetches.msn(id), fetches.original(id), true);
            }
        } else if (Opcode.hasAny(opcode, Opcode.FLUSH | Opcode.ATOMIC_WRITE)) {
            int id = fetches.findAtomic(psn);
            if (id < 0) {
                qp.counters().count(RxeCounter.DROP_UNKNOWN_DUPLICATE);
            } else {
                responses.dropFrom(psn, qp.mtu());
                answered = responses.confirm(psn, fetches.msn(id), true);
            }
        } else {
            answered = responses.acknowledge(acknowledgeable(psn), msn);
        }
        if (!answered) {
            qp.counters().count(RxeCounter.DROP_RESPONSE_QUEUE_FULL);
        }
    }

    /** Is this an operation of the service, in its place in the message, and may the peer do it? */
    private int checkOperation(ByteBuffer buffer, int at, int opcode) {
        if (Opcode.transport(opcode) != qp.transport() || !Opcode.hasAny(opcode, Opcode.SEND | Opcode.WRITE | ANSWERED)) {
            return Syndrome.NAK_INVALID_REQUEST;
        }
        boolean answered = Opcode.hasAny(opcode, ANSWERED);
        boolean begins = Opcode.has(opcode, Opcode.START) || answered;
        if (begins ? message.isOpen() : !message.continuesWith(opcode)) {
            return Syndrome.NAK_INVALID_REQUEST;
        }
        int right = rightFor(buffer, at, opcode);
        if ((qp.accessFlags() & right) != right) {
            return Syndrome.NAK_INVALID_REQUEST;
        }
        boolean tooMany = answered && responses.fetches() >= qp.maxDestRdAtomic() && !responses.dropOldestReplay();
        return tooMany ? Syndrome.NAK_INVALID_REQUEST : OK;
    }

    /** What both queue pair and memory must grant. */
    private static int rightFor(ByteBuffer buffer, int at, int opcode) {
        if (Opcode.has(opcode, Opcode.FLUSH)) {
            int placement = Feth.placementType(buffer, at + Opcode.fethOffset(opcode));
            return ((placement & Feth.PLACEMENT_GLOBAL_VISIBILITY) != 0 ? AccessFlags.FLUSH_GLOBAL : 0)
                | ((placement & Feth.PLACEMENT_PERSISTENCE) != 0 ? AccessFlags.FLUSH_PERSISTENT : 0);
        }
        return Opcode.hasAny(opcode, Opcode.WRITE | Opcode.ATOMIC_WRITE) ? AccessFlags.REMOTE_WRITE
            : Opcode.has(opcode, Opcode.READ_REQUEST) ? AccessFlags.REMOTE_READ
            : Opcode.has(opcode, Opcode.ATOMIC_REQUEST) ? AccessFlags.REMOTE_ATOMIC : 0;
    }

    private int checkLength(ByteBuffer buffer, int at, int opcode, int payload) {
        boolean good;
        if (Opcode.hasAny(opcode, Opcode.SEND | Opcode.WRITE)) {
            good = message.checkLength(buffer, at, opcode, payload);
        } else if (Opcode.has(opcode, Opcode.ATOMIC_REQUEST)) {
            good = (AtomicEth.va(buffer, at + Opcode.atomicEthOffset(opcode)) & 7) == 0;
        } else {
            int reth = at + Opcode.rethOffset(opcode);
            good = Reth.length(buffer, reth) <= MessageWriter.MAX_MESSAGE_BYTES;
            if (Opcode.has(opcode, Opcode.ATOMIC_WRITE)) {
                good = payload == 8 && Bth.padCount(buffer, at) == 0 && Reth.length(buffer, reth) == 8 && (Reth.va(buffer, reth) & 7) == 0;
            } else if (Opcode.has(opcode, Opcode.FLUSH)) {
                int feth = at + Opcode.fethOffset(opcode);
                int placement = Feth.placementType(buffer, feth);
                good &= placement >= 1 && placement <= (Feth.PLACEMENT_GLOBAL_VISIBILITY | Feth.PLACEMENT_PERSISTENCE)
                    && Feth.selectivity(buffer, feth) <= Feth.SELECT_REGION;
            }
        }
        return good ? OK : Syndrome.NAK_INVALID_REQUEST;
    }

    private int execute(ReceivedFrame frame, int opcode, int psn, int payload) {
        if (Opcode.has(opcode, Opcode.SEND)) {
            return executeSend(frame, opcode, psn, payload);
        }
        if (Opcode.has(opcode, Opcode.WRITE)) {
            return executeWrite(frame, opcode, psn, payload);
        }
        if (Opcode.has(opcode, Opcode.READ_REQUEST)) {
            return executeRead(frame, opcode, psn);
        }
        return Opcode.has(opcode, Opcode.FLUSH) ? executeFlush(frame, opcode, psn)
            : Opcode.has(opcode, Opcode.ATOMIC_WRITE) ? executeAtomicWrite(frame, opcode, psn) : executeAtomic(frame, opcode, psn);
    }

    private int executeSend(ReceivedFrame frame, int opcode, int psn, int payload) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        WcStatus placed = message.placeSend(frame, opcode, payload);
        if (placed != WcStatus.SUCCESS) {
            completions.fail(placed);
            return placed == WcStatus.LOC_LEN_ERR ? Syndrome.NAK_INVALID_REQUEST : Syndrome.NAK_REMOTE_OPERATIONAL;
        }
        if (!Opcode.has(opcode, Opcode.END)) {
            accept(buffer, at, psn);
            return OK;
        }
        int flags = WcFlags.GRH;
        int immediateOrKey = 0;
        if (Opcode.has(opcode, Opcode.IMMEDIATE)) {
            flags |= WcFlags.WITH_IMM;
            immediateOrKey = ImmDt.immediate(buffer, at + Opcode.immediateOffset(opcode));
        } else if (Opcode.has(opcode, Opcode.INVALIDATE)) {
            flags |= WcFlags.WITH_INV;
            immediateOrKey = Ieth.rkey(buffer, at + Opcode.iethOffset(opcode));
            if (!memory.invalidate(immediateOrKey, landing.pd(), qp.qpn())) {
                completions.fail(WcStatus.LOC_ACCESS_ERR);
                return Syndrome.NAK_REMOTE_ACCESS;
            }
        }
        endMessage(buffer, at, psn);
        completions.complete(WcOpcode.RECV, message.bytes(), immediateOrKey, 0, flags, Bth.solicitedEvent(buffer, at));
        return OK;
    }

    private int executeWrite(ReceivedFrame frame, int opcode, int psn, int payload) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        if (!message.placeWrite(frame, opcode, payload)) {
            return Syndrome.NAK_REMOTE_ACCESS;
        }
        if (!Opcode.has(opcode, Opcode.END)) {
            accept(buffer, at, psn);
            return OK;
        }
        endMessage(buffer, at, psn);
        if (Opcode.has(opcode, Opcode.IMMEDIATE)) {
            completions.complete(WcOpcode.RECV_RDMA_WITH_IMM, message.bytes(),
                ImmDt.immediate(buffer, at + Opcode.immediateOffset(opcode)), 0, WcFlags.GRH | WcFlags.WITH_IMM,
                Bth.solicitedEvent(buffer, at));
        }
        return OK;
    }

    private int executeRead(ReceivedFrame frame, int opcode, int psn) {
        ByteBuffer buffer = frame.buffer();
        int reth = frame.offset() + Opcode.rethOffset(opcode);
        long va = Reth.va(buffer, reth);
        int rkey = Reth.rkey(buffer, reth);
        long length = Reth.length(buffer, reth);
        if (length > 0 && readable(landing.pd(), rkey, va, length) == null) {
            return Syndrome.NAK_REMOTE_ACCESS;
        }
        int packets = length == 0 ? 1 : (int) ((length + qp.mtu() - 1) / qp.mtu());
        msn = Psn.next(msn);
        expectedPsn = Psn.add(psn, packets);
        fetches.rememberRead(psn, packets, msn, landing.pd(), rkey, va, length);
        responses.read(psn, msn, landing.pd(), rkey, va, length, false);
        return OK;
    }

    private int executeAtomic(ReceivedFrame frame, int opcode, int psn) {
        ByteBuffer buffer = frame.buffer();
        int eth = frame.offset() + Opcode.atomicEthOffset(opcode);
        long va = AtomicEth.va(buffer, eth);
        Region region = memory.lookup(AtomicEth.rkey(buffer, eth));
        if (region == null || !region.grants(landing.pd(), qp.qpn(), AccessFlags.REMOTE_ATOMIC) || !region.covers(va, 8)) {
            return Syndrome.NAK_REMOTE_ACCESS;
        }
        boolean done = opcode == (qp.transport() | Opcode.RC_COMPARE_SWAP)
            ? region.compareAndSwap(va, AtomicEth.compare(buffer, eth), AtomicEth.swapAdd(buffer, eth), atomicResult)
            : region.fetchAndAdd(va, AtomicEth.swapAdd(buffer, eth), atomicResult);
        if (!done) {
            return Syndrome.NAK_REMOTE_ACCESS;
        }
        msn = Psn.next(msn);
        expectedPsn = Psn.next(psn);
        fetches.rememberAtomic(psn, msn, atomicResult[0]);
        responses.atomic(psn, msn, atomicResult[0], false);
        return OK;
    }

    /**
     * Everything that came before was placed when it came, so pushing it is all there is to do. What comes later waits, as ATOMIC WRITE
     * must and others may. IBA vol 1 release 1.6, memory placement extensions.
     */
    private int executeFlush(ReceivedFrame frame, int opcode, int psn) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        int reth = at + Opcode.rethOffset(opcode);
        int feth = at + Opcode.fethOffset(opcode);
        Region region = memory.lookup(Reth.rkey(buffer, reth));
        if (region == null || !region.grants(landing.pd(), qp.qpn(), rightFor(buffer, at, opcode))) {
            return Syndrome.NAK_REMOTE_ACCESS;
        }
        boolean all = Feth.selectivity(buffer, feth) == Feth.SELECT_REGION;
        long va = all ? region.start() : Reth.va(buffer, reth);
        long length = all ? region.length() : Reth.length(buffer, reth);
        if (!region.covers(va, length)) {
            return Syndrome.NAK_REMOTE_ACCESS;
        }
        if (!region.flush(va, length, (Feth.placementType(buffer, feth) & Feth.PLACEMENT_PERSISTENCE) != 0)) {
            return Syndrome.NAK_REMOTE_OPERATIONAL;
        }
        confirm(psn);
        return OK;
    }

    private int executeAtomicWrite(ReceivedFrame frame, int opcode, int psn) {
        ByteBuffer buffer = frame.buffer();
        int reth = frame.offset() + Opcode.rethOffset(opcode);
        long va = Reth.va(buffer, reth);
        Region region = memory.lookup(Reth.rkey(buffer, reth));
        boolean done = region != null && region.grants(landing.pd(), qp.qpn(), AccessFlags.REMOTE_WRITE) && region.covers(va, 8)
            && region.store(va, frame.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, frame.offset() + Opcode.headerLength(opcode)));
        if (!done) {
            return Syndrome.NAK_REMOTE_ACCESS;
        }
        confirm(psn);
        return OK;
    }

    /** Answers with a READ response of no bytes, and again when asked again, without executing anything. */
    private void confirm(int psn) {
        msn = Psn.next(msn);
        expectedPsn = Psn.next(psn);
        fetches.rememberAtomic(psn, msn, 0);
        responses.confirm(psn, msn, false);
    }

    private Region readable(int pd, int rkey, long va, long length) {
        Region region = memory.lookup(rkey);
        boolean allowed = region != null && region.grants(pd, qp.qpn(), AccessFlags.REMOTE_READ) && region.covers(va, length);
        return allowed ? region : null;
    }

    /** The last packet of a SEND or WRITE was executed. */
    private void endMessage(ByteBuffer buffer, int at, int psn) {
        message.end();
        msn = Psn.next(msn);
        accept(buffer, at, psn);
    }

    /** The packet was executed; acknowledge it if asked to. */
    private void accept(ByteBuffer buffer, int at, int psn) {
        expectedPsn = Psn.next(psn);
        if (Bth.ackRequest(buffer, at)) {
            responses.acknowledge(psn, msn);
        }
    }

    /** The request is refused for good: a NAK, an event, and the queue pair is in error. IBA vol 1 §9.9.3 */
    private void refuse(int nak) {
        responses.refuse(expectedPsn, msn, nak);
        qp.counters().count(counterOf(nak));
        qp.raise(nak == Syndrome.NAK_REMOTE_ACCESS ? AsyncEventType.QP_ACCESS_ERR
            : nak == Syndrome.NAK_INVALID_REQUEST ? AsyncEventType.QP_REQ_ERR : AsyncEventType.QP_FATAL);
        qp.enterErrorAfterResponses();
    }

    private static RxeCounter counterOf(int nak) {
        return nak == Syndrome.NAK_REMOTE_ACCESS ? RxeCounter.SEND_ACCESS_ERR
            : nak == Syndrome.NAK_INVALID_REQUEST ? RxeCounter.SEND_INVALID_ERR : RxeCounter.SEND_OPERATION_ERR;
    }

    /** Completes whatever is posted with WR_FLUSH_ERR. */
    void flush() {
        completions.flush();
    }

    /** Whether there is anything to answer. */
    boolean owes() {
        return !responses.isEmpty();
    }

    /** Whether there is more to answer than one acknowledgement. */
    boolean owesData() {
        return owes() && !responses.isLoneAcknowledge();
    }

    /** Sends up to {@code budget} response packets, but not the acknowledgement that stands last. @return how many */
    int transmitData(PacketWriter out, int budget) {
        int sent = 0;
        while (sent < budget && owesData() && out.hasRoom()) {
            sendNext(out);
            sent++;
        }
        return sent;
    }

    /** Sends up to {@code budget} response packets. @return how many */
    int transmit(PacketWriter out, int budget) {
        int sent = 0;
        while (sent < budget && owes() && out.hasRoom()) {
            sendNext(out);
            sent++;
        }
        return sent;
    }

    private void sendNext(PacketWriter out) {
        switch (responses.headKind()) {
            case ResponseQueue.READ -> sendReadPacket(out);
            case ResponseQueue.ATOMIC -> sendAtomicAck(out);
            default -> sendAcknowledge(out);
        }
    }

    private void sendAcknowledge(PacketWriter out) {
        int opcode = qp.transport() | Opcode.RC_ACKNOWLEDGE;
        int at = begin(opcode, 0, out);
        Aeth.put(out.buffer(), at + Opcode.aethOffset(opcode), responses.headSyndrome(), responses.headMsn());
        out.finish(qp.path(), at, at + Opcode.headerLength(opcode));
        responses.removeHead();
    }

    private void sendAtomicAck(PacketWriter out) {
        int opcode = qp.transport() | Opcode.RC_ATOMIC_ACKNOWLEDGE;
        int at = begin(opcode, 0, out);
        Aeth.put(out.buffer(), at + Opcode.aethOffset(opcode), Syndrome.ACK_UNLIMITED, responses.headMsn());
        AtomicAckEth.put(out.buffer(), at + Opcode.atomicAckEthOffset(opcode), responses.headOriginal());
        out.finish(qp.path(), at, at + Opcode.headerLength(opcode));
        responses.removeHead();
    }

    private void sendReadPacket(PacketWriter out) {
        long left = responses.headLeft();
        int payload = (int) Math.min(left, qp.mtu());
        boolean first = !responses.headBegun();
        boolean last = left == payload;
        int opcode = qp.transport() | (first ? (last ? Opcode.RC_RDMA_READ_RESPONSE_ONLY : Opcode.RC_RDMA_READ_RESPONSE_FIRST)
            : last ? Opcode.RC_RDMA_READ_RESPONSE_LAST : Opcode.RC_RDMA_READ_RESPONSE_MIDDLE);
        int pad = -payload & 3;
        int at = begin(opcode, pad, out);
        int payloadAt = at + Opcode.headerLength(opcode);
        Region region = payload == 0 ? null : readable(responses.headPd(), responses.headRkey(), responses.headVa(), left);
        if (payload > 0 && (region == null || !region.copyOut(responses.headVa(), out.memory(), payloadAt, payload))) {
            onMemoryGone(out);
            return;
        }
        if (Opcode.has(opcode, Opcode.AETH)) {
            Aeth.put(out.buffer(), at + Opcode.aethOffset(opcode), Syndrome.ACK_UNLIMITED, responses.headMsn());
        }
        for (int i = 0; i < pad; i++) {
            out.buffer().put(payloadAt + payload + i, (byte) 0);
        }
        out.finish(qp.path(), at, payloadAt + payload + pad);
        responses.advance(Psn.next(responses.headPsn()), payload);
        if (last) {
            responses.removeHead();
        }
    }

    /**
     * The memory of a READ went away before it was answered completely: the NAK stands where the next response would have. That is the
     * end of the connection, unless the READ was answered before: then the repeated request may be an old copy of one whose requester has
     * what it wanted and allowed its peer to deregister, so it gets its NAK, which means nothing to such a requester, and life goes on.
     */
    private void onMemoryGone(PacketWriter out) {
        int psn = responses.headPsn();
        int atMsn = responses.headMsn();
        if (responses.headIsReplay()) {
            responses.refuseHead(Syndrome.NAK_REMOTE_ACCESS);
            sendAcknowledge(out);
            return;
        }
        responses.clear();
        responses.refuse(psn, atMsn, Syndrome.NAK_REMOTE_ACCESS);
        qp.counters().count(RxeCounter.SEND_ACCESS_ERR);
        qp.raise(AsyncEventType.QP_ACCESS_ERR);
        qp.enterErrorAfterResponses();
    }

    private int begin(int opcode, int pad, PacketWriter out) {
        int at = out.begin(qp.path());
        Bth.put(out.buffer(), at, opcode, false, pad, QpMachine.PKEY, qp.destQpn(), false, responses.headPsn());
        return at;
    }
}
