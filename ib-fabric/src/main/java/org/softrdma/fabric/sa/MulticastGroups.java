// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.fabric.partition.Broadcast;
import org.softrdma.fabric.partition.Partition;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.wire.ib.IbRate;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.McMemberRecord;
import org.softrdma.wire.ib.MulticastForwardingBlock;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PathRecord;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.mad.Field;

/**
 * Multicast groups of a subnet: clients join and leave them, the first full member creates one, and the last one that leaves ends it. The
 * broadcast groups of IP over InfiniBand always exist, one for each partition that has it. Source: IBA vol 1 §15.2.5.17, RFC 4391 §5.
 */
final class MulticastGroups {
    /** Groups at most: entries of the smallest usual tables. */
    static final int MAX_GROUPS = 1024;
    /** MGID of a broadcast group of IPv4, without scope and P_Key. */
    private static final long BROADCAST_HIGH = 0xFF10_401B_0000_0000L;
    private static final long BROADCAST_LOW = 0xFFFF_FFFFL;
    private static final int SCOPE_SHIFT = 48;
    private static final int PKEY_SHIFT = 16;
    private static final int MULTICAST_PREFIX = 0xFF;
    /** First half of MGIDs that are made here: transient, link-local, and the signature of the InfiniBand architecture. */
    private static final long MADE_HERE = 0xFF12_A01C_0000_0000L;
    /** Components that a client has to give to join or leave. */
    private static final long MEMBER = bits(McMemberRecord.MGID_HIGH, McMemberRecord.PORT_GID_HIGH, McMemberRecord.JOIN_STATE);
    /** Components that it has to give besides to create the group. */
    private static final long GROUP = bits(McMemberRecord.QKEY, McMemberRecord.TRAFFIC_CLASS, McMemberRecord.PKEY,
        McMemberRecord.SERVICE_LEVEL, McMemberRecord.FLOW_LABEL);
    /** Components that have to be as in the group if the client gives them. */
    private static final List<Field> SAME = List.of(McMemberRecord.QKEY, McMemberRecord.MLID, McMemberRecord.TRAFFIC_CLASS,
        McMemberRecord.PKEY, McMemberRecord.SERVICE_LEVEL, McMemberRecord.FLOW_LABEL, McMemberRecord.SCOPE);

    private record Mgid(long high, long low) {
    }

    /**
     * Outcome of a request.
     *
     * @param status a constant of {@link MadStatus}
     * @param record null with an error
     */
    record Result(int status, ByteBuffer record) {
        static Result refused(int status) {
            return new Result(status, null);
        }
    }

    private final Map<Mgid, MulticastGroup> groups = new LinkedHashMap<>();
    private final BitSet mlids = new BitSet();
    private long made;

    MulticastGroups(Partitions partitions) {
        for (Partition each : partitions.all()) {
            if (each.broadcast() != null) {
                addBroadcast(each.pkey() | PKeyBlock.FULL_MEMBER, each.broadcast());
            }
        }
    }

    private void addBroadcast(int pkey, Broadcast broadcast) {
        Mgid mgid = new Mgid(BROADCAST_HIGH | (long) broadcast.scope() << SCOPE_SHIFT | (long) pkey << PKEY_SHIFT, BROADCAST_LOW);
        ByteBuffer record = newRecord(mgid, broadcast.mtu(), broadcast.rate());
        McMemberRecord.QKEY.set(record, 0, broadcast.qkey());
        McMemberRecord.PKEY.set(record, 0, pkey);
        McMemberRecord.SERVICE_LEVEL.set(record, 0, broadcast.serviceLevel());
        McMemberRecord.TRAFFIC_CLASS.set(record, 0, broadcast.trafficClass());
        McMemberRecord.FLOW_LABEL.set(record, 0, broadcast.flowLabel());
        add(record, true);
    }

    private static long bits(Field... fields) {
        return McMemberRecord.COMPONENTS.bits(fields);
    }

    private static ByteBuffer newRecord(Mgid mgid, int mtu, int rate) {
        ByteBuffer record = ByteBuffer.allocate(McMemberRecord.LENGTH);
        McMemberRecord.MGID_HIGH.set(record, 0, mgid.high);
        McMemberRecord.MGID_LOW.set(record, 0, mgid.low);
        McMemberRecord.MTU_SELECTOR.set(record, 0, PathRecord.EXACTLY);
        McMemberRecord.MTU.set(record, 0, mtu);
        McMemberRecord.RATE_SELECTOR.set(record, 0, PathRecord.EXACTLY);
        McMemberRecord.RATE.set(record, 0, rate);
        McMemberRecord.LIFE_TIME_SELECTOR.set(record, 0, PathRecord.EXACTLY);
        McMemberRecord.LIFE_TIME.set(record, 0, PathQuery.LIFE_TIME);
        // The scope is a part of the MGID.
        McMemberRecord.SCOPE.set(record, 0, mgid.high >>> SCOPE_SHIFT & 0xF);
        return record;
    }

