// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.softrdma.wire.roce.AtomicEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Reth;

/** Rules for packets of a requester. Source: IBA vol 1 §9.7.2, §9.7.3, §9.7.5.1, §9.8.2. */
final class RequestRules {
    /** Packets a requester may have under way; our own bound. */
    private static final int MAX_WINDOW = 512;
    /** A responder need not acknowledge before it is asked, so a requester asks before its window is half full. */
    private static final int MAX_UNASKED = MAX_WINDOW / 2;

    /** A peer that is silent for so long may be probed, so often before the ACK timeout; our own bounds. */
    private static final long SHORTEST_SILENCE_NS = 4_000_000;
    private static final int MAX_PROBES = 3;

    private final CRC32 crc = new CRC32();

    /** @return what is wrong, or null */
    String check(long nowNs, Flow flow, ByteBuffer packet, int offset, int opcode, int payload, int length) {
        if (flow.requesterGone) {
            return "a request of a queue pair that is gone";
        }
        if (flow.requesterDrained) {
            return "a request while the send queue is drained";
        }
        long at = flow.position(Bth.psn(packet, offset));
        if (at < 0 || at > flow.slots.size()) {
            return "PSN is not the next one, nor one sent before; position " + at + " of " + flow.slots.size();
        }
        String wrong = checkShape(flow, packet, offset, opcode, payload);
        if (wrong == null) {
            wrong = checkPace(nowNs, flow, (int) at, Bth.ackRequest(packet, offset));
        }
        if (wrong != null) {
            return wrong;
        }
        int hash = contentOf(packet, offset, length);
        return at == flow.slots.size() ? takeNew(flow, packet, offset, opcode, hash)
            : checkRepeated(flow, flow.slot(at), (int) at, packet, offset, opcode, hash);
    }

    private static String checkShape(Flow flow, ByteBuffer packet, int offset, int opcode, int payload) {
        boolean end = Opcode.has(opcode, Opcode.END);
        boolean isPiece = flow.cutsWrites && Opcode.has(opcode, Opcode.WRITE) && payload == flow.mtu;
        if (end && !isPiece && !Bth.ackRequest(packet, offset)) {
            return "no acknowledgement asked for at the end of a message";
        }
        if (Bth.solicitedEvent(packet, offset) && !(end && Opcode.hasAny(opcode, Opcode.SEND | Opcode.IMMEDIATE))) {
            return "solicited event in the wrong place";
        }
        if (Opcode.hasAny(opcode, Opcode.SEND | Opcode.WRITE)) {
            boolean only = end && Opcode.has(opcode, Opcode.START);
            if (end ? payload > flow.mtu || payload == 0 && !only : payload != flow.mtu) {
                return "payload " + payload + " at MTU " + flow.mtu;
            }
        }
        return null;
    }

    /** Windows, waiting for receives, and no going back without a reason. */
    private static String checkPace(long nowNs, Flow flow, int at, boolean asks) {
        if (at - flow.acked >= MAX_WINDOW) {
            return (at - flow.acked) + " packets are under way already";
        }
        flow.unasked = asks ? 0 : flow.unasked + 1;
        if (flow.unasked > MAX_UNASKED) {
            return flow.unasked + " packets without asking for an acknowledgement";
        }
        // At the instant it reached the device, the RNR NAK may still lie in the inbox behind much else.
        if (at == flow.notReadyAt && nowNs > flow.notReadySinceNs && nowNs < flow.notReadyUntilNs) {
            return "sent again " + (flow.notReadyUntilNs - nowNs) + " ns before the receiver wants it";
        }
        if (at <= flow.lastSent) {
            return checkGoingBack(nowNs, flow, at);
        }
        if (flow.acked == flow.slots.size()) {
            flow.forgetReason(nowNs);
            flow.hearNews(nowNs);
        }
        flow.lastSent = at;
        return null;
    }

    /**
     * A reason, or silence: the ACK timeout, at most retry_cnt times, and with early recovery a few probes of the peer before each. On the
     * wire they look alike, and a reason may be ignored, so silence is counted from the last progress.
     */
    private static String checkGoingBack(long nowNs, Flow flow, int at) {
        if (flow.mayGoBack) {
            flow.forgetReason(nowNs);
        } else {
            long silentNs = flow.silentNs(nowNs);
            if (flow.repeatsInSilence >= repeatsAllowed(flow, silentNs)) {
                return "goes back from " + flow.lastSent + " to " + at + " after " + silentNs + " ns of silence and "
                    + flow.repeatsInSilence + " times before, for no reason";
            }
            flow.repeatsInSilence++;
            flow.silences++;
        }
        flow.wentBackTo = at;
        flow.lastSent = at;
        return null;
    }

