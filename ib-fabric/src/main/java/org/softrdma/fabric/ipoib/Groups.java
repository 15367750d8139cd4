// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.McMemberRecord;
import org.softrdma.wire.ib.PathRecord;
import org.softrdma.wire.ib.SaAttribute;
import org.softrdma.wire.mad.Field;
import org.softrdma.wire.roce.Mtu;

/**
 * Multicast groups of an interface. First of all it joins the broadcast group, whose record says Q_Key, MTU and service level of the whole
 * link; then the groups that it receives; and those that it only sends to, when a packet is for them. Source: RFC 4391 §4, §5, §6.
 */
final class Groups {
    /** Groups at most. */
    static final int MAX_GROUPS = 256;
    /** Packets that wait for a group. */
    static final int MAX_WAITING = 16;
    /** Time until a group that could not be joined is tried again. */
    static final long RETRY_NS = 5_000_000_000L;
    /** Destination of packets to a group. */
    static final int MULTICAST_QPN = 0xFFFFFF;
    private static final long IPV4_SIGNATURE = 0x401B_0000_0000L;
    private static final long IPV6_SIGNATURE = 0x601B_0000_0000L;
    /** First two bytes of an MGID: a transient group of a scope. */
    private static final long TRANSIENT = 0xFF10_0000_0000_0000L;
    private static final int SCOPE_SHIFT = 48;
    private static final int LINK_LOCAL = 2;
    private static final int PKEY_SHIFT = 16;
    private static final int IPV4_GROUP_BITS = 0x0FFF_FFFF;
    /** Bits 79 to 64 of an IPv6 group; the lower ones are in an MGID too. */
    private static final long IPV6_HIGH_GROUP_BITS = 0xFFFF;
    private static final long IPV4_BROADCAST = 0xFFFF_FFFFL;
    private static final long MEMBER = bits(McMemberRecord.MGID_HIGH, McMemberRecord.PORT_GID_HIGH, McMemberRecord.JOIN_STATE);
    /** Components that a group is created with: the properties of the broadcast group. */
    private static final Field[] OF_THE_LINK = {McMemberRecord.QKEY, McMemberRecord.MTU_SELECTOR, McMemberRecord.MTU,
        McMemberRecord.TRAFFIC_CLASS, McMemberRecord.PKEY, McMemberRecord.RATE_SELECTOR, McMemberRecord.RATE,
        McMemberRecord.SERVICE_LEVEL, McMemberRecord.FLOW_LABEL};

    private enum Phase {
        JOINING, JOINED, REFUSED
    }

    private final class Group {
        final Gid mgid;
        final Queue<ByteBuffer> waiting = new ArrayDeque<>();
        boolean receives;
        Phase phase;
        /** Whether the queue pair was told to attach to it. */
        boolean attached;
        int lid;
        int sl;
        long retryNs;

        Group(Gid mgid, boolean receives) {
            this.mgid = mgid;
            this.receives = receives;
        }
    }

    private final Gid port;
    private final int pkey;
    private final SaRequests requests;
    private final Counters<IpoibCounter> counters;
    private final Consumer<Datagram> out;
    private final Consumer<Membership> memberships;
    private final Map<Gid, Group> groups = new LinkedHashMap<>();
    /** Groups that the interface receives besides the broadcast group. */
    private final List<Gid> received = new ArrayList<>();
    /** MCMemberRecord of the broadcast group; null before it is joined. */
    private ByteBuffer link;

    Groups(Gid port, int pkey, SaRequests requests, Counters<IpoibCounter> counters, Consumer<Datagram> out,
            Consumer<Membership> memberships) {
        this.port = port;
        this.pkey = pkey;
        this.requests = requests;
        this.counters = counters;
        this.out = out;
        this.memberships = memberships;
    }

    private static long bits(Field... fields) {
        return McMemberRecord.COMPONENTS.bits(fields);
    }

    /** MGID of the broadcast group. */
    private Gid broadcast() {
        return new Gid(high(IPV4_SIGNATURE), IPV4_BROADCAST);
    }

    private long high(long signature) {
        return TRANSIENT | (long) LINK_LOCAL << SCOPE_SHIFT | signature | (long) pkey << PKEY_SHIFT;
    }

    private boolean isBroadcast(Group group) {
        return group.mgid.equals(broadcast());
    }

    /** MGID of an IP multicast group. */
    Gid of(Gid ip) {
        return ip.isIpv4Mapped() ? new Gid(high(IPV4_SIGNATURE), ip.ipv4() & IPV4_GROUP_BITS)
            : new Gid(high(IPV6_SIGNATURE) | ip.high() & IPV6_HIGH_GROUP_BITS, ip.low());
    }

    /** Whether the broadcast group is joined. */
    boolean isUp() {
        return link != null;
    }

    /** Q_Key of all packets. */
    int qkey() {
        return McMemberRecord.QKEY.get(link, 0);
    }

    /** Bytes of the longest message. */
    int linkMtu() {
        return Mtu.toBytes(McMemberRecord.MTU.get(link, 0));
    }

    /** Joins the broadcast group, and after it all groups that the interface receives. */
    void begin(long nowNs) {
        forget();
        join(new Group(broadcast(), true), nowNs);
    }

    /**
     * Joins the groups anew that the interface receives, which stay as they are until the answers come: the subnet manager is another one,
     * or has forgotten them.
     */
    void joinAgain(long nowNs) {
        for (Group each : List.copyOf(groups.values())) {
            if (!each.receives) {
                drop(each);
            }
        }
        join(groups.get(broadcast()), nowNs);
    }

