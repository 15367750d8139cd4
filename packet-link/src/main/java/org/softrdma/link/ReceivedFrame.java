// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/**
 * A packet as a link hands it over: bytes from the BTH on, and what the link knows of the headers before it. One object per link,
 * refilled for each packet; nothing of it may be kept after {@link FrameHandler#onFrame} returns.
 *
 * <p>At least {@link TransmitBatch#HEADROOM} bytes before {@link #offset()} may be overwritten by the receiver (the ICRC is computed over
 * a masked header placed there), so the packet itself must not be a read-only view.
 */
public final class ReceivedFrame {
    /** The link could not see the IP identification. */
    public static final int IP_ID_HIDDEN = -1;
    /** What is assumed where the link cannot see it. */
    public static final int USUAL_HOP_LIMIT = 64;

    private ByteBuffer buffer;
    private MemorySegment memory;
    private int offset;
    private int length;
    private GidType type = GidType.ROCE_V2;
    private Gid local;
    private long remoteHigh;
    private long remoteLow;
    private int sourcePort;
    private int destPort;
    private int ipId;
    private int trafficClass;
    private int hopLimit;
    private boolean mayFragment;

    /**
     * Fills the frame with a packet of RoCE v2: the link's side.
     *
     * @param buffer       position 0, limit at the capacity, big-endian; best the same object every time
     * @param length       bytes from {@code offset} to the end of the packet as received; not validated
     * @param local        the address of ours it was sent to
     * @param ipId         IPv4 identification, or {@link #IP_ID_HIDDEN}; ignored for IPv6
     * @param trafficClass TOS or traffic class, 0 where the link cannot tell
     */
    public void set(ByteBuffer buffer, int offset, int length, Gid local, long remoteHigh, long remoteLow, int sourcePort, int destPort,
                    int ipId, int trafficClass) {
        type = GidType.ROCE_V2;
        setBytes(buffer, offset, length);
        this.local = local;
        this.remoteHigh = remoteHigh;
        this.remoteLow = remoteLow;
        this.sourcePort = sourcePort;
        this.destPort = destPort;
        this.ipId = ipId;
        this.trafficClass = trafficClass;
        hopLimit = USUAL_HOP_LIMIT;
        mayFragment = false;
    }

    /** As {@link #set}, with a packet of RoCE v1: it has addresses, but neither ports nor identification. */
    public void setRoceV1(ByteBuffer buffer, int offset, int length, Gid local, long remoteHigh, long remoteLow, int trafficClass) {
        set(buffer, offset, length, local, remoteHigh, remoteLow, 0, 0, 0, trafficClass);
        type = GidType.ROCE_V1;
    }

    /** Fills the frame with other bytes under the headers of {@code like}. */
    public void set(ByteBuffer buffer, int offset, int length, ReceivedFrame like) {
        set(buffer, offset, length, like.local, like.remoteHigh, like.remoteLow, like.sourcePort, like.destPort, like.ipId,
            like.trafficClass);
        type = like.type;
        hopLimit = like.hopLimit;
        mayFragment = like.mayFragment;
    }

    /**
     * The link's side, where it sees the network header.
     *
     * @param newHopLimit    0..255
     * @param newMayFragment IPv4's DF is not set
     */
    public void sawHeader(int newHopLimit, boolean newMayFragment) {
        hopLimit = newHopLimit;
        mayFragment = newMayFragment;
    }

    private void setBytes(ByteBuffer newBuffer, int newOffset, int newLength) {
        if (buffer != newBuffer) {
            buffer = newBuffer;
            memory = MemorySegment.ofBuffer(newBuffer);
        }
        offset = newOffset;
        length = newLength;
    }

    /** RoCE v1 or v2. */
    public GidType type() {
        return type;
    }

    public boolean isRoceV1() {
        return type == GidType.ROCE_V1;
    }

    public ByteBuffer buffer() {
        return buffer;
    }

    /** The same bytes as {@link #buffer()}. */
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

    /** The receiver's side: it found out an identification that the link could not see. */
    public void ipIdIs(int id) {
        ipId = id;
    }

    /** IPv4 identification, or {@link #IP_ID_HIDDEN}. */
    public int ipId() {
        return ipId;
    }

    public int trafficClass() {
        return trafficClass;
    }

    /** Hops it had left, as far as the link could see; else {@value #USUAL_HOP_LIMIT}. */
    public int hopLimit() {
        return hopLimit;
    }

    /** Whether the IPv4 header was seen without DF, which the ICRC covers. */
    public boolean mayFragment() {
        return mayFragment;
    }

    /** Whether it came in IPv4. */
    public boolean isIpv4() {
        return type == GidType.ROCE_V2 && remoteHigh == 0 && remoteLow >>> 32 == 0xffffL;
    }
}
