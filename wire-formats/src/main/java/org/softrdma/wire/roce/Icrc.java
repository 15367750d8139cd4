// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;

/**
 * The invariant CRC, last four bytes of every RoCE or InfiniBand packet: CRC-32 (Ethernet polynomial) over everything that may not change
 * in flight, stored least significant byte first.
 *
 * <pre>
 *  8 × FF (stands for an LRH) | L3 header, masked | v2: UDP header, masked | BTH, byte 4 = FF | … payload, pad
 *
 *  masked to all-ones: IPv4 TOS, TTL, checksum; IPv6 and GRH traffic class, flow label, hop limit; UDP checksum
 *  covered as it is:   IPv4 identification, DF, lengths, addresses, ports
 * </pre>
 *
 * {@code bthAt} is the BTH's offset and {@code end} the exclusive end of the covered bytes, which is where the ICRC stands
 * ({@code end − bthAt} is at least 12). Every method leaves buffer contents, position and limit as they were.
 *
 * <p>An object holds a CRC and scratch bytes: reusable, not thread-safe, allocates nothing per call on writable or direct buffers.
 * Source: IBA vol 1 §7.8.1, annex A16 §A16.4.1, annex A17 §A17.3.3.
 */
public final class Icrc {
    /** Bytes of an ICRC. */
    public static final int LENGTH = 4;
    /** Headroom {@link #putIpv4Prefix} needs before the BTH. */
    public static final int IPV4_PREFIX_LENGTH = 8 + Ipv4.LENGTH + Udp.LENGTH;
    /** Headroom {@link #putIpv6Prefix} needs before the BTH. */
    public static final int IPV6_PREFIX_LENGTH = 8 + Ipv6.LENGTH + Udp.LENGTH;
    /** Headroom {@link #putGrhPrefix} needs before the BTH. */
    public static final int GRH_PREFIX_LENGTH = 8 + Grh.LENGTH;

    private static final int LRH = 8;
    private static final byte ONES = (byte) 0xFF;
    private static final int CLASS_AND_FLOW = 0x0FFF_FFFF;
    private static final int VIRTUAL_LANE = 0xF0;

    private final CRC32 crc = new CRC32();
    private final HeaderShare headers = new HeaderShare();
    private final byte[] scratch = new byte[IPV6_PREFIX_LENGTH + Bth.LENGTH];

    /** A calculator of its own for each thread or agent. */
    public Icrc() {
    }

    /**
     * ICRC of a RoCE v2 packet whose real IPv4 (no options) and UDP headers stand at {@code ipAt}.
     *
     * @param b buffer, big-endian
     * @param ipAt {@code bthAt − 28}
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @return the CRC as a number, for {@link #put}
     */
    public int ofIpv4Frame(ByteBuffer b, int ipAt, int bthAt, int end) {
        byte[] s = scratch;
        int ip = copyHeaders(b, ipAt, bthAt);
        s[ip + Ipv4.TOS_OFFSET] = ONES;
        s[ip + Ipv4.TTL_OFFSET] = ONES;
        s[ip + Ipv4.CHECKSUM_OFFSET] = ONES;
        s[ip + Ipv4.CHECKSUM_OFFSET + 1] = ONES;
        maskUdpChecksum(ip + Ipv4.LENGTH);
        return finish(b, ipAt, bthAt, end);
    }

    /**
     * ICRC of a RoCE v2 packet whose real IPv6 (no extension headers) and UDP headers stand at {@code ipAt}.
     *
     * @param b buffer, big-endian
     * @param ipAt {@code bthAt − 48}
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @return the CRC as a number, for {@link #put}
     */
    public int ofIpv6Frame(ByteBuffer b, int ipAt, int bthAt, int end) {
        maskIpv6(copyHeaders(b, ipAt, bthAt));
        maskUdpChecksum(LRH + Ipv6.LENGTH);
        return finish(b, ipAt, bthAt, end);
    }

