// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Destination of packets ({@code struct ibv_ah_attr} with its global route). RoCE always has a global route.
 *
 * @param dgid         the peer's GID
 * @param sgidIndex    our GID, by its index in the port's table
 * @param flowLabel    20 bits
 * @param hopLimit     0..255
 * @param trafficClass 0..255
 * @param sl           service level 0..15
 * @param port         our port, from 1
 */
public record AddressVector(Gid dgid, int sgidIndex, int flowLabel, int hopLimit, int trafficClass, int sl, int port) {
    private static final int GRH_BYTES = 40;
    private static final int IPV4_AT = 20;
    private static final int UDP = 17;
    private static final int BTH = 0x1b;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /**
     * Makes a destination with flow label, traffic class and service level 0, hop limit 64, and port 1.
     *
     * @param dgid      the peer's GID
     * @param sgidIndex our GID, by its index
     * @return a new vector
     */
    public static AddressVector to(Gid dgid, int sgidIndex) {
        return new AddressVector(dgid, sgidIndex, 0, 64, 0, 0, 1);
    }

    /**
     * Replaces the flow label.
     *
     * @param flowLabel 20 bits
     * @return a new vector
     */
    public AddressVector withFlowLabel(int flowLabel) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port);
    }

    /**
     * Replaces the hop limit.
     *
     * @param hopLimit 0..255
     * @return a new vector
     */
    public AddressVector withHopLimit(int hopLimit) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port);
    }

    /**
     * Replaces the traffic class.
     *
     * @param trafficClass 0..255
     * @return a new vector
     */
    public AddressVector withTrafficClass(int trafficClass) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port);
    }

    /**
     * Replaces the service level.
     *
     * @param sl 0..15
     * @return a new vector
     */
    public AddressVector withSl(int sl) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port);
    }

    /**
     * Replaces our port.
     *
     * @param port from 1
     * @return a new vector
     */
    public AddressVector withPort(int port) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port);
    }

    /**
     * The UDP source port that the RoCE v2 annex proposes for a flow label ({@code flow_label_to_udp_sport}): its upper six bits folded
     * into the lower fourteen, in the range of dynamic ports.
     *
     * @param flowLabel 20 bits
     * @return 0xc000..0xffff
     */
    public static int udpSourcePort(int flowLabel) {
        return 0xc000 | (flowLabel ^ flowLabel >>> 14) & 0x3fff;
    }

    /**
     * Returns the destination of a reply to a received datagram ({@code ibv_init_ah_from_wc}); its source is the address the datagram was
     * sent to. A datagram sent to a group names no such address: use {@link #to} with a source of your choice.
     *
     * @param context    of the device that received it
     * @param port       port that received the datagram
     * @param completion completion of the receive
     * @param grh        the first 40 bytes of the receive: an IPv6 header, RoCE v1's global route header, or an IPv4
     *                   header in the last 20
     * @return the destination
     * @throws VerbsException EINVAL if they hold neither, or the completion has no such bytes; ENOENT if the port has no such GID
     */
    public static AddressVector ofReceived(Context context, int port, WorkCompletion completion, MemorySegment grh) {
        if ((completion.flags() & WcFlags.GRH) == 0) {
            throw new VerbsException(Errno.EINVAL, "init_ah_from_wc", completion + ": it has no GRH");
        }
        if (grh.byteSize() < GRH_BYTES) {
            throw new VerbsException(Errno.EINVAL, "init_ah_from_wc", "a GRH has 40 bytes, got " + grh.byteSize());
        }
        if (isIpv4(grh)) {
            return reply(context, port, GidType.ROCE_V2, Gid.ofIpv4(grh.get(U32, IPV4_AT + 12)), Gid.ofIpv4(grh.get(U32, IPV4_AT + 16)),
                0, grh.get(ValueLayout.JAVA_BYTE, IPV4_AT + 8) & 0xff, grh.get(ValueLayout.JAVA_BYTE, IPV4_AT + 1) & 0xff);
        }
        int first = grh.get(U32, 0);
        int next = grh.get(ValueLayout.JAVA_BYTE, 6);
        if (first >>> 28 != 6 || next != UDP && next != BTH) {
            throw new VerbsException(Errno.EINVAL, "init_ah_from_wc", "the first 40 bytes hold no IPv4 or IPv6 header of a UDP packet,"
                + " and no global route header");
        }
        return reply(context, port, next == BTH ? GidType.ROCE_V1 : GidType.ROCE_V2, new Gid(grh.get(U64, 8), grh.get(U64, 16)),
            new Gid(grh.get(U64, 24), grh.get(U64, 32)), first & 0xfffff, grh.get(ValueLayout.JAVA_BYTE, 7) & 0xff, first >>> 20 & 0xff);
    }

    private static AddressVector reply(Context context, int port, GidType type, Gid sender, Gid receiver, int flowLabel, int hopLimit,
            int trafficClass) {
        for (GidEntry entry : context.queryGidTable()) {
            if (entry.port() == port && entry.type() == type && entry.gid().equals(receiver)) {
                return new AddressVector(sender, entry.index(), flowLabel, hopLimit, trafficClass, 0, port);
            }
        }
        throw new VerbsException(Errno.ENOENT, "init_ah_from_wc", "port " + port + " has no GID " + receiver
            + (receiver.isMulticast() ? ", a group: use AddressVector.to with a sgid_index of your choice" : ""));
    }

    /** Returns whether the last 20 bytes are the header of an IPv4 UDP packet with a correct checksum. */
    private static boolean isIpv4(MemorySegment grh) {
        int sum = 0;
        for (int i = 0; i < 20; i += 2) {
            sum += grh.get(U16, IPV4_AT + i) & 0xffff;
        }
        return grh.get(ValueLayout.JAVA_BYTE, IPV4_AT) == 0x45 && (sum >>> 16) + (sum & 0xffff) == 0xffff
            && grh.get(ValueLayout.JAVA_BYTE, IPV4_AT + 9) == UDP;
    }

    @Override
    public String toString() {
        return "dgid " + dgid + ", sgid_index " + sgidIndex + ", flow_label 0x" + Integer.toHexString(flowLabel) + ", hop_limit " + hopLimit
            + ", traffic_class 0x" + Integer.toHexString(trafficClass) + ", sl " + sl + ", port_num " + port;
    }
}
