// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.softrdma.link.sim.PlainIcrc;
import org.softrdma.verbs.Gid;

/**
 * A RoCE packet as bytes, laid out by hand from IBA vol 1 chapter 9: sent by a {@link RawPeer}, right or wrong, or
 * received by it. Setters change nothing but their own field, so every wrong packet is possible.
 */
public final class RawPacket {
    static final int SEND_FIRST = 0x00;
    static final int SEND_MIDDLE = 0x01;
    static final int SEND_LAST = 0x02;
    public static final int SEND_ONLY = 0x04;
    static final int SEND_ONLY_IMM = 0x05;
    static final int WRITE_FIRST = 0x06;
    static final int WRITE_MIDDLE = 0x07;
    static final int WRITE_LAST = 0x08;
    static final int WRITE_LAST_IMM = 0x09;
    static final int WRITE_ONLY = 0x0a;
    static final int WRITE_ONLY_IMM = 0x0b;
    static final int READ_REQUEST = 0x0c;
    static final int READ_FIRST = 0x0d;
    static final int READ_MIDDLE = 0x0e;
    static final int READ_LAST = 0x0f;
    static final int READ_ONLY = 0x10;
    public static final int ACK = 0x11;
    static final int ATOMIC_ACK = 0x12;
    static final int COMPARE_SWAP = 0x13;
    static final int FETCH_ADD = 0x14;
    static final int SEND_ONLY_INV = 0x17;
    static final int FLUSH = 0x1c;
    static final int ATOMIC_WRITE = 0x1d;
    /** UC has RC's SENDs and WRITEs under these numbers plus this. */
    static final int UC = 0x20;
    /** XRC has most of RC under these numbers plus this. */
    static final int XRC = 0xa0;
    public static final int UD_SEND = 0x64;
    public static final int UD_SEND_IMM = 0x65;

    /** AETH syndromes. IBA vol 1 §9.7.5.2 */
    static final int NAK_SEQUENCE = 0x60;
    static final int NAK_INVALID = 0x61;
    static final int NAK_ACCESS = 0x62;
    static final int NAK_OPERATIONAL = 0x63;

    private int opcode;
    private int psn;
    private boolean ackRequest;
    private boolean solicited;
    private int pad = -1;
    private int pkey = 0xffff;
    private int version;
    private int destQpn = -1;
    private int icrcError;
    private byte[] headers = {};
    private byte[] payload = {};
    /** Arrival time. */
    long atNs;
    /** TOS or traffic class of a received packet. */
    int trafficClass;
    /** FECN, BECN and six reserved bits of a received packet. */
    int congestionBits;

    public static RawPacket of(int opcode, int psn) {
        RawPacket packet = new RawPacket();
        packet.opcode = opcode;
        packet.psn = psn & 0xffffff;
        return packet;
    }

    static RawPacket ack(int psn) {
        return of(ACK, psn).aeth(0x1f, 0);
    }

    static RawPacket nak(int psn, int syndrome) {
        return of(ACK, psn).aeth(syndrome, 0);
    }

    RawPacket ackRequest() {
        ackRequest = true;
        return this;
    }

    RawPacket solicited() {
        solicited = true;
        return this;
    }

    /** Sets the header's pad count and adds as many bytes, for any payload. */
    RawPacket pad(int bytes) {
        pad = bytes;
        return this;
    }

    public RawPacket pkey(int value) {
        pkey = value;
        return this;
    }

    RawPacket version(int value) {
        version = value;
        return this;
    }

    RawPacket destQpn(int value) {
        destQpn = value;
        return this;
    }

    public RawPacket badIcrc() {
        icrcError = 1;
        return this;
    }

    RawPacket payload(byte[] bytes) {
        payload = bytes;
        return this;
    }