    /**
     * ICRC of a RoCE v1 packet whose GRH stands at {@code grhAt}.
     *
     * @param b buffer, big-endian
     * @param grhAt {@code bthAt − 40}
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @return the CRC as a number, for {@link #put}
     */
    public int ofGrhFrame(ByteBuffer b, int grhAt, int bthAt, int end) {
        maskIpv6(copyHeaders(b, grhAt, bthAt));
        return finish(b, grhAt, bthAt, end);
    }

    /**
     * ICRC of an InfiniBand packet without GRH, whose LRH stands at {@code lrhAt}; all of that is covered but the virtual lane. With a GRH
     * the LRH is not covered: {@link #ofGrhFrame}.
     *
     * @param b buffer, big-endian
     * @param lrhAt {@code bthAt − 8}
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @return the CRC as a number, for {@link #put}
     */
    public int ofLrhFrame(ByteBuffer b, int lrhAt, int bthAt, int end) {
        byte[] s = scratch;
        b.get(lrhAt, s, 0, LRH + Bth.LENGTH);
        s[0] |= (byte) VIRTUAL_LANE;
        s[LRH + Bth.CONGESTION_OFFSET] = ONES;
        crc.reset();
        crc.update(s, 0, LRH + Bth.LENGTH);
        update(b, bthAt + Bth.LENGTH, end);
        return (int) crc.getValue();
    }

    /**
     * Writes the masked headers of an IPv4 RoCE v2 packet directly before the BTH, for {@link #overPrefix}. Needs {@link
     * #IPV4_PREFIX_LENGTH} bytes there. For senders and receivers on UDP sockets, who never see an IP header.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param srcIp raw 32 bits
     * @param dstIp raw 32 bits
     * @param ipId identification as it will be on the wire, u16: 0 from an unconnected socket that may not fragment, the segment's index
     *     in a GSO train
     * @param dontFragment DF as it will be on the wire
     * @param srcPort UDP source port, u16
     * @param dstPort UDP destination port, u16
     * @param udpPayloadLength bytes from BTH to the end of the ICRC, both inclusive
     * @return where the prefix starts
     */
    public static int putIpv4Prefix(ByteBuffer b, int bthAt, int srcIp, int dstIp, int ipId, boolean dontFragment, int srcPort, int dstPort,
            int udpPayloadLength) {
        int start = bthAt - IPV4_PREFIX_LENGTH;
        int ip = start + LRH;
        int udpLength = Udp.LENGTH + udpPayloadLength;
        b.putLong(start, -1L);
        b.putInt(ip, 0x45FF_0000 | Ipv4.LENGTH + udpLength & 0xFFFF);
        b.putInt(ip + Ipv4.ID_OFFSET, ipId << 16 | (dontFragment ? Ipv4.DF : 0));
        b.putInt(ip + Ipv4.TTL_OFFSET, 0xFF00_FFFF | Ipv4.PROTOCOL_UDP << 16);
        b.putInt(ip + Ipv4.SOURCE_OFFSET, srcIp);
        b.putInt(ip + Ipv4.DESTINATION_OFFSET, dstIp);
        Udp.put(b, ip + Ipv4.LENGTH, srcPort, dstPort, udpLength, 0xFFFF);
        return start;
    }

    /**
     * Writes the masked headers of an IPv6 RoCE v2 packet directly before the BTH, for {@link #overPrefix}. Needs {@link
     * #IPV6_PREFIX_LENGTH} bytes there.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param srcHigh first 64 bits of the sender's address
     * @param srcLow last 64 bits of the sender's address
     * @param dstHigh first 64 bits of the receiver's address
     * @param dstLow last 64 bits of the receiver's address
     * @param srcPort UDP source port, u16
     * @param dstPort UDP destination port, u16
     * @param udpPayloadLength bytes from BTH to the end of the ICRC, both inclusive
     * @return where the prefix starts
     */
    public static int putIpv6Prefix(ByteBuffer b, int bthAt, long srcHigh, long srcLow, long dstHigh, long dstLow, int srcPort, int dstPort,
            int udpPayloadLength) {
        int start = bthAt - IPV6_PREFIX_LENGTH;
        int ip = start + LRH;
        int udpLength = Udp.LENGTH + udpPayloadLength;
        b.putLong(start, -1L);
        Ipv6.put(b, ip, 0xFF, 0xFFFFF, udpLength, Ipv4.PROTOCOL_UDP, 0xFF, srcHigh, srcLow, dstHigh, dstLow);
        Udp.put(b, ip + Ipv6.LENGTH, srcPort, dstPort, udpLength, 0xFFFF);
        return start;
    }

