// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.partition.PartitionReader;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.McMemberRecord;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;

class IpoibInterfaceTest {
    private static final long SECOND = IpoibSubnet.SECOND;
    private static final int UDP = 17;
    /** Of the broadcast group; the second group has the next one. */
    private static final int MLID = 0xC000;

    private final IpoibSubnet subnet = new IpoibSubnet(4, 1);
    private final IpoibSubnet.Host one = subnet.hosts.get("h1");
    private final IpoibSubnet.Host two = subnet.hosts.get("h2");
    private final IpoibSubnet.Host three = subnet.hosts.get("h3");

    static Gid ip(String text) {
        return Gid.parseWireText(text.contains(":") ? expand(text) : mapped(text));
    }

    private static String mapped(String text) {
        StringBuilder hex = new StringBuilder("00000000000000000000ffff");
        for (String each : text.split("\\.")) {
            hex.append(String.format("%02x", Integer.parseInt(each)));
        }
        return hex.toString();
    }

    /** Of texts with one "::". */
    private static String expand(String text) {
        String[] halves = text.split("::", -1);
        String first = groups(halves[0]);
        String last = groups(halves[1]);
        return first + "0".repeat(32 - first.length() - last.length()) + last;
    }

    private static String groups(String text) {
        StringBuilder hex = new StringBuilder();
        for (String each : text.split(":")) {
            hex.append(each.isEmpty() ? "" : "0".repeat(4 - each.length()) + each);
        }
        return hex.toString();
    }

    static ByteBuffer packet(String from, String to, int payload) {
        Gid source = ip(from);
        Gid destination = ip(to);
        boolean ipv4 = source.isIpv4Mapped();
        ByteBuffer packet = ByteBuffer.allocate((ipv4 ? Ipv4.LENGTH : Ipv6.LENGTH) + payload);
        if (ipv4) {
            Ipv4.put(packet, 0, 0, packet.capacity(), 1, true, 64, UDP, source.ipv4(), destination.ipv4());
        } else {
            Ipv6.put(packet, 0, 0, 0, payload, UDP, 64, source.high(), source.low(), destination.high(), destination.low());
        }
        for (int i = packet.capacity() - payload; i < packet.capacity(); i++) {
            packet.put(i, (byte) (i * 7));
        }
        return packet;
    }

    private void address(String prefix) {
        int number = 1;
        for (IpoibSubnet.Host each : subnet.hosts.values()) {
            boolean ipv6 = prefix.contains(":");
            each.ip.setAddresses(List.of(new Prefix(ip(prefix + number++), ipv6 ? 64 : 24)), subnet.nowNs());
        }
        subnet.run(2 * SECOND);
    }

    private static long count(IpoibSubnet.Host host, IpoibCounter counter) {
        return host.ip.counters().get(counter);
    }

    /** MTU of the broadcast group that opensm makes: 2048 bytes. */
    @Test
    void shouldComeUpWithTheBroadcastGroup() {
        assertFalse(one.ip.isUp());
        assertEquals(0, one.ip.mtu());
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        assertEquals(1, count(one, IpoibCounter.DROP_IPOIB_DOWN));
        address("10.9.0.");
        assertTrue(subnet.hosts.values().stream().allMatch(each -> each.ip.isUp() && each.ip.mtu() == 2044));
    }

    /** The partition's broadcast group has its P_Key in the MGID, and an MTU of its own. */
    @Test
    void shouldConnectTheMembersOfAPartition() {
        IpoibSubnet parted = new IpoibSubnet(3, 1, PartitionReader.read("Default=0x7fff : ALL ; Blue=0x12, ipoib, mtu=5, Q_Key=0x77 : "
            + "0x2500000100001=full, 0x2500000100003=full ;"), 0x8012);
        int number = 1;
        for (IpoibSubnet.Host each : parted.hosts.values()) {
            each.ip.setAddresses(List.of(new Prefix(ip("10.9.0." + number++), 24)), 0);
        }
        parted.run(2 * SECOND);
        IpoibSubnet.Host first = parted.hosts.get("h1");
        IpoibSubnet.Host second = parted.hosts.get("h2");
        assertEquals(4092, first.ip.mtu());
        first.send(packet("10.9.0.1", "10.9.0.2", 4072));
        parted.run(SECOND);
        assertEquals(1, second.received.size());
        assertEquals(new Gid(0xFF12_401B_8012_0000L, 0xFFFF_FFFFL), parted.sent.getFirst().group());
        assertEquals(0x77, parted.sent.getFirst().qkey());
        assertFalse(parted.hosts.get("h3").ip.isUp(), "it is no member");
    }