    RawPacket payload(int bytes) {
        payload = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            payload[i] = (byte) (psn * 31 + i * 7 + 1);
        }
        return this;
    }

    /** Adds an XRCETH, directly after the BTH: call it before all other headers. */
    RawPacket xrceth(int srqn) {
        return header(ByteBuffer.allocate(4).putInt(srqn));
    }

    RawPacket reth(long va, int rkey, long length) {
        return header(ByteBuffer.allocate(16).putLong(va).putInt(rkey).putInt((int) length));
    }

    public RawPacket deth(int qkey, int sourceQpn) {
        return header(ByteBuffer.allocate(8).putInt(qkey).putInt(sourceQpn));
    }

    RawPacket atomic(long va, int rkey, long swapOrAdd, long compare) {
        return header(ByteBuffer.allocate(28).putLong(va).putInt(rkey).putLong(swapOrAdd).putLong(compare));
    }

    RawPacket aeth(int syndrome, int msn) {
        return header(ByteBuffer.allocate(4).putInt(syndrome << 24 | msn & 0xffffff));
    }

    RawPacket atomicAck(long original) {
        return header(ByteBuffer.allocate(8).putLong(original));
    }

    /** Placement type and selectivity of a FLUSH. */
    RawPacket feth(int placement, int selectivity) {
        return header(ByteBuffer.allocate(4).putInt(selectivity << 4 | placement));
    }

    public byte[] headers() {
        return headers;
    }

    /** Immediate data or the key to invalidate. */
    RawPacket immediate(int value) {
        return header(ByteBuffer.allocate(4).putInt(value));
    }

    private RawPacket header(ByteBuffer more) {
        headers = ByteBuffer.allocate(headers.length + more.capacity()).put(headers).put(more.array()).array();
        return this;
    }

    /**
     * The packet from BTH to ICRC.
     *
     * @param qpn destination, unless {@link #destQpn} was called
     */
    byte[] bytes(int qpn, Gid from, Gid to, int sourcePort) {
        int padding = pad < 0 ? -payload.length & 3 : pad;
        ByteBuffer bytes = ByteBuffer.allocate(12 + headers.length + payload.length + padding + 4);
        bytes.put((byte) opcode).put((byte) ((solicited ? 0x80 : 0) | padding << 4 | version)).putShort((short) pkey)
            .putInt(destQpn < 0 ? qpn : destQpn).putInt((ackRequest ? 0x80000000 : 0) | psn).put(headers).put(payload);
        int icrc = PlainIcrc.of(from, to, sourcePort, bytes, 0, bytes.capacity()) ^ icrcError;
        return bytes.putInt(bytes.capacity() - 4, Integer.reverseBytes(icrc)).array();
    }

    /**
     * Parses a packet from BTH to ICRC, of any RoCE version; the number of header bytes follows from the opcode. The pad makes the packet a
     * multiple of four bytes (IBA vol 1 §9.2), and has no bytes of the sender's memory in it.
     */
    static RawPacket parse(ByteBuffer packet, int offset, int length, long nowNs) {
        assertEquals(0, length % 4, () -> "packet of " + length + " bytes");
        RawPacket parsed = of(packet.get(offset) & 0xff, packet.getInt(offset + 8));
        parsed.atNs = nowNs;
        parsed.congestionBits = packet.get(offset + 4) & 0xff;
        parsed.solicited = packet.get(offset + 1) < 0;
        parsed.pad = packet.get(offset + 1) >> 4 & 3;
        parsed.pkey = packet.getShort(offset + 2) & 0xffff;
        parsed.destQpn = packet.getInt(offset + 4) & 0xffffff;
        parsed.ackRequest = packet.get(offset + 8) < 0;
        int transport = parsed.opcode & 0xe0;
        int headerBytes = switch (transport == UC || transport == XRC ? parsed.opcode - transport : parsed.opcode) {
            case WRITE_FIRST, WRITE_ONLY, READ_REQUEST, ATOMIC_WRITE -> 16;
            case WRITE_ONLY_IMM, FLUSH -> 20;
            case READ_FIRST, READ_LAST, READ_ONLY, ACK, 0x03, SEND_ONLY_IMM, WRITE_LAST_IMM, 0x16, SEND_ONLY_INV -> 4;
            case UD_SEND -> 8;
            case ATOMIC_ACK, UD_SEND_IMM -> 12;
            case COMPARE_SWAP, FETCH_ADD -> 28;
            default -> 0;
        };
        boolean response = parsed.opcode >= XRC + READ_FIRST && parsed.opcode <= XRC + ATOMIC_ACK;
        headerBytes += transport == XRC && !response ? 4 : 0;
        parsed.headers = new byte[headerBytes];
        packet.get(offset + 12, parsed.headers);
        parsed.payload = new byte[length - 16 - headerBytes - parsed.pad];
        packet.get(offset + 12 + headerBytes, parsed.payload);
        for (int i = 0; i < parsed.pad; i++) {
            assertEquals(0, packet.get(offset + length - 4 - parsed.pad + i), "byte of the pad");
        }
        return parsed;
    }

    public int opcode() {
        return opcode;
    }

    public int psn() {
        return psn;
    }

    boolean asksForAck() {
        return ackRequest;
    }

    boolean isSolicited() {
        return solicited;
    }

    int destQpn() {
        return destQpn;
    }

    byte[] payload() {
        return payload;
    }

    long va() {
        return ByteBuffer.wrap(headers).getLong(0);
    }

    int rkey() {
        return ByteBuffer.wrap(headers).getInt(8);
    }

    long length() {
        return ByteBuffer.wrap(headers).getInt(12) & 0xffffffffL;
    }

    /** SRQ number of an XRC request. */
    int srqn() {
        return ByteBuffer.wrap(headers).getInt(0);
    }

    int qkey() {
        return ByteBuffer.wrap(headers).getInt(0);
    }

    int sourceQpn() {
        return ByteBuffer.wrap(headers).getInt(4);
    }

    /** Immediate data, which is the last header of the packet. */
    int immediate() {
        return ByteBuffer.wrap(headers).getInt(headers.length - 4);
    }

    long swapOrAdd() {
        return ByteBuffer.wrap(headers).getLong(12);
    }

    long compare() {
        return ByteBuffer.wrap(headers).getLong(20);
    }

    int syndrome() {
        return headers[0] & 0xff;
    }

    int msn() {
        return ByteBuffer.wrap(headers).getInt(0) & 0xffffff;
    }

    long original() {
        return ByteBuffer.wrap(headers).getLong(4);
    }

    @Override
    public String toString() {
        return String.format("opcode 0x%02x psn 0x%06x%s headers %s payload %d", opcode, psn, ackRequest ? " A" : "",
            HexFormat.of().formatHex(headers), payload.length);
    }
}
