// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.DatagramParameters;

/** Multicast groups that an identifier has joined, and if its queue pair is attached to them. Thread-safe. */
final class CmGroups {
    private static final int HOP_LIMIT = 64;
    /** Upper half of the MGID of an IPv4 group: ff0e::, before ::ffff:a.b.c.d. */
    private static final long V1_IPV4_GROUPS = 0xff0e_0000_0000_0000L;

    private final Map<InetAddress, Group> joined = new HashMap<>();

    private static final class Group {
        private final Gid gid;
        private final boolean sendOnly;
        private boolean attached;

        private Group(Gid gid, boolean sendOnly) {
            this.gid = gid;
            this.sendOnly = sendOnly;
        }
    }

    /**
     * Joins a group; {@link #attach} follows when the program takes the event.
     *
     * @param type      RoCE v1 or v2
     * @param sgidIndex the device's index of the identifier's address
     * @return address vector for sending to it
     * @throws VerbsException EINVAL: not a group, or joined already
     */
    synchronized DatagramParameters join(InetAddress group, boolean sendOnly, GidType type, int sgidIndex, int trafficClass) {
        if (!group.isMulticastAddress()) {
            throw refuse("join_multicast", group, " is not a multicast address");
        }
        Gid gid = multicastGid(group, type);
        if (joined.putIfAbsent(group, new Group(gid, sendOnly)) != null) {
            throw refuse("join_multicast", group, ": the identifier has joined it already");
        }
        return new DatagramParameters(new byte[0], new AddressVector(gid, sgidIndex, 0, HOP_LIMIT, trafficClass, 0, 1),
            DatagramParameters.GROUP_QPN, DatagramParameters.UDP_QKEY);
    }

    /** Returns the MGID of an IP group. On RoCE v1, an IPv4 group has an MGID of global scope, as with Linux's rdma_cm. */
    private static Gid multicastGid(InetAddress group, GidType type) {
        Gid gid = Gid.of(group);
        return type == GidType.ROCE_V1 && gid.isIpv4Mapped() ? new Gid(V1_IPV4_GROUPS, gid.low()) : gid;
    }

    /**
     * Attaches the queue pair to the group, unless the group was joined for sending only.
     *
     * @throws VerbsException the failure of the device; the group counts as left then
     */
    void attach(Gid group, CmQueuePair queuePair) {
        Group entered;
        synchronized (this) {
            entered = joined.values().stream().filter(each -> each.gid.equals(group)).findFirst().orElse(null);
        }
        if (entered == null || entered.sendOnly || queuePair == null) {
            return;
        }
        try {
            queuePair.qp().attachMulticast(group);
        } catch (VerbsException refused) {
            synchronized (this) {
                joined.values().remove(entered);
            }
            throw refused;
        }
        synchronized (this) {
            entered.attached = true;
        }
    }

    /**
     * Leaves a group.
     *
     * @throws VerbsException EINVAL: not joined
     */
    void leave(InetAddress group, CmQueuePair queuePair) {
        Group left;
        synchronized (this) {
            left = joined.remove(group);
        }
        if (left == null) {
            throw refuse("leave_multicast", group, ": the identifier has not joined it");
        }
        if (left.attached && queuePair != null) {
            queuePair.qp().detachMulticast(left.gid);
        }
    }

    void leaveAll(CmQueuePair queuePair) {
        List<InetAddress> all;
        synchronized (this) {
            all = List.copyOf(joined.keySet());
        }
        all.forEach(group -> leave(group, queuePair));
    }

    private static VerbsException refuse(String verb, InetAddress group, String why) {
        return new VerbsException(Errno.EINVAL, verb, group.getHostAddress() + why);
    }
}
