// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.pcap.Pcapng;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.AtomicAckEth;
import org.softrdma.wire.roce.AtomicEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Cnp;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Ieth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.PacketText;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.RoceFrame;

/** Rebuilds a frame from its parsed fields alone, payload and padding copied, into a dirty buffer. */
public final class Reemission {
    private Reemission() {
    }

    /** The rebuilt frame, ICRC included, equals the original byte for byte. */
    public static void assertIdentical(ByteBuffer b, int linkType, int at, int length) {
        RoceFrame frame = new RoceFrame();
        assertEquals(RoceFrame.OK, frame.dissect(b, linkType, at, length));
        ByteBuffer out = Bytes.filled(length);
        int next = 0;
        if (linkType == Pcapng.LINK_ETHERNET) {
            Ethernet.put(out, 0, Ethernet.destination(b, at), Ethernet.source(b, at), Ethernet.type(b, at));
            next = Ethernet.LENGTH;
        }
        next = network(b, frame, out, next);
        int payloadAt = transport(b, frame.bthAt(), out, next);
        int payload = frame.end() - frame.bthAt() - (payloadAt - next);
        out.put(payloadAt, b, frame.end() - payload, payload);
        next = payloadAt + payload;
        Icrc.put(out, next, frame.computeIcrc(b, new Icrc()));
        next += Icrc.LENGTH;
        int trailer = length - next; // Ethernet padding
        out.put(next, b, at + next, trailer);
        assertEquals(Bytes.text(b, at, length), Bytes.text(out), PacketText.describe(b, frame.bthAt(), frame.end()));
    }

    private static int network(ByteBuffer b, RoceFrame frame, ByteBuffer out, int at) {
        int ip = frame.ipAt();
        int next = at;
        if (frame.version() == RoceFrame.VERSION_2_IPV4) {
            Ipv4.put(out, at, Ipv4.tos(b, ip), Ipv4.totalLength(b, ip), Ipv4.id(b, ip), Ipv4.dontFragment(b, ip), Ipv4.ttl(b, ip),
                Ipv4.protocol(b, ip), Ipv4.source(b, ip), Ipv4.destination(b, ip));
            next += Ipv4.LENGTH;
        } else if (frame.version() == RoceFrame.VERSION_2_IPV6) {
            Ipv6.put(out, at, Ipv6.trafficClass(b, ip), Ipv6.flowLabel(b, ip), Ipv6.payloadLength(b, ip), Ipv6.nextHeader(b, ip),
                Ipv6.hopLimit(b, ip), Ipv6.sourceHigh(b, ip), Ipv6.sourceLow(b, ip), Ipv6.destinationHigh(b, ip),
                Ipv6.destinationLow(b, ip));
            next += Ipv6.LENGTH;
        } else {
            Grh.put(out, at, Grh.trafficClass(b, ip), Grh.flowLabel(b, ip), Grh.payloadLength(b, ip), Grh.nextHeader(b, ip),
                Grh.hopLimit(b, ip), Grh.sourceHigh(b, ip), Grh.sourceLow(b, ip), Grh.destinationHigh(b, ip), Grh.destinationLow(b, ip));
            return at + Grh.LENGTH;
        }
        int udp = frame.udpAt();
        Udp.put(out, next, Udp.sourcePort(b, udp), Udp.destinationPort(b, udp), Udp.length(b, udp), Udp.checksum(b, udp));
        return next + Udp.LENGTH;
    }

    private static int transport(ByteBuffer b, int bth, ByteBuffer out, int at) {
        int op = Bth.opcode(b, bth);
        Bth.put(out, at, op, Bth.solicitedEvent(b, bth), Bth.padCount(b, bth), Bth.pkey(b, bth), Bth.destQp(b, bth), Bth.ackRequest(b, bth),
            Bth.psn(b, bth));
        Bth.setMigReq(out, at, Bth.migReq(b, bth));
        Bth.setFecn(out, at, Bth.fecn(b, bth));
        Bth.setBecn(out, at, Bth.becn(b, bth));
        if (Opcode.has(op, Opcode.CNP_RESERVED)) {
            Cnp.put(out, at + Bth.LENGTH);
        }
        if (Opcode.has(op, Opcode.DETH)) {
            int h = Opcode.dethOffset(op);
            Deth.put(out, at + h, Deth.qkey(b, bth + h), Deth.sourceQp(b, bth + h));
        }
        if (Opcode.has(op, Opcode.RETH)) {
            int h = Opcode.rethOffset(op);
            Reth.put(out, at + h, Reth.va(b, bth + h), Reth.rkey(b, bth + h), Reth.length(b, bth + h));
        }
        if (Opcode.has(op, Opcode.ATOMIC_ETH)) {
            int h = Opcode.atomicEthOffset(op);
            AtomicEth.put(out, at + h, AtomicEth.va(b, bth + h), AtomicEth.rkey(b, bth + h), AtomicEth.swapAdd(b, bth + h),
                AtomicEth.compare(b, bth + h));
        }
        if (Opcode.has(op, Opcode.AETH)) {
            int h = Opcode.aethOffset(op);
            Aeth.put(out, at + h, Aeth.syndrome(b, bth + h), Aeth.msn(b, bth + h));
        }
        if (Opcode.has(op, Opcode.ATOMIC_ACK_ETH)) {
            int h = Opcode.atomicAckEthOffset(op);
            AtomicAckEth.put(out, at + h, AtomicAckEth.original(b, bth + h));
        }
        if (Opcode.has(op, Opcode.IMMEDIATE)) {
            int h = Opcode.immediateOffset(op);
            ImmDt.put(out, at + h, ImmDt.immediate(b, bth + h));
        }
        if (Opcode.has(op, Opcode.INVALIDATE)) {
            int h = Opcode.iethOffset(op);
            Ieth.put(out, at + h, Ieth.rkey(b, bth + h));
        }
        return at + Opcode.headerLength(op);
    }
}
