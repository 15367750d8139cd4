// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.wire.ib.ClassPortInfo;
import org.softrdma.wire.ib.Components;
import org.softrdma.wire.ib.InformInfo;
import org.softrdma.wire.ib.InformInfoRecord;
import org.softrdma.wire.ib.LinkRecord;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.McMemberRecord;
import org.softrdma.wire.ib.NodeRecord;
import org.softrdma.wire.ib.Notice;
import org.softrdma.wire.ib.PathRecord;
import org.softrdma.wire.ib.PortInfoRecord;
import org.softrdma.wire.ib.Rmpp;
import org.softrdma.wire.ib.SaAttribute;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.ib.ServiceRecord;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.ib.SmInfoRecord;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.SwitchInfoRecord;
import org.softrdma.wire.ib.TableRecord;
import org.softrdma.wire.mad.Mad;

/**
 * Subnet administration: answers requests for records of the subnet, and keeps multicast groups and services. Pure: datagrams and the time
 * come in, datagrams and a deadline go out. Source: IBA vol 1 §15.
 */
public final class SubnetAdministrator {
    /** Answers that can wait to be sent. */
    static final int MAX_ANSWERS = 256;
    /** CapabilityMask: multicast by the UD service is supported. */
    private static final int CAP_UD_MULTICAST = 1 << 9;
    /** Time for an answer: 4.096 µs · 2^18, about a second. */
    private static final int RESPONSE_TIME = 18;
    /** Bit of the modifier of a PortInfoRecord request: a CapabilityMask matches that has all bits of the request. */
    private static final int MATCH_CAPABILITIES = 1 << 31;

    private final Counters<SaCounter> counters = new Counters<>(SaCounter.class);
    private final long key;
    private final boolean segments;
    private final Supplier<ByteBuffer> managerInfo;
    private final SegmentedAnswers segmented = new SegmentedAnswers(counters);
    private final ArrayDeque<ManagementPacket> answers = new ArrayDeque<>();
    private final MulticastGroups groups;
    private final Services services = new Services();
    private final Subscriptions subscriptions = new Subscriptions(counters);
    private Subnet subnet;
    private boolean groupsChanged;

    /** The records of a table, and the components that a request can choose them by. */
    private record Table(int length, Components components, List<ByteBuffer> records) {
    }

    /**
     * Creates an administrator without a subnet.
     *
     * @param key         SM_Key of requests that may be trusted, u64; those with 0 are served too
     * @param segments    whether clients receive messages of several packets; otherwise they get the first packet of a long table
     * @param partitions  those with IP over InfiniBand have a broadcast group
     * @param managerInfo SMInfo of the manager as it is now
     */
    public SubnetAdministrator(long key, boolean segments, Partitions partitions, Supplier<ByteBuffer> managerInfo) {
        this.key = key;
        this.segments = segments;
        this.managerInfo = managerInfo;
        groups = new MulticastGroups(partitions);
    }

    /** Counters. */
    public Counters<SaCounter> counters() {
        return counters;
    }

    /** Serves a subnet; null while another manager is the master. Members of groups that are no longer in the subnet leave. */
    public void serve(Subnet now) {
        Subnet before = subnet;
        subnet = now;
        if (now != null) {
            subscriptions.keepOnly(now);
            if (before != null) {
                reportPorts(before, now, Notice.TRAP_GID_OUT_OF_SERVICE);
                reportPorts(now, before, Notice.TRAP_GID_IN_SERVICE);
            }
            groups.keepOnly(now);
        }
    }

    /** Reports the ports that are in one view of the subnet and not in the other one. */
    private void reportPorts(Subnet in, Subnet notIn, int trap) {
        for (SubnetPort each : in.ends()) {
            if (notIn.byGid(Subnet.PREFIX, each.guid()) == null) {
                report(trap, Subnet.PREFIX, each.guid());
            }
        }
    }