    /** Leaves nothing behind: the port is down, or no member of the link any more. */
    void forget() {
        List.copyOf(groups.values()).forEach(this::drop);
        link = null;
    }

    private void drop(Group group) {
        groups.remove(group.mgid);
        leave(group);
    }

    private void leave(Group group) {
        group.waiting.forEach(lost -> counters.count(IpoibCounter.DROP_IPOIB_NO_GROUP));
        group.waiting.clear();
        detach(group);
    }

    /** The group has that LID; a group that is received is attached to by it. */
    private void follow(Group group, int lid) {
        if (group.lid != lid) {
            detach(group);
        }
        group.lid = lid;
        if (group.receives && !group.attached) {
            group.attached = true;
            memberships.accept(new Membership(group.mgid, lid, true));
        }
    }

    private void detach(Group group) {
        if (group.attached) {
            group.attached = false;
            memberships.accept(new Membership(group.mgid, group.lid, false));
        }
    }

    /** Sets the IP groups that the interface receives. */
    void receive(List<Gid> ips, long nowNs) {
        received.clear();
        ips.forEach(each -> received.add(of(each)));
        if (isUp()) {
            joinReceived(nowNs);
        }
    }

    private void joinReceived(long nowNs) {
        for (Gid each : received) {
            Group known = groups.get(each);
            if (known == null || !known.receives) {
                if (known != null) {
                    known.receives = true;
                    join(known, nowNs);
                } else if (groups.size() < MAX_GROUPS) {
                    join(new Group(each, true), nowNs);
                }
            }
        }
    }

    private void join(Group group, long nowNs) {
        groups.put(group.mgid, group);
        group.phase = Phase.JOINING;
        ByteBuffer record = ByteBuffer.allocate(McMemberRecord.LENGTH);
        McMemberRecord.MGID_HIGH.set(record, 0, group.mgid.high());
        McMemberRecord.MGID_LOW.set(record, 0, group.mgid.low());
        McMemberRecord.PORT_GID_HIGH.set(record, 0, port.high());
        McMemberRecord.PORT_GID_LOW.set(record, 0, port.low());
        McMemberRecord.JOIN_STATE.set(record, 0, group.receives ? McMemberRecord.FULL_MEMBER : McMemberRecord.SEND_ONLY_NON_MEMBER);
        long mask = MEMBER;
        if (link != null && group.receives && !isBroadcast(group)) {
            for (Field each : OF_THE_LINK) {
                each.copy(link, 0, record, 0);
            }
            McMemberRecord.MTU_SELECTOR.set(record, 0, PathRecord.EXACTLY);
            McMemberRecord.RATE_SELECTOR.set(record, 0, PathRecord.EXACTLY);
            mask |= bits(OF_THE_LINK);
        }
        requests.add(MadMethod.SET, SaAttribute.MC_MEMBER_RECORD, mask, record, (answer, answeredNs) -> onJoined(group, answer, answeredNs),
            nowNs);
    }

    private void onJoined(Group group, ByteBuffer record, long nowNs) {
        if (groups.get(group.mgid) != group) {
            return;
        }
        if (record == null || !Mtu.isValid(McMemberRecord.MTU.get(record, 0))) {
            if (isBroadcast(group)) {
                forget();
                groups.put(group.mgid, group);
            }
            leave(group);
            group.phase = Phase.REFUSED;
            group.retryNs = nowNs + RETRY_NS;
            return;
        }
        group.phase = Phase.JOINED;
        group.sl = McMemberRecord.SERVICE_LEVEL.get(record, 0);
        follow(group, McMemberRecord.MLID.get(record, 0));
        if (isBroadcast(group)) {
            link = record;
            List.copyOf(groups.values()).stream().filter(each -> each != group).forEach(each -> join(each, nowNs));
            joinReceived(nowNs);
        }
        for (ByteBuffer payload = group.waiting.poll(); payload != null; payload = group.waiting.poll()) {
            send(group, payload);
        }
    }

    /** Sends to all interfaces. */
    void broadcast(ByteBuffer payload) {
        send(groups.get(broadcast()), payload);
    }

    /** Sends to an IP group, which is joined first if need be. */
    void multicast(Gid ip, ByteBuffer payload, long nowNs) {
        Group group = groups.get(of(ip));
        if (group == null && groups.size() < MAX_GROUPS) {
            group = new Group(of(ip), false);
            join(group, nowNs);
        }
        if (group == null || group.phase == Phase.REFUSED) {
            counters.count(IpoibCounter.DROP_IPOIB_NO_GROUP);
        } else if (group.phase == Phase.JOINED) {
            send(group, payload);
        } else if (group.waiting.size() < MAX_WAITING) {
            group.waiting.add(payload);
        } else {
            counters.count(IpoibCounter.DROP_IPOIB_QUEUE_FULL);
        }
    }

    private void send(Group group, ByteBuffer payload) {
        out.accept(new Datagram(group.lid, group.mgid, MULTICAST_QPN, qkey(), group.sl, payload));
    }

    /** Tries groups again that could not be joined. */
    void onTime(long nowNs) {
        for (Group each : List.copyOf(groups.values())) {
            if (each.phase == Phase.REFUSED && Deadline.isDue(each.retryNs, nowNs)) {
                if (each.receives) {
                    join(each, nowNs);
                } else {
                    groups.remove(each.mgid);
                }
            }
        }
    }

    long deadlineNs() {
        long earliest = Deadline.NEVER;
        for (Group each : groups.values()) {
            if (each.phase == Phase.REFUSED) {
                earliest = Deadline.earlier(earliest, each.retryNs);
            }
        }
        return earliest;
    }
}
