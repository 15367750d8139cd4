// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.ByteBuffer;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.wire.AtomicEth;
import org.softrdma.wire.Bth;
import org.softrdma.wire.ImmDt;
import org.softrdma.wire.Opcode;
import org.softrdma.wire.Psn;
import org.softrdma.wire.Reth;

/**
 * Turns send work requests into request packets. Sends in order from the cursor while the window, the peer's READ depth, fences and room in
 * the batch allow; going back and completing are the {@link Completer}'s. Source: IBA vol 1 §9.7.3, §10.8.3.
 */
final class Requester {
    /** Longest message, bytes (IBA vol 1 §9.7.2). */
    static final long MAX_MESSAGE_BYTES = 1L << 31;
    /** An acknowledgement is asked for this often inside a long message. */
    private static final int ACK_REQUEST_PACKETS = 32;
    private static final int MIN_WINDOW = 8;
    private static final int MAX_WINDOW = 512;
    private static final int FIRST_WINDOW = 128;

    private final RcMachine qp;
    private final SendState state;
    private final SendRing ring;
    private final ScatterGather data;
    private int window = FIRST_WINDOW;
    private int goodPackets;

    Requester(RcMachine qp, SendState state, ScatterGather data) {
        this.qp = qp;
        this.state = state;
        this.ring = state.ring;
        this.data = data;
    }

    void reset() {
        window = FIRST_WINDOW;
        goodPackets = 0;
    }

    /** Sends up to {@code budget} packets. @return how many */
    int transmit(long nowNs, PacketWriter out, int budget) {
        int sent = 0;
        while (sent < budget && qp.maySend() && out.hasRoom() && sendNext(nowNs, out)) {
            sent++;
        }
        return sent;
    }

    /** Packets were acknowledged: the window opens by one for each window full of them. */
    void onProgress(int packets) {
        goodPackets += packets;
        if (goodPackets >= window) {
            goodPackets = 0;
            window = Math.min(window + 8, MAX_WINDOW);
        }
    }

    /** Packets were lost: the window closes by half. */
    void onLoss() {
        window = Math.max(window / 2, MIN_WINDOW);
        goodPackets = 0;
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
        if (SendState.isRead(opcode)) {
            sendReadRequest(wqe, out);
        } else if (SendState.isAtomic(opcode)) {
            sendAtomic(wqe, opcode, out);
        } else if (!sendData(wqe, opcode, out)) {
            return false;
        }
        qp.completer().onTransmit(nowNs);
        return true;
    }

