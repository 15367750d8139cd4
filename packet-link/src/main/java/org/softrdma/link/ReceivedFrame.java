// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.ib.Lrh;

/**
 * A received packet: bytes from the BTH on, and those fields of the headers before it that the link can see. One object per link,
 * refilled for each packet; nothing of it may be kept after {@link FrameHandler#onFrame} returns.
 *
 * <p>At least {@link TransmitBatch#HEADROOM} bytes before {@link #offset()} may be overwritten by the receiver (the ICRC is computed over
 * a masked header placed there), so the packet itself must not be a read-only view.
 */
public final class ReceivedFrame {
    /** Longest packet received from a wire, BTH to ICRC: an MTU of 4096 and room for all headers. Links drop and count longer ones. */
    public static final int MAX_PACKET_BYTES = 4480;
    /** The most that {@link Link#payloadInMemory} allows, bytes. */
    public static final int MAX_PAYLOAD_IN_MEMORY = 1 << 16;
    /** Longest packet that stays in memory, BTH to ICRC. */
    public static final int MAX_BYTES_IN_MEMORY = MAX_PAYLOAD_IN_MEMORY + 384;
    /** IP identification that the link cannot see. */
    public static final int IP_ID_HIDDEN = -1;
    /** Hop limit assumed if the link cannot see it. */
    public static final int USUAL_HOP_LIMIT = 64;

    private ByteBuffer buffer;
    private MemorySegment memory;
    private int offset;
    private int length;
    private GidType type = GidType.ROCE_V2;
    private long lrh;
    private int pathBits;
    private Gid local;
    private long remoteHigh;
    private long remoteLow;
    private int sourcePort;
    private int destPort;
    private int ipId;
    private int trafficClass;
    private int hopLimit;
    private boolean mayFragment;
    private boolean withoutIcrc;
    private boolean fromMemory;

    /**
     * Begins a packet of RoCE v2, for the link that fills the frame. Addresses and ports follow; the other properties are unknown until
     * they are set: identification {@link #IP_ID_HIDDEN}, traffic class 0, hop limit {@value #USUAL_HOP_LIMIT}, DF.
     *
     * @param newBuffer position 0, limit at the capacity, big-endian; preferably the same object every time
     * @param newLength bytes from {@code newOffset} to the end of the packet as received; not validated
     */
    public ReceivedFrame begin(ByteBuffer newBuffer, int newOffset, int newLength) {
        setBytes(newBuffer, newOffset, newLength);
        type = GidType.ROCE_V2;
        ipId = IP_ID_HIDDEN;
        trafficClass = 0;
        hopLimit = USUAL_HOP_LIMIT;
        mayFragment = false;
        fromMemory = false;
        return this;
    }

    /** Begins a packet under the headers of {@code like}. */
    public void begin(ByteBuffer newBuffer, int newOffset, int newLength, ReceivedFrame like) {
        setBytes(newBuffer, newOffset, newLength);
        type = like.type;
        lrh = like.lrh;
        pathBits = like.pathBits;
        local = like.local;
        remoteHigh = like.remoteHigh;
        remoteLow = like.remoteLow;
        sourcePort = like.sourcePort;
        destPort = like.destPort;
        ipId = like.ipId;
        trafficClass = like.trafficClass;
        hopLimit = like.hopLimit;
        mayFragment = like.mayFragment;
        fromMemory = like.fromMemory;
    }

    /** Makes it a packet of RoCE v1, which has neither ports nor identification. */
    public ReceivedFrame roceV1() {
        type = GidType.ROCE_V1;
        sourcePort = 0;
        destPort = 0;
        ipId = 0;
        return this;
    }

    /**
     * Makes it a packet of an InfiniBand subnet. Its addresses are GIDs if it has a global route header, otherwise LIDs as
     * {@link Gid#ofLid} makes them.
     *
     * @param localRouteHeader its 8 bytes as one number
     * @param lmc              number of low bits of LIDs that are the port's to choose, 0..7
     */
    public ReceivedFrame onSubnet(long localRouteHeader, int lmc) {
        type = GidType.IB;
        lrh = localRouteHeader;
        pathBits = dlid() & (1 << lmc) - 1;
        sourcePort = 0;
        destPort = 0;
        ipId = 0;
        return this;
    }

    /**
     * Sets the addresses.
     *
     * @param newLocal our address or group that it was sent to
     */
    public ReceivedFrame addresses(Gid newLocal, long newRemoteHigh, long newRemoteLow) {
        local = newLocal;
        remoteHigh = newRemoteHigh;
        remoteLow = newRemoteLow;
        return this;
    }

    /** Sets the UDP ports. */
    public ReceivedFrame ports(int newSourcePort, int newDestPort) {
        sourcePort = newSourcePort;
        destPort = newDestPort;
        return this;
    }

