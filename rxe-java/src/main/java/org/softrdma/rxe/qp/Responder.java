// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.softrdma.device.memory.AccessFailures;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.device.qp.ReceiveCompletions;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.AtomicAckEth;
import org.softrdma.wire.roce.AtomicEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Feth;
import org.softrdma.wire.roce.Ieth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.Syndrome;
import org.softrdma.wire.roce.Xrceth;

/**
 * Executes requests, in order and once, and answers them. {@link #onRequest} is the ladder every request climbs: PSN, operation, sequence
 * of the message, rights, responder resource, context (XRC), length, receive; then {@link #execute}: key, execute, acknowledge, complete.
 * The acknowledgement is only queued before the receive completes; it leaves in the queue pair's next turn.
 * Source: IBA vol 1 §9.7.4, §9.7.5, §9.9.3.
 */
public final class Responder {
    /** Requests answered by a response of their own, which is remembered in a responder resource. */
    private static final int ANSWERED = Opcode.READ_REQUEST | Opcode.ATOMIC_REQUEST | Opcode.FLUSH | Opcode.ATOMIC_WRITE;

    private final RcMachine qp;
    private final RequestContext context;
    private final ReceiveSource receives;
    private final ReceiveCompletions completions;
    private final InboundMessage message;
    private final MemoryTable memory;
    private final long[] atomicResult = new long[1];
    private ResponseQueue responses = new ResponseQueue(1);
    private ResponderResources resources = new ResponderResources(1);

    private int expectedPsn;
    private int msn;
    /** A NAK for the gap, or an RNR NAK, was queued: no further one until the expected PSN is received. */
    private boolean refused;

    Responder(RcMachine qp) {
        this.qp = qp;
        context = qp.requestContext();
        receives = context.receives();
        completions = qp.newReceiveCompletions();
        message = new InboundMessage(qp);
        memory = qp.memory();
    }

    /** Starts over at the transition to RTR. */
    void start(int psn, int maxResources) {
        expectedPsn = psn;
        msn = 0;
        refused = false;
        message.end();
        responses = new ResponseQueue(maxResources);
        resources = new ResponderResources(maxResources);
    }

    int expectedPsn() {
        return expectedPsn;
    }

    /**
     * Result of a responder that executes nothing more.
     *
     * @param expectedPsn the PSN after the last request, 24 bits
     * @param msn         number of messages, 24 bits
     */
    record Executed(int expectedPsn, int msn, ResponderResources resources) {
        int acknowledgeable(int psn) {
            return resources.acknowledgeable(psn, expectedPsn);
        }
    }

    /** Returns what was executed, to outlast this responder. */
    Executed executed() {
        return new Executed(expectedPsn, msn, resources);
    }

    void dropResponses() {
        responses.clear();
    }

    /** A request that passed the edge's checks. Climbs the ladder of the class comment, one step each statement. */
    void onRequest(InboundPacket packet) {
        int order = Psn.compare(packet.psn(), expectedPsn);
        if (order > 0) {
            onGap(packet.psn());
            return;
        }
        if (order < 0) {
            onDuplicate(packet);
            return;
        }
        refused = false;
        if (!isKnown(packet)) {
            refuse(Failure.of(Reason.UNKNOWN_OPERATION, packet.opcode()));
            return;
        }
        if (!isInSequence(packet)) {
            refuse(Failure.of(Reason.MESSAGE_ORDER, packet.opcode()));
            return;
        }
        if (!isPermitted(packet)) {
            refuse(Failure.of(Reason.QP_ACCESS, qp.accessFlags(), operationOf(packet), rightFor(packet)));
            return;
        }
        if (packet.hasAny(ANSWERED) && !reserveResource()) {
            refuse(Failure.of(Reason.TOO_MANY_READS, qp.maxDestRdAtomic()));
            return;
        }
        if (!context.accepts(packet)) {
            qp.counters().count(RxeCounter.REFUSED_XRCETH);
            refuse(Failure.of(Reason.XRC_QUEUE, Xrceth.srqn(packet.buffer(), packet.xrcethAt())));
            return;
        }
        if (!hasRightLength(packet)) {
            refuse(wrongLength(packet));
            return;
        }
        if (InboundMessage.needsReceive(packet) && !receives.take()) {
            onReceiverNotReady();
            return;
        }
        Failure why = execute(packet);
        if (why != null) {
            refuse(why);
        }
    }

