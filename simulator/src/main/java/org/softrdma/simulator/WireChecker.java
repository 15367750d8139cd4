// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.softrdma.link.sim.Fate;
import org.softrdma.link.sim.PacketObserver;
import org.softrdma.link.sim.PlainIcrc;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Syndrome;

/**
 * Watches every packet that leaves a device, and those that reach one, and knows from the specification alone what may follow: here ICRC
 * and base header, in {@link RequestRules} PSNs, repetitions, windows and pace, in {@link ResponseRules} answers only to what arrived, in
 * {@link UcFlow} and {@link DatagramRules} the services without acknowledgements.
 */
final class WireChecker implements PacketObserver {
    private static final int DEAD_RUN = 12;
    /** Gaps after which a NAK is due even if a device was closed or had no room for a NAK in between. */
    private static final int MANY_GAPS = 10;

    private final Map<Gid, Integer> sourcePorts = new HashMap<>();
    private final Map<Long, Flow> flowsByRequests = new HashMap<>();
    private final Map<Long, Flow> flowsByResponses = new HashMap<>();
    private final RequestRules requests = new RequestRules();
    /** By where the packets go, and by where they come from. */
    private final Map<Long, UcFlow> ucFlows = new HashMap<>();
    private final Map<Long, UcFlow> ucFlowsBySender = new HashMap<>();
    private final DatagramRules datagrams = new DatagramRules();
    private Gid group;
    /** Keys of regions that were deregistered, by the address of their side. */
    private final Map<Gid, Set<Integer>> goneKeys = new HashMap<>();
    private boolean rewritten;
    private String complaint;
    private long digest;
    private long packets;

    void addAddress(Gid gid, int sourcePort) {
        sourcePorts.put(gid, sourcePort);
    }

    /** The fabric hides the IP identification and so changes the ICRC of IPv4 packets on their way. */
    void expectRewrittenIcrc() {
        rewritten = true;
    }

    /** Announces one direction of a connection: requests go from {@code from} to {@code toQpn} at {@code to}. */
    void addFlow(Gid from, int fromQpn, Gid to, int toQpn, Flow flow) {
        flowsByRequests.put(key(to, toQpn), flow);
        flowsByResponses.put(key(from, fromQpn), flow);
    }

    /** Announces one direction of an unreliable connection, as {@link #addFlow}. */
    void addUcFlow(Gid from, int fromQpn, Gid to, int toQpn, UcFlow flow) {
        ucFlows.put(key(to, toQpn), flow);
        ucFlowsBySender.put(key(from, fromQpn), flow);
    }

    /**
     * Announces a datagram queue pair.
     *
     * @param inGroup attached to the group
     */
    void addDatagrams(Gid gid, int qpn, int firstPsn, int qkey, boolean inGroup, Arrivals arrivals) {
        datagrams.add(gid, qpn, firstPsn, qkey, inGroup, arrivals);
    }

    /** The one multicast group there is. */
    void setGroup(Gid gid) {
        group = gid;
    }

    /** Memory of that side was given to other uses: it must not be seen on the wire any more. */
    void watchDeadMemory(Gid side) {
        goneKeys.computeIfAbsent(side, gid -> new HashSet<>());
    }

    /** The region of that side is gone: its data must not be on the wire any more. */
    void expectUnused(Gid side, int rkey) {
        goneKeys.computeIfAbsent(side, gid -> new HashSet<>()).add(rkey);
    }

    /**
     * The queue pair sends nothing any more.
     *
     * @param destroyed it may still acknowledge what it had executed
     */
    void expectSilence(Gid side, int qpn, boolean destroyed) {
        if (ucFlowsBySender.containsKey(key(side, qpn))) {
            ucFlowsBySender.get(key(side, qpn)).expectSilence();
            return;
        }
        if (datagrams.has(side, qpn)) {
            datagrams.expectSilence(side, qpn);
            return;
        }
        flowsByResponses.get(key(side, qpn)).requesterGone = true;
        Flow toIt = flowsByRequests.get(key(side, qpn));
        toIt.responderGone = true;
        toIt.responderDestroyed |= destroyed;
    }

    /**
     * The send queue of the queue pair is drained: what it had begun is complete, and nothing new may be sent; or not any more. IBA vol 1
     * §10.3.1.5
     */
    void expectDrained(Gid side, int qpn, boolean now) {
        String unfinished = null;
        if (ucFlowsBySender.containsKey(key(side, qpn))) {
            UcFlow flow = ucFlowsBySender.get(key(side, qpn));
            flow.expectDrained(now);
            unfinished = flow.isMidMessage() ? "in the middle of a message" : null;
        } else if (datagrams.has(side, qpn)) {
            datagrams.expectDrained(side, qpn, now);
        } else {
            Flow flow = flowsByResponses.get(key(side, qpn));
            flow.requesterDrained = now;
            unfinished = flow.unacknowledged() > 0 ? "before the last " + flow.unacknowledged() + " packets were acknowledged" : null;
        }
        if (now && unfinished != null && complaint == null) {
            complaint = "SQ_DRAINED of qp 0x" + Integer.toHexString(qpn) + " at " + side + " " + unfinished;
        }
    }

