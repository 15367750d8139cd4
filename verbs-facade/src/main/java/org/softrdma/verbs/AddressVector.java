// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Destination of packets ({@code struct ibv_ah_attr} with its global route). RoCE always has a global route; on an InfiniBand
 * subnet the peer's LID is enough.
 *
 * @param dgid         the peer's GID; {@link Gid#ZERO} or null for no global route
 * @param sgidIndex    our GID, by its index in the port's table
 * @param flowLabel    20 bits
 * @param hopLimit     0..255
 * @param trafficClass 0..255
 * @param sl           service level 0..15
 * @param port         our port, from 1
 * @param dlid         the peer's LID on an InfiniBand subnet, u16; 0 on Ethernet
 * @param srcPathBits  low bits of our LID, 0..127, as far as the port's LMC permits; 0 on Ethernet
 */
public record AddressVector(Gid dgid, int sgidIndex, int flowLabel, int hopLimit, int trafficClass, int sl, int port, int dlid,
                            int srcPathBits) {
    private static final int GRH_BYTES = 40;
    private static final int IPV4_AT = 20;
    private static final int UDP = 17;
    private static final int BTH = 0x1b;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /**
     * Makes a destination with a global route and without a LID, as on Ethernet.
     *
     * @param dgid         the peer's GID
     * @param sgidIndex    our GID, by its index in the port's table
     * @param flowLabel    20 bits
     * @param hopLimit     0..255
     * @param trafficClass 0..255
     * @param sl           service level 0..15
     * @param port         our port, from 1
     */
    public AddressVector(Gid dgid, int sgidIndex, int flowLabel, int hopLimit, int trafficClass, int sl, int port) {
        this(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port, 0, 0);
    }

    /**
     * Makes a destination on an InfiniBand subnet, without a global route, with service level 0, by port 1.
     *
     * @param dlid the peer's LID, u16
     * @return a new vector
     */
    public static AddressVector toLid(int dlid) {
        return new AddressVector(Gid.ZERO, 0, 0, 0, 0, 0, 1, dlid, 0);
    }

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
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port, dlid, srcPathBits);
    }

    /**
     * Replaces the hop limit.
     *
     * @param hopLimit 0..255
     * @return a new vector
     */
    public AddressVector withHopLimit(int hopLimit) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port, dlid, srcPathBits);
    }

    /**
     * Replaces the traffic class.
     *
     * @param trafficClass 0..255
     * @return a new vector
     */
    public AddressVector withTrafficClass(int trafficClass) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port, dlid, srcPathBits);
    }

    /**
     * Replaces the service level.
     *
     * @param sl 0..15
     * @return a new vector
     */
    public AddressVector withSl(int sl) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port, dlid, srcPathBits);
    }

    /**
     * Replaces our port.
     *
     * @param port from 1
     * @return a new vector
     */
    public AddressVector withPort(int port) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port, dlid, srcPathBits);
    }

    /**
     * Replaces the LID of the peer.
     *
     * @param dlid u16
     * @return a new vector
     */
    public AddressVector withDlid(int dlid) {
        return new AddressVector(dgid, sgidIndex, flowLabel, hopLimit, trafficClass, sl, port, dlid, srcPathBits);
    }

    /** {@return whether packets have a global route header} */
    public boolean isGlobal() {
        return dgid != null && !dgid.isZero();
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
     * @param grh        the first 40 bytes of the receive: an IPv6 header, a global route header, or an IPv4 header in the last 20; not
     *                   read of an InfiniBand datagram without a global route, whose completion has all of the address
     * @return the destination
     * @throws VerbsException EINVAL if they hold neither, or the completion has no such bytes; ENOENT if the port has no such GID
     */
    public static AddressVector ofReceived(Context context, int port, WorkCompletion completion, MemorySegment grh) {
        if ((completion.flags() & WcFlags.GRH) == 0 && completion.slid() != 0) {
            return new AddressVector(Gid.ZERO, 0, 0, 0, 0, completion.sl(), port, completion.slid(), completion.dlidPathBits());
        }
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
        GidType type = next != BTH ? GidType.ROCE_V2 : completion.slid() != 0 ? GidType.IB : GidType.ROCE_V1;
        AddressVector global = reply(context, port, type, new Gid(grh.get(U64, 8), grh.get(U64, 16)),
            new Gid(grh.get(U64, 24), grh.get(U64, 32)), first & 0xfffff, grh.get(ValueLayout.JAVA_BYTE, 7) & 0xff, first >>> 20 & 0xff);
        return type == GidType.IB ? new AddressVector(global.dgid, global.sgidIndex, global.flowLabel, global.hopLimit,
            global.trafficClass, completion.sl(), port, completion.slid(), completion.dlidPathBits()) : global;
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
            + ", traffic_class 0x" + Integer.toHexString(trafficClass) + ", sl " + sl + ", port_num " + port
            + (dlid == 0 ? "" : ", dlid 0x" + Integer.toHexString(dlid) + ", src_path_bits " + srcPathBits);
    }
}
