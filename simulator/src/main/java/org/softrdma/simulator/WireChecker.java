// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.softrdma.device.sim.Fate;
import org.softrdma.device.sim.PacketObserver;
import org.softrdma.device.sim.PlainIcrc;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.Aeth;
import org.softrdma.wire.AtomicAckEth;
import org.softrdma.wire.Bth;
import org.softrdma.wire.Opcode;
import org.softrdma.wire.Reth;
import org.softrdma.wire.Syndrome;

/**
 * Watches every packet that leaves a device and knows what the wire must look like, from the specification alone: ICRC, base header, PSNs
 * without gaps, repetitions equal to the original, READ requests that resume where data is missing, responses only to what was sent and
 * acknowledgements only of what arrived.
 */
final class WireChecker implements PacketObserver {
    private final Map<Gid, Integer> sourcePorts = new HashMap<>();
    private final Map<Long, Flow> flowsByRequests = new HashMap<>();
    private final Map<Long, Flow> flowsByResponses = new HashMap<>();
    private final CRC32 crc = new CRC32();
    private boolean rewritten;
    private String complaint;
    private long digest;
    private long packets;

    /** One packet's worth of PSN: what was first sent under it. */
    private static final class Slot {
        int opcode;
        int content;
        int payload;
        /** Flow position of its message's first PSN, and how many the message has. */
        long first;
        int count;
        long va;
        int rkey;
        long length;
        /** Messages finished up to and including this PSN. */
        int messages;
        boolean arrived;
        long original;
        boolean answered;
        /** The end of its own response reached the requester. */
        boolean settled;
    }

    /** Requests from one queue pair to another, and the responses coming back. */
    private static final class Flow {
        final int firstPsn;
        final int mtu;
        final List<Slot> slots = new ArrayList<>();
        /** Slots that all arrived, counted from the first. */
        int arrivedPrefix;
        int lastResponseOpcode = Opcode.RC_ACKNOWLEDGE;
        long lastResponseAt = -1;

        Flow(int firstPsn, int mtu) {
            this.firstPsn = firstPsn;
            this.mtu = mtu;
        }

        /** Position in the flow of a PSN near its end; negative if before its beginning. */
        long position(int psn) {
            long end = slots.size();
            int difference = psn - (int) (firstPsn + end & 0xffffff) << 8 >> 8;
            return end + difference;
        }
    }

    void addAddress(Gid gid, int sourcePort) {
        sourcePorts.put(gid, sourcePort);
    }

    /** The fabric hides the IP identification and so changes the ICRC of IPv4 packets on their way. */
    void expectRewrittenIcrc() {
        rewritten = true;
    }

    /** Announces one direction of a connection: requests go from {@code from} to {@code toQpn} at {@code to}. */
    void addFlow(Gid from, int fromQpn, Gid to, int toQpn, int firstPsn, int mtu) {
        Flow flow = new Flow(firstPsn, mtu);
        flowsByRequests.put(key(to, toQpn), flow);
        flowsByResponses.put(key(from, fromQpn), flow);
    }

    private static long key(Gid to, int qpn) {
        return to.low() << 24 ^ to.high() << 13 | qpn;
    }

    /** The first violation, or null. */
    String complaint() {
        return complaint;
    }

    /** A digest of all packets and times: equal for equal runs. */
    long digest() {
        return digest;
    }

    long packets() {
        return packets;
    }

    @Override
    public void onPacket(long nowNs, Gid from, Gid to, ByteBuffer packet, int offset, int length, Fate fate) {
        if (fate == Fate.SENT) {
            packets++;
            String wrong = check(nowNs, from, to, packet, offset, length);
            if (wrong != null && complaint == null) {
                complaint = wrong + ": " + Opcode.name(Bth.opcode(packet, offset)) + " psn 0x"
                    + Integer.toHexString(Bth.psn(packet, offset)) + " length " + length + " from " + from + " at " + nowNs + " ns";
            }
        } else if (fate == Fate.DELIVERED) {
            onArrival(from, to, packet, offset, length);
        }
    }

    private void onArrival(Gid from, Gid to, ByteBuffer packet, int offset, int length) {
        if (length < 16 || !(rewritten && from.isIpv4Mapped())
            && icrcOf(from, to, packet, offset, length) != PlainIcrc.stored(packet, offset, length)) {
            return;
        }
        int opcode = Bth.opcode(packet, offset);
        if (!Opcode.has(opcode, Opcode.REQUEST)) {
            onResponseArrival(to, packet, offset, opcode);
            return;
        }
        Flow flow = flowsByRequests.get(key(to, Bth.destQp(packet, offset)));
        if (flow == null) {
            return;
        }
        long at = flow.position(Bth.psn(packet, offset));
        if (at < 0 || at >= flow.slots.size()) {
            return;
        }
        Slot slot = flow.slots.get((int) at);
        for (long i = at; i < slot.first + slot.count; i++) {
            Slot other = flow.slots.get((int) i);
            other.arrived |= i == at || Opcode.has(slot.opcode, Opcode.READ_REQUEST);
        }
        while (flow.arrivedPrefix < flow.slots.size() && flow.slots.get(flow.arrivedPrefix).arrived) {
            flow.arrivedPrefix++;
        }
    }

