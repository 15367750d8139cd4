// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.LocalOperations;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.wire.roce.AtomicEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Feth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.Xrceth;

/**
 * Turns send work requests into request packets. Sends in order from the cursor while the window, the peer's READ depth, fences and room in
 * the batch allow; going back and completing are the {@link Completer}'s. Source: IBA vol 1 §9.7.3, §10.8.3.
 */
final class Requester {
    /** Inside a long message an acknowledgement is asked for this often in each window full of packets. */
    private static final int ACK_REQUESTS_PER_WINDOW = 4;
    private static final int MIN_WINDOW = 8;
    static final int MAX_WINDOW = 512;
    private static final int FIRST_WINDOW = 128;
    /** Below the window before the last loss, each so many packets open it by 8: a round trip by an eighth. */
    private static final int REOPEN_PACKETS = 64;

    private final RcMachine qp;
    private final SendState state;
    private final SendRing ring;
    private final ScatterGather data;
    private final SendData sendData;
    private final MessageWriter messages;
    private final LocalOperations localOperations;
    private int window = FIRST_WINDOW;
    private int goodPackets;
    /** The window before the last loss: up to there it opens again soon. */
    private int safeWindow = FIRST_WINDOW;
    /** Losses among what was sent before this PSN belong to one already answered by a smaller window. */
    private int recoveryEnd;
    /** The packet sent last asks for an answer. */
    private boolean asked;

    Requester(RcMachine qp, SendState state, ScatterGather data) {
        this.qp = qp;
        this.state = state;
        this.ring = state.ring;
        this.data = data;
        sendData = new SendData(ring, data);
        messages = new MessageWriter(qp, qp.transport(), ring, sendData);
        localOperations = new LocalOperations(ring, qp.memory(), qp.pd(), qp.qpn());
    }

    void reset() {
        window = FIRST_WINDOW;
        safeWindow = FIRST_WINDOW;
        goodPackets = 0;
        recoveryEnd = state.unacked;
    }

    /** Sends up to {@code budget} packets. @return how many */
    int transmit(long nowNs, PacketWriter out, int budget) {
        int sent = 0;
        while (sent < budget && qp.maySend() && out.hasRoom() && sendNext(nowNs, out)) {
            sent++;
        }
        return sent;
    }

    /** Packets were acknowledged: the window opens by 8 for each window full of them, faster up to where it was before the last loss. */
    void onProgress(int packets) {
        qp.flight().onProgress(packets);
        goodPackets += packets;
        int enough = window < safeWindow ? REOPEN_PACKETS : window;
        if (goodPackets >= enough) {
            window = Math.min(window + 8 * (goodPackets / enough), MAX_WINDOW);
            goodPackets %= enough;
        }
        if (Psn.compare(state.unacked, recoveryEnd) > 0) {
            recoveryEnd = state.unacked;
        }
    }

    /**
     * A packet was lost on its way, and the peer says so: the window closes by a quarter, once until all is acknowledged that had been sent
     * by then. Links lose a packet now and then without being congested, so there is no reason for more.
     */
    void onGap() {
        if (Psn.compare(state.unacked, recoveryEnd) >= 0) {
            recoveryEnd = state.sentEnd;
            safeWindow = window;
            window = Math.max(window - window / 4, MIN_WINDOW);
            goodPackets = 0;
            qp.flight().onLoss();
        }
    }

    /** Nothing comes through: the window closes by half. */
    void onTimeout() {
        qp.flight().onLoss();
        recoveryEnd = state.sentEnd;
        window = Math.max(window / 2, MIN_WINDOW);
        safeWindow = window;
        goodPackets = 0;
    }

    /** Whether another request packet could be sent now, if the device had room for it. */
    boolean hasMore() {
        return state.cursor != ring.tail() && qp.maySend() && !waitsForReads() && qp.mayStart(state.cursor)
            && state.packetsInFlight() < window;
    }

    /**
     * Sends the oldest unacknowledged packet of a SEND or WRITE once more, if that is wanted, and asks for an answer. It needs no room in
     * any budget: it is under way already. @return whether a packet was sent
     */
    boolean transmitProbe(PacketWriter out) {
        if (!state.probe || !qp.maySend() || !out.hasRoom()) {
            return false;
        }
        long cursor = state.cursor;
        int cursorPacket = state.cursorPacket;
        int cursorPsn = state.cursorPsn();
        int reads = state.readsInFlight;
        state.goBack();
        boolean sent = sendData(state.cursor, out);
        state.probe = false;
        if (sent && Psn.compare(state.cursorPsn(), cursorPsn) < 0) {
            state.cursor = cursor;
            state.cursorPacket = cursorPacket;
            state.readsInFlight = reads;
        } else {
            qp.completer().onProbeIsNext();
        }
        return sent;
    }