    /**
     * Writes the masked GRH of a RoCE v1 packet directly before the BTH, for {@link #overPrefix}. Needs {@link #GRH_PREFIX_LENGTH} bytes
     * there.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param srcHigh first 64 bits of the sender's address
     * @param srcLow last 64 bits of the sender's address
     * @param dstHigh first 64 bits of the receiver's address
     * @param dstLow last 64 bits of the receiver's address
     * @param grhPayloadLength bytes from BTH to the end of the ICRC, both inclusive
     * @return where the prefix starts
     */
    public static int putGrhPrefix(ByteBuffer b, int bthAt, long srcHigh, long srcLow, long dstHigh, long dstLow, int grhPayloadLength) {
        int start = bthAt - GRH_PREFIX_LENGTH;
        b.putLong(start, -1L);
        Grh.put(b, start + LRH, 0xFF, 0xFFFFF, grhPayloadLength, Grh.NEXT_HEADER_BTH, 0xFF, srcHigh, srcLow, dstHigh, dstLow);
        return start;
    }

    /**
     * ICRC in one pass over a prefix written by {@link #putIpv4Prefix}, {@link #putIpv6Prefix} or {@link #putGrhPrefix} and the packet
     * behind it. BTH byte 4 is 0xFF during the pass and restored after, so the buffer must be writable and nobody else's.
     *
     * @param b buffer, big-endian
     * @param prefixAt offset of the prefix, as returned when it was written
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @return the CRC as a number, for {@link #put}
     */
    public int overPrefix(ByteBuffer b, int prefixAt, int bthAt, int end) {
        int congestionAt = bthAt + Bth.CONGESTION_OFFSET;
        byte congestion = b.get(congestionAt);
        b.put(congestionAt, ONES);
        crc.reset();
        update(b, prefixAt, end);
        b.put(congestionAt, congestion);
        return (int) crc.getValue();
    }

    /**
     * ICRC of an IPv4 RoCE v2 packet whose headers nobody wrote: with identification 0 and DF. Needs {@link #LENGTH} bytes before the BTH;
     * they and BTH byte 4 change during the pass and are restored after. The fastest way for packets of one connection, which have few
     * lengths.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @param srcIp sender's IPv4 address, raw 32 bits
     * @param dstIp receiver's IPv4 address, raw 32 bits
     * @param srcPort UDP source port, u16
     * @param dstPort UDP destination port, u16
     * @return the CRC as a number, for {@link #put}
     */
    public int ofIpv4Payload(ByteBuffer b, int bthAt, int end, int srcIp, int dstIp, int srcPort, int dstPort) {
        return headers.ofIpv4(srcIp, dstIp, srcPort, dstPort, end + LENGTH - bthAt) ^ overZeros(b, bthAt, end);
    }

    /**
     * As {@link #ofIpv4Payload}, for IPv6.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @param srcHigh first 64 bits of the sender's address
     * @param srcLow last 64 bits of the sender's address
     * @param dstHigh first 64 bits of the receiver's address
     * @param dstLow last 64 bits of the receiver's address
     * @param srcPort UDP source port, u16
     * @param dstPort UDP destination port, u16
     * @return the CRC as a number, for {@link #put}
     */
    public int ofIpv6Payload(ByteBuffer b, int bthAt, int end, long srcHigh, long srcLow, long dstHigh, long dstLow, int srcPort,
            int dstPort) {
        return headers.ofIpv6(srcHigh, srcLow, dstHigh, dstLow, srcPort, dstPort, end + LENGTH - bthAt) ^ overZeros(b, bthAt, end);
    }