    private void onResponseArrival(Gid to, ByteBuffer packet, int offset, int opcode) {
        Flow flow = flowsByResponses.get(key(to, Bth.destQp(packet, offset)));
        if (flow != null && opcode != Opcode.RC_ACKNOWLEDGE && Opcode.has(opcode, Opcode.END)) {
            flow.slots.get((int) flow.position(Bth.psn(packet, offset))).settled = true;
        }
    }

    private String check(long nowNs, Gid from, Gid to, ByteBuffer packet, int offset, int length) {
        int opcode = Bth.opcode(packet, offset);
        if (length < 16 || Opcode.transport(opcode) != Opcode.TRANSPORT_RC) {
            return "not an RC packet";
        }
        int pad = Bth.padCount(packet, offset);
        int payload = length - Opcode.headerLength(opcode) - pad - 4;
        if (payload < 0 || (length & 3) != 0 || pad != (-payload & 3) || payload > 0 && !Opcode.has(opcode, Opcode.PAYLOAD)) {
            return "payload " + payload + ", pad " + pad;
        }
        for (int i = 0; i < pad; i++) {
            if (packet.get(offset + length - 4 - pad + i) != 0) {
                return "pad is not zero";
            }
        }
        if (Bth.transportVersion(packet, offset) != 0 || Bth.migReq(packet, offset) || Bth.pkey(packet, offset) != 0xffff
            || packet.get(offset + 4) != 0 || (packet.get(offset + 8) & 0x7f) != 0) {
            return "base header";
        }
        int icrc = icrcOf(from, to, packet, offset, length);
        if (icrc != PlainIcrc.stored(packet, offset, length)) {
            return "ICRC, should be " + Integer.toHexString(icrc);
        }
        digest = (digest * 31 + icrc) * 31 + nowNs;
        if (Opcode.has(opcode, Opcode.REQUEST)) {
            Flow flow = flowsByRequests.get(key(to, Bth.destQp(packet, offset)));
            return flow == null ? "unknown destination" : checkRequest(flow, packet, offset, opcode, payload, length);
        }
        Flow flow = flowsByResponses.get(key(to, Bth.destQp(packet, offset)));
        return flow == null ? "unknown destination" : checkResponse(flow, packet, offset, opcode, payload);
    }