    /** Packets are missing: queues one NAK, upon which the requester goes back. IBA vol 1 §9.7.4.1.3 */
    private void onGap(int psn) {
        qp.counters().count(RxeCounter.OUT_OF_SEQ_REQUEST);
        qp.observer().occurred(RecordedEvent.Effect.DROPPED, Reason.GAP, psn, expectedPsn, 0);
        if (!refused && responses.refuse(expectedPsn, msn, Syndrome.NAK_PSN_SEQUENCE)) {
            qp.counters().count(RxeCounter.SEND_SEQ_ERR);
            refused = true;
        }
    }

    /** No receive is posted: the requester must wait. Packets sent after this one are lost, and get no NAK of their own. */
    private void onReceiverNotReady() {
        if (responses.refuse(expectedPsn, msn, Syndrome.rnr(qp.minRnrTimer()))) {
            qp.counters().count(RxeCounter.SEND_RNR_ERR);
            qp.observer().occurred(RecordedEvent.Effect.REFUSED, Reason.NO_RECEIVE, 0, 0, 0);
            refused = true;
        }
    }

    /** Answers a repeated request again without executing it again. IBA vol 1 §9.7.5.1.4 */
    private void onDuplicate(InboundPacket packet) {
        qp.counters().count(RxeCounter.DUPLICATE_REQUEST);
        boolean queued;
        if (packet.hasAny(ANSWERED)) {
            ResponderResources.Resource resource = findResource(packet);
            if (resource == null) {
                qp.drop(RxeCounter.DROP_UNKNOWN_DUPLICATE, packet.psn(), 0);
                return;
            }
            responses.dropFrom(packet.psn(), qp.mtu());
            queued = answerAgain(packet, resource);
        } else {
            queued = responses.acknowledge(resources.acknowledgeable(packet.psn(), expectedPsn), msn);
        }
        if (!queued) {
            qp.drop(RxeCounter.DROP_RESPONSE_QUEUE_FULL, packet.psn(), 0);
        }
    }

    /** Returns the responder resource of a repeated request, or null if it is no longer remembered. */
    private ResponderResources.Resource findResource(InboundPacket packet) {
        if (!packet.has(Opcode.READ_REQUEST)) {
            return resources.findAtomic(packet.psn());
        }
        ByteBuffer buffer = packet.buffer();
        int reth = packet.rethAt();
        return resources.findRead(packet.psn(), Reth.rkey(buffer, reth), Reth.va(buffer, reth), Reth.length(buffer, reth), qp.mtu());
    }

    /**
     * Queues the answer to a repeated request.
     *
     * @return false if there is no room for it
     */
    private boolean answerAgain(InboundPacket packet, ResponderResources.Resource resource) {
        int psn = packet.psn();
        if (packet.has(Opcode.READ_REQUEST)) {
            ByteBuffer buffer = packet.buffer();
            int reth = packet.rethAt();
            return responses.read(psn, resource.msn(), resource.pd(), Reth.rkey(buffer, reth), Reth.va(buffer, reth),
                Reth.length(buffer, reth), true);
        }
        if (packet.has(Opcode.ATOMIC_REQUEST)) {
            return responses.atomic(psn, resource.msn(), resource.original(), true);
        }
        return responses.confirm(psn, resource.msn(), true);
    }

    /** Whether the opcode is that of a request; the service has reserved ones. */
    private static boolean isKnown(InboundPacket packet) {
        return packet.hasAny(Opcode.SEND | Opcode.WRITE | ANSWERED);
    }

