// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.queue.LocalOperations;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.roce.AtomicEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Feth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.Xrceth;

/**
 * Turns send work requests into request packets. Sends in order from the cursor while the {@link SendWindow}, the peer's READ depth, fences
 * and room in the batch allow; going back is {@link LossRecovery}'s, completing the {@link Completer}'s.
 * Source: IBA vol 1 §9.7.3, §10.8.3.
 */
final class Requester {
    private final RcMachine qp;
    private final SendState state;
    private final SendRing ring;
    private final SendWindow window;
    private final RequestSizes sizes;
    private final LossRecovery recovery;
    private final SendCompletions completions;
    private final ScatterGather data;
    private final SendData sendData;
    private final MessageWriter messages;
    private final LocalOperations localOperations;

    Requester(RcMachine qp, SendState state, SendWindow window, RequestSizes sizes, LossRecovery recovery,
              SendCompletions completions) {
        this.qp = qp;
        this.state = state;
        this.window = window;
        this.sizes = sizes;
        this.recovery = recovery;
        this.completions = completions;
        ring = state.ring;
        data = qp.data();
        sendData = new SendData(ring, data);
        messages = new MessageWriter(qp, qp.transport(), ring, sendData);
        localOperations = new LocalOperations(ring, qp.memory(), qp.pd(), qp.qpn());
    }

    /**
     * Sends up to {@code budget} packets.
     *
     * @return how many
     */
    int transmit(long nowNs, PacketWriter out, int budget) {
        int sent = 0;
        while (sent < budget && qp.maySend() && out.hasRoom() && sendNext(nowNs, out)) {
            sent++;
        }
        return sent;
    }

    /** Whether another request packet could be sent now, if the device had room for it. */
    boolean hasMore() {
        return state.cursor != ring.tail() && qp.maySend() && !waitsForReads() && qp.mayStart(state.cursor) && !window.isFull();
    }

    /**
     * Sends the oldest unacknowledged packet of a SEND or WRITE once more, if {@link LossRecovery} wants that, with a request to
     * acknowledge it. It needs no room in any budget: it is in flight already.
     *
     * @return whether a packet was sent
     */
    boolean transmitProbe(long nowNs, PacketWriter out) {
        if (!recovery.isProbing() || !qp.maySend() || !out.hasRoom()) {
            return false;
        }
        long cursor = state.cursor;
        int cursorPacket = state.cursorPacket;
        int cursorPsn = state.cursorPsn();
        int reads = state.readsInFlight;
        state.goBack();
        boolean sent = sendData(nowNs, state.cursor, out);
        boolean isNext = !sent || Psn.compare(state.cursorPsn(), cursorPsn) >= 0;
        recovery.onProbed(isNext);
        if (!isNext) {
            state.cursor = cursor;
            state.cursorPacket = cursorPacket;
            state.readsInFlight = reads;
        }
        return sent;
    }

    /**
     * Sends the packet at the cursor, or executes the local operation there.
     *
     * @return false if that cannot be done now
     */
    private boolean sendNext(long nowNs, PacketWriter out) {
        long wqe = state.cursor;
        if (wqe == ring.tail() || waitsForReads() || !qp.mayStart(wqe)) {
            return false;
        }
        int opcode = ring.opcode(wqe);
        if (LocalOperations.isLocal(opcode)) {
            return runLocally(wqe, opcode);
        }
        if (wqe == state.started && !start(wqe, opcode)) {
            return false;
        }
        if (window.isFull()) {
            return false;
        }
        if (SendState.isRead(opcode)) {
            sendReadRequest(nowNs, wqe, out);
        } else if (SendState.isAtomic(opcode)) {
            sendAtomic(nowNs, wqe, opcode, out);
        } else if (opcode == WrOpcode.FLUSH.value()) {
            sendFlush(nowNs, wqe, out);
        } else {
            return opcode == WrOpcode.ATOMIC_WRITE.value() ? sendAtomicWrite(nowNs, wqe, out) : sendData(nowNs, wqe, out);
        }
        return true;
    }

    /** Whether the request at the cursor must wait for READs, atomics and their like in flight: fenced, or the peer accepts no more. */
    private boolean waitsForReads() {
        long wqe = state.cursor;
        if (state.readsInFlight == 0 || wqe == ring.tail()) {
            return false;
        }
        return (ring.flags(wqe) & SendFlags.FENCE) != 0 && state.cursorPacket == 0
            || SendState.isAnswered(ring.opcode(wqe)) && state.readsInFlight >= qp.maxRdAtomic();
    }