    /** How often a requester may have sent again after a silence. */
    private static long repeatsAllowed(Flow flow, long silentNs) {
        long timeouts = Math.min(silentNs / flow.timeoutNs, flow.retryCount);
        if (!flow.probes) {
            return timeouts;
        }
        return silentNs < Math.min(SHORTEST_SILENCE_NS, flow.timeoutNs) ? 0 : timeouts + MAX_PROBES * (1 + silentNs / flow.timeoutNs);
    }

    private int contentOf(ByteBuffer packet, int offset, int length) {
        crc.reset();
        ByteBuffer content = packet.duplicate();
        content.limit(offset + length - 4).position(offset + Bth.LENGTH);
        crc.update(content);
        return (int) crc.getValue();
    }

    private static String takeNew(Flow flow, ByteBuffer packet, int offset, int opcode, int hash) {
        Flow.Slot last = flow.slots.isEmpty() ? null : flow.slots.getLast();
        boolean inMessage = last != null && !Opcode.has(last.opcode, Opcode.END);
        boolean begins = Opcode.has(opcode, Opcode.START);
        int kind = Opcode.SEND | Opcode.WRITE;
        if (begins == inMessage || inMessage && (Opcode.flags(last.opcode) & kind) != (Opcode.flags(opcode) & kind)) {
            return "messages are mixed";
        }
        long va = inMessage ? last.va : 0;
        int rkey = inMessage ? last.rkey : 0;
        long bytes = inMessage ? last.length : 0;
        if (Opcode.has(opcode, Opcode.RETH)) {
            int reth = offset + Opcode.rethOffset(opcode);
            va = Reth.va(packet, reth);
            rkey = Reth.rkey(packet, reth);
            bytes = Reth.length(packet, reth);
        } else if (Opcode.has(opcode, Opcode.ATOMIC_REQUEST)) {
            rkey = AtomicEth.rkey(packet, offset + Opcode.atomicEthOffset(opcode));
            bytes = Long.BYTES;
        }
        int count = Opcode.has(opcode, Opcode.READ_REQUEST) ? (int) Math.max(1, (bytes + flow.mtu - 1) / flow.mtu) : 1;
        int first = flow.slots.size();
        int messages = flow.messagesBefore(first) + (Opcode.has(opcode, Opcode.END) ? 1 : 0);
        for (int i = 0; i < count; i++) {
            Flow.Slot slot = new Flow.Slot();
            slot.opcode = opcode;
            slot.content = hash;
            slot.first = first;
            slot.count = count;
            slot.va = va;
            slot.rkey = rkey;
            slot.length = bytes;
            slot.messages = messages;
            flow.slots.add(slot);
        }
        if (flow.slots.getLast().isFetch()) {
            flow.addFetch(flow.slots.getLast());
            if (flow.fetchesOutstanding() > flow.depth) {
                return flow.fetchesOutstanding() + " READs and atomics are under way, the peer takes " + flow.depth;
            }
        }
        return null;
    }

    /** Checks that a retransmission equals the first transmission of its PSN, except that a READ may request only the missing part. */
    private static String checkRepeated(Flow flow, Flow.Slot slot, int at, ByteBuffer packet, int offset, int opcode, int hash) {
        if (slot.opcode != opcode) {
            return "first sent as " + Opcode.name(slot.opcode);
        }
        if (!Opcode.has(opcode, Opcode.READ_REQUEST)) {
            return slot.content == hash ? null : "sent again with other content";
        }
        int reth = offset + Opcode.rethOffset(opcode);
        long skipped = (long) (at - slot.first) * flow.mtu;
        boolean resumes = Reth.va(packet, reth) == slot.va + skipped && Reth.length(packet, reth) == slot.length - skipped
            && Reth.rkey(packet, reth) == slot.rkey;
        return resumes ? null : "asks again for va " + Long.toHexString(Reth.va(packet, reth)) + " length " + Reth.length(packet, reth);
    }
}