    /** Whether the packet begins a message while none is open, or continues the one that is open. */
    private boolean isInSequence(InboundPacket packet) {
        boolean begins = packet.has(Opcode.START) || packet.hasAny(ANSWERED);
        return begins ? !message.isOpen() : message.continuesWith(packet);
    }

    /** Whether the queue pair's access flags permit the operation. */
    private boolean isPermitted(InboundPacket packet) {
        int right = rightFor(packet);
        return (qp.accessFlags() & right) == right;
    }

    /**
     * Makes room for one more response, if need be in place of a repetition no longer awaited.
     *
     * @return false if too many wait
     */
    private boolean reserveResource() {
        return responses.answers() < qp.maxDestRdAtomic() || responses.dropOldestReplay();
    }

    /** The access flags that both queue pair and memory must grant. */
    private static int rightFor(InboundPacket packet) {
        if (packet.has(Opcode.FLUSH)) {
            int placement = Feth.placementType(packet.buffer(), packet.fethAt());
            return ((placement & Feth.PLACEMENT_GLOBAL_VISIBILITY) != 0 ? AccessFlags.FLUSH_GLOBAL : 0)
                | ((placement & Feth.PLACEMENT_PERSISTENCE) != 0 ? AccessFlags.FLUSH_PERSISTENT : 0);
        }
        if (packet.hasAny(Opcode.WRITE | Opcode.ATOMIC_WRITE)) {
            return AccessFlags.REMOTE_WRITE;
        }
        if (packet.has(Opcode.READ_REQUEST)) {
            return AccessFlags.REMOTE_READ;
        }
        return packet.has(Opcode.ATOMIC_REQUEST) ? AccessFlags.REMOTE_ATOMIC : 0;
    }

    private boolean hasRightLength(InboundPacket packet) {
        if (packet.hasAny(Opcode.SEND | Opcode.WRITE)) {
            return message.checkLength(packet);
        }
        ByteBuffer buffer = packet.buffer();
        if (packet.has(Opcode.ATOMIC_REQUEST)) {
            return (AtomicEth.va(buffer, packet.atomicEthAt()) & 7) == 0;
        }
        int reth = packet.rethAt();
        if (packet.has(Opcode.ATOMIC_WRITE)) {
            return packet.payloadBytes() == 8 && packet.isPaddedRight() && Reth.length(buffer, reth) == 8
                && (Reth.va(buffer, reth) & 7) == 0;
        }
        if (Reth.length(buffer, reth) > MessageWriter.MAX_MESSAGE_BYTES) {
            return false;
        }
        return !packet.has(Opcode.FLUSH) || hasKnownReach(packet);
    }

    /** Explains why {@link #hasRightLength} refused a packet. */
    private Failure wrongLength(InboundPacket packet) {
        if (packet.hasAny(Opcode.SEND | Opcode.WRITE)) {
            return Failure.of(Reason.PACKET_LENGTH, packet.payloadBytes(), qp.mtu());
        }
        ByteBuffer buffer = packet.buffer();
        if (packet.has(Opcode.ATOMIC_REQUEST)) {
            return Failure.of(Reason.OPERAND_ALIGNMENT, operationOf(packet), AtomicEth.va(buffer, packet.atomicEthAt()));
        }
        int reth = packet.rethAt();
        if (packet.has(Opcode.ATOMIC_WRITE)) {
            return Failure.of(Reason.OPERAND_ALIGNMENT, operationOf(packet), Reth.va(buffer, reth));
        }
        long length = Reth.length(buffer, reth);
        return length > MessageWriter.MAX_MESSAGE_BYTES ? Failure.of(Reason.REQUEST_TOO_LONG, length, MessageWriter.MAX_MESSAGE_BYTES)
            : Failure.of(Reason.FLUSH_REACH);
    }