    @ParameterizedTest
    @CsvSource({"10.9.0., 2024", "10.9.0., 0", "fd09::, 2004", "fd09::, 8"})
    void shouldFindNeighboursOnceAndCarryPackets(String prefix, int payload) {
        address(prefix);
        ByteBuffer packet = packet(prefix + 1, prefix + 2, payload);
        one.send(packet);
        one.send(packet(prefix + 1, prefix + 2, payload / 2));
        subnet.run(SECOND);
        assertEquals(2, two.received.size());
        assertArrayEquals(packet.array(), two.received.getFirst().array());
        assertEquals(1, count(one, IpoibCounter.IPOIB_SOLICITATIONS));
        assertEquals(1, count(two, IpoibCounter.IPOIB_ANSWERS));
        assertTrue(three.received.isEmpty());

        two.send(packet(prefix + 2, prefix + 1, payload));
        one.send(packet);
        subnet.run(SECOND);
        assertEquals(3, two.received.size());
        assertEquals(1, one.received.size());
        assertEquals(0, count(two, IpoibCounter.IPOIB_SOLICITATIONS), "it knows the address of who asked");
        assertEquals(1, count(one, IpoibCounter.IPOIB_SOLICITATIONS));
    }

    /** Layouts of RFC 4391 §9.2 and RFC 826; the QPN of a sender is 24 bits behind the flags. */
    @Test
    void shouldAskByAnArpMessageOfTheStandardsForm() {
        address("10.9.0.");
        subnet.sent.clear();
        one.send(packet("10.9.0.1", "10.9.0.3", 8));
        subnet.run(SECOND);
        Datagram request = subnet.sent.getFirst();
        String own = String.format("00%06x", one.qpn) + "fe80000000000000" + HexFormat.of().toHexDigits(one.port.guid());
        assertEquals("08060000" + "0020" + "0800" + "14" + "04" + "0001" + own + "0a090001" + "00".repeat(20) + "0a090003",
            HexFormat.of().formatHex(request.payload().array()));
        assertEquals(new Gid(0xFF12_401B_FFFF_0000L, 0xFFFF_FFFFL), request.group());
        assertEquals(0xC000, request.lid());
        assertEquals(0xFFFFFF, request.qpn());
        assertEquals(0x0B1B, request.qkey());
        Datagram reply = subnet.sent.get(1);
        String other = String.format("00%06x", three.qpn) + "fe80000000000000" + HexFormat.of().toHexDigits(three.port.guid());
        assertEquals("08060000" + "0020" + "0800" + "14" + "04" + "0002" + other + "0a090003" + own + "0a090001",
            HexFormat.of().formatHex(reply.payload().array()));
        assertEquals(one.port.lid(), reply.lid());
        assertEquals(one.qpn, reply.qpn());
    }