    private void report(int trap, long gidHigh, long gidLow) {
        ByteBuffer notice = ByteBuffer.allocate(Notice.LENGTH);
        Notice.putGeneric(notice, 0, Notice.TYPE_INFORMATIONAL, Notice.PRODUCER_CLASS_MANAGER, trap, subnet.manager().lid());
        Notice.GID_HIGH.set(notice, 0, gidHigh);
        Notice.GID_LOW.set(notice, 0, gidLow);
        Notice.ISSUER_GID_HIGH.set(notice, 0, Subnet.PREFIX);
        Notice.ISSUER_GID_LOW.set(notice, 0, subnet.manager().guid());
        subscriptions.report(notice, subnet.manager());
    }

    /** Forwards the notice of a trap that the manager received to those who subscribed to such notices. */
    public void onTrap(ManagementPacket trap) {
        SubnetPort issuer = subnet == null ? null : subnet.byLid(trap.slid());
        if (issuer != null) {
            ByteBuffer notice = ByteBuffer.allocate(Notice.LENGTH);
            notice.put(0, trap.mad(), Smp.DATA_OFFSET, Smp.DATA_LENGTH);
            Notice.ISSUER_GID_HIGH.set(notice, 0, Subnet.PREFIX);
            Notice.ISSUER_GID_LOW.set(notice, 0, issuer.guid());
            subscriptions.report(notice, subnet.manager());
        }
    }

    /** Multicast groups as they are now. */
    public Collection<MulticastGroup> groups() {
        return groups.all();
    }

    /** Blocks of a multicast forwarding table that have groups, from the first on. */
    public int groupBlocks() {
        return groups.blocks();
    }

    /** The groups are written to the switches as they are now. */
    public void onGroupsWritten() {
        groupsChanged = false;
    }

    /** Whether groups or members changed since {@link #onGroupsWritten}. */
    public boolean haveGroupsChanged() {
        return groupsChanged;
    }

    // ---- input ----

    /** Whether a datagram is for subnet administration: a request, an acknowledgement of segments, or the confirmation of a report. */
    public static boolean serves(ManagementPacket packet) {
        return packet.managementClass() == SaMad.CLASS && packet.destQpn() == Mad.GSI_QPN
            && (!MadMethod.isResponse(packet.method()) || packet.method() == MadMethod.REPORT_RESPONSE || isAcknowledgement(packet));
    }

    /** Acknowledgements have the method of the answer that they belong to. */
    private static boolean isAcknowledgement(ManagementPacket packet) {
        return Rmpp.isActive(packet.mad(), 0) && Rmpp.TYPE.get(packet.mad(), 0) != Rmpp.TYPE_DATA;
    }

    /** Handles a datagram that is {@linkplain #serves for this class}; what it has no use for is dropped and counted. */
    public void onPacket(ManagementPacket packet, long nowNs) {
        ByteBuffer mad = packet.mad();
        if (mad.capacity() < Mad.LENGTH || Mad.baseVersion(mad, 0) != Mad.BASE_VERSION || Mad.classVersion(mad, 0) != SaMad.CLASS_VERSION) {
            counters.count(SaCounter.DROP_SA_MALFORMED);
        } else if (isAcknowledgement(packet)) {
            segmented.onPacket(packet, nowNs);
        } else if (packet.method() == MadMethod.REPORT_RESPONSE) {
            subscriptions.onConfirmed(packet);
        } else if (subnet == null) {
            counters.count(SaCounter.DROP_SA_NOT_MASTER);
        } else if (SaMad.SM_KEY.getLong(mad, 0) != 0 && SaMad.SM_KEY.getLong(mad, 0) != key) {
            counters.count(SaCounter.DROP_SA_BAD_KEY);
        } else if (Rmpp.isActive(mad, 0) && !isWhole(mad)) {
            counters.count(SaCounter.DROP_SA_SEGMENTED_REQUEST);
        } else {
            counters.count(SaCounter.SA_REQUESTS);
            if (packet.attribute() == SaAttribute.PKEY_TABLE_RECORD && SaMad.SM_KEY.getLong(mad, 0) != key) {
                // For trusted requests only: IBA vol 1 §15.4.1.
                refuse(packet, MadStatus.SA_REQUEST_INVALID);
            } else {
                answer(packet, nowNs);
            }
        }
    }