    /**
     * Sets the identification.
     *
     * @param id of IPv4, or {@link #IP_ID_HIDDEN}; ignored for IPv6
     */
    public ReceivedFrame ipId(int id) {
        ipId = id;
        return this;
    }

    /**
     * Sets the traffic class.
     *
     * @param newTrafficClass TOS or traffic class, 0 if the link cannot see it
     */
    public ReceivedFrame trafficClass(int newTrafficClass) {
        trafficClass = newTrafficClass;
        return this;
    }

    /**
     * Sets two fields of the network header, for links that receive it.
     *
     * @param newHopLimit    0..255
     * @param newMayFragment whether IPv4's DF is clear
     */
    public ReceivedFrame header(int newHopLimit, boolean newMayFragment) {
        hopLimit = newHopLimit;
        mayFragment = newMayFragment;
        return this;
    }

    /** Sets the headers that a packet sent by this path to one of our own addresses would have. */
    public ReceivedFrame sentBy(Path path) {
        ports(path.sourcePort(), path.destPort()).ipId(0).addresses(path.remote(), path.local().high(), path.local().low())
            .trafficClass(path.trafficClass());
        return path.type() == GidType.ROCE_V1 ? roceV1() : this;
    }

    /** Says that the packet never left memory: its payload may be as long as {@link Link#payloadInMemory} says. */
    public ReceivedFrame fromMemory() {
        fromMemory = true;
        return this;
    }

    /** Says that the packet never left memory and that its ICRC was not computed. */
    public ReceivedFrame withoutIcrc() {
        withoutIcrc = true;
        return this;
    }

    private void setBytes(ByteBuffer newBuffer, int newOffset, int newLength) {
        withoutIcrc = false;
        if (buffer != newBuffer) {
            buffer = newBuffer;
            memory = MemorySegment.ofBuffer(newBuffer);
        }
        offset = newOffset;
        length = newLength;
    }

    /** RoCE v1 or v2, or InfiniBand. */
    public GidType type() {
        return type;
    }

    /** Returns whether it came over an InfiniBand subnet. */
    public boolean isOnSubnet() {
        return type == GidType.IB;
    }

    /** Returns whether it has a local route header and no other one before the BTH. */
    public boolean isWithinSubnet() {
        return type == GidType.IB && Lrh.nextHeader(lrh) == Lrh.NEXT_BTH;
    }

    /** InfiniBand's local route header as one number; meaningless for RoCE. */
    public long lrh() {
        return lrh;
    }

    /** LID of the sender on an InfiniBand subnet, u16. */
    public int slid() {
        return Lrh.slid(lrh);
    }

    /** LID that it was sent to on an InfiniBand subnet, u16. */
    public int dlid() {
        return Lrh.dlid(lrh);
    }

    /** Low bits of {@link #dlid} that are the port's to choose, 0..127. */
    public int pathBits() {
        return pathBits;
    }

    /** Service level on an InfiniBand subnet, 4 bits. */
    public int serviceLevel() {
        return Lrh.sl(lrh);
    }

    public boolean isRoceV1() {
        return type == GidType.ROCE_V1;
    }

    public ByteBuffer buffer() {
        return buffer;
    }

    /** The bytes of {@link #buffer()} as a memory segment. */
    public MemorySegment memory() {
        return memory;
    }

    public int offset() {
        return offset;
    }

    public int length() {
        return length;
    }

    public Gid local() {
        return local;
    }

    public long remoteHigh() {
        return remoteHigh;
    }

    public long remoteLow() {
        return remoteLow;
    }

    public int sourcePort() {
        return sourcePort;
    }

    public int destPort() {
        return destPort;
    }

    /** Sets an identification that the link could not see and the receiver derived from the ICRC. */
    public void setResolvedIpId(int id) {
        ipId = id;
    }

    /** IPv4 identification, or {@link #IP_ID_HIDDEN}. */
    public int ipId() {
        return ipId;
    }

    public int trafficClass() {
        return trafficClass;
    }

    /** Remaining hops; {@value #USUAL_HOP_LIMIT} if the link cannot see them. */
    public int hopLimit() {
        return hopLimit;
    }

    /** Whether the link saw an IPv4 header without DF, which the ICRC covers. */
    public boolean mayFragment() {
        return mayFragment;
    }

    /** Returns whether the packet never left memory. */
    public boolean isFromMemory() {
        return fromMemory;
    }

    /** Returns whether the packet has no ICRC, only room for it: it never left memory. */
    public boolean isWithoutIcrc() {
        return withoutIcrc;
    }

    /** Whether it had an IPv4 header. */
    public boolean isIpv4() {
        return type == GidType.ROCE_V2 && remoteHigh == 0 && remoteLow >>> 32 == 0xffffL;
    }
}