    /** Value of the work request that the peer posted, as far as the packet shows it. */
    private int operationOf(InboundPacket packet) {
        WrOpcode operation;
        if (packet.has(Opcode.SEND)) {
            operation = WrOpcode.SEND;
        } else if (packet.has(Opcode.WRITE)) {
            operation = WrOpcode.RDMA_WRITE;
        } else if (packet.has(Opcode.READ_REQUEST)) {
            operation = WrOpcode.RDMA_READ;
        } else if (packet.has(Opcode.FLUSH)) {
            operation = WrOpcode.FLUSH;
        } else if (packet.has(Opcode.ATOMIC_WRITE)) {
            operation = WrOpcode.ATOMIC_WRITE;
        } else {
            boolean swaps = packet.opcode() == (qp.transport() | Opcode.RC_COMPARE_SWAP);
            operation = swaps ? WrOpcode.ATOMIC_CMP_AND_SWP : WrOpcode.ATOMIC_FETCH_AND_ADD;
        }
        return operation.value();
    }

    /** Whether a FLUSH names a known placement type and selectivity. */
    private static boolean hasKnownReach(InboundPacket packet) {
        int placement = Feth.placementType(packet.buffer(), packet.fethAt());
        return placement >= 1 && placement <= (Feth.PLACEMENT_GLOBAL_VISIBILITY | Feth.PLACEMENT_PERSISTENCE)
            && Feth.selectivity(packet.buffer(), packet.fethAt()) <= Feth.SELECT_REGION;
    }

    /**
     * Executes the request, acknowledges it, and completes the receive it took.
     *
     * @return null, or why it is refused
     */
    private Failure execute(InboundPacket packet) {
        if (packet.has(Opcode.SEND)) {
            return executeSend(packet);
        }
        if (packet.has(Opcode.WRITE)) {
            return executeWrite(packet);
        }
        if (packet.has(Opcode.READ_REQUEST)) {
            return executeRead(packet);
        }
        if (packet.has(Opcode.FLUSH)) {
            return executeFlush(packet);
        }
        return packet.has(Opcode.ATOMIC_WRITE) ? executeAtomicWrite(packet) : executeAtomic(packet);
    }

    private Failure executeSend(InboundPacket packet) {
        Failure why = message.placeSend(packet);
        if (why != null) {
            completions.fail(why);
            return why;
        }
        if (!packet.has(Opcode.END)) {
            accept(packet);
            return null;
        }
        int flags = WcFlags.GRH;
        int immediateOrKey = 0;
        if (packet.has(Opcode.IMMEDIATE)) {
            flags |= WcFlags.WITH_IMM;
            immediateOrKey = ImmDt.immediate(packet.buffer(), packet.immDtAt());
        } else if (packet.has(Opcode.INVALIDATE)) {
            flags |= WcFlags.WITH_INV;
            immediateOrKey = Ieth.rkey(packet.buffer(), packet.iethAt());
            if (!memory.invalidate(immediateOrKey, context.pd(), qp.qpn())) {
                Failure notInvalidated = Failure.of(Reason.PEER_CANNOT_INVALIDATE, immediateOrKey);
                completions.fail(notInvalidated);
                return notInvalidated;
            }
        }
        endMessage(packet);
        completions.complete(WcOpcode.RECV, message.bytes(), immediateOrKey, 0, flags, packet.solicitedEvent());
        return null;
    }

    private Failure executeWrite(InboundPacket packet) {
        if (!message.placeWrite(packet)) {
            return message.explainWrite();
        }
        if (!packet.has(Opcode.END)) {
            accept(packet);
            return null;
        }
        endMessage(packet);
        if (packet.has(Opcode.IMMEDIATE)) {
            completions.complete(WcOpcode.RECV_RDMA_WITH_IMM, message.bytes(), ImmDt.immediate(packet.buffer(), packet.immDtAt()), 0,
                WcFlags.GRH | WcFlags.WITH_IMM, packet.solicitedEvent());
        }
        return null;
    }

