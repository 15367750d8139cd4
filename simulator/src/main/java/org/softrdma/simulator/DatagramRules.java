// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;

/**
 * Rules for packets of datagram queue pairs, and the deliveries to each: a group's datagram reaches all its members on a side. Source: IBA
 * vol 1 §9.8.3, §10.2.5, §10.5.
 */
final class DatagramRules {
    /** Destination queue pair number of packets to a group. */
    static final int GROUP_QPN = 0xffffff;
    /** The largest path MTU: what the port carries. */
    private static final int LONGEST = 4096;

    private final Map<Place, Port> ports = new HashMap<>();

    /** A queue pair. */
    private record Place(Gid gid, int qpn) {
    }

    private static final class Port {
        final int qkey;
        final boolean inGroup;
        final Arrivals arrivals;
        long packets;
        int nextPsn;
        boolean gone;
        boolean drained;

        Port(int firstPsn, int qkey, boolean inGroup, Arrivals arrivals) {
            nextPsn = firstPsn;
            this.qkey = qkey;
            this.inGroup = inGroup;
            this.arrivals = arrivals;
        }
    }

    /** @param inGroup attached to the group its side is a member of */
    void add(Gid gid, int qpn, int firstPsn, int qkey, boolean inGroup, Arrivals arrivals) {
        ports.put(new Place(gid, qpn), new Port(firstPsn, qkey, inGroup, arrivals));
    }

    boolean has(Gid gid, int qpn) {
        return ports.containsKey(new Place(gid, qpn));
    }

    /** Datagrams it sent and got. */
    long packetsOf(Gid gid, int qpn) {
        return ports.get(new Place(gid, qpn)).packets;
    }

    void expectSilence(Gid gid, int qpn) {
        ports.get(new Place(gid, qpn)).gone = true;
    }

    void expectDrained(Gid gid, int qpn, boolean now) {
        ports.get(new Place(gid, qpn)).drained = now;
    }

    /**
     * A datagram was sent.
     *
     * @return what is wrong, or null
     */
    String check(Gid from, Gid to, ByteBuffer packet, int offset, int opcode, int payload) {
        int deth = offset + Opcode.dethOffset(opcode);
        Port sender = ports.get(new Place(from, Deth.sourceQp(packet, deth)));
        if (sender == null) {
            return "source QP 0x" + Integer.toHexString(Deth.sourceQp(packet, deth)) + " is none of the sender's";
        }
        if (sender.gone || sender.drained) {
            return sender.gone ? "a datagram of a queue pair that is gone" : "a datagram while the send queue is drained";
        }
        sender.packets++;
        int psn = Bth.psn(packet, offset);
        if (psn != sender.nextPsn) {
            return "PSN is not the next one, 0x" + Integer.toHexString(sender.nextPsn);
        }
        sender.nextPsn = Psn.next(psn);
        if (Bth.ackRequest(packet, offset)) {
            return "asks for an acknowledgement, which UD has not";
        }
        if (payload > LONGEST) {
            return "payload " + payload;
        }
        int destQp = Bth.destQp(packet, offset);
        if (to.isMulticast() ? destQp != GROUP_QPN : !has(to, destQp)) {
            return "unknown destination";
        }
        int qkey = Deth.qkey(packet, deth);
        return qkey < 0 && qkey != sender.qkey ? "a Q_Key under control that is not the sender's own" : null;
    }

    /** An intact datagram arrived. */
    void onArrival(Gid to, ByteBuffer packet, int offset, int opcode, int payload) {
        int destQp = Bth.destQp(packet, offset);
        if (destQp != GROUP_QPN) {
            Port port = ports.get(new Place(to, destQp));
            if (port != null) {
                deliver(port, packet, offset, opcode, payload);
            }
            return;
        }
        ports.forEach((place, port) -> {
            if (port.inGroup && place.gid.equals(to)) {
                deliver(port, packet, offset, opcode, payload);
            }
        });
    }

    private static void deliver(Port port, ByteBuffer packet, int offset, int opcode, int payload) {
        port.packets++;
        if (Deth.qkey(packet, offset + Opcode.dethOffset(opcode)) != port.qkey) {
            port.arrivals.onBadQkey();
            return;
        }
        boolean immediate = Opcode.has(opcode, Opcode.IMMEDIATE);
        int stamp = payload >= Integer.BYTES ? packet.getInt(offset + Opcode.headerLength(opcode)) : 0;
        port.arrivals.onMessage(immediate ? ImmDt.immediate(packet, offset + Opcode.immediateOffset(opcode)) : stamp);
    }
}