    /**
     * As {@link #ofIpv4Payload}, for RoCE v1.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @param srcHigh first 64 bits of the sender's address
     * @param srcLow last 64 bits of the sender's address
     * @param dstHigh first 64 bits of the receiver's address
     * @param dstLow last 64 bits of the receiver's address
     * @return the CRC as a number, for {@link #put}
     */
    public int ofGrhPayload(ByteBuffer b, int bthAt, int end, long srcHigh, long srcLow, long dstHigh, long dstLow) {
        return headers.ofGrh(srcHigh, srcLow, dstHigh, dstLow, end + LENGTH - bthAt) ^ overZeros(b, bthAt, end);
    }

    /**
     * ICRC of an InfiniBand packet without GRH whose LRH nobody wrote. Needs eight bytes before the BTH; they and BTH byte 4 change during
     * the pass and are restored after.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     * @param lrh the LRH as one number; its virtual lane does not matter
     * @return the CRC as a number, for {@link #put}
     */
    public int ofLrhPayload(ByteBuffer b, int bthAt, int end, long lrh) {
        long before = b.getLong(bthAt - LRH);
        b.putLong(bthAt - LRH, lrh | (long) VIRTUAL_LANE << 56);
        int value = overPrefix(b, bthAt - LRH, bthAt, end);
        b.putLong(bthAt - LRH, before);
        return value;
    }

    /** Four zeros and a BTH are 16 bytes, and full packets so a multiple of 16, which is what makes the JVM's CRC fast. */
    private int overZeros(ByteBuffer b, int bthAt, int end) {
        int before = b.getInt(bthAt - HeaderShare.ZEROS);
        b.putInt(bthAt - HeaderShare.ZEROS, 0);
        int value = overPrefix(b, bthAt - HeaderShare.ZEROS, bthAt, end);
        b.putInt(bthAt - HeaderShare.ZEROS, before);
        return value;
    }

    /**
     * Stores an ICRC, least significant byte first.
     *
     * @param b buffer, big-endian
     * @param at offset of the CRC
     * @param crc the CRC as a number
     */
    public static void put(ByteBuffer b, int at, int crc) {
        b.putInt(at, Integer.reverseBytes(crc));
    }

    /**
     * Loads an ICRC, least significant byte first.
     *
     * @param b buffer, big-endian
     * @param at offset of the CRC
     * @return the CRC as a number
     */
    public static int get(ByteBuffer b, int at) {
        return Integer.reverseBytes(b.getInt(at));
    }

    /** Copies headers up to and including the BTH behind the eight FFs; returns where the L3 header landed. */
    private int copyHeaders(ByteBuffer b, int l3At, int bthAt) {
        byte[] s = scratch;
        for (int i = 0; i < LRH; i++) {
            s[i] = ONES;
        }
        int headers = bthAt - l3At;
        b.get(l3At, s, LRH, headers + Bth.LENGTH);
        s[LRH + headers + Bth.CONGESTION_OFFSET] = ONES;
        return LRH;
    }

    private void maskIpv6(int ip) {
        byte[] s = scratch;
        s[ip] |= CLASS_AND_FLOW >>> 24;
        s[ip + 1] = ONES;
        s[ip + 2] = ONES;
        s[ip + 3] = ONES;
        s[ip + Ipv6.HOP_LIMIT_OFFSET] = ONES;
    }

    private void maskUdpChecksum(int udp) {
        scratch[udp + Udp.CHECKSUM_OFFSET] = ONES;
        scratch[udp + Udp.CHECKSUM_OFFSET + 1] = ONES;
    }

    private int finish(ByteBuffer b, int l3At, int bthAt, int end) {
        crc.reset();
        crc.update(scratch, 0, LRH + bthAt - l3At + Bth.LENGTH);
        update(b, bthAt + Bth.LENGTH, end);
        return (int) crc.getValue();
    }

    private void update(ByteBuffer b, int from, int to) {
        int position = b.position();
        int limit = b.limit();
        b.limit(to).position(from);
        crc.update(b);
        b.limit(limit).position(position);
    }
}
