// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.BitSet;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.cm.CmDreq;
import org.softrdma.wire.cm.CmIpHeader;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRep;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.ServiceId;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Icrc;

/**
 * Peer that requests connections over RoCE v2 and never uses one: a UDP socket at an address of 127.0.0.0/8 of its own, and management
 * datagrams made field by field. Source: IBA vol 1 §12.6, annex A17.
 */
final class UnfinishedPeer implements AutoCloseable {
    /** Ends of a connection that the server has accepted. */
    enum End {
        /** The reply is not answered. */
        SILENCE,
        /** The reply is rejected. */
        REJECT,
        /** The reply is confirmed, and the connection ended at once. */
        DISCONNECT
    }

    private static final int PORT = 4791;
    private static final int UD_SEND_ONLY = 0x64;
    private static final int BTH_AT = 64;
    private static final int MAD_AT = BTH_AT + Bth.LENGTH + Deth.LENGTH;
    private static final int END = MAD_AT + Mad.LENGTH;
    /** Reason of a program that refuses: 28, consumer reject. */
    private static final int BY_THE_PROGRAM = 28;

    private final DatagramChannel socket = DatagramChannel.open();
    private final Gid own;
    private final Gid server;
    private final int serverPort;
    private final int firstId;
    private final End end;
    private final byte[] data;
    private final Icrc icrc = new Icrc();
    private final ByteBuffer in = ByteBuffer.allocate(1024);
    private int psn;
    /** Numbers of the requests that the server has accepted. */
    private final BitSet accepted = new BitSet();

    /**
     * Opens the socket.
     *
     * @param own     address of this peer, of 127.0.0.0/8
     * @param firstId communication ID and queue pair number of the first request; each further one has the next
     * @param data    private data of the requests, behind the IP addresses
     */
    UnfinishedPeer(InetAddress own, InetAddress server, int serverPort, int firstId, End end, byte[] data) throws IOException {
        this.data = data;
        this.own = Gid.of(own);
        this.server = Gid.of(server);
        this.serverPort = serverPort;
        this.firstId = firstId;
        this.end = end;
        socket.setOption(StandardSocketOptions.SO_RCVBUF, 4 << 20);
        socket.bind(new InetSocketAddress(own, PORT));
        socket.configureBlocking(false);
    }

    /** Sends the request of this number, from 0. */
    void request(int number) throws IOException {
        ByteBuffer packet = begin(CmMessage.REQ, firstId + number);
        CmReq.SERVICE_ID.set(packet, MAD_AT, ServiceId.of(ServiceId.PORT_SPACE_TCP, serverPort));
        CmMessage.LOCAL_COMM_ID.set(packet, MAD_AT, firstId + number);
        req(packet, number);
        send(packet);
    }

    private void req(ByteBuffer packet, int number) {
        int at = MAD_AT;
        CmReq.CA_GUID.set(packet, at, 0x0200_00ff_fe00_0000L + own.ipv4());
        CmReq.QPN.set(packet, at, firstId + number);
        CmReq.RESPONDER_RESOURCES.set(packet, at, 1);
        CmReq.INITIATOR_DEPTH.set(packet, at, 1);
        // Codes of 4.096 µs · 2^n: the server waits 8 ms for an answer to its reply, and repeats it once.
        CmReq.REMOTE_RESPONSE_TIMEOUT.set(packet, at, 11);
        CmReq.LOCAL_RESPONSE_TIMEOUT.set(packet, at, 11);
        CmReq.MAX_CM_RETRIES.set(packet, at, 1);
        CmReq.RETRY_COUNT.set(packet, at, 7);
        CmReq.RNR_RETRY_COUNT.set(packet, at, 7);
        CmReq.PKEY.set(packet, at, 0xffff);
        CmReq.MTU.set(packet, at, 3);
        CmReq.LOCAL_LID.set(packet, at, 0xffff);
        CmReq.REMOTE_LID.set(packet, at, 0xffff);
        CmReq.LOCAL_GID_HIGH.set(packet, at, own.high());
        CmReq.LOCAL_GID_LOW.set(packet, at, own.low());
        CmReq.REMOTE_GID_HIGH.set(packet, at, server.high());
        CmReq.REMOTE_GID_LOW.set(packet, at, server.low());
        CmReq.HOP_LIMIT.set(packet, at, 64);
        CmReq.ACK_TIMEOUT.set(packet, at, 14);
        CmIpHeader.putIpv4(packet, at + CmMessage.privateDataOffset(CmMessage.REQ), 40_000, own.ipv4(), server.ipv4());
        packet.put(at + CmMessage.privateDataOffset(CmMessage.REQ) + CmIpHeader.LENGTH, data);
    }

