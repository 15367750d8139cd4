// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import org.softrdma.device.queue.Destination;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.roce.Grh;

/**
 * The parameters of packets to one peer, resolved once when a queue pair is connected. Immutable.
 *
 * @param type         RoCE v1 or v2, or InfiniBand
 * @param local        our address, one of the link's; on InfiniBand without a global route, our LID as {@link Gid#ofLid} makes it
 * @param remote       the peer's address, as the local one
 * @param sourcePort   UDP source port that the link uses, which the ICRC covers; RoCE v1 has no ports
 * @param destPort     UDP destination port
 * @param trafficClass 0..255
 * @param hopLimit     0..255
 * @param linkState    private data of the link that resolved the path
 * @param lrh          InfiniBand's local route header as one number, its length 0; 0 on Ethernet
 */
public record Path(GidType type, Gid local, Gid remote, int sourcePort, int destPort, int trafficClass, int hopLimit, Object linkState,
                   long lrh) implements Destination {

    /** Creates a path on Ethernet. */
    public Path(GidType type, Gid local, Gid remote, int sourcePort, int destPort, int trafficClass, int hopLimit, Object linkState) {
        this(type, local, remote, sourcePort, destPort, trafficClass, hopLimit, linkState, 0);
    }

    /** Creates a path on an InfiniBand subnet; it has a global route header if its addresses are GIDs. */
    public static Path onSubnet(Gid local, Gid remote, int trafficClass, int hopLimit, int slid, int dlid, int sl) {
        int next = remote.isLid() ? Lrh.NEXT_BTH : Lrh.NEXT_GRH;
        return new Path(GidType.IB, local, remote, 0, 0, trafficClass, hopLimit, null, Lrh.header(0, sl, next, dlid, 0, slid));
    }

    /** Creates a path of RoCE v2. */
    public Path(Gid local, Gid remote, int sourcePort, int destPort, int trafficClass, int hopLimit, Object linkState) {
        this(GidType.ROCE_V2, local, remote, sourcePort, destPort, trafficClass, hopLimit, linkState);
    }

    /** Whether a received packet came from the peer of this path to its local address, by the same RoCE version, or both on InfiniBand. */
    public boolean connects(ReceivedFrame frame) {
        return frame.type() == type && frame.remoteHigh() == remote.high() && frame.remoteLow() == remote.low()
            && frame.local().equals(local);
    }

    /** Whether packets of this path have a local route header and no other one before the BTH. */
    public boolean isWithinSubnet() {
        return type == GidType.IB && remote.isLid();
    }

    /**
     * Local route header of a packet.
     *
     * @param packetBytes BTH to ICRC
     */
    public long lrh(int packetBytes) {
        return lrh | Lrh.lengthField(Lrh.LENGTH + (remote.isLid() ? 0 : Grh.LENGTH) + packetBytes);
    }

    /** Whether packets of this path have an IPv4 header. RoCE v1 can have IPv4 addresses, but no IPv4 header. */
    public boolean isIpv4() {
        return type == GidType.ROCE_V2 && remote.isIpv4Mapped();
    }
}