    private MulticastGroup add(ByteBuffer record, boolean permanent) {
        int index = mlids.nextClearBit(0);
        mlids.set(index);
        McMemberRecord.MLID.set(record, 0, Lrh.FIRST_MULTICAST_LID + index);
        MulticastGroup group = new MulticastGroup(record, permanent);
        groups.put(mgid(record, 0), group);
        return group;
    }

    private static Mgid mgid(ByteBuffer record, int at) {
        return new Mgid(McMemberRecord.MGID_HIGH.getLong(record, at), McMemberRecord.MGID_LOW.getLong(record, at));
    }

    /** Blocks of a multicast forwarding table that have groups, from the first on. */
    int blocks() {
        return Math.ceilDiv(mlids.length(), MulticastForwardingBlock.ENTRIES);
    }

    Collection<MulticastGroup> all() {
        return groups.values();
    }

    /** A record for each member; for a group without members one without a port. */
    List<ByteBuffer> records() {
        List<ByteBuffer> records = new ArrayList<>();
        for (MulticastGroup group : groups.values()) {
            if (group.members().isEmpty()) {
                records.add(group.recordOf(0));
            }
            group.members().forEach(guid -> records.add(group.recordOf(guid)));
        }
        return records;
    }

    /**
     * Joins a port to a group, which is created if it does not exist.
     *
     * @param mad a Set of MCMemberRecord
     */
    Result join(Subnet subnet, ByteBuffer mad) {
        int at = SaMad.DATA_OFFSET;
        long mask = SaMad.COMPONENT_MASK.getLong(mad, 0);
        if ((mask & MEMBER) != MEMBER) {
            return Result.refused(MadStatus.SA_INSUFFICIENT_COMPONENTS);
        }
        SubnetPort port = subnet.byGid(McMemberRecord.PORT_GID_HIGH.getLong(mad, at), McMemberRecord.PORT_GID_LOW.getLong(mad, at));
        if (port == null) {
            return Result.refused(MadStatus.SA_INVALID_GID);
        }
        int state = McMemberRecord.JOIN_STATE.get(mad, at);
        if (state == 0) {
            return Result.refused(MadStatus.SA_REQUEST_INVALID);
        }
        MulticastGroup group = groups.get(mgid(mad, at));
        int status = group == null ? checkNew(port, mad, mask, state) : check(group, port, mad, mask);
        if (status != MadStatus.OK) {
            return Result.refused(status);
        }
        if (group == null) {
            group = create(port, mad, mask);
        }
        group.setJoinState(port.guid(), group.joinState(port.guid()) | state);
        return new Result(MadStatus.OK, group.recordOf(port.guid()));
    }

    private static boolean isIn(int pkey, SubnetPort port) {
        return port.pkeys().stream().anyMatch(each -> PKeyBlock.match(each, pkey));
    }

    private int checkNew(SubnetPort port, ByteBuffer mad, long mask, int state) {
        Mgid wanted = mgid(mad, SaMad.DATA_OFFSET);
        boolean unnamed = wanted.high == 0 && wanted.low == 0;
        if (!unnamed && wanted.high >>> 56 != MULTICAST_PREFIX || (state & McMemberRecord.FULL_MEMBER) == 0) {
            return MadStatus.SA_REQUEST_INVALID;
        }
        if ((mask & GROUP) != GROUP) {
            return MadStatus.SA_INSUFFICIENT_COMPONENTS;
        }
        if (!isIn(McMemberRecord.PKEY.get(mad, SaMad.DATA_OFFSET), port)) {
            return MadStatus.SA_REQUEST_INVALID;
        }
        return groups.size() < MAX_GROUPS ? MadStatus.OK : MadStatus.SA_NO_RESOURCES;
    }

