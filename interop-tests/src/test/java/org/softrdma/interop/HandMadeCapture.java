// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.pcap.Pcapng;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.RoceFrame;

/** A capture in the form of the lab's, built from packets of a test at intervals of ten microseconds. The path MTU is 1024 bytes. */
final class HandMadeCapture {
    static final int MTU = 1024;
    private static final int[] ADDRESSES = {0x0a4d0001, 0x0a4d0002};
    private static final int PKEY = 0xffff;
    private static final int SOURCE_PORT = 49_152;
    private static final int REQUESTERS_QP = 0x17;
    private static final int ACK = 0;
    private static final long APART_NS = 10_000;
    private static final int BTH_AT = Ipv4.LENGTH + Udp.LENGTH;

    private final ByteBuffer file = ByteBuffer.allocate(1 << 16);
    private final RoceFrame frame = new RoceFrame();
    private final Icrc icrc = new Icrc();
    private int end;
    private long nowNs = 1_000_000_000L;

    HandMadeCapture() {
        end = Pcapng.putSectionHeader(file, end);
        end = Pcapng.putInterface(file, end, Pcapng.LINK_RAW_IP, 0, "tap0");
    }

    /** Adds a READ request of {@code bytes} bytes. */
    void read(int sender, int destQp, int psn, long bytes) {
        ByteBuffer packet = packet(sender, Opcode.RC_RDMA_READ_REQUEST, destQp, psn, 0);
        Reth.put(packet, BTH_AT + Opcode.rethOffset(Opcode.RC_RDMA_READ_REQUEST), 0x1000, 0x77, bytes);
        seal(packet);
    }

    /** Adds the first {@code count} response packets of a long READ. */
    void responses(int sender, int psn, int count) {
        ByteBuffer first = packet(sender, Opcode.RC_RDMA_READ_RESPONSE_FIRST, REQUESTERS_QP, psn, MTU);
        Aeth.put(first, BTH_AT + Opcode.aethOffset(Opcode.RC_RDMA_READ_RESPONSE_FIRST), ACK, 1);
        seal(first);
        for (int i = 1; i < count; i++) {
            seal(packet(sender, Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, REQUESTERS_QP, Psn.add(psn, i), MTU));
        }
    }

    /** Adds a datagram to the GSI from a UDP port. */
    void management(int sender, int sourcePort, int psn) {
        ByteBuffer packet = packet(sender, Opcode.UD_SEND_ONLY, Mad.GSI_QPN, psn, Mad.LENGTH);
        Udp.put(packet, Ipv4.LENGTH, sourcePort, Udp.DEST_PORT_ROCE, packet.capacity() - Ipv4.LENGTH, 0);
        Deth.put(packet, BTH_AT + Bth.LENGTH, Mad.GSI_QKEY, Mad.GSI_QPN);
        Mad.put(packet, BTH_AT + Bth.LENGTH + Deth.LENGTH, CaptureReport.PING_CLASS, 1, Mad.METHOD_SEND, psn, 0);
        seal(packet);
    }

    private static ByteBuffer packet(int sender, int opcode, int destQp, int psn, int payload) {
        int length = BTH_AT + Opcode.headerLength(opcode) + payload + Icrc.LENGTH;
        ByteBuffer packet = ByteBuffer.allocate(length);
        Ipv4.put(packet, 0, 0, length, 0, true, 64, Ipv4.PROTOCOL_UDP, ADDRESSES[sender], ADDRESSES[1 - sender]);
        Udp.put(packet, Ipv4.LENGTH, SOURCE_PORT, Udp.DEST_PORT_ROCE, length - Ipv4.LENGTH, 0);
        Bth.put(packet, BTH_AT, opcode, false, 0, PKEY, destQp, false, psn);
        return packet;
    }

    private void seal(ByteBuffer packet) {
        frame.dissectIp(packet, 0, packet.capacity());
        Icrc.put(packet, frame.end(), frame.computeIcrc(packet, icrc));
        end = Pcapng.putPacket(file, end, 0, nowNs, packet, 0, packet.capacity());
        nowNs += APART_NS;
    }

    /** Report of the packets added so far. */
    CaptureReport report() {
        return CaptureReport.of(file.duplicate().limit(end));
    }
}
