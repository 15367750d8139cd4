// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * Parameters of a path for {@link Link#resolve}.
 *
 * @param type         RoCE v1 or v2, or InfiniBand
 * @param local        one of the link's addresses; on InfiniBand without a global route, {@link Gid#ZERO}
 * @param remote       the peer or a multicast group; on InfiniBand without a global route, the LID as {@link Gid#ofLid} makes it
 * @param trafficClass 0..255
 * @param hopLimit     0..255
 * @param serviceLevel 0..15; on Ethernet the priority in a VLAN tag, if the link controls it
 * @param dlid         InfiniBand's LID of the peer or group, u16; 0 on Ethernet
 * @param pathBits     low bits of our LID on InfiniBand, 0..127
 */
public record PathRequest(GidType type, Gid local, Gid remote, int trafficClass, int hopLimit, int serviceLevel, int dlid,
                          int pathBits) {
    /** Parameters on Ethernet. */
    public PathRequest(GidType type, Gid local, Gid remote, int trafficClass, int hopLimit, int serviceLevel) {
        this(type, local, remote, trafficClass, hopLimit, serviceLevel, 0, 0);
    }

    /**
     * Parameters within an InfiniBand subnet, without a global route.
     *
     * @param local our LID as {@link Gid#ofLid} makes it, or {@link Gid#ZERO} for the base LID with the path bits
     */
    public static PathRequest withinSubnet(Gid local, int dlid, int serviceLevel, int pathBits) {
        return new PathRequest(GidType.IB, local, Gid.ofLid(dlid), 0, 0, serviceLevel, dlid, pathBits);
    }

    /** RoCE v2 path with traffic class 0, hop limit 64 and service level 0. */
    public static PathRequest v2(Gid local, Gid remote) {
        return new PathRequest(GidType.ROCE_V2, local, remote, 0, ReceivedFrame.USUAL_HOP_LIMIT, 0);
    }

    public PathRequest withTrafficClass(int newTrafficClass) {
        return new PathRequest(type, local, remote, newTrafficClass, hopLimit, serviceLevel, dlid, pathBits);
    }

    public PathRequest withHopLimit(int newHopLimit) {
        return new PathRequest(type, local, remote, trafficClass, newHopLimit, serviceLevel, dlid, pathBits);
    }

    /**
     * Refuses RoCE v1, for links without it.
     *
     * @throws VerbsException EOPNOTSUPP
     */
    public void requireV2() {
        if (type != GidType.ROCE_V2) {
            throw new VerbsException(Errno.EOPNOTSUPP, "resolve_route", "this link does not carry " + type.text());
        }
    }
}
