// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import org.softrdma.device.queue.Destination;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/**
 * Everything a link needs to send a packet to one peer, resolved once when a queue pair is connected. Immutable.
 *
 * @param type         RoCE v1 or v2
 * @param local        our address, one of the link's
 * @param remote       the peer's address
 * @param sourcePort   UDP source port the link will really use; the ICRC covers it. RoCE v1 has no ports
 * @param destPort     UDP destination port
 * @param trafficClass 0..255
 * @param hopLimit     0..255
 * @param linkState    whatever the link that resolved the path prepared for itself
 */
public record Path(GidType type, Gid local, Gid remote, int sourcePort, int destPort, int trafficClass, int hopLimit, Object linkState)
    implements Destination {

    /** A path of RoCE v2. */
    public Path(Gid local, Gid remote, int sourcePort, int destPort, int trafficClass, int hopLimit, Object linkState) {
        this(GidType.ROCE_V2, local, remote, sourcePort, destPort, trafficClass, hopLimit, linkState);
    }

    /** Whether a received packet travelled this path the other way: from the peer's address to ours. */
    public boolean connects(ReceivedFrame frame) {
        return frame.type() == type && frame.remoteHigh() == remote.high() && frame.remoteLow() == remote.low()
            && frame.local().equals(local);
    }

    /** Whether packets of this path travel in IPv4: RoCE v1 has IPv4 addresses, too, but no IPv4 header. */
    public boolean isIpv4() {
        return type == GidType.ROCE_V2 && remote.isIpv4Mapped();
    }
}