    private Failure executeRead(InboundPacket packet) {
        ByteBuffer buffer = packet.buffer();
        int reth = packet.rethAt();
        long va = Reth.va(buffer, reth);
        int rkey = Reth.rkey(buffer, reth);
        long length = Reth.length(buffer, reth);
        if (length > 0 && readable(context.pd(), rkey, va, length) == null) {
            return refusedAccess(packet, rkey, va, length);
        }
        int psn = packet.psn();
        int packets = length == 0 ? 1 : (int) ((length + qp.mtu() - 1) / qp.mtu());
        msn = Psn.next(msn);
        expectedPsn = Psn.add(psn, packets);
        resources.rememberRead(psn, packets, msn, context.pd(), rkey, va, length);
        responses.read(psn, msn, context.pd(), rkey, va, length, false);
        return null;
    }

    private Failure executeAtomic(InboundPacket packet) {
        ByteBuffer buffer = packet.buffer();
        int eth = packet.atomicEthAt();
        long va = AtomicEth.va(buffer, eth);
        Region region = memory.lookup(AtomicEth.rkey(buffer, eth));
        if (region == null || !region.grants(context.pd(), qp.qpn(), AccessFlags.REMOTE_ATOMIC) || !region.covers(va, 8)) {
            return refusedAccess(packet, AtomicEth.rkey(buffer, eth), va, 8);
        }
        boolean done = packet.opcode() == (qp.transport() | Opcode.RC_COMPARE_SWAP)
            ? region.compareAndSwap(va, AtomicEth.compare(buffer, eth), AtomicEth.swapAdd(buffer, eth), atomicResult)
            : region.fetchAndAdd(va, AtomicEth.swapAdd(buffer, eth), atomicResult);
        if (!done) {
            return refusedAccess(packet, AtomicEth.rkey(buffer, eth), va, 8);
        }
        int psn = packet.psn();
        msn = Psn.next(msn);
        expectedPsn = Psn.next(psn);
        resources.rememberAtomic(psn, msn, atomicResult[0]);
        responses.atomic(psn, msn, atomicResult[0], false);
        return null;
    }

    /**
     * Pushes placed data to where the request wants it. All earlier requests were placed when they were received, so nothing else has to
     * be waited for; later ones wait, as ATOMIC WRITE must and others may. IBA vol 1 release 1.6, memory placement extensions.
     */
    private Failure executeFlush(InboundPacket packet) {
        ByteBuffer buffer = packet.buffer();
        int reth = packet.rethAt();
        int feth = packet.fethAt();
        Region region = memory.lookup(Reth.rkey(buffer, reth));
        if (region == null || !region.grants(context.pd(), qp.qpn(), rightFor(packet))) {
            return refusedAccess(packet, Reth.rkey(buffer, reth), Reth.va(buffer, reth), Reth.length(buffer, reth));
        }
        boolean all = Feth.selectivity(buffer, feth) == Feth.SELECT_REGION;
        long va = all ? region.start() : Reth.va(buffer, reth);
        long length = all ? region.length() : Reth.length(buffer, reth);
        if (!region.covers(va, length)) {
            return refusedAccess(packet, Reth.rkey(buffer, reth), va, length);
        }
        if (!region.flush(va, length, (Feth.placementType(buffer, feth) & Feth.PLACEMENT_PERSISTENCE) != 0)) {
            return Failure.of(Reason.FLUSH_FAILED, va, length);
        }
        confirm(packet.psn());
        return null;
    }