    private static boolean isWhole(ByteBuffer mad) {
        return Rmpp.has(mad, 0, Rmpp.FLAG_FIRST) && Rmpp.has(mad, 0, Rmpp.FLAG_LAST);
    }

    private void answer(ManagementPacket packet, long nowNs) {
        switch (packet.method()) {
            case MadMethod.GET -> get(packet);
            case MadMethod.GET_TABLE -> getTable(packet);
            case MadMethod.SET -> set(packet, nowNs);
            case MadMethod.DELETE -> delete(packet);
            default -> refuse(packet, MadStatus.UNSUPPORTED_METHOD);
        }
    }

    // ---- what is read ----

    private void get(ManagementPacket packet) {
        if (packet.attribute() == SaAttribute.CLASS_PORT_INFO) {
            respond(packet, MadStatus.OK, classPortInfo());
            return;
        }
        Table table = find(packet);
        if (table == null) {
            refuse(packet, MadStatus.UNSUPPORTED_ATTRIBUTE);
        } else if (table.records == null) {
            refuse(packet, MadStatus.SA_NO_RESOURCES);
        } else if (table.records.isEmpty()) {
            refuse(packet, MadStatus.SA_NO_RECORDS);
        } else if (table.records.size() > 1 && packet.attribute() != SaAttribute.PATH_RECORD) {
            refuse(packet, MadStatus.SA_TOO_MANY_RECORDS);
        } else {
            respond(packet, MadStatus.OK, table.records.getFirst());
        }
    }

    private void getTable(ManagementPacket packet) {
        Table table = find(packet);
        if (table == null) {
            refuse(packet, MadStatus.UNSUPPORTED_ATTRIBUTE);
            return;
        }
        if (table.records == null) {
            refuse(packet, MadStatus.SA_NO_RESOURCES);
            return;
        }
        int stride = SaMad.stride(table.length);
        byte[] payload = new byte[stride * table.records.size()];
        for (int i = 0; i < table.records.size(); i++) {
            table.records.get(i).get(0, payload, i * stride, table.length);
        }
        ByteBuffer header = beginAnswer(packet, MadStatus.OK, table.records.isEmpty() ? 0 : table.length);
        if (segments) {
            segmented.begin(packet, header, payload);
        } else {
            queue(SegmentedAnswers.firstOnly(packet, header, payload));
        }
    }