    private String checkRequest(Flow flow, ByteBuffer packet, int offset, int opcode, int payload, int length) {
        long at = flow.position(Bth.psn(packet, offset));
        boolean end = Opcode.has(opcode, Opcode.END);
        if (at < 0 || at > flow.slots.size()) {
            return "PSN is not the next one, nor one sent before; position " + at + " of " + flow.slots.size();
        }
        if (end != Bth.ackRequest(packet, offset) && end) {
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
        crc.reset();
        ByteBuffer content = packet.duplicate();
        content.limit(offset + length - 4).position(offset + Bth.LENGTH);
        crc.update(content);
        int hash = (int) crc.getValue();
        return at == flow.slots.size() ? takeNew(flow, packet, offset, opcode, payload, hash)
            : checkRepeated(flow, at, packet, offset, opcode, hash);
    }

    private String takeNew(Flow flow, ByteBuffer packet, int offset, int opcode, int payload, int hash) {
        Slot last = flow.slots.isEmpty() ? null : flow.slots.getLast();
        boolean inMessage = last != null && !Opcode.has(last.opcode, Opcode.END);
        boolean begins = Opcode.has(opcode, Opcode.START);
        int kind = Opcode.SEND | Opcode.WRITE;
        if (begins == inMessage || inMessage && (Opcode.flags(last.opcode) & kind) != (Opcode.flags(opcode) & kind)) {
            return "messages are mixed";
        }
        int count = 1;
        Slot slot = new Slot();
        if (Opcode.has(opcode, Opcode.RETH)) {
            int reth = offset + Opcode.rethOffset(opcode);
            slot.va = Reth.va(packet, reth);
            slot.rkey = Reth.rkey(packet, reth);
            slot.length = Reth.length(packet, reth);
            if (Opcode.has(opcode, Opcode.READ_REQUEST)) {
                count = (int) Math.max(1, (slot.length + flow.mtu - 1) / flow.mtu);
            }
        }
        int messages = last == null ? 0 : last.messages;
        long first = flow.slots.size();
        for (int i = 0; i < count; i++) {
            Slot each = i == 0 ? slot : new Slot();
            each.opcode = opcode;
            each.content = hash;
            each.payload = payload;
            each.first = first;
            each.count = count;
            each.va = slot.va;
            each.rkey = slot.rkey;
            each.length = slot.length;
            each.messages = messages + (Opcode.has(opcode, Opcode.END) ? 1 : 0);
            flow.slots.add(each);
        }
        return null;
    }

    private String checkRepeated(Flow flow, long at, ByteBuffer packet, int offset, int opcode, int hash) {
        Slot slot = flow.slots.get((int) at);
        if (slot.opcode != opcode) {
            return "first sent as " + Opcode.name(slot.opcode);
        }
        if (!Opcode.has(opcode, Opcode.READ_REQUEST)) {
            return slot.content == hash ? null : "repeated with other content";
        }
        int reth = offset + Opcode.rethOffset(opcode);
        long skipped = (at - slot.first) * flow.mtu;
        boolean resumes = Reth.va(packet, reth) == slot.va + skipped && Reth.length(packet, reth) == slot.length - skipped
            && Reth.rkey(packet, reth) == slot.rkey;
        return resumes ? null : "asks again for va " + Long.toHexString(Reth.va(packet, reth)) + " length " + Reth.length(packet, reth);
    }

    private String checkResponse(Flow flow, ByteBuffer packet, int offset, int opcode, int payload) {
        long at = flow.position(Bth.psn(packet, offset));
        if (at < 0 || at >= flow.slots.size()) {
            return "answers a PSN that was never sent";
        }
        if (Bth.ackRequest(packet, offset) || Bth.solicitedEvent(packet, offset)) {
            return "a response with A or SE";
        }
        Slot slot = flow.slots.get((int) at);
        int previous = flow.lastResponseOpcode;
        long previousAt = flow.lastResponseAt;
        flow.lastResponseOpcode = opcode;
        flow.lastResponseAt = at;
        int syndrome = Syndrome.ACK_UNLIMITED;
        if (Opcode.has(opcode, Opcode.AETH)) {
            int aeth = offset + Opcode.aethOffset(opcode);
            syndrome = Aeth.syndrome(packet, aeth);
            int executed = slot.messages;
            int sent = flow.slots.getLast().messages;
            boolean refuses = !Syndrome.isAck(syndrome);
            if (Aeth.msn(packet, aeth) < (refuses ? 0 : executed) || Aeth.msn(packet, aeth) > sent) {
                return "MSN " + Aeth.msn(packet, aeth) + ", the PSN ends message " + executed + " of " + sent;
            }
        }
        boolean refuses = !Syndrome.isAck(syndrome);
        if (flow.arrivedPrefix < (refuses ? at : at + 1)) {
            return (refuses ? "NAK" : "ACK") + " of something that has not arrived: position " + at + ", arrived " + flow.arrivedPrefix;
        }
        if (opcode == Opcode.RC_ACKNOWLEDGE) {
            if (!refuses && !slot.settled && Opcode.hasAny(slot.opcode, Opcode.READ_REQUEST | Opcode.ATOMIC_REQUEST)) {
                return "a READ or atomic answered by a plain ACK";
            }
            return null;
        }
        if (refuses) {
            return "syndrome " + Integer.toHexString(syndrome) + " in a response with data";
        }
        if (opcode == Opcode.RC_ATOMIC_ACKNOWLEDGE) {
            long original = AtomicAckEth.original(packet, offset + Opcode.atomicAckEthOffset(opcode));
            boolean same = !slot.answered || slot.original == original;
            slot.answered = true;
            slot.original = original;
            return !Opcode.has(slot.opcode, Opcode.ATOMIC_REQUEST) ? "not an atomic" : same ? null : "another result than before";
        }
        return checkReadResponse(flow, slot, at, opcode, payload, previous, previousAt);
    }

    private static String checkReadResponse(Flow flow, Slot slot, long at, int opcode, int payload, int previous, long previousAt) {
        if (!Opcode.has(slot.opcode, Opcode.READ_REQUEST)) {
            return "not a READ";
        }
        boolean last = at == slot.first + slot.count - 1;
        long left = slot.length - (at - slot.first) * flow.mtu;
        if (last != Opcode.has(opcode, Opcode.END) || payload != Math.min(left, flow.mtu)) {
            return "READ response of " + payload + " bytes, " + left + " are left";
        }
        boolean continues = Opcode.has(previous, Opcode.READ_RESPONSE) && !Opcode.has(previous, Opcode.END) && previousAt == at - 1;
        return Opcode.has(opcode, Opcode.START) || continues ? null : "a READ response that continues nothing";
    }

    private int icrcOf(Gid from, Gid to, ByteBuffer packet, int offset, int length) {
        return PlainIcrc.of(from, to, sourcePorts.getOrDefault(from, 0), packet, offset, length);
    }
}