    /**
     * Executes a local operation and moves the cursor past it. A window is bound as soon as what was posted before has been sent, since no
     * work request of this end uses it; READs and atomics before it are waited for if it has the fence. An invalidation waits until all
     * before it is complete, as with a local invalidate fence. Kernel rxe 6.1 does both, and mlx5 lets binds wait for nothing but a fence.
     * A bind that fails is repeated, and reported, in its turn. One that was executed is passed over when packets before it are sent again.
     * Source: IBA vol 1 §10.8.3.3.
     *
     * @return false if it cannot be executed now
     */
    private boolean runLocally(long wqe, int opcode) {
        boolean isOldest = wqe == ring.head();
        if (wqe == state.started) {
            if (!isOldest && opcode != WrOpcode.BIND_MW.value()) {
                return false;
            }
            Failure why = localOperations.run(wqe);
            if (why != null) {
                failAtHead(wqe, why);
                return false;
            }
            ring.setPsns(wqe, state.nextPsn, 0);
            state.started = wqe + 1;
        }
        state.cursor = wqe + 1;
        state.cursorPacket = 0;
        if (isOldest) {
            completions.completeHead();
        }
        return true;
    }

    /**
     * Checks a work request as far as that can be done before its first packet, and assigns its PSNs. A fault is reported once everything
     * before it is complete, because completions are in order.
     *
     * @return false if it cannot go on now
     */
    private boolean start(long wqe, int opcode) {
        Failure why = check(wqe, opcode);
        if (why != null) {
            failAtHead(wqe, why);
            return false;
        }
        int packets = SendState.isAtomic(opcode) ? 1 : messages.packetsOf(ring.length(wqe));
        ring.setPsns(wqe, state.nextPsn, packets);
        if (SendState.isRead(opcode)) {
            ring.setRequestPackets(wqe, sizes.ofRead(packets, qp.maxRdAtomic()));
        } else if (SendState.isPlainWrite(opcode)) {
            ring.setRequestPackets(wqe, sizes.ofWrite(wqe, packets));
        }
        state.nextPsn = Psn.add(state.nextPsn, packets);
        state.started = wqe + 1;
        state.cursorPacket = 0;
        return true;
    }

    /** @return null, or why the work request cannot be executed */
    private Failure check(long wqe, int opcode) {
        long length = ring.length(wqe);
        boolean fetches = SendState.isRead(opcode) || SendState.isAtomic(opcode);
        boolean eightBytes = SendState.isAtomic(opcode) || opcode == WrOpcode.ATOMIC_WRITE.value();
        if (length > MessageWriter.MAX_MESSAGE_BYTES) {
            return Failure.of(Reason.MESSAGE_TOO_LONG, length, MessageWriter.MAX_MESSAGE_BYTES);
        }
        if (eightBytes && length != 8) {
            return Failure.of(Reason.OPERAND_NOT_EIGHT_BYTES, opcode, length);
        }
        if (SendState.isAnswered(opcode) && qp.maxRdAtomic() == 0) {
            return Failure.of(Reason.NO_READ_DEPTH, opcode);
        }
        boolean accessible = fetches ? data.check(ring, wqe, AccessFlags.LOCAL_WRITE) : sendData.isReadable(wqe);
        return accessible ? null : data.explain(ring, wqe, fetches ? AccessFlags.LOCAL_WRITE : 0);
    }

    /**
     * Requests as many responses as {@link RequestSizes} says, or those of them that are missing when it is sent again. So READ data
     * is subject to the window, like other data: after a loss, a responder with a request for everything would keep streaming packets that
     * must all be discarded.
     */
    private void sendReadRequest(long nowNs, long wqe, PacketWriter out) {
        int packet = state.cursorPacket;
        int left = Math.min(ring.packets(wqe) - packet, ring.requestPackets(wqe) - packet % ring.requestPackets(wqe));
        long received = (long) packet * qp.mtu();
        int opcode = qp.transport() | Opcode.RC_RDMA_READ_REQUEST;
        int at = begin(wqe, opcode, out);
        Reth.put(out.buffer(), at + Opcode.rethOffset(opcode), ring.remoteAddress(wqe) + received, ring.rkey(wqe),
            Math.min(ring.length(wqe) - received, (long) left * qp.mtu()));
        state.readsInFlight++;
        finish(nowNs, at, Opcode.headerLength(opcode), left, true, out);
    }