    /** The records that a request chooses; null for an attribute that has no table. Its list is null if they are too many. */
    private Table find(ManagementPacket packet) {
        if (packet.attribute() == SaAttribute.PATH_RECORD) {
            return new Table(PathRecord.LENGTH, PathRecord.COMPONENTS, new PathQuery(subnet, packet.mad()).answer());
        }
        Table all = switch (packet.attribute()) {
            case SaAttribute.NODE_RECORD -> new Table(NodeRecord.LENGTH, NodeRecord.COMPONENTS, SubnetRecords.nodes(subnet));
            case SaAttribute.PORT_INFO_RECORD ->
                new Table(PortInfoRecord.LENGTH, PortInfoRecord.COMPONENTS, SubnetRecords.ports(subnet));
            case SaAttribute.SWITCH_INFO_RECORD ->
                new Table(SwitchInfoRecord.LENGTH, SwitchInfoRecord.COMPONENTS, SubnetRecords.switches(subnet));
            case SaAttribute.LINK_RECORD -> new Table(LinkRecord.LENGTH, LinkRecord.COMPONENTS, SubnetRecords.links(subnet));
            case SaAttribute.SM_INFO_RECORD -> new Table(SmInfoRecord.LENGTH, SmInfoRecord.COMPONENTS, List.of(smInfoRecord()));
            case SaAttribute.MC_MEMBER_RECORD -> new Table(McMemberRecord.LENGTH, McMemberRecord.COMPONENTS, groups.records());
            case SaAttribute.INFORM_INFO_RECORD ->
                new Table(InformInfoRecord.LENGTH, InformInfoRecord.COMPONENTS, subscriptions.records(subnet));
            case SaAttribute.SERVICE_RECORD -> new Table(ServiceRecord.LENGTH, ServiceRecord.COMPONENTS, services.records());
            case SaAttribute.LINEAR_FORWARDING_RECORD ->
                new Table(TableRecord.LENGTH, TableRecord.LINEAR_FORWARDING, SubnetRecords.linearTables(subnet));
            case SaAttribute.MULTICAST_FORWARDING_RECORD ->
                new Table(TableRecord.LENGTH, TableRecord.MULTICAST_FORWARDING, SubnetRecords.multicastTables(subnet, groupBlocks()));
            case SaAttribute.PKEY_TABLE_RECORD -> new Table(TableRecord.LENGTH, TableRecord.PKEYS, SubnetRecords.pkeyTables(subnet));
            default -> null;
        };
        if (all == null) {
            return null;
        }
        ByteBuffer mad = packet.mad();
        long mask = SaMad.COMPONENT_MASK.getLong(mad, 0);
        boolean byCapabilities = packet.attribute() == SaAttribute.PORT_INFO_RECORD && (Mad.modifier(mad, 0) & MATCH_CAPABILITIES) != 0;
        long exactly = byCapabilities ? mask & ~PortInfoRecord.COMPONENTS.bit(PortInfoRecord.CAPABILITY_MASK) : mask;
        return new Table(all.length, all.components, all.records.stream()
            .filter(each -> all.components.match(exactly, mad, SaMad.DATA_OFFSET, each, 0))
            .filter(each -> exactly == mask || hasCapabilities(each, mad)).toList());
    }

    private static boolean hasCapabilities(ByteBuffer record, ByteBuffer mad) {
        long wanted = PortInfoRecord.CAPABILITY_MASK.getLong(mad, SaMad.DATA_OFFSET);
        return (PortInfoRecord.CAPABILITY_MASK.getLong(record, 0) & wanted) == wanted;
    }

    private ByteBuffer smInfoRecord() {
        ByteBuffer record = ByteBuffer.allocate(SmInfoRecord.LENGTH);
        SmInfoRecord.LID.set(record, 0, subnet.manager().lid());
        record.put(SmInfoRecord.SM_INFO_OFFSET, managerInfo.get(), 0, SmInfo.LENGTH);
        // The key is secret.
        SmInfo.SM_KEY.set(record, SmInfoRecord.SM_INFO_OFFSET, 0);
        return record;
    }

    private static ByteBuffer classPortInfo() {
        ByteBuffer info = ByteBuffer.allocate(ClassPortInfo.LENGTH);
        ClassPortInfo.BASE_VERSION.set(info, 0, Mad.BASE_VERSION);
        ClassPortInfo.CLASS_VERSION.set(info, 0, SaMad.CLASS_VERSION);
        ClassPortInfo.CAPABILITY_MASK.set(info, 0, CAP_UD_MULTICAST);
        ClassPortInfo.RESPONSE_TIME.set(info, 0, RESPONSE_TIME);
        return info;
    }

    // ---- what clients write ----

    private void set(ManagementPacket packet, long nowNs) {
        switch (packet.attribute()) {
            case SaAttribute.MC_MEMBER_RECORD -> {
                int before = groups.all().size();
                MulticastGroups.Result joined = groups.join(subnet, packet.mad());
                respond(packet, joined);
                if (groups.all().size() > before) {
                    counters.count(SaCounter.SA_GROUPS_CREATED);
                    reportGroup(Notice.TRAP_GROUP_CREATED, joined.record());
                }
            }
            case SaAttribute.SERVICE_RECORD ->
                respondWithItsRecord(packet, services.register(subnet, packet.mad(), nowNs), ServiceRecord.LENGTH);
            case SaAttribute.INFORM_INFO -> respondWithItsRecord(packet, subscriptions.set(packet), InformInfo.LENGTH);
            default -> refuse(packet, MadStatus.UNSUPPORTED_ATTRIBUTE);
        }
    }