    /** Receives what has arrived, and ends the connections that were accepted. */
    void answer() throws IOException {
        for (in.clear(); socket.receive(in) != null; in.clear()) {
            in.flip();
            int mad = Bth.LENGTH + Deth.LENGTH;
            if (in.limit() == mad + Mad.LENGTH + Icrc.LENGTH && Mad.attribute(in, mad) == CmMessage.REP) {
                accepted.set(CmMessage.REMOTE_COMM_ID.get(in, mad) - firstId);
                answer(CmMessage.REMOTE_COMM_ID.get(in, mad), CmMessage.LOCAL_COMM_ID.get(in, mad), CmRep.QPN.get(in, mad));
            }
        }
    }

    private void answer(int ownId, int serversId, int serversQpn) throws IOException {
        if (end == End.REJECT) {
            ByteBuffer rej = begin(CmMessage.REJ, ownId);
            ids(rej, ownId, serversId);
            CmRej.MESSAGE.set(rej, MAD_AT, CmMessage.ANSWERS_REP);
            CmRej.REASON.set(rej, MAD_AT, BY_THE_PROGRAM);
            send(rej);
        } else if (end == End.DISCONNECT) {
            ByteBuffer rtu = begin(CmMessage.RTU, ownId);
            ids(rtu, ownId, serversId);
            send(rtu);
            ByteBuffer dreq = begin(CmMessage.DREQ, ownId);
            ids(dreq, ownId, serversId);
            CmDreq.REMOTE_QPN.set(dreq, MAD_AT, serversQpn);
            send(dreq);
        }
    }

    private static void ids(ByteBuffer packet, int local, int remote) {
        CmMessage.LOCAL_COMM_ID.set(packet, MAD_AT, local);
        CmMessage.REMOTE_COMM_ID.set(packet, MAD_AT, remote);
    }

    /** @return number of requests that the server has accepted */
    int accepted() {
        return accepted.cardinality();
    }

    /** @return whether the server has accepted the requests of these numbers; the second one is exclusive */
    boolean isAccepted(int from, int to) {
        return accepted.nextClearBit(from) >= to;
    }

    private ByteBuffer begin(int attribute, int transaction) {
        ByteBuffer packet = ByteBuffer.allocate(END + Icrc.LENGTH);
        Bth.put(packet, BTH_AT, UD_SEND_ONLY, false, 0, 0xffff, Mad.GSI_QPN, false, psn++ & 0xffffff);
        Deth.put(packet, BTH_AT + Bth.LENGTH, Mad.GSI_QKEY, Mad.GSI_QPN);
        CmMessage.begin(packet, MAD_AT, attribute, transaction);
        return packet;
    }

    private void send(ByteBuffer packet) throws IOException {
        int prefix = Icrc.putIpv4Prefix(packet, BTH_AT, own.ipv4(), server.ipv4(), 0, true, PORT, PORT, END + Icrc.LENGTH - BTH_AT);
        Icrc.put(packet, END, icrc.overPrefix(packet, prefix, BTH_AT, END));
        packet.position(BTH_AT).limit(END + Icrc.LENGTH);
        socket.send(packet, new InetSocketAddress(server.toInetAddress(), PORT));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