    private Failure executeAtomicWrite(InboundPacket packet) {
        ByteBuffer buffer = packet.buffer();
        int reth = packet.rethAt();
        long va = Reth.va(buffer, reth);
        Region region = memory.lookup(Reth.rkey(buffer, reth));
        boolean done = region != null && region.grants(context.pd(), qp.qpn(), AccessFlags.REMOTE_WRITE) && region.covers(va, 8)
            && region.store(va, packet.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, packet.payloadAt()));
        if (!done) {
            return refusedAccess(packet, Reth.rkey(buffer, reth), va, 8);
        }
        confirm(packet.psn());
        return null;
    }

    /** Answers with a READ response of no bytes, and a repeated request with the same again, without executing anything. */
    private void confirm(int psn) {
        msn = Psn.next(msn);
        expectedPsn = Psn.next(psn);
        resources.rememberAtomic(psn, msn, 0);
        responses.confirm(psn, msn, false);
    }

    private Failure refusedAccess(InboundPacket packet, int rkey, long va, long length) {
        return AccessFailures.remote(memory, rkey, context.pd(), qp.qpn(), rightFor(packet), va, length, operationOf(packet));
    }

    private Region readable(int pd, int rkey, long va, long length) {
        Region region = memory.lookup(rkey);
        boolean allowed = region != null && region.grants(pd, qp.qpn(), AccessFlags.REMOTE_READ) && region.covers(va, length);
        return allowed ? region : null;
    }

    /** The last packet of a SEND or WRITE was executed: ends the message. */
    private void endMessage(InboundPacket packet) {
        message.end();
        msn = Psn.next(msn);
        accept(packet);
    }

    /** The packet was executed: acknowledges it if it requests that. */
    private void accept(InboundPacket packet) {
        expectedPsn = Psn.next(packet.psn());
        if (packet.ackRequest()) {
            responses.acknowledge(packet.psn(), msn);
        }
    }

    /** Refuses the request for good: a NAK, an event, and the queue pair is in error. IBA vol 1 §9.9.3 */
    private void refuse(Failure why) {
        int nak = nakFor(why.reason().status());
        responses.refuse(expectedPsn, msn, nak);
        qp.onFailure(RecordedEvent.Effect.REFUSED, why);
        switch (nak) {
            case Syndrome.NAK_REMOTE_ACCESS -> endConnection(RxeCounter.SEND_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
            case Syndrome.NAK_INVALID_REQUEST -> endConnection(RxeCounter.SEND_INVALID_ERR, AsyncEventType.QP_REQ_ERR);
            default -> endConnection(RxeCounter.SEND_OPERATION_ERR, AsyncEventType.QP_FATAL);
        }
    }

    /** The NAK for a refusal with this status, which is that of the peer's work request, or of the receive that failed here. */
    private static int nakFor(WcStatus status) {
        return switch (status) {
            case REM_ACCESS_ERR, LOC_ACCESS_ERR -> Syndrome.NAK_REMOTE_ACCESS;
            case REM_INV_REQ_ERR, LOC_LEN_ERR -> Syndrome.NAK_INVALID_REQUEST;
            default -> Syndrome.NAK_REMOTE_OPERATIONAL;
        };
    }

    private void endConnection(RxeCounter counter, AsyncEventType event) {
        qp.counters().count(counter);
        qp.raise(event);
        qp.enterErrorAfterResponses();
    }

    /** Completes all posted receives with WR_FLUSH_ERR. */
    void flush() {
        completions.flush();
    }

    /** Whether responses are queued. */
    boolean owes() {
        return !responses.isEmpty();
    }

    /** Whether more than one acknowledgement is queued. */
    boolean owesData() {
        return owes() && !responses.isLoneAcknowledge();
    }

    /**
     * Sends up to {@code budget} response packets, except an acknowledgement that is the only one left.
     *
     * @return number of packets
     */
    int transmitData(PacketWriter out, int budget) {
        int sent = 0;
        while (sent < budget && owesData() && out.hasRoom()) {
            sendNext(out);
            sent++;
        }
        return sent;
    }

    /**
     * Sends up to {@code budget} response packets.
     *
     * @return number of packets
     */
    int transmit(PacketWriter out, int budget) {
        int sent = 0;
        while (sent < budget && owes() && out.hasRoom()) {
            sendNext(out);
            sent++;
        }
        return sent;
    }

    private void sendNext(PacketWriter out) {
        ResponseQueue.Response response = responses.oldest();
        switch (response.kind()) {
            case ACK -> sendAcknowledge(response, out);
            case READ -> sendReadPacket(response, out);
            case ATOMIC -> sendAtomicAck(response, out);
        }
    }

    private void sendAcknowledge(ResponseQueue.Response response, PacketWriter out) {
        int opcode = qp.transport() | Opcode.RC_ACKNOWLEDGE;
        int at = begin(opcode, 0, response.psn(), out);
        Aeth.put(out.buffer(), at + Opcode.aethOffset(opcode), response.syndrome(), response.msn());
        qp.finish(out, at, at + Opcode.headerLength(opcode));
        responses.removeOldest();
    }

    private void sendAtomicAck(ResponseQueue.Response response, PacketWriter out) {
        int opcode = qp.transport() | Opcode.RC_ATOMIC_ACKNOWLEDGE;
        int at = begin(opcode, 0, response.psn(), out);
        Aeth.put(out.buffer(), at + Opcode.aethOffset(opcode), Syndrome.ACK_UNLIMITED, response.msn());
        AtomicAckEth.put(out.buffer(), at + Opcode.atomicAckEthOffset(opcode), response.original());
        qp.finish(out, at, at + Opcode.headerLength(opcode));
        responses.removeOldest();
    }

    private void sendReadPacket(ResponseQueue.Response response, PacketWriter out) {
        long left = response.left();
        int payload = (int) Math.min(left, qp.mtu());
        boolean last = left == payload;
        int opcode = qp.transport() | readResponse(!response.isBegun(), last);
        int pad = -payload & 3;
        int at = begin(opcode, pad, response.psn(), out);
        int payloadAt = at + Opcode.headerLength(opcode);
        Region region = payload == 0 ? null : readable(response.pd(), response.rkey(), response.va(), left);
        if (payload > 0 && (region == null || !region.copyOut(response.va(), out.memory(), payloadAt, payload))) {
            onMemoryGone(response);
            return;
        }
        if (Opcode.has(opcode, Opcode.AETH)) {
            Aeth.put(out.buffer(), at + Opcode.aethOffset(opcode), Syndrome.ACK_UNLIMITED, response.msn());
        }
        for (int i = 0; i < pad; i++) {
            out.buffer().put(payloadAt + payload + i, (byte) 0);
        }
        qp.finish(out, at, payloadAt + payload + pad);
        response.advance(Psn.next(response.psn()), payload);
        if (last) {
            responses.removeOldest();
        }
    }

    private static int readResponse(boolean first, boolean last) {
        if (first) {
            return last ? Opcode.RC_RDMA_READ_RESPONSE_ONLY : Opcode.RC_RDMA_READ_RESPONSE_FIRST;
        }
        return last ? Opcode.RC_RDMA_READ_RESPONSE_LAST : Opcode.RC_RDMA_READ_RESPONSE_MIDDLE;
    }

    /**
     * Refuses a READ whose memory was deregistered before it was answered completely: the NAK takes the place of the next response. This
     * ends the connection, unless the READ was answered before. Then the repeated request may be an old copy of one whose requester has all
     * its data and allowed its peer to deregister; the NAK is sent, such a requester ignores it, and the connection continues.
     */
    private void onMemoryGone(ResponseQueue.Response response) {
        if (response.isReplay()) {
            responses.refuseOldest(Syndrome.NAK_REMOTE_ACCESS);
            return;
        }
        Failure why = AccessFailures.remote(memory, response.rkey(), response.pd(), qp.qpn(), AccessFlags.REMOTE_READ, response.va(),
            response.left(), WrOpcode.RDMA_READ.value());
        responses.clear();
        responses.refuse(response.psn(), response.msn(), Syndrome.NAK_REMOTE_ACCESS);
        qp.onFailure(RecordedEvent.Effect.REFUSED, why);
        endConnection(RxeCounter.SEND_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
    }

    private int begin(int opcode, int pad, int psn, PacketWriter out) {
        int at = out.begin(qp.path());
        Bth.put(out.buffer(), at, opcode, false, pad, qp.pkey(), qp.destQpn(), false, psn);
        return at;
    }
}