    /** Checks that the client agrees with the group, and that its port can carry the group's packets. */
    private static int check(MulticastGroup group, SubnetPort port, ByteBuffer mad, long mask) {
        int at = SaMad.DATA_OFFSET;
        ByteBuffer record = group.record();
        for (Field each : SAME) {
            if ((mask & bits(each)) != 0 && each.getLong(mad, at) != each.getLong(record, 0)) {
                return MadStatus.SA_REQUEST_INVALID;
            }
        }
        int mtu = McMemberRecord.MTU.get(record, 0);
        int rate = IbRate.hundredMbps(McMemberRecord.RATE.get(record, 0));
        boolean carries = isIn(McMemberRecord.PKEY.get(record, 0), port) && port.mtu() >= mtu && IbRate.hundredMbps(port.rate()) >= rate;
        boolean agrees = agrees(mad, mask, McMemberRecord.MTU_SELECTOR, McMemberRecord.MTU, mtu, McMemberRecord.MTU.get(mad, at))
            && agrees(mad, mask, McMemberRecord.RATE_SELECTOR, McMemberRecord.RATE, rate,
                IbRate.hundredMbps(McMemberRecord.RATE.get(mad, at)));
        return carries && agrees ? MadStatus.OK : MadStatus.SA_REQUEST_INVALID;
    }

    private static boolean agrees(ByteBuffer mad, long mask, Field selector, Field value, int ofGroup, int wanted) {
        long both = bits(selector, value);
        if ((mask & both) != both) {
            return true;
        }
        return switch (selector.get(mad, SaMad.DATA_OFFSET)) {
            case PathRecord.GREATER_THAN -> ofGroup > wanted;
            case PathRecord.LESS_THAN -> ofGroup < wanted;
            case PathRecord.EXACTLY -> ofGroup == wanted;
            default -> true;
        };
    }

    private MulticastGroup create(SubnetPort port, ByteBuffer mad, long mask) {
        int at = SaMad.DATA_OFFSET;
        Mgid wanted = mgid(mad, at);
        Mgid mgid = wanted.high != 0 || wanted.low != 0 ? wanted
            : new Mgid(MADE_HERE | McMemberRecord.PKEY.getLong(mad, at) << PKEY_SHIFT, ++made);
        int mtu = exactly(mad, mask, McMemberRecord.MTU_SELECTOR, McMemberRecord.MTU, port.mtu());
        int rate = exactly(mad, mask, McMemberRecord.RATE_SELECTOR, McMemberRecord.RATE, port.rate());
        ByteBuffer record = newRecord(mgid, mtu, rate);
        for (Field each : List.of(McMemberRecord.QKEY, McMemberRecord.TRAFFIC_CLASS, McMemberRecord.PKEY, McMemberRecord.SERVICE_LEVEL,
                McMemberRecord.FLOW_LABEL, McMemberRecord.HOP_LIMIT)) {
            each.copy(mad, at, record, 0);
        }
        return add(record, false);
    }

    /** The value that the creator wants exactly, if it says so; otherwise its port's. */
    private static int exactly(ByteBuffer mad, long mask, Field selector, Field value, int ofPort) {
        long both = bits(selector, value);
        boolean said = (mask & both) == both && selector.get(mad, SaMad.DATA_OFFSET) == PathRecord.EXACTLY;
        return said ? value.get(mad, SaMad.DATA_OFFSET) : ofPort;
    }

    /**
     * Ends parts of a membership.
     *
     * @param mad a Delete of MCMemberRecord
     */
    Result leave(ByteBuffer mad) {
        int at = SaMad.DATA_OFFSET;
        if ((SaMad.COMPONENT_MASK.getLong(mad, 0) & MEMBER) != MEMBER) {
            return Result.refused(MadStatus.SA_INSUFFICIENT_COMPONENTS);
        }
        MulticastGroup group = groups.get(mgid(mad, at));
        long guid = McMemberRecord.PORT_GID_LOW.getLong(mad, at);
        int left = McMemberRecord.JOIN_STATE.get(mad, at);
        boolean member = group != null && McMemberRecord.PORT_GID_HIGH.getLong(mad, at) == Subnet.PREFIX;
        if (!member || left == 0 || (group.joinState(guid) & left) != left) {
            return Result.refused(MadStatus.SA_REQUEST_INVALID);
        }
        group.setJoinState(guid, group.joinState(guid) & ~left);
        ByteBuffer record = group.recordOf(guid);
        removeIfOver(group);
        return new Result(MadStatus.OK, record);
    }

    private void removeIfOver(MulticastGroup group) {
        if (group.isOver()) {
            groups.remove(mgid(group.record(), 0));
            mlids.clear(group.mlid() - Lrh.FIRST_MULTICAST_LID);
        }
    }

    /** Removes members that are no longer in the subnet. */
    void keepOnly(Subnet subnet) {
        for (MulticastGroup each : List.copyOf(groups.values())) {
            each.members().removeIf(guid -> subnet.byGid(Subnet.PREFIX, guid) == null);
            removeIfOver(each);
        }
    }
}