    private void sendAtomic(long nowNs, long wqe, int wrOpcode, PacketWriter out) {
        boolean swaps = wrOpcode == WrOpcode.ATOMIC_CMP_AND_SWP.value();
        int opcode = qp.transport() | (swaps ? Opcode.RC_COMPARE_SWAP : Opcode.RC_FETCH_ADD);
        int at = begin(wqe, opcode, out);
        AtomicEth.put(out.buffer(), at + Opcode.atomicEthOffset(opcode), ring.remoteAddress(wqe), ring.rkey(wqe),
            swaps ? ring.swap(wqe) : ring.compareAdd(wqe), swaps ? ring.compareAdd(wqe) : 0);
        state.readsInFlight++;
        finish(nowNs, at, Opcode.headerLength(opcode), 1, true, out);
    }

    private void sendFlush(long nowNs, long wqe, PacketWriter out) {
        int at = begin(wqe, Opcode.RC_FLUSH, out);
        Feth.put(out.buffer(), at + Opcode.fethOffset(Opcode.RC_FLUSH), ring.flushPlacement(wqe), ring.flushSelectivity(wqe));
        Reth.put(out.buffer(), at + Opcode.rethOffset(Opcode.RC_FLUSH), ring.remoteAddress(wqe), ring.rkey(wqe), ring.flushLength(wqe));
        state.readsInFlight++;
        finish(nowNs, at, Opcode.headerLength(Opcode.RC_FLUSH), 1, true, out);
    }

    /** @return false if its data could not be read; the work request is failed in its turn */
    private boolean sendAtomicWrite(long nowNs, long wqe, PacketWriter out) {
        int at = begin(wqe, Opcode.RC_ATOMIC_WRITE, out);
        int payloadAt = at + Opcode.headerLength(Opcode.RC_ATOMIC_WRITE);
        if (!sendData.put(wqe, 0, 8, out, payloadAt)) {
            failAtHead(wqe, data.explain(ring, wqe, 0));
            return false;
        }
        Reth.put(out.buffer(), at + Opcode.rethOffset(Opcode.RC_ATOMIC_WRITE), ring.remoteAddress(wqe), ring.rkey(wqe), 8);
        state.readsInFlight++;
        finish(nowNs, at, payloadAt - at + 8, 1, true, out);
        return true;
    }

    private void failAtHead(long wqe, Failure why) {
        if (wqe == ring.head()) {
            qp.fail(why);
        }
    }

    /**
     * Sends one packet of a SEND or RDMA WRITE.
     *
     * @return false if its data could not be read; the work request is failed in its turn
     */
    private boolean sendData(long nowNs, long wqe, PacketWriter out) {
        int packet = state.cursorPacket;
        boolean last = packet == ring.packets(wqe) - 1;
        boolean ackRequest = recovery.isProbing() || last || window.needsAcknowledge(packet);
        int at = out.begin(qp.path());
        boolean alone = SendState.isPlainWrite(ring.opcode(wqe)) && ring.requestPackets(wqe) == 1;
        int length = messages.put(out, at, wqe, packet, last, alone, state.cursorPsn(), ackRequest);
        if (length == MessageWriter.UNREADABLE) {
            failAtHead(wqe, data.explain(ring, wqe, 0));
            return false;
        }
        finish(nowNs, at, length, 1, ackRequest, out);
        return true;
    }

    private int begin(long wqe, int opcode, PacketWriter out) {
        int at = out.begin(qp.path());
        Bth.put(out.buffer(), at, opcode, false, 0, qp.pkey(), qp.destQpn(), true, state.cursorPsn());
        if (Opcode.has(opcode, Opcode.XRCETH)) {
            Xrceth.put(out.buffer(), at + Opcode.xrcethOffset(opcode), ring.remoteSrqn(wqe));
        }
        return at;
    }

    /**
     * Ends the packet begun last and moves the cursor past it.
     *
     * @param psns       PSNs it consumes
     * @param ackRequest it requests an acknowledgement
     */
    private void finish(long nowNs, int at, int length, int psns, boolean ackRequest, PacketWriter out) {
        int psn = state.cursorPsn();
        boolean again = Psn.compare(psn, state.sentEnd) < 0;
        if (again) {
            qp.counters().count(RxeCounter.RETRANSMITTED_PKTS);
        }
        qp.finish(out, at, at + length, ring.wrId(state.cursor), PacketEvents.place(state.cursorPacket, ring.packets(state.cursor)), again);
        state.advance(psns);
        recovery.onTransmit(nowNs);
        if (ackRequest && !again) {
            recovery.onAckRequested(psn, nowNs);
        }
    }
}