    private boolean sendNext(long nowNs, PacketWriter out) {
        long wqe = state.cursor;
        if (wqe == ring.tail() || waitsForReads() || !qp.mayStart(wqe)) {
            return false;
        }
        if (wqe == state.started && !start(wqe)) {
            return false;
        }
        if (wqe != state.cursor) {
            // A local operation: done, without a packet.
            return true;
        }
        if (state.packetsInFlight() >= window) {
            return false;
        }
        int opcode = ring.opcode(wqe);
        int psn = state.cursorPsn();
        boolean again = Psn.compare(psn, state.sentEnd) < 0;
        if (SendState.isRead(opcode)) {
            sendReadRequest(wqe, out);
        } else if (SendState.isAtomic(opcode)) {
            sendAtomic(wqe, opcode, out);
        } else if (opcode == WrOpcode.FLUSH.value()) {
            sendFlush(wqe, out);
        } else if (!(opcode == WrOpcode.ATOMIC_WRITE.value() ? sendAtomicWrite(wqe, out) : sendData(wqe, out))) {
            return false;
        }
        qp.completer().onTransmit(nowNs);
        if (asked && !again) {
            qp.completer().onAsked(psn, nowNs);
        }
        return true;
    }

    /** Whether the request at the cursor must wait for READs, atomics and their like in flight: fenced, or the peer takes no more. */
    private boolean waitsForReads() {
        long wqe = state.cursor;
        if (state.readsInFlight == 0 || wqe == ring.tail()) {
            return false;
        }
        return (ring.flags(wqe) & SendFlags.FENCE) != 0 && state.cursorPacket == 0
            || SendState.isAnswered(ring.opcode(wqe)) && state.readsInFlight >= qp.maxRdAtomic();
    }

    /**
     * First look at a work request: checks what can be checked here and gives it its PSNs. What is wrong waits until everything before it
     * is complete, because completions come in order.
     *
     * @return false if it cannot go on now
     */
    private boolean start(long wqe) {
        int opcode = ring.opcode(wqe);
        boolean atHead = wqe == ring.head();
        if (LocalOperations.isLocal(opcode)) {
            if (atHead) {
                runLocally(wqe);
            }
            return atHead && qp.maySend();
        }
        WcStatus verdict = check(wqe, opcode);
        if (verdict != WcStatus.SUCCESS) {
            if (atHead) {
                qp.completer().fail(verdict);
            }
            return false;
        }
        int packets = SendState.isAtomic(opcode) ? 1 : messages.packetsOf(ring.length(wqe));
        ring.setPsns(wqe, state.nextPsn, packets);
        state.nextPsn = Psn.add(state.nextPsn, packets);
        state.started = wqe + 1;
        state.cursorPacket = 0;
        return true;
    }

    private WcStatus check(long wqe, int opcode) {
        long length = ring.length(wqe);
        boolean fetches = SendState.isRead(opcode) || SendState.isAtomic(opcode);
        boolean eightBytes = SendState.isAtomic(opcode) || opcode == WrOpcode.ATOMIC_WRITE.value();
        if (length > MessageWriter.MAX_MESSAGE_BYTES || eightBytes && length != 8) {
            return WcStatus.LOC_LEN_ERR;
        }
        if (SendState.isAnswered(opcode) && qp.maxRdAtomic() == 0) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        boolean accessible = fetches ? data.check(ring, wqe, AccessFlags.LOCAL_WRITE) : sendData.isReadable(wqe);
        return accessible ? WcStatus.SUCCESS : WcStatus.LOC_PROT_ERR;
    }

    private void runLocally(long wqe) {
        WcStatus outcome = localOperations.run(wqe);
        if (outcome != WcStatus.SUCCESS) {
            qp.completer().fail(outcome);
            return;
        }
        ring.setPsns(wqe, state.nextPsn, 0);
        state.started = wqe + 1;
        state.cursor = wqe + 1;
        state.cursorPacket = 0;
        qp.completer().completeHead();
    }

    /**
     * One request asks for up to {@link RcMachine#readRequestPackets} responses, or for what is missing of those when it is sent again. So
     * READ data is subject to the window, like other data: a responder that had been asked for everything would stream on after a loss,
     * and all of that would be in vain.
     */
    private void sendReadRequest(long wqe, PacketWriter out) {
        int packet = state.cursorPacket;
        int left = Math.min(ring.packets(wqe) - packet, qp.readRequestPackets() - packet % qp.readRequestPackets());
        long received = (long) packet * qp.mtu();
        int opcode = qp.transport() | Opcode.RC_RDMA_READ_REQUEST;
        int at = begin(wqe, opcode, out);
        Reth.put(out.buffer(), at + Opcode.rethOffset(opcode), ring.remoteAddress(wqe) + received, ring.rkey(wqe),
            Math.min(ring.length(wqe) - received, (long) left * qp.mtu()));
        state.readsInFlight++;
        finish(at, Opcode.headerLength(opcode), left, out);
    }