    private void delete(ManagementPacket packet) {
        switch (packet.attribute()) {
            case SaAttribute.MC_MEMBER_RECORD -> {
                int before = groups.all().size();
                MulticastGroups.Result left = groups.leave(packet.mad());
                respond(packet, left);
                if (groups.all().size() < before) {
                    reportGroup(Notice.TRAP_GROUP_DELETED, left.record());
                }
            }
            case SaAttribute.SERVICE_RECORD -> respondWithItsRecord(packet, services.deregister(packet.mad()), ServiceRecord.LENGTH);
            default -> refuse(packet, MadStatus.UNSUPPORTED_ATTRIBUTE);
        }
    }

    private void respond(ManagementPacket packet, MulticastGroups.Result result) {
        if (result.record() == null) {
            refuse(packet, result.status());
        } else {
            groupsChanged = true;
            respond(packet, MadStatus.OK, result.record());
        }
    }

    private void reportGroup(int trap, ByteBuffer record) {
        report(trap, McMemberRecord.MGID_HIGH.getLong(record, 0), McMemberRecord.MGID_LOW.getLong(record, 0));
    }

    /** The answer repeats the record of the request. */
    private void respondWithItsRecord(ManagementPacket packet, int status, int length) {
        ByteBuffer record = ByteBuffer.allocate(length);
        record.put(0, packet.mad(), SaMad.DATA_OFFSET, length);
        respond(packet, status, record);
    }

    // ---- answers ----

    private void refuse(ManagementPacket packet, int status) {
        queue(packet.reply(beginAnswer(packet, status, 0)));
        counters.count(SaCounter.SA_REFUSED);
    }

    private void respond(ManagementPacket packet, int status, ByteBuffer record) {
        ByteBuffer mad = beginAnswer(packet, status, record.capacity());
        mad.put(SaMad.DATA_OFFSET, record, 0, record.capacity());
        queue(packet.reply(mad));
        if (status != MadStatus.OK) {
            counters.count(SaCounter.SA_REFUSED);
        }
    }

    private static ByteBuffer beginAnswer(ManagementPacket packet, int status, int recordLength) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        SaMad.begin(mad, 0, packet.method() == MadMethod.SET ? MadMethod.GET_RESPONSE : packet.method() | MadMethod.RESPONSE,
            packet.attribute(), packet.transactionId(), SaMad.COMPONENT_MASK.getLong(packet.mad(), 0));
        mad.putShort(Mad.STATUS_OFFSET, (short) status);
        mad.putInt(Mad.MODIFIER_OFFSET, Mad.modifier(packet.mad(), 0));
        SaMad.SM_KEY.set(mad, 0, SaMad.SM_KEY.getLong(packet.mad(), 0));
        SaMad.ATTRIBUTE_OFFSET.set(mad, 0, SaMad.stride(recordLength) / SaMad.OFFSET_UNIT);
        return mad;
    }

    private void queue(ManagementPacket answer) {
        if (answers.size() == MAX_ANSWERS) {
            counters.count(SaCounter.DROP_SA_QUEUE_FULL);
        } else {
            answers.add(answer);
        }
    }

    // ---- output ----

    /** Does what is due. */
    public void onTime(long nowNs) {
        segmented.onTime(nowNs);
        subscriptions.onTime(nowNs);
        services.onTime(nowNs);
    }

    /** Next datagram to send by the manager's port, or null. */
    public ManagementPacket transmit(long nowNs) {
        ManagementPacket answer = answers.poll();
        if (answer == null) {
            answer = subscriptions.transmit(nowNs);
        }
        return answer != null ? answer : segmented.transmit(nowNs);
    }

    /** When {@link #onTime} must be called next. */
    public long deadlineNs() {
        return Deadline.earlier(Deadline.earlier(segmented.deadlineNs(), services.deadlineNs()), subscriptions.deadlineNs());
    }
}
