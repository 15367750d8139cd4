// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.link;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;

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

    private ByteBuffer buffer;
    private MemorySegment memory;
    private int offset;
    private int length;
    private Gid local;
    private long remoteHigh;
    private long remoteLow;
    private int sourcePort;
    private int destPort;
    private int ipId;
    private int trafficClass;

    /**
     * Fills the frame: the link's side.
     *
     * @param buffer       position 0, limit at the capacity, big-endian; best the same object every time
     * @param length       bytes from {@code offset} to the end of the packet as received; not validated
     * @param local        the address of ours it was sent to
     * @param ipId         IPv4 identification, or {@link #IP_ID_HIDDEN}; ignored for IPv6
     * @param trafficClass TOS or traffic class, 0 where the link cannot tell
     */
    public void set(ByteBuffer buffer, int offset, int length, Gid local, long remoteHigh, long remoteLow, int sourcePort, int destPort,
                    int ipId, int trafficClass) {
        if (this.buffer != buffer) {
            this.buffer = buffer;
            memory = MemorySegment.ofBuffer(buffer);
        }
        this.offset = offset;
        this.length = length;
        this.local = local;
        this.remoteHigh = remoteHigh;
        this.remoteLow = remoteLow;
        this.sourcePort = sourcePort;
        this.destPort = destPort;
        this.ipId = ipId;
        this.trafficClass = trafficClass;
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

    public boolean isIpv4() {
        return remoteHigh == 0 && remoteLow >>> 32 == 0xffffL;
    }
}
