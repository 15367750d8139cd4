// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import org.softrdma.device.queue.Destination;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/**
 * The parameters of packets to one peer, resolved once when a queue pair is connected. Immutable.
 *
 * @param type         RoCE v1 or v2
 * @param local        our address, one of the link's
 * @param remote       the peer's address
 * @param sourcePort   UDP source port that the link uses, which the ICRC covers; RoCE v1 has no ports
 * @param destPort     UDP destination port
 * @param trafficClass 0..255
 * @param hopLimit     0..255
 * @param linkState    private data of the link that resolved the path
 */
public record Path(GidType type, Gid local, Gid remote, int sourcePort, int destPort, int trafficClass, int hopLimit, Object linkState)
    implements Destination {

    /** Creates a path of RoCE v2. */
    public Path(Gid local, Gid remote, int sourcePort, int destPort, int trafficClass, int hopLimit, Object linkState) {
        this(GidType.ROCE_V2, local, remote, sourcePort, destPort, trafficClass, hopLimit, linkState);
    }

    /** Whether a received packet came from the peer of this path to its local address, by the same RoCE version. */
    public boolean connects(ReceivedFrame frame) {
        return frame.type() == type && frame.remoteHigh() == remote.high() && frame.remoteLow() == remote.low()
            && frame.local().equals(local);
    }

    /** Whether packets of this path have an IPv4 header. RoCE v1 can have IPv4 addresses, but no IPv4 header. */
    public boolean isIpv4() {
        return type == GidType.ROCE_V2 && remote.isIpv4Mapped();
    }
}
