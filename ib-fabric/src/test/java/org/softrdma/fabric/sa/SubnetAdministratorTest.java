// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Cable;
import org.softrdma.fabric.model.FabricNode;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.FabricSwitch;
import org.softrdma.fabric.partition.PartitionReader;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.wire.ib.InformInfo;
import org.softrdma.wire.ib.LinearForwardingBlock;
import org.softrdma.wire.ib.LinkRecord;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.McMemberRecord;
import org.softrdma.wire.ib.MulticastForwardingBlock;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.NodeRecord;
import org.softrdma.wire.ib.Notice;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PathRecord;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.PortInfoRecord;
import org.softrdma.wire.ib.Rmpp;
import org.softrdma.wire.ib.SaAttribute;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.ib.ServiceRecord;
import org.softrdma.wire.ib.TableRecord;
import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.Mad;

class SubnetAdministratorTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long PREFIX = 0xFE80_0000_0000_0000L;
    private static final long MGID_HIGH = 0xFF12_401B_FFFF_0000L;
    private static final int AT = SaMad.DATA_OFFSET;
    private static final long MEMBER =
        McMemberRecord.COMPONENTS.bits(McMemberRecord.MGID_HIGH, McMemberRecord.PORT_GID_HIGH, McMemberRecord.JOIN_STATE);
    private static final long CREATES = MEMBER | McMemberRecord.COMPONENTS.bits(McMemberRecord.QKEY, McMemberRecord.PKEY,
        McMemberRecord.SERVICE_LEVEL, McMemberRecord.FLOW_LABEL, McMemberRecord.TRAFFIC_CLASS);

    private final AdministeredSubnet subnet = new AdministeredSubnet(Topologies.tree(9, 3, 1), "h1", "h9");

    private long counter(SaCounter counter) {
        return subnet.manager.administrator().counters().get(counter);
    }

    // ---- what is read ----

    @Test
    void shouldListTheNodes() {
        Map<Integer, ByteBuffer> byLid = new HashMap<>();
        subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.NODE_RECORD, 0))
            .forEach(each -> byLid.put(NodeRecord.LID.get(each, 0), each));

        assertEquals(subnet.ends().size(), byLid.size());
        for (FabricPort each : subnet.ends()) {
            ByteBuffer record = byLid.get(each.lid());
            String description = new String(record.array(), record.arrayOffset() + NodeRecord.DESCRIPTION_OFFSET, 64,
                StandardCharsets.UTF_8);
            assertEquals(each.node().description(), description.replace("\0", ""));
            assertEquals(each.node().guid(), NodeInfo.NODE_GUID.getLong(record, NodeRecord.NODE_INFO_OFFSET));
            assertEquals(each.guid(), NodeInfo.PORT_GUID.getLong(record, NodeRecord.NODE_INFO_OFFSET));
            assertEquals(each.number(), NodeInfo.LOCAL_PORT.get(record, NodeRecord.NODE_INFO_OFFSET));
        }
    }

    @Test
    void shouldFindOneNodeByItsComponents() {
        FabricPort wanted = subnet.fabric.find("h4").port(1);
        long byLid = NodeRecord.COMPONENTS.bit(NodeRecord.LID);
        ByteBuffer request = subnet.request(MadMethod.GET, SaAttribute.NODE_RECORD, byLid);
        NodeRecord.LID.set(request, AT, wanted.lid());
        ByteBuffer answer = subnet.answer(request);

        assertEquals(MadStatus.OK, AdministeredSubnet.status(answer));
        assertEquals(MadMethod.GET_RESPONSE, Mad.method(answer, 0));
        assertEquals(14, SaMad.ATTRIBUTE_OFFSET.get(answer, 0), "112 bytes in units of 8");
        assertEquals(wanted.guid(), NodeInfo.PORT_GUID.getLong(answer, AT + NodeRecord.NODE_INFO_OFFSET));

        request = subnet.request(MadMethod.GET, SaAttribute.NODE_RECORD, byLid);
        NodeRecord.LID.set(request, AT, 0xBFFF);
        assertEquals(MadStatus.SA_NO_RECORDS, AdministeredSubnet.status(subnet.answer(request)));
        request = subnet.request(MadMethod.GET, SaAttribute.NODE_RECORD, 0);
        assertEquals(MadStatus.SA_TOO_MANY_RECORDS, AdministeredSubnet.status(subnet.answer(request)));
    }

    @Test
    void shouldListPortsAndLinksAsTheyAreInTheFabric() {
        int ports = 0;
        int links = 0;
        for (ByteBuffer each : subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.PORT_INFO_RECORD, 0))) {
            FabricPort port = find(PortInfoRecord.LID.get(each, 0), PortInfoRecord.PORT.get(each, 0));
            ByteBuffer info = port.copyInfo();
            for (Field field : List.of(PortInfo.LID, PortInfo.SM_LID, PortInfo.STATE, PortInfo.NEIGHBOR_MTU, PortInfo.OPERATIONAL_VLS)) {
                assertEquals(field.getLong(info, 0), field.getLong(each, PortInfoRecord.PORT_INFO_OFFSET),
                    () -> port + " " + field.offset());
            }
            ports++;
        }
        for (ByteBuffer each : subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.LINK_RECORD, 0))) {
            FabricPort from = find(LinkRecord.FROM_LID.get(each, 0), LinkRecord.FROM_PORT.get(each, 0));
            assertEquals(find(LinkRecord.TO_LID.get(each, 0), LinkRecord.TO_PORT.get(each, 0)), from.peer());
            links++;
        }
        int all = 0;
        for (FabricNode node : subnet.fabric.nodes()) {
            all += node.isSwitch() ? node.ports() + 1 : 1;
        }
        assertEquals(all, ports);
        assertEquals(2 * subnet.fabric.cables().size(), links);
    }

    private FabricPort find(int lid, int number) {
        return subnet.ends().stream().filter(each -> each.lid() == lid).findFirst().orElseThrow().node().port(number);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "0.05, 1", "0.05, 7", "0, 1000"})
    void shouldSendALongTableInSegmentsWhateverIsLost(double loses, int window) {
        ByteBuffer request = subnet.request(MadMethod.GET_TABLE, SaAttribute.PATH_RECORD, 0);
        Set<List<Integer>> pairs = new HashSet<>();
        for (ByteBuffer each : subnet.table(request, new SplittableRandom(window), loses, window)) {
            assertTrue(pairs.add(List.of(PathRecord.SLID.get(each, 0), PathRecord.DLID.get(each, 0))));
        }
        int ends = subnet.ends().size();
        assertEquals(ends * ends, pairs.size());
        assertEquals(1, counter(SaCounter.SA_SEGMENTED_ANSWERS));
        assertEquals(loses > 0, counter(SaCounter.SA_SEGMENTS_REPEATED) > 0);
        assertEquals(0, counter(SaCounter.SA_ANSWERS_ABORTED));
    }

    @Test
    void shouldGiveUpAClientThatDoesNotAcknowledge() {
        subnet.send(subnet.request(MadMethod.GET_TABLE, SaAttribute.NODE_RECORD, 0));
        subnet.run(60 * SECOND);
        List<Integer> types = subnet.received.stream().map(each -> Rmpp.TYPE.get(each.mad(), 0)).toList();

        assertEquals(List.of(Rmpp.TYPE_DATA, Rmpp.TYPE_DATA, Rmpp.TYPE_DATA, Rmpp.TYPE_DATA, Rmpp.TYPE_ABORT), types);
        assertEquals(Rmpp.STATUS_TOO_MANY_RETRIES, Rmpp.STATUS.get(subnet.received.getLast().mad(), 0));
        assertEquals(1, counter(SaCounter.SA_ANSWERS_ABORTED));
    }

    /** Statuses of IBA vol 1 §13.6.2.2: 123 for a segment that was not sent, 122 for a window that ends before it. */
    @ParameterizedTest
    @CsvSource({"2, 9, 123", "1, 0, 122"})
    void shouldAbortAfterAnImpossibleAcknowledgement(int segment, int windowLast, int status) {
        subnet.send(subnet.request(MadMethod.GET_TABLE, SaAttribute.NODE_RECORD, 0));
        ByteBuffer first = subnet.received.remove().mad();
        subnet.acknowledge(first, segment, windowLast);
        ByteBuffer abort = subnet.received.remove().mad();

        assertEquals(Rmpp.TYPE_ABORT, Rmpp.TYPE.get(abort, 0));
        assertEquals(status, Rmpp.STATUS.get(abort, 0));
        subnet.acknowledge(first, 1, 2);
        assertNull(subnet.received.poll());
        assertEquals(1, counter(SaCounter.DROP_SA_NO_TRANSFER));
    }

    // ---- paths ----

    @Test
    void shouldGiveThePathThatTheTablesHave() {
        FabricPort from = subnet.fabric.find("h2").port(1);
        FabricPort to = subnet.fabric.find("h7").port(1);
        ByteBuffer answer = subnet.answer(path(from, to, 0));

        assertEquals(MadStatus.OK, AdministeredSubnet.status(answer));
        assertEquals(to.lid(), PathRecord.DLID.get(answer, AT));
        assertEquals(from.lid(), PathRecord.SLID.get(answer, AT));
        assertEquals(to.guid(), PathRecord.DGID_LOW.getLong(answer, AT));
        // As opensm answers on ibsim's nets, whose MTU is 2048: selector "exactly" and 4096 bytes, 10 Gbit/s, life time 18; reversible.
        assertEquals(0x85, answer.get(AT + 54) & 0xFF);
        assertEquals(0x83, answer.get(AT + 55) & 0xFF);
        assertEquals(0x92, answer.get(AT + 56) & 0xFF);
        assertEquals(0x80, answer.get(AT + 49) & 0xFF);
        assertEquals(0xFFFF, PathRecord.PKEY.get(answer, AT));
    }

    private ByteBuffer path(FabricPort from, FabricPort to, long further) {
        ByteBuffer request = subnet.request(MadMethod.GET, SaAttribute.PATH_RECORD,
            PathRecord.COMPONENTS.bits(PathRecord.SGID_HIGH, PathRecord.DGID_HIGH) | further);
        PathRecord.SGID_HIGH.set(request, AT, PREFIX);
        PathRecord.SGID_LOW.set(request, AT, from.guid());
        PathRecord.DGID_HIGH.set(request, AT, PREFIX);
        PathRecord.DGID_LOW.set(request, AT, to.guid());
        return request;
    }

    @ParameterizedTest
    @CsvSource({"0, 4, 5", "0, 5, 0", "1, 5, 4", "1, 6, 5", "2, 2, 2", "2, 6, 0", "3, 1, 5"})
    void shouldMakeAPathOf4096BytesAsTheClientWantsIt(int selector, int wanted, int mtu) {
        ByteBuffer request = path(subnet.client, subnet.at, PathRecord.COMPONENTS.bits(PathRecord.MTU_SELECTOR, PathRecord.MTU));
        PathRecord.MTU_SELECTOR.set(request, AT, selector);
        PathRecord.MTU.set(request, AT, wanted);
        ByteBuffer answer = subnet.answer(request);

        assertEquals(mtu == 0 ? MadStatus.SA_NO_RECORDS : MadStatus.OK, AdministeredSubnet.status(answer));
        assertEquals(mtu, PathRecord.MTU.get(answer, AT));
    }

    @Test
    void shouldHaveNoPathToAPortThatIsGone() {
        FabricPort gone = subnet.fabric.find("h5").port(1);
        Cable cable = gone.cable();
        subnet.fabric.pull(cable, subnet.nowNs());
        subnet.run(20 * SECOND);

        assertEquals(MadStatus.SA_NO_RECORDS, AdministeredSubnet.status(subnet.answer(path(subnet.client, gone, 0))));
    }

    /** The tables are compared with those that the switches forward by. */
    @Test
    void shouldListTheForwardingTablesThatSwitchesHave() {
        assertEquals(MadStatus.OK, AdministeredSubnet.status(join("h1", 5)));
        int mlid = McMemberRecord.MLID.get(join("h9", 5), AT);
        subnet.run(SECOND);
        Set<FabricPort> listed = new HashSet<>();
        for (ByteBuffer each : subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.LINEAR_FORWARDING_RECORD, 0))) {
            FabricPort at = find(TableRecord.LID.get(each, 0), 0);
            FabricSwitch node = (FabricSwitch) at.node();
            assertEquals(0, TableRecord.BLOCK.get(each, 0));
            for (int lid = 0; lid < LinearForwardingBlock.ENTRIES; lid++) {
                assertEquals(node.outputPort(lid), LinearForwardingBlock.get(each, TableRecord.BLOCK_OFFSET, lid), node + " " + lid);
            }
            listed.add(at);
        }
        assertEquals(subnet.ends().stream().filter(each -> each.node().isSwitch()).count(), listed.size());

        int members = 0;
        for (ByteBuffer each : subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.MULTICAST_FORWARDING_RECORD, 0))) {
            FabricSwitch node = (FabricSwitch) find(TableRecord.LID.get(each, 0), 0).node();
            assertEquals(0, TableRecord.MULTICAST_BLOCK.get(each, 0));
            int first = TableRecord.POSITION.get(each, 0) * MulticastForwardingBlock.PORTS;
            int bits = MulticastForwardingBlock.get(each, TableRecord.BLOCK_OFFSET, mlid - 0xC000);
            for (int i = 0; i < MulticastForwardingBlock.PORTS && first + i <= node.ports(); i++) {
                assertEquals(node.isGroupPort(mlid, first + i), (bits >>> i & 1) != 0, node + " " + (first + i));
            }
            members += Integer.bitCount(bits);
        }
        assertEquals(6, members, "by three switches, in and out of each");
    }

    /** P_Key tables are secret: saquery has to give the SM_Key. */
    @Test
    void shouldListPkeysForTrustedRequestsOnly() {
        ByteBuffer request = subnet.request(MadMethod.GET_TABLE, SaAttribute.PKEY_TABLE_RECORD, 0);
        assertEquals(MadStatus.SA_REQUEST_INVALID, statusOf(request));
        request = subnet.request(MadMethod.GET_TABLE, SaAttribute.PKEY_TABLE_RECORD, 0);
        SaMad.SM_KEY.set(request, 0, 1);
        List<ByteBuffer> records = subnet.table(request);
        assertEquals(subnet.ends().size(), records.size());
        for (ByteBuffer each : records) {
            FabricPort port = find(TableRecord.LID.get(each, 0), TableRecord.PKEY_PORT.get(each, 0));
            for (int i = 0; i < PKeyBlock.ENTRIES; i++) {
                assertEquals(port.pkey(i), PKeyBlock.get(each, TableRecord.BLOCK_OFFSET, i), port + " " + i);
            }
        }
    }

    // ---- groups ----

    private ByteBuffer member(int method, FabricPort port, long mgidLow, int state, long mask) {
        ByteBuffer request = subnet.request(method, SaAttribute.MC_MEMBER_RECORD, mask);
        McMemberRecord.MGID_HIGH.set(request, AT, MGID_HIGH);
        McMemberRecord.MGID_LOW.set(request, AT, mgidLow);
        McMemberRecord.PORT_GID_HIGH.set(request, AT, PREFIX);
        McMemberRecord.PORT_GID_LOW.set(request, AT, port.guid());
        McMemberRecord.JOIN_STATE.set(request, AT, state);
        McMemberRecord.PKEY.set(request, AT, 0xFFFF);
        McMemberRecord.QKEY.set(request, AT, 0x1234);
        return request;
    }

    private ByteBuffer join(String node, long mgidLow) {
        return subnet.answer(member(MadMethod.SET, subnet.fabric.find(node).port(1), mgidLow, 1, CREATES));
    }

    /** The group is there before any member, with the values that opensm gives it. */
    @Test
    void shouldHaveTheBroadcastGroup() {
        List<ByteBuffer> records = subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.MC_MEMBER_RECORD, 0));

        assertEquals(1, records.size());
        ByteBuffer record = records.getFirst();
        assertEquals(MGID_HIGH, McMemberRecord.MGID_HIGH.getLong(record, 0));
        assertEquals(0xFFFF_FFFFL, McMemberRecord.MGID_LOW.getLong(record, 0));
        assertEquals(0xC000, McMemberRecord.MLID.get(record, 0));
        assertEquals(0x84, record.get(38) & 0xFF);
        assertEquals(0x83, record.get(42) & 0xFF);
        ByteBuffer joined = subnet.answer(member(MadMethod.SET, subnet.client, 0xFFFF_FFFFL, 1, MEMBER));
        assertEquals(MadStatus.OK, AdministeredSubnet.status(joined));
        assertEquals(0x0B1B, McMemberRecord.QKEY.get(joined, AT));
        assertEquals(1, McMemberRecord.JOIN_STATE.get(joined, AT));
    }

    /** A packet of each member reaches each other one once, by the tables that the switches have. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldLeadPacketsOfAGroupToItsMembersOnly(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Set<FabricPort> members = new HashSet<>();
        int mlid = 0;
        for (int i = 1; i <= 9; i++) {
            if (random.nextInt(3) > 0 || i == 9) {
                ByteBuffer joined = join("h" + i, seed);
                assertEquals(MadStatus.OK, AdministeredSubnet.status(joined), "h" + i);
                mlid = McMemberRecord.MLID.get(joined, AT);
                members.add(subnet.fabric.find("h" + i).port(1));
            }
        }
        subnet.run(SECOND);
        assertReach(mlid, members);

        FabricPort left = members.iterator().next();
        members.remove(left);
        ByteBuffer answer = subnet.answer(member(MadMethod.DELETE, left, seed, 1, MEMBER));
        assertEquals(MadStatus.OK, AdministeredSubnet.status(answer));
        assertEquals(MadMethod.DELETE_RESPONSE, Mad.method(answer, 0));
        assertEquals(0, McMemberRecord.JOIN_STATE.get(answer, AT));
        subnet.run(SECOND);
        assertReach(mlid, members);
    }

    private static void assertReach(int mlid, Set<FabricPort> members) {
        for (FabricPort from : members) {
            Map<FabricPort, Integer> reached = new HashMap<>();
            ArrayDeque<FabricPort> arrivals = new ArrayDeque<>(List.of(from.peer()));
            while (!arrivals.isEmpty()) {
                FabricPort in = arrivals.remove();
                if (in.node() instanceof FabricSwitch node) {
                    for (int i = 1; i <= node.ports(); i++) {
                        if (node.isGroupPort(mlid, i) && i != in.number() && node.port(i).peer() != null) {
                            arrivals.add(node.port(i).peer());
                        }
                    }
                } else {
                    reached.merge(in, 1, Integer::sum);
                }
                assertTrue(arrivals.size() < 1000, "a loop");
            }
            Map<FabricPort, Integer> expected = new HashMap<>();
            members.stream().filter(each -> each != from).forEach(each -> expected.put(each, 1));
            assertEquals(expected, reached);
        }
    }

    @Test
    void shouldEndAGroupWithItsLastFullMember() {
        join("h2", 5);
        ByteBuffer listens = subnet.answer(member(MadMethod.SET, subnet.fabric.find("h3").port(1), 5, McMemberRecord.NON_MEMBER, MEMBER));
        assertEquals(MadStatus.OK, AdministeredSubnet.status(listens));
        assertEquals(3, subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.MC_MEMBER_RECORD, 0)).size());
        subnet.answer(member(MadMethod.DELETE, subnet.fabric.find("h2").port(1), 5, 1, MEMBER));

        assertEquals(1, subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.MC_MEMBER_RECORD, 0)).size());
        assertEquals(1, counter(SaCounter.SA_GROUPS_CREATED));
    }

    @Test
    void shouldRefuseJoinsThatCannotBe() {
        FabricPort port = subnet.client;
        assertEquals(MadStatus.SA_INSUFFICIENT_COMPONENTS, statusOf(member(MadMethod.SET, port, 9, 1, 0)));
        assertEquals(MadStatus.SA_INSUFFICIENT_COMPONENTS, statusOf(member(MadMethod.SET, port, 9, 1, MEMBER)), "no such group yet");
        assertEquals(MadStatus.SA_REQUEST_INVALID, statusOf(member(MadMethod.SET, port, 9, 0, CREATES)));
        assertEquals(MadStatus.SA_REQUEST_INVALID, statusOf(member(MadMethod.SET, port, 9, McMemberRecord.NON_MEMBER, CREATES)));
        ByteBuffer stranger = member(MadMethod.SET, port, 9, 1, CREATES);
        McMemberRecord.PORT_GID_LOW.set(stranger, AT, 42);
        assertEquals(MadStatus.SA_INVALID_GID, statusOf(stranger));
        ByteBuffer unicast = member(MadMethod.SET, port, 9, 1, CREATES);
        McMemberRecord.MGID_HIGH.set(unicast, AT, PREFIX);
        assertEquals(MadStatus.SA_REQUEST_INVALID, statusOf(unicast));
        join("h1", 9);
        ByteBuffer other = member(MadMethod.SET, port, 9, 1, CREATES);
        McMemberRecord.QKEY.set(other, AT, 1);
        assertEquals(MadStatus.SA_REQUEST_INVALID, statusOf(other), "another Q_Key than the group's");
        assertEquals(MadStatus.SA_REQUEST_INVALID, statusOf(member(MadMethod.DELETE, port, 9, 1, MEMBER)), "no member");
    }

    private int statusOf(ByteBuffer request) {
        return AdministeredSubnet.status(subnet.answer(request));
    }

    // ---- partitions ----

    @Test
    void shouldWritePartitionsAndOnlyOfferPathsWithinThem() {
        AdministeredSubnet plain = new AdministeredSubnet(Topologies.tree(4, 2, 1), "h1", "h2");
        long h2 = plain.fabric.find("h2").port(1).guid();
        long h3 = plain.fabric.find("h3").port(1).guid();
        AdministeredSubnet parted = new AdministeredSubnet(Topologies.tree(4, 2, 1), "h1", "h2",
            PartitionReader.read("Default=0x7fff, ipoib : ALL, SELF=full ; Blue=0x10, ipoib, mtu=3 : " + h2 + "=full, " + h3 + " ;"));
        FabricPort two = parted.fabric.find("h2").port(1);
        FabricPort three = parted.fabric.find("h3").port(1);
        FabricPort four = parted.fabric.find("h4").port(1);
        assertEquals(List.of(0x7FFF, 0x8010, 0), List.of(two.pkey(0), two.pkey(1), two.pkey(2)));
        assertEquals(List.of(0x7FFF, 0x0010), List.of(three.pkey(0), three.pkey(1)));
        assertEquals(List.of(0xFFFF, 0), List.of(parted.at.pkey(0), parted.at.pkey(1)));

        assertEquals(0x8010, pkeyOf(parted, two, three, 0));
        assertEquals(0xFFFF, pkeyOf(parted, two, parted.at, 0));
        assertEquals(0, pkeyOf(parted, two, four, 0), "limited members only");
        assertEquals(0, pkeyOf(parted, two, parted.at, 0x10));
        List<ByteBuffer> groups = parted.table(parted.request(MadMethod.GET_TABLE, SaAttribute.MC_MEMBER_RECORD, 0));
        assertEquals(List.of(MGID_HIGH, 0xFF12_401B_8010_0000L),
            groups.stream().map(each -> McMemberRecord.MGID_HIGH.getLong(each, 0)).toList());
        assertEquals(0x83, groups.getLast().get(38) & 0xFF);
    }

    /** P_Key of the path, or 0 without one. */
    private static int pkeyOf(AdministeredSubnet subnet, FabricPort from, FabricPort to, int wanted) {
        ByteBuffer request = subnet.request(MadMethod.GET, SaAttribute.PATH_RECORD, PathRecord.COMPONENTS.bits(PathRecord.SLID,
            PathRecord.DLID) | (wanted == 0 ? 0 : PathRecord.COMPONENTS.bit(PathRecord.PKEY)));
        PathRecord.SLID.set(request, AT, from.lid());
        PathRecord.DLID.set(request, AT, to.lid());
        PathRecord.PKEY.set(request, AT, wanted);
        ByteBuffer answer = subnet.answer(request);
        return AdministeredSubnet.status(answer) == MadStatus.OK ? PathRecord.PKEY.get(answer, AT) : 0;
    }

    // ---- services ----

    @Test
    void shouldKeepAServiceForItsLease() {
        long mask = ServiceRecord.COMPONENTS.bits(ServiceRecord.SERVICE_ID, ServiceRecord.GID_HIGH, ServiceRecord.PKEY,
            ServiceRecord.LEASE);
        ByteBuffer request = subnet.request(MadMethod.SET, SaAttribute.SERVICE_RECORD, mask);
        ServiceRecord.SERVICE_ID.set(request, AT, 77);
        ServiceRecord.GID_HIGH.set(request, AT, PREFIX);
        ServiceRecord.GID_LOW.set(request, AT, subnet.client.guid());
        ServiceRecord.LEASE.set(request, AT, 5);
        assertEquals(MadStatus.OK, statusOf(request));
        List<ByteBuffer> records = subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.SERVICE_RECORD, 0));
        assertEquals(77, ServiceRecord.SERVICE_ID.getLong(records.getFirst(), 0));
        subnet.run(6 * SECOND);

        assertEquals(List.of(), subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.SERVICE_RECORD, 0)));
        ByteBuffer delete = ManagementPacket.copyOf(request);
        delete.put(Mad.METHOD_OFFSET, (byte) MadMethod.DELETE);
        assertEquals(MadStatus.SA_NO_RECORDS, statusOf(delete));
    }

    // ---- reports ----

    private ByteBuffer inform(int subscribe, int trap) {
        ByteBuffer request = subnet.request(MadMethod.SET, SaAttribute.INFORM_INFO, 0);
        InformInfo.LID_FIRST.set(request, AT, InformInfo.ALL);
        InformInfo.GENERIC.set(request, AT, 1);
        InformInfo.SUBSCRIBE.set(request, AT, subscribe);
        InformInfo.TYPE.set(request, AT, InformInfo.ALL);
        InformInfo.TRAP.set(request, AT, trap);
        InformInfo.PRODUCER.set(request, AT, InformInfo.ALL_PRODUCERS);
        return request;
    }

    /** Waits for a report and confirms it, before it is repeated. */
    private ByteBuffer report(int trap) {
        for (int i = 0; i < 100 && subnet.received.isEmpty(); i++) {
            subnet.run(SECOND / 20);
        }
        ManagementPacket packet = subnet.received.poll();
        assertNotNull(packet, "no report");
        assertEquals(MadMethod.REPORT, packet.method());
        assertEquals(SaAttribute.NOTICE, packet.attribute());
        assertEquals(trap, Notice.TRAP.get(packet.mad(), AT));
        ByteBuffer confirmation = ManagementPacket.copyOf(packet.mad());
        confirmation.put(Mad.METHOD_OFFSET, (byte) MadMethod.REPORT_RESPONSE);
        subnet.send(confirmation);
        return packet.mad();
    }

    @Test
    void shouldReportPortsThatComeAndGo() {
        assertEquals(MadStatus.OK, statusOf(inform(1, Notice.TRAP_GID_OUT_OF_SERVICE)));
        assertEquals(MadStatus.OK, statusOf(inform(1, Notice.TRAP_GID_IN_SERVICE)));
        assertEquals(2, subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.INFORM_INFO_RECORD, 0)).size());
        FabricPort port = subnet.fabric.find("h5").port(1);
        Cable cable = port.cable();
        subnet.fabric.pull(cable, subnet.nowNs());
        assertEquals(port.guid(), Notice.GID_LOW.getLong(report(65), AT));
        subnet.fabric.plug(cable, subnet.nowNs());
        assertEquals(port.guid(), Notice.GID_LOW.getLong(report(64), AT));
        subnet.run(10 * SECOND);

        assertNull(subnet.received.poll(), "confirmed reports are not repeated");
        assertEquals(2, counter(SaCounter.SA_REPORTS));
    }

    @Test
    void shouldRepeatAReportThatIsNotConfirmedAndThenGiveUp() {
        statusOf(inform(1, Notice.TRAP_GROUP_CREATED));
        join("h2", 5);
        subnet.run(20 * SECOND);
        List<Integer> methods = subnet.received.stream().map(ManagementPacket::method).toList();

        assertEquals(List.of(MadMethod.REPORT, MadMethod.REPORT, MadMethod.REPORT), methods);
        assertEquals(5, Notice.GID_LOW.getLong(subnet.received.getFirst().mad(), AT));
    }

    @Test
    void shouldForwardTrapsAndEndASubscription() {
        statusOf(inform(1, Notice.TRAP_LINK_STATE));
        subnet.fabric.pull(subnet.fabric.find("h5").port(1).cable(), subnet.nowNs());
        ByteBuffer notice = report(128);
        assertEquals(Notice.LID.get(notice, AT), Notice.ISSUER_LID.get(notice, AT));
        subnet.received.clear();
        assertEquals(MadStatus.OK, statusOf(inform(0, Notice.TRAP_LINK_STATE)));
        assertEquals(MadStatus.SA_REQUEST_INVALID, statusOf(inform(0, Notice.TRAP_LINK_STATE)), "no such subscription");
        subnet.fabric.plug(subnet.fabric.find("h5").port(1).cable(), subnet.nowNs());
        subnet.run(5 * SECOND);
        assertNull(subnet.received.poll());
    }

    // ---- hostile ----

    @Test
    void shouldDropWhatItDoesNotServeByName() {
        ByteBuffer version = subnet.request(MadMethod.GET, SaAttribute.NODE_RECORD, 0);
        version.put(Mad.CLASS_VERSION_OFFSET, (byte) 1);
        subnet.send(version);
        assertEquals(1, counter(SaCounter.DROP_SA_MALFORMED));
        ByteBuffer key = subnet.request(MadMethod.GET, SaAttribute.NODE_RECORD, 0);
        SaMad.SM_KEY.set(key, 0, 666);
        subnet.send(key);
        assertEquals(1, counter(SaCounter.DROP_SA_BAD_KEY));
        ByteBuffer segmented = subnet.request(MadMethod.GET_MULTI, SaAttribute.PATH_RECORD, 0);
        Rmpp.put(segmented, 0, Rmpp.TYPE_DATA, Rmpp.FLAG_ACTIVE | Rmpp.FLAG_FIRST, 0, 1, 400);
        subnet.send(segmented);
        assertEquals(1, counter(SaCounter.DROP_SA_SEGMENTED_REQUEST));
        assertNull(subnet.received.poll());
        assertEquals(MadStatus.UNSUPPORTED_METHOD, statusOf(subnet.request(MadMethod.GET_MULTI, SaAttribute.PATH_RECORD, 0)));
        assertEquals(MadStatus.UNSUPPORTED_ATTRIBUTE, statusOf(subnet.request(MadMethod.GET, SaAttribute.GUID_INFO_RECORD, 0)));
    }

    /** More transfers than there is room for: the first ones go on. */
    @Test
    void shouldBoundTheTransfersOfAFlood() {
        for (int i = 0; i < 200; i++) {
            subnet.send(subnet.request(MadMethod.GET_TABLE, SaAttribute.NODE_RECORD, 0));
        }
        assertEquals(200 - SegmentedAnswers.MAX_TRANSFERS, counter(SaCounter.DROP_SA_QUEUE_FULL));
        subnet.run(60 * SECOND);
        subnet.received.clear();
        assertEquals(subnet.ends().size(), subnet.table(subnet.request(MadMethod.GET_TABLE, SaAttribute.NODE_RECORD, 0)).size());
    }
}
