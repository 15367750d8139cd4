// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.link.Link;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * Queue pairs attached to multicast groups. The link is a member of exactly those groups that have at least one. Source: IBA vol 1
 * §10.5; on RoCE v2 a group's GID is its IP address (annex A17).
 */
public final class MulticastTable {
    /** Destination QP of packets to a multicast group. */
    public static final int QPN = 0xffffff;
    private static final List<QpMachine> NONE = List.of();

    private final Link link;
    private final Map<Gid, List<QpMachine>> groups = new HashMap<>();

    MulticastTable(Link link) {
        this.link = link;
    }

    /** Queue pairs that receive packets sent to {@code group}. */
    List<QpMachine> attached(Gid group) {
        List<QpMachine> members = groups.get(group);
        return members == null ? NONE : members;
    }

    /**
     * Attaches a queue pair to a group, which the link joins if need be.
     *
     * @return false if it is attached already, which is no error
     * @throws VerbsException ENOMEM: too many groups, or too many queue pairs in this one; or from {@link Link#join}
     */
    public boolean attach(Gid group, QpMachine qp) {
        List<QpMachine> members = attached(group);
        if (members.contains(qp)) {
            return false;
        }
        if (members.isEmpty() && groups.size() == RxeLimits.MAX_MCAST_GRP) {
            throw tooMany("the device is in " + RxeLimits.MAX_MCAST_GRP + " groups already");
        }
        if (members.size() == RxeLimits.MAX_MCAST_QP_ATTACH) {
            throw tooMany("group " + group + " has " + RxeLimits.MAX_MCAST_QP_ATTACH + " queue pairs already");
        }
        if (members.isEmpty()) {
            link.join(group);
            members = new ArrayList<>();
            groups.put(group, members);
        }
        members.add(qp);
        return true;
    }

    private static VerbsException tooMany(String why) {
        return new VerbsException(Errno.ENOMEM, "attach_mcast", why);
    }

    /**
     * Detaches a queue pair from a group; the link leaves a group without queue pairs.
     *
     * @return false if it is not attached
     */
    public boolean detach(Gid group, QpMachine qp) {
        List<QpMachine> members = attached(group);
        if (!members.contains(qp)) {
            return false;
        }
        members.remove(qp);
        if (members.isEmpty()) {
            groups.remove(group);
            link.leave(group);
        }
        return true;
    }
}