    /** Layouts of RFC 4861 §4.3 and RFC 4391 §9.3; the checksum is that of RFC 4443, added up here by hand. */
    @Test
    void shouldAskByASolicitationOfTheStandardsForm() {
        address("fd09::");
        subnet.sent.clear();
        one.send(packet("fd09::1", "fd09::3", 8));
        subnet.run(SECOND);
        Datagram solicitation = subnet.sent.getFirst();
        assertEquals(new Gid(0xFF12_601B_FFFF_0000L, 0x1_FF00_0003L), solicitation.group());
        String source = "fd090000000000000000000000000001";
        String group = "ff0200000000000000000001ff000003";
        String message = "fd090000000000000000000000000003" + "0103" + "0000" + String.format("00%06x", one.qpn) + "fe80000000000000"
            + HexFormat.of().toHexDigits(one.port.guid());
        long sum = 0;
        String summed = source + group + "0030" + "003a" + "8700" + "00000000" + message;
        for (int i = 0; i < summed.length(); i += 4) {
            sum += Integer.parseInt(summed.substring(i, i + 4), 16);
        }
        int checksum = (int) ~(sum % 0xFFFF) & 0xFFFF;
        assertEquals("86dd0000" + "60000000" + "0030" + "3a" + "ff" + source + group + "8700" + String.format("%04x", checksum) + "00000000"
            + message, HexFormat.of().formatHex(solicitation.payload().array()));
    }

    @ParameterizedTest
    @CsvSource({"10.9.0., 224.0.0.1", "10.9.0., 255.255.255.255", "10.9.0., 10.9.0.255", "fd09::, ff02::1"})
    void shouldReachAllInterfacesByBroadcastAndMulticast(String prefix, String destination) {
        address(prefix);
        ByteBuffer packet = packet(prefix + 2, destination, 100);
        two.send(packet);
        subnet.run(SECOND);
        for (IpoibSubnet.Host each : subnet.hosts.values()) {
            assertEquals(each == two ? 0 : 1, each.received.size(), each.port.toString());
        }
        assertArrayEquals(packet.array(), three.received.getFirst().array());
    }

    /** MGIDs of RFC 4391 §4: the low 28 bits of an IPv4 group, the low 80 bits of an IPv6 group. */
    @Test
    void shouldDropPacketsToAGroupThatNobodyReceives() {
        address("10.9.0.");
        one.send(packet("10.9.0.1", "239.129.2.3", 8));
        subnet.run(SECOND);
        assertEquals(1, count(one, IpoibCounter.DROP_IPOIB_NO_GROUP));
        assertEquals(1, count(one, IpoibCounter.IPOIB_SA_REFUSED));
        Groups groups = new Groups(new Gid(0, 1), 0x8012, null, null, null, null);
        assertEquals(new Gid(0xFF12_401B_8012_0000L, 0xF810203L), groups.of(ip("239.129.2.3")));
        assertEquals(new Gid(0xFF12_601B_8012_ABCDL, 0x1122_3344_5566_7788L), groups.of(ip("ff05:1111:2222:abcd:1122:3344:5566::7788")));
    }

    @Test
    void shouldGiveUpANeighbourThatDoesNotAnswer() {
        address("10.9.0.");
        for (int i = 0; i < Neighbours.MAX_WAITING + 2; i++) {
            one.send(packet("10.9.0.1", "10.9.0.77", 8));
        }
        assertEquals(2, count(one, IpoibCounter.DROP_IPOIB_QUEUE_FULL));
        subnet.run(4 * SECOND);
        assertEquals(3, count(one, IpoibCounter.IPOIB_SOLICITATIONS));
        assertEquals(Neighbours.MAX_WAITING, count(one, IpoibCounter.DROP_IPOIB_NO_NEIGHBOUR));
        one.send(packet("10.9.0.1", "192.0.2.1", 8));
        assertEquals(1, count(one, IpoibCounter.DROP_IPOIB_OFF_LINK));
    }

    /** A process that begins anew has another queue pair; its first request tells everyone. */
    @Test
    void shouldFollowANeighbourToItsNewQueuePair() {
        address("10.9.0.");
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        subnet.run(SECOND);
        two.restart(IpoibMode.DATAGRAM);
        two.ip.setAddresses(List.of(new Prefix(ip("10.9.0.2"), 24)), subnet.nowNs());
        subnet.run(2 * SECOND);
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        subnet.run(SECOND);
        assertEquals(1, two.received.size(), "to the old queue pair");
        two.send(packet("10.9.0.2", "10.9.0.3", 8));
        subnet.run(SECOND);
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        subnet.run(SECOND);
        assertEquals(2, two.received.size());
    }