    private void sendAtomic(long wqe, int wrOpcode, PacketWriter out) {
        boolean swaps = wrOpcode == WrOpcode.ATOMIC_CMP_AND_SWP.value();
        int opcode = qp.transport() | (swaps ? Opcode.RC_COMPARE_SWAP : Opcode.RC_FETCH_ADD);
        int at = begin(wqe, opcode, out);
        AtomicEth.put(out.buffer(), at + Opcode.atomicEthOffset(opcode), ring.remoteAddress(wqe), ring.rkey(wqe),
            swaps ? ring.swap(wqe) : ring.compareAdd(wqe), swaps ? ring.compareAdd(wqe) : 0);
        state.readsInFlight++;
        finish(at, Opcode.headerLength(opcode), 1, out);
    }

    private void sendFlush(long wqe, PacketWriter out) {
        int at = begin(wqe, Opcode.RC_FLUSH, out);
        int reach = (int) ring.compareAdd(wqe);
        Feth.put(out.buffer(), at + Opcode.fethOffset(Opcode.RC_FLUSH), reach & 0xf, reach >>> 4);
        Reth.put(out.buffer(), at + Opcode.rethOffset(Opcode.RC_FLUSH), ring.remoteAddress(wqe), ring.rkey(wqe), ring.swap(wqe));
        state.readsInFlight++;
        finish(at, Opcode.headerLength(Opcode.RC_FLUSH), 1, out);
    }

    /** @return false if its data could not be read; the work request is failed in its turn */
    private boolean sendAtomicWrite(long wqe, PacketWriter out) {
        int opcode = Opcode.RC_ATOMIC_WRITE;
        int at = begin(wqe, opcode, out);
        int payloadAt = at + Opcode.headerLength(opcode);
        if (!sendData.put(wqe, 0, 8, out, payloadAt)) {
            failAtHead(wqe);
            return false;
        }
        Reth.put(out.buffer(), at + Opcode.rethOffset(opcode), ring.remoteAddress(wqe), ring.rkey(wqe), 8);
        state.readsInFlight++;
        finish(at, payloadAt - at + 8, 1, out);
        return true;
    }

    private void failAtHead(long wqe) {
        if (wqe == ring.head()) {
            qp.completer().fail(WcStatus.LOC_PROT_ERR);
        }
    }

    /** One packet of a SEND or RDMA WRITE. @return false if its data could not be read; the work request is failed in its turn */
    private boolean sendData(long wqe, PacketWriter out) {
        int packet = state.cursorPacket;
        boolean last = packet == ring.packets(wqe) - 1;
        boolean ackRequest = state.probe || last || packet % (window / ACK_REQUESTS_PER_WINDOW) == 1
            || state.packetsInFlight() == window - 1;
        asked = ackRequest;
        int at = out.begin(qp.path());
        int length = messages.put(out, at, wqe, packet, last, state.cursorPsn(), ackRequest);
        if (length == MessageWriter.UNREADABLE) {
            failAtHead(wqe);
            return false;
        }
        finish(at, length, 1, out);
        return true;
    }

    private int begin(long wqe, int opcode, PacketWriter out) {
        asked = true;
        int at = out.begin(qp.path());
        Bth.put(out.buffer(), at, opcode, false, 0, QpMachine.PKEY, qp.destQpn(), true, state.cursorPsn());
        if (Opcode.has(opcode, Opcode.XRCETH)) {
            Xrceth.put(out.buffer(), at + Opcode.xrcethOffset(opcode), ring.remoteSrqn(wqe));
        }
        return at;
    }

    /** Seals the packet and moves the cursor behind it. @param psns it consumes */
    private void finish(int at, int length, int psns, PacketWriter out) {
        if (Psn.compare(state.cursorPsn(), state.sentEnd) < 0) {
            qp.counters().count(RxeCounter.RETRANSMITTED_PKTS);
        }
        out.finish(qp.path(), at, at + length);
        state.cursorPacket += psns;
        int end = state.cursorPsn();
        if (state.cursorPacket == ring.packets(state.cursor)) {
            end = Psn.add(ring.firstPsn(state.cursor), state.cursorPacket);
            state.cursor++;
            state.cursorPacket = 0;
        }
        if (Psn.compare(end, state.sentEnd) > 0) {
            state.sentEnd = end;
        }
    }
}
