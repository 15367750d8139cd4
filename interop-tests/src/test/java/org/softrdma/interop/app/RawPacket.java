// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.roce.AtomicEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Feth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Reth;

/** Packets that no requester would send, with the correct ICRC for a plain IPv4 socket (IP ID 0, DF) and the correct padding. */
final class RawPacket {
    static final int PKEY = 0xffff;

    private RawPacket() {
    }

    /** Builds a packet with a BTH and a payload only. */
    static byte[] plain(Gid from, Gid to, int opcode, int pkey, int qpn, int psn, byte[] payload) {
        return build(from, to, opcode, pkey, qpn, psn, 0, 0, 0, payload, Opcode.isKnown(opcode) ? Opcode.headerLength(opcode) : Bth.LENGTH);
    }

    /** Builds a packet with a RETH. */
    static byte[] rdma(Gid from, Gid to, int opcode, int qpn, int psn, long va, int rkey, long length, byte[] payload) {
        return build(from, to, opcode, PKEY, qpn, psn, va, rkey, length, payload, Opcode.headerLength(opcode));
    }

    /** Builds a datagram. */
    static byte[] datagram(Gid from, Gid to, int qpn, int psn, int qkey, int sourceQpn, byte[] payload) {
        return build(from, to, Opcode.UD_SEND_ONLY, PKEY, qpn, psn, sourceQpn, qkey, 0, payload, Opcode.headerLength(Opcode.UD_SEND_ONLY));
    }

    /** Builds a FETCH_ADD of 1. */
    static byte[] fetchAndAdd(Gid from, Gid to, int qpn, int psn, long va, int rkey) {
        return build(from, to, Opcode.RC_FETCH_ADD, PKEY, qpn, psn, va, rkey, 1, new byte[0], Opcode.headerLength(Opcode.RC_FETCH_ADD));
    }

    /** Builds a FLUSH of a range for global visibility, with the ICRC that rxe of Linux 6.12 expects. */
    static byte[] flushOfRxe(Gid from, Gid to, int qpn, int psn, long va, int rkey, long length) {
        int bthAt = Icrc.IPV4_PREFIX_LENGTH;
        int end = bthAt + Opcode.headerLength(Opcode.RC_FLUSH);
        ByteBuffer b = ByteBuffer.allocate(end + Icrc.LENGTH);
        Bth.put(b, bthAt, Opcode.RC_FLUSH, false, 0, PKEY, qpn, true, psn);
        Feth.put(b, bthAt + Opcode.fethOffset(Opcode.RC_FLUSH), Feth.PLACEMENT_GLOBAL_VISIBILITY, Feth.SELECT_RANGE);
        Reth.put(b, bthAt + Opcode.rethOffset(Opcode.RC_FLUSH), va, rkey, length);
        int prefixAt = Icrc.putIpv4Prefix(b, bthAt, from.ipv4(), to.ipv4(), 0, true, Endpoint.RAW_PORT, Udp.DEST_PORT_ROCE,
            end + Icrc.LENGTH - bthAt);
        Icrc.put(b, end, FlushIcrc.of(b, prefixAt, bthAt, end));
        byte[] packet = new byte[end + Icrc.LENGTH - bthAt];
        b.get(bthAt, packet);
        return packet;
    }

    /**
     * Builds a packet; some parameters have other meanings by opcode.
     *
     * @param va    DETH: source queue pair
     * @param rkey  DETH: Q_Key
     * @param value RETH: length; AtomicETH: the number to add
     */
    private static byte[] build(Gid from, Gid to, int opcode, int pkey, int qpn, int psn, long va, int rkey, long value, byte[] payload,
                                int headers) {
        int bthAt = Icrc.IPV4_PREFIX_LENGTH;
        int pad = -payload.length & 3;
        int end = bthAt + headers + payload.length + pad;
        int bytes = end + Icrc.LENGTH - bthAt;
        ByteBuffer b = ByteBuffer.allocate(end + Icrc.LENGTH);
        Bth.put(b, bthAt, opcode, false, pad, pkey, qpn, Opcode.transport(opcode) == Opcode.TRANSPORT_RC, psn);
        if (Opcode.has(opcode, Opcode.RETH)) {
            Reth.put(b, bthAt + Opcode.rethOffset(opcode), va, rkey, value);
        } else if (Opcode.has(opcode, Opcode.ATOMIC_ETH)) {
            AtomicEth.put(b, bthAt + Opcode.atomicEthOffset(opcode), va, rkey, value, 0);
        } else if (Opcode.has(opcode, Opcode.DETH)) {
            Deth.put(b, bthAt + Opcode.dethOffset(opcode), rkey, (int) va);
        }
        b.put(bthAt + headers, payload);
        int prefixAt = Icrc.putIpv4Prefix(b, bthAt, from.ipv4(), to.ipv4(), 0, true, Endpoint.RAW_PORT, Udp.DEST_PORT_ROCE, bytes);
        Icrc.put(b, end, new Icrc().overPrefix(b, prefixAt, bthAt, end));
        byte[] packet = new byte[bytes];
        b.get(bthAt, packet);
        return packet;
    }
}