    /** An address is confirmed after a minute, while packets go on; without an answer it is given up. */
    @Test
    void shouldConfirmAnAddressAfterAMinute() {
        address("10.9.0.");
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        subnet.run(61 * SECOND);
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        subnet.run(SECOND);
        assertEquals(2, two.received.size());
        assertEquals(2, count(one, IpoibCounter.IPOIB_SOLICITATIONS));
        two.ip.setAddresses(List.of(), subnet.nowNs());
        subnet.run(61 * SECOND);
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        subnet.run(4 * SECOND);
        assertEquals(5, count(one, IpoibCounter.IPOIB_SOLICITATIONS));
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        subnet.run(4 * SECOND);
        assertEquals(1, count(one, IpoibCounter.DROP_IPOIB_NO_NEIGHBOUR));
    }

    @Test
    void shouldJoinAgainWhenThePortComesBack() {
        address("10.9.0.");
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        subnet.run(SECOND);
        managedPull();
        subnet.run(SECOND);
        assertFalse(two.ip.isUp());
        subnet.managed.fabric().plug(two.port.cable(), subnet.nowNs());
        subnet.run(3 * SECOND);
        assertTrue(two.ip.isUp());
        two.send(packet("10.9.0.2", "10.9.0.1", 8));
        subnet.run(SECOND);
        assertEquals(1, one.received.size());
    }

    /** As Linux does it when a port is asked to register again: what is known stays until the answers come. */
    @Test
    void shouldStayUpWhileItJoinsGroupsAgain() {
        address("10.9.0.");
        registerAgain();
        assertTrue(one.ip.isUp());
        assertEquals(List.of("ff12401bffff000000000000ffffffff"), mgids(answer(0, MLID)), "255.255.255.255");
        assertEquals(List.of("ff12401bffff00000000000000000001"), mgids(answer(0, MLID + 1)), "224.0.0.1");
        assertTrue(one.ip.isUp());
        assertNull(one.ip.pollMembership(), "the queue pair stays attached");
        subnet.run(SECOND);
        one.send(packet("10.9.0.1", "10.9.0.2", 8));
        subnet.run(SECOND);
        assertEquals(1, two.received.size());
    }

    @Test
    void shouldAttachAgainWhenAGroupGotAnotherLid() {
        address("10.9.0.");
        registerAgain();
        answer(0, 0xC123);
        Membership before = one.ip.pollMembership();
        assertFalse(before.member());
        assertEquals(new Membership(before.group(), 0xC123, true), one.ip.pollMembership());
        assertNull(one.ip.pollMembership());
    }

    @Test
    void shouldGoDownWhenItIsNoMemberAnyMore() {
        address("10.9.0.");
        registerAgain();
        answer(MadStatus.SA_REQUEST_INVALID, 0);
        assertFalse(one.ip.isUp());
        assertFalse(one.ip.pollMembership().member());
        assertFalse(one.ip.pollMembership().member());
        assertNull(one.ip.pollMembership());
        subnet.run(6 * SECOND);
        assertTrue(one.ip.isUp(), "it tries again");
    }

    private void registerAgain() {
        one.ip.onPort(one.port.lid(), one.port.smLid(), 0, subnet.nowNs());
    }

    /** Answers the interface's requests to subnet administration, with that status and multicast LID, and an MTU of 2048 bytes. */
    private List<ManagementPacket> answer(int status, int mlid) {
        List<ManagementPacket> requests = new ArrayList<>();
        for (ManagementPacket each = one.ip.pollManagement(subnet.nowNs()); each != null; each = one.ip.pollManagement(subnet.nowNs())) {
            requests.add(each);
        }
        for (ManagementPacket each : requests) {
            ByteBuffer mad = ManagementPacket.copyOf(each.mad());
            mad.put(Mad.METHOD_OFFSET, (byte) MadMethod.GET_RESPONSE);
            mad.putShort(Mad.STATUS_OFFSET, (short) status);
            McMemberRecord.MLID.set(mad, SaMad.DATA_OFFSET, mlid);
            McMemberRecord.MTU.set(mad, SaMad.DATA_OFFSET, 4);
            one.ip.onManagement(each.reply(mad), subnet.nowNs());
        }
        return requests;
    }