    /** Packets of the connection a queue pair belongs to, both ways; those from and to a datagram queue pair. */
    long packetsOf(Gid side, int qpn) {
        long place = key(side, qpn);
        if (ucFlows.containsKey(place)) {
            return ucFlowsBySender.get(place).packets() + ucFlows.get(place).packets();
        }
        return datagrams.has(side, qpn) ? datagrams.packetsOf(side, qpn)
            : flowsByResponses.get(place).packets + flowsByRequests.get(place).packets;
    }

    /** Whether a message to that queue pair that writes or reads that region was executed in part. */
    boolean isAmid(Gid side, int qpn, int rkey) {
        return flowsByRequests.get(key(side, qpn)).isAmid(rkey);
    }

    /** Whether a responder saw gap after gap and never said so. */
    boolean anyMute() {
        return flowsByRequests.values().stream().anyMatch(flow -> flow.gaps >= MANY_GAPS && flow.naks == 0 && !flow.responderGone);
    }

    /** How often a requester sent again because nothing came in time. */
    int silences() {
        return flowsByRequests.values().stream().mapToInt(flow -> flow.silences).sum();
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
            onArrival(nowNs, from, to, packet, offset, length);
        }
    }

    private void onArrival(long nowNs, Gid from, Gid to, ByteBuffer packet, int offset, int length) {
        // To a member of a group the packet bears the group's address.
        boolean toGroup = group != null && length >= 16 && Bth.destQp(packet, offset) == DatagramRules.GROUP_QPN;
        if (length < 16 || !(rewritten && from.isIpv4Mapped())
            && icrcOf(from, toGroup ? group : to, packet, offset, length) != PlainIcrc.stored(packet, offset, length)) {
            return;
        }
        int opcode = Bth.opcode(packet, offset);
        if (Opcode.transport(opcode) != Opcode.TRANSPORT_RC) {
            onLooseArrival(to, packet, offset, opcode, length);
            return;
        }
        boolean request = Opcode.has(opcode, Opcode.REQUEST);
        Flow flow = (request ? flowsByRequests : flowsByResponses).get(key(to, Bth.destQp(packet, offset)));
        if (flow == null) {
            return;
        }
        long at = flow.position(Bth.psn(packet, offset));
        if (request) {
            flow.onRequestArrival(at);
        } else {
            int syndrome = Opcode.has(opcode, Opcode.AETH) ? Aeth.syndrome(packet, offset + Opcode.aethOffset(opcode))
                : Syndrome.ACK_UNLIMITED;
            flow.onResponseArrival(nowNs, at, opcode, syndrome);
        }
    }

    private void onLooseArrival(Gid to, ByteBuffer packet, int offset, int opcode, int length) {
        int payload = length - Opcode.headerLength(opcode) - Bth.padCount(packet, offset) - 4;
        if (Opcode.transport(opcode) == Opcode.TRANSPORT_UD) {
            datagrams.onArrival(to, packet, offset, opcode, payload);
            return;
        }
        UcFlow flow = ucFlows.get(key(to, Bth.destQp(packet, offset)));
        if (flow != null) {
            flow.onArrival(packet, offset, opcode, payload);
        }
    }

    private String check(long nowNs, Gid from, Gid to, ByteBuffer packet, int offset, int length) {
        int opcode = Bth.opcode(packet, offset);
        int transport = Opcode.transport(opcode);
        if (length < 16 || transport != Opcode.TRANSPORT_RC && transport != Opcode.TRANSPORT_UC && transport != Opcode.TRANSPORT_UD) {
            return "not a packet of RC, UC or UD";
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
        if (goneKeys.containsKey(from) && hasDeadBytes(packet, offset + Opcode.headerLength(opcode), payload)) {
            return "memory of a region that was deregistered";
        }
        if (transport == Opcode.TRANSPORT_UD) {
            return datagrams.check(from, to, packet, offset, opcode, payload);
        }
        if (transport == Opcode.TRANSPORT_UC) {
            UcFlow flow = ucFlows.get(key(to, Bth.destQp(packet, offset)));
            return flow == null ? "unknown destination" : flow.check(packet, offset, opcode, payload);
        }
        boolean request = Opcode.has(opcode, Opcode.REQUEST);
        Flow flow = (request ? flowsByRequests : flowsByResponses).get(key(to, Bth.destQp(packet, offset)));
        if (flow == null) {
            return "unknown destination";
        }
        flow.packets++;
        return request ? requests.check(nowNs, flow, packet, offset, opcode, payload, length)
            : ResponseRules.check(flow, packet, offset, opcode, payload, goneKeys.getOrDefault(from, Set.of()));
    }

    /** Whether there are so many of the bytes deregistered memory is filled with that it cannot be chance. */
    private static boolean hasDeadBytes(ByteBuffer packet, int from, int bytes) {
        int run = 0;
        for (int i = from; i < from + bytes && run < DEAD_RUN; i++) {
            run = packet.get(i) == ShadowedMemory.DEAD ? run + 1 : 0;
        }
        return run == DEAD_RUN;
    }

    private int icrcOf(Gid from, Gid to, ByteBuffer packet, int offset, int length) {
        return PlainIcrc.of(from, to, sourcePorts.getOrDefault(from, 0), packet, offset, length);
    }
}