    /** Whether the request at the cursor must wait for READs or atomics in flight: fenced, or the peer takes no more of them. */
    private boolean waitsForReads() {
        long wqe = state.cursor;
        if (state.readsInFlight == 0 || wqe == ring.tail()) {
            return false;
        }
        return (ring.flags(wqe) & SendFlags.FENCE) != 0
            || SendState.isReadOrAtomic(ring.opcode(wqe)) && state.readsInFlight >= qp.maxRdAtomic();
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
        if (opcode == WrOpcode.LOCAL_INV.value() || opcode == WrOpcode.BIND_MW.value()) {
            if (atHead) {
                runLocally(wqe, opcode);
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
        int packets = SendState.isAtomic(opcode) ? 1 : packetsOf(ring.length(wqe));
        ring.setPsns(wqe, state.nextPsn, packets);
        state.nextPsn = Psn.add(state.nextPsn, packets);
        state.started = wqe + 1;
        state.cursorPacket = 0;
        return true;
    }

    private WcStatus check(long wqe, int opcode) {
        long length = ring.length(wqe);
        boolean fetches = SendState.isReadOrAtomic(opcode);
        if (length > MAX_MESSAGE_BYTES || SendState.isAtomic(opcode) && length != 8) {
            return WcStatus.LOC_LEN_ERR;
        }
        if (fetches && qp.maxRdAtomic() == 0) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        boolean inline = (ring.flags(wqe) & SendFlags.INLINE) != 0;
        if (!inline && !data.check(ring, wqe, fetches ? AccessFlags.LOCAL_WRITE : 0)) {
            return WcStatus.LOC_PROT_ERR;
        }
        return WcStatus.SUCCESS;
    }

    private void runLocally(long wqe, int opcode) {
        MemoryTable memory = qp.memory();
        boolean done = opcode == WrOpcode.LOCAL_INV.value() ? memory.invalidate(ring.immediate(wqe), qp.pd(), qp.qpn()) : bind(wqe, memory);
        if (!done) {
            qp.completer().fail(opcode == WrOpcode.BIND_MW.value() ? WcStatus.MW_BIND_ERR : WcStatus.LOC_QP_OP_ERR);
            return;
        }
        ring.setPsns(wqe, state.nextPsn, 0);
        state.started = wqe + 1;
        state.cursor = wqe + 1;
        state.cursorPacket = 0;
        qp.completer().completeHead();
    }

    /**
     * Binds a type 2 window: rkey names window and new key byte, the one element the region and range, compareAdd the rights.
     * Source: IBA vol 1 §10.6.7.2; kernel rxe refuses the same cases.
     */
    private boolean bind(long wqe, MemoryTable memory) {
        Region region = memory.lookup(ring.elementLkey(wqe, 0));
        int access = (int) ring.compareAdd(wqe);
        long start = ring.elementAddress(wqe, 0);
        long length = ring.elementLength(wqe, 0);
        boolean writes = (access & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0;
        return region != null && length > 0 && region.covers(start, length)
            && region.grants(qp.pd(), qp.qpn(), AccessFlags.MW_BIND | (writes ? AccessFlags.LOCAL_WRITE : 0))
            && memory.bindWindow(ring.rkey(wqe), region, start, length, access, qp.qpn());
    }

    private int packetsOf(long length) {
        return length == 0 ? 1 : (int) ((length + qp.mtu() - 1) / qp.mtu());
    }

    /** One request asks for all that is still missing: the whole READ at first, the rest when it is asked for again. */
    private void sendReadRequest(long wqe, PacketWriter out) {
        long received = (long) state.cursorPacket * qp.mtu();
        int at = begin(Opcode.RC_RDMA_READ_REQUEST, false, 0, true, out);
        Reth.put(out.buffer(), at + Opcode.rethOffset(Opcode.RC_RDMA_READ_REQUEST), ring.remoteAddress(wqe) + received, ring.rkey(wqe),
            ring.length(wqe) - received);
        state.readsInFlight++;
        finish(at, Opcode.headerLength(Opcode.RC_RDMA_READ_REQUEST), 0, ring.packets(wqe) - state.cursorPacket, out);
    }

    private void sendAtomic(long wqe, int wrOpcode, PacketWriter out) {
        boolean swaps = wrOpcode == WrOpcode.ATOMIC_CMP_AND_SWP.value();
        int opcode = swaps ? Opcode.RC_COMPARE_SWAP : Opcode.RC_FETCH_ADD;
        int at = begin(opcode, false, 0, true, out);
        AtomicEth.put(out.buffer(), at + Opcode.atomicEthOffset(opcode), ring.remoteAddress(wqe), ring.rkey(wqe),
            swaps ? ring.swap(wqe) : ring.compareAdd(wqe), swaps ? ring.compareAdd(wqe) : 0);
        state.readsInFlight++;
        finish(at, Opcode.headerLength(opcode), 0, 1, out);
    }

    /** One packet of a SEND or RDMA WRITE. @return false if its data could not be read; the work request is failed in its turn */
    private boolean sendData(long wqe, int wrOpcode, PacketWriter out) {
        int mtu = qp.mtu();
        int packet = state.cursorPacket;
        boolean last = packet == ring.packets(wqe) - 1;
        long offset = (long) packet * mtu;
        int payload = last ? (int) (ring.length(wqe) - offset) : mtu;
        int opcode = RequestOpcodes.of(wrOpcode, packet == 0, last);
        int flags = ring.flags(wqe);
        int pad = -payload & 3;
        boolean solicited = last && (flags & SendFlags.SOLICITED) != 0 && wrOpcode != WrOpcode.RDMA_WRITE.value();
        boolean ackRequest = last || packet % ACK_REQUEST_PACKETS == ACK_REQUEST_PACKETS - 1 || state.packetsInFlight() == window - 1;

        int at = begin(opcode, solicited, pad, ackRequest, out);
        int payloadAt = at + Opcode.headerLength(opcode);
        boolean copied = (flags & SendFlags.INLINE) != 0
            ? copyInline(wqe, offset, payload, out, payloadAt)
            : data.gather(ring, wqe, offset, payload, out.memory(), payloadAt);
        if (!copied) {
            if (wqe == ring.head()) {
                qp.completer().fail(WcStatus.LOC_PROT_ERR);
            }
            return false;
        }
        ByteBuffer buffer = out.buffer();
        if (Opcode.has(opcode, Opcode.RETH)) {
            Reth.put(buffer, at + Opcode.rethOffset(opcode), ring.remoteAddress(wqe), ring.rkey(wqe), ring.length(wqe));
        }
        if (Opcode.hasAny(opcode, Opcode.IMMEDIATE | Opcode.INVALIDATE)) {
            ImmDt.put(buffer, at + Opcode.headerLength(opcode) - ImmDt.LENGTH, ring.immediate(wqe));
        }
        for (int i = 0; i < pad; i++) {
            buffer.put(payloadAt + payload + i, (byte) 0);
        }
        finish(at, Opcode.headerLength(opcode) + payload + pad, payload, 1, out);
        return true;
    }

    private boolean copyInline(long wqe, long offset, int payload, PacketWriter out, int to) {
        out.memory().asSlice(to, payload).copyFrom(ring.memory().asSlice(ring.inlineOffset(wqe) + offset, payload));
        return true;
    }

    private int begin(int opcode, boolean solicited, int pad, boolean ackRequest, PacketWriter out) {
        int at = out.begin(qp.path());
        Bth.put(out.buffer(), at, opcode, solicited, pad, QpMachine.PKEY, qp.destQpn(), ackRequest, state.cursorPsn());
        return at;
    }

    /** Seals the packet and moves the cursor behind it. @param psns it consumes */
    private void finish(int at, int length, int payload, int psns, PacketWriter out) {
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