    private static List<String> mgids(List<ManagementPacket> requests) {
        int at = SaMad.DATA_OFFSET;
        return requests.stream().map(each -> HexFormat.of().formatHex(each.mad().array(), at, at + 16)).toList();
    }

    private void managedPull() {
        subnet.managed.fabric().pull(two.port.cable(), subnet.nowNs());
    }

    /** A fifth of all datagrams and requests is lost: what is repeated by the sender arrives in the end. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldFindNeighboursWhilePacketsAreLost(long seed) {
        IpoibSubnet lossy = new IpoibSubnet(4, seed);
        lossy.loss = 0.2;
        int number = 1;
        for (IpoibSubnet.Host each : lossy.hosts.values()) {
            each.ip.setAddresses(List.of(new Prefix(ip("10.9.0." + number), 24), new Prefix(ip("fd09::" + number), 64)), 0);
            number++;
        }
        lossy.run(20 * SECOND);
        SplittableRandom random = new SplittableRandom(seed);
        for (IpoibSubnet.Host from : lossy.hosts.values()) {
            for (IpoibSubnet.Host to : lossy.hosts.values()) {
                String prefix = random.nextBoolean() ? "10.9.0." : "fd09::";
                int before = to.received.size();
                for (int i = 0; from != to && to.received.size() == before && i < 60; i++) {
                    from.send(packet(prefix + from.port.node().description().substring(1),
                        prefix + to.port.node().description().substring(1), 64));
                    lossy.run(SECOND);
                }
                assertTrue(from == to || to.received.size() > before, from.port + " to " + to.port);
            }
        }
    }

    @Test
    void shouldDropMalformedDatagramsByName() {
        address("fd09::");
        List<String> malformed = List.of("", "0800", "08060000", "080600000020080014040001",
            "0806000000010800" + "06040001" + "00".repeat(48), "0800000045", "86dd0000" + "60", "12340000",
            "08000000" + "45000015" + "00".repeat(16), "08000000" + "60000000" + "00".repeat(36));
        for (String each : malformed) {
            byte[] bytes = HexFormat.of().parseHex(each);
            one.ip.onDatagram(ByteBuffer.wrap(bytes), 0, bytes.length, two.port.lid(), two.qpn, subnet.nowNs());
        }
        assertEquals(malformed.size(), count(one, IpoibCounter.DROP_IPOIB_MALFORMED));
        one.send(packet("fd09::1", "fd09::2", 2005));
        one.send(ByteBuffer.wrap(new byte[60]));
        assertEquals(2, count(one, IpoibCounter.DROP_IPOIB_BAD_PACKET));
    }

    /** A solicitation that a router forwarded, one with another checksum, and one with a broken option teach nothing. */
    @Test
    void shouldNotBelieveForgedDiscovery() {
        address("fd09::");
        subnet.sent.clear();
        two.send(packet("fd09::2", "fd09::1", 8));
        subnet.run(SECOND);
        byte[] good = subnet.sent.getFirst().payload().array();
        long answers = count(one, IpoibCounter.IPOIB_ANSWERS);
        for (int change : new int[] {4 + 7, 4 + 40 + 1, 4 + 40 + 2, 4 + 40 + 20}) {
            byte[] bad = good.clone();
            bad[change] ^= 1;
            one.ip.onDatagram(ByteBuffer.wrap(bad), 0, bad.length, two.port.lid(), two.qpn, subnet.nowNs());
        }
        assertEquals(4, count(one, IpoibCounter.DROP_IPOIB_MALFORMED));
        assertEquals(answers, count(one, IpoibCounter.IPOIB_ANSWERS));
    }
}
