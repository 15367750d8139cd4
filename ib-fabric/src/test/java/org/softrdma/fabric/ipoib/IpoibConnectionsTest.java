// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.fabric.ipoib.IpoibInterfaceTest.ip;
import static org.softrdma.fabric.ipoib.IpoibInterfaceTest.packet;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ipoib.IpoibAddress;

/** Connected mode, RFC 4755. Hosts h1 to h3 are in it, h4 is in datagram mode. */
class IpoibConnectionsTest {
    private static final long SECOND = IpoibSubnet.SECOND;
    private static final int IPV4 = 20;
    /** 65,520 bytes of IP behind 4 bytes of header, as Linux writes it. */
    private static final String RECEIVE_MTU = "0000fff4";

    private final IpoibSubnet subnet = new IpoibSubnet(4, 1);
    private final IpoibSubnet.Host one = subnet.hosts.get("h1");
    private final IpoibSubnet.Host two = subnet.hosts.get("h2");
    private final IpoibSubnet.Host three = subnet.hosts.get("h3");
    private final IpoibSubnet.Host four = subnet.hosts.get("h4");

    @BeforeEach
    void begin() {
        int number = 1;
        for (IpoibSubnet.Host each : subnet.hosts.values()) {
            each.restart(each == four ? IpoibMode.DATAGRAM : IpoibMode.CONNECTED);
            address(each, number++);
        }
        subnet.run(2 * SECOND);
    }

    private void address(IpoibSubnet.Host host, int number) {
        host.ip.setAddresses(List.of(new Prefix(ip("10.9.0." + number), 24), new Prefix(ip("fd09::" + number), 64)), subnet.nowNs());
    }

    private static long count(IpoibSubnet.Host host, IpoibCounter counter) {
        return host.ip.counters().get(counter);
    }

    private static ByteBuffer ofOneToTwo(int payload) {
        return packet("10.9.0.1", "10.9.0.2", payload);
    }

    private static String hex(ByteBuffer bytes) {
        return HexFormat.of().formatHex(bytes.array());
    }

    @ParameterizedTest
    @CsvSource({"10.9.0., 65500", "10.9.0., 0", "fd09::, 65480", "fd09::, 8"})
    void shouldCarryPacketsByAConnection(String prefix, int payload) {
        assertEquals(65_520, one.ip.mtu());
        assertEquals(2044, four.ip.mtu());
        subnet.sent.clear();
        ByteBuffer packet = packet(prefix + 1, prefix + 2, payload);
        one.send(packet);
        one.send(packet(prefix + 1, prefix + 2, payload / 2));
        subnet.run(SECOND);
        assertEquals(2, two.received.size());
        assertArrayEquals(packet.array(), two.received.getFirst().array());
        assertEquals(2, count(one, IpoibCounter.IPOIB_SENT_CONNECTED));
        assertEquals(2, count(two, IpoibCounter.IPOIB_RECEIVED));
        assertEquals(1, count(one, IpoibCounter.IPOIB_CONNECTIONS));
        // The solicitation, and the answer of the other one; nothing else is a datagram.
        assertEquals(2, subnet.sent.size());
        assertEquals(1, one.connections());
        assertEquals(1, two.connections());
    }

    @Test
    void shouldDropWhatIsLongerThanAnIpPacket() {
        one.send(ofOneToTwo(65_501));
        assertEquals(1, count(one, IpoibCounter.DROP_IPOIB_BAD_PACKET));
    }

    /** Flags of RFC 4755 §3.1: bit 0x80 for RC. The MTU and the service ID are those of Linux 6.1. */
    @Test
    void shouldSayThatItTakesConnectionsAndRequestThemByTheStandardsForm() {
        subnet.sent.clear();
        one.send(ofOneToTwo(8));
        subnet.run(SECOND);
        String arp = hex(subnet.sent.getFirst().payload());
        assertEquals(String.format("80%06x", one.qpn), arp.substring(24, 32));
        assertEquals(String.format("80%06x", two.qpn), hex(subnet.sent.get(1).payload()).substring(24, 32));
        ConnectionStep.Connect request = subnet.connects.getFirst();
        assertEquals(0x1000_0000_0000_0000L | two.qpn, request.serviceId());
        assertEquals(String.format("00%06x", one.qpn) + RECEIVE_MTU, HexFormat.of().formatHex(request.privateData()));
        assertEquals(String.format("00%06x", two.qpn) + RECEIVE_MTU, HexFormat.of().formatHex(two.ip.connectionData()));
    }

    /** Both send at the same moment: each by the connection that it has requested itself. */
    @Test
    void shouldMakeTwoConnectionsIfBothBegin() {
        one.send(ofOneToTwo(30_000));
        two.send(packet("10.9.0.2", "10.9.0.1", 30_000));
        subnet.run(SECOND);
        assertEquals(2, one.connections());
        assertEquals(2, two.connections());
        for (int i = 0; i < 100; i++) {
            one.send(ofOneToTwo(1000 + i));
            two.send(packet("10.9.0.2", "10.9.0.1", 1000 + i));
            subnet.run(SECOND / 100);
        }
        assertEquals(101, one.received.size());
        assertEquals(101, two.received.size());
        assertEquals(1, count(one, IpoibCounter.IPOIB_CONNECTIONS));
        assertEquals(1, count(two, IpoibCounter.IPOIB_CONNECTIONS));
    }

    @Test
    void shouldRepeatARequestThatIsLost() {
        subnet.lostRequests = 2;
        one.send(ofOneToTwo(30_000));
        subnet.run(SECOND);
        assertEquals(0, two.received.size());
        subnet.run(4 * SECOND);
        assertEquals(1, two.received.size());
        assertEquals(3, subnet.connects.size());
        assertEquals(0, count(one, IpoibCounter.IPOIB_CONNECTIONS_FAILED));
    }

    /** Packets that fit go as datagrams meanwhile. */
    @Test
    void shouldSendDatagramsToAPeerThatAcceptsNoConnectionForSomeTime() {
        subnet.lostRequests = 3;
        one.send(ofOneToTwo(100));
        one.send(ofOneToTwo(30_000));
        subnet.run(7 * SECOND);
        assertEquals(1, two.received.size());
        assertEquals(1, count(one, IpoibCounter.DROP_IPOIB_NO_CONNECTION));
        one.send(ofOneToTwo(200));
        one.send(ofOneToTwo(2025));
        subnet.run(SECOND);
        assertEquals(2, two.received.size());
        assertEquals(2, count(one, IpoibCounter.DROP_IPOIB_NO_CONNECTION));
        assertEquals(0, count(one, IpoibCounter.IPOIB_SENT_CONNECTED));
        subnet.run(5 * SECOND);
        one.send(ofOneToTwo(30_000));
        subnet.run(SECOND);
        assertEquals(3, two.received.size());
        assertEquals(1, count(one, IpoibCounter.IPOIB_CONNECTIONS_FAILED));
        assertEquals(1, count(one, IpoibCounter.IPOIB_CONNECTIONS));
    }

    /** The process of the peer begins anew, with another queue pair, and says nothing. */
    @Test
    void shouldForgetAPeerThatDiedAndConnectAgain() {
        one.send(ofOneToTwo(30_000));
        subnet.run(SECOND);
        two.restart(IpoibMode.CONNECTED);
        address(two, 2);
        subnet.run(2 * SECOND);
        one.send(ofOneToTwo(30_001));
        subnet.run(SECOND);
        assertEquals(1, count(one, IpoibCounter.IPOIB_CONNECTIONS_FAILED));
        assertEquals(0, one.connections());
        one.send(ofOneToTwo(30_002));
        subnet.run(SECOND);
        assertEquals(List.of(30_020, 30_022), two.received.stream().map(ByteBuffer::capacity).toList());
        assertEquals(2, count(one, IpoibCounter.IPOIB_SOLICITATIONS));
    }

    /** The peer has forgotten the connection, and requests another one: the old one is closed. */
    @Test
    void shouldHaveOneConnectionFromEachPeer() {
        byte[] data = HexFormat.of().parseHex("00000077" + RECEIVE_MTU);
        int first = one.ip.onConnectionRequest(new Gid(1, 1), data, subnet.nowNs());
        int second = one.ip.onConnectionRequest(new Gid(1, 1), data, subnet.nowNs());
        assertNotEquals(first, second);
        assertEquals(new ConnectionStep.Close(first), one.ip.pollConnectionStep());
        assertNull(one.ip.pollConnectionStep());
    }

    /** Layouts of RFC 792 and RFC 1191 §4. */
    @Test
    void shouldReportLongPacketsToAPeerInDatagramMode() {
        one.send(packet("10.9.0.1", "10.9.0.4", 2024));
        ByteBuffer tooLong = packet("10.9.0.1", "10.9.0.4", 2025);
        one.send(tooLong);
        subnet.run(SECOND);
        assertEquals(1, four.received.size());
        assertEquals(1, count(one, IpoibCounter.DROP_IPOIB_TOO_LONG));
        assertEquals(0, subnet.connects.size());
        String report = hex(one.received.getFirst());
        assertEquals("45000240" + "00004000" + "4001", report.substring(0, 20));
        assertEquals("0a090004" + "0a090001" + "0304", report.substring(24, 44));
        assertEquals("000007fc" + hex(tooLong).substring(0, 2 * 548), report.substring(48));
        assertEquals(0xFFFF, sum(report.substring(40)));
        assertEquals(0xFFFF, sum(report.substring(0, 40)));
    }

    /** Layout of RFC 4443 §3.2. */
    @Test
    void shouldReportLongIpv6PacketsToAPeerInDatagramMode() {
        ByteBuffer tooLong = packet("fd09::1", "fd09::4", 60_000);
        one.send(tooLong);
        subnet.run(SECOND);
        String report = hex(one.received.getFirst());
        String ends = "fd090000000000000000000000000004" + "fd090000000000000000000000000001";
        assertEquals("60000000" + "04d8" + "3a40" + ends + "0200", report.substring(0, 84));
        assertEquals("000007fc" + hex(tooLong).substring(0, 2 * 1232), report.substring(88));
        assertEquals(0xFFFF, sum(ends + "000004d8" + "0000003a" + report.substring(80)));
    }

    private static int sum(String hex) {
        long sum = 0;
        for (int i = 0; i < hex.length(); i += 4) {
            sum += Integer.parseInt(hex.substring(i, i + 4), 16);
        }
        while (sum > 0xFFFF) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return (int) sum;
    }

    /** RFC 1122 §3.2.2: no report of an error, nor of a fragment but the first one. */
    @Test
    void shouldReportNeitherErrorsNorFragments() {
        ByteBuffer fragment = packet("10.9.0.1", "10.9.0.4", 3000);
        fragment.putShort(6, (short) 1);
        ByteBuffer error = packet("10.9.0.1", "10.9.0.4", 3000);
        error.put(9, (byte) 1).put(IPV4, (byte) 3);
        ByteBuffer error6 = packet("fd09::1", "fd09::4", 3000);
        error6.put(6, (byte) 58).put(40, (byte) 1);
        List.of(fragment, error, error6).forEach(one::send);
        subnet.run(SECOND);
        assertEquals(3, count(one, IpoibCounter.DROP_IPOIB_TOO_LONG));
        assertEquals(0, one.received.size());
    }

    @Test
    void shouldReportWhatIsLongerThanThePeerReceives() {
        subnet.replyData = HexFormat.of().parseHex("00000402" + "00002004");
        one.send(ofOneToTwo(8192 - IPV4));
        one.send(ofOneToTwo(8193 - IPV4));
        subnet.run(SECOND);
        assertEquals(1, two.received.size());
        one.send(ofOneToTwo(8193 - IPV4));
        assertEquals(2, count(one, IpoibCounter.DROP_IPOIB_TOO_LONG));
        assertEquals("2000", hex(one.received.getFirst()).substring(52, 56));
    }

    @ParameterizedTest
    @ValueSource(strings = {"00000402" + "00000004", "00000402" + "00000000", "000004"})
    void shouldNotConfirmAReplyWithoutAReceiveMtu(String data) {
        subnet.replyData = HexFormat.of().parseHex(data);
        one.send(ofOneToTwo(100));
        subnet.run(SECOND);
        assertEquals(1, two.received.size(), "as datagram");
        assertEquals(0, count(one, IpoibCounter.IPOIB_CONNECTIONS));
        assertEquals(0, one.ip.onConnectionRequest(new Gid(1, 1), subnet.replyData, subnet.nowNs()));
        assertEquals(1, count(one, IpoibCounter.DROP_IPOIB_MALFORMED));
    }

    /** UC is not supported here: a peer with that flag alone gets datagrams. */
    @Test
    void shouldSendDatagramsToAPeerThatTakesUcOnly() {
        subnet.sent.clear();
        four.send(packet("10.9.0.4", "10.9.0.1", 8));
        subnet.run(SECOND);
        byte[] arp = subnet.sent.getFirst().payload().array().clone();
        arp[12] = (byte) IpoibAddress.UC_SUPPORTED;
        one.ip.onDatagram(ByteBuffer.wrap(arp), 0, arp.length, four.port.lid(), four.qpn, subnet.nowNs());
        one.send(packet("10.9.0.1", "10.9.0.4", 8));
        subnet.run(SECOND);
        assertEquals(1, four.received.size());
        assertEquals(0, subnet.connects.size());
    }

    @Test
    void shouldBroadcastDatagramsOnly() {
        one.send(packet("10.9.0.1", "224.0.0.1", 2024));
        one.send(packet("10.9.0.1", "224.0.0.1", 2025));
        one.send(packet("10.9.0.1", "10.9.0.255", 2025));
        subnet.run(SECOND);
        assertEquals(1, three.received.size());
        assertEquals(2, count(one, IpoibCounter.DROP_IPOIB_TOO_LONG));
        assertEquals(0, one.received.size());
    }

    @Test
    void shouldCloseIdleConnectionsAndMakeThemAnew() {
        one.send(ofOneToTwo(30_000));
        subnet.run(200 * SECOND);
        one.send(ofOneToTwo(30_000));
        subnet.run(299 * SECOND);
        assertEquals(1, one.connections());
        subnet.run(2 * SECOND);
        assertEquals(0, one.connections());
        assertEquals(0, two.connections());
        assertEquals(1, count(one, IpoibCounter.IPOIB_CONNECTIONS_IDLE) + count(two, IpoibCounter.IPOIB_CONNECTIONS_IDLE));
        one.send(ofOneToTwo(30_000));
        subnet.run(SECOND);
        assertEquals(3, two.received.size());
    }

    @Test
    void shouldCloseConnectionsWhenThePortGoesDown() {
        one.send(ofOneToTwo(30_000));
        subnet.run(SECOND);
        subnet.managed.fabric().pull(one.port.cable(), subnet.nowNs());
        subnet.run(SECOND);
        assertEquals(0, one.connections());
        subnet.managed.fabric().plug(one.port.cable(), subnet.nowNs());
        subnet.run(5 * SECOND);
        one.send(ofOneToTwo(30_000));
        subnet.run(SECOND);
        assertEquals(2, two.received.size());
    }

    @Test
    void shouldBoundAcceptedConnections() {
        for (int i = 1; i <= 129; i++) {
            byte[] data = HexFormat.of().parseHex("00000077" + RECEIVE_MTU);
            assertEquals(i <= 128, one.ip.onConnectionRequest(new Gid(1, i), data, subnet.nowNs()) > 0);
        }
        assertEquals(1, count(one, IpoibCounter.DROP_IPOIB_CONNECTION_REFUSED));
    }

    /** Sixteen messages are sent before the first acknowledgement; 4 MB wait, and the rest is dropped. */
    @Test
    void shouldBoundWhatWaits() {
        one.send(ofOneToTwo(8));
        subnet.run(SECOND);
        for (int i = 0; i < 100; i++) {
            one.send(ofOneToTwo(65_500));
        }
        assertEquals(100 - (4 << 20) / 65_524, count(one, IpoibCounter.DROP_IPOIB_QUEUE_FULL));
        int sent = 0;
        int number = 0;
        for (ConnectedMessage each = one.ip.pollMessage(); each != null; each = one.ip.pollMessage()) {
            sent++;
            number = each.connection();
        }
        assertEquals(16, sent);
        one.ip.onMessageSent(number);
        assertEquals(number, one.ip.pollMessage().connection());
        assertNull(one.ip.pollMessage());
        one.ip.onConnectionEnd(number, subnet.nowNs());
        assertNull(one.ip.pollMessage());
        assertEquals(64 - 17, count(one, IpoibCounter.DROP_IPOIB_NO_CONNECTION));
    }

    /** A peer that takes no messages does not keep those of others. */
    @Test
    void shouldTakeTurnsBetweenConnections() {
        one.send(ofOneToTwo(8));
        one.send(packet("10.9.0.1", "10.9.0.3", 8));
        subnet.run(SECOND);
        for (int i = 0; i < 20; i++) {
            one.send(ofOneToTwo(100));
        }
        for (int i = 0; i < 2; i++) {
            one.send(packet("10.9.0.1", "10.9.0.3", 100));
        }
        int first = one.ip.pollMessage().connection();
        int second = one.ip.pollMessage().connection();
        assertNotEquals(first, second);
        assertEquals(first, one.ip.pollMessage().connection());
        assertEquals(second, one.ip.pollMessage().connection());
        for (int i = 0; i < 14; i++) {
            assertEquals(first, one.ip.pollMessage().connection());
        }
        assertNull(one.ip.pollMessage());
    }

    /** Datagrams, requests and replies are lost, and processes begin anew; in the end everyone reaches everyone else. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldConnectInTheEnd(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<IpoibSubnet.Host> hosts = List.copyOf(subnet.hosts.values());
        subnet.loss = 0.2;
        for (int i = 0; i < 200; i++) {
            int from = random.nextInt(4);
            int to = random.nextInt(4);
            if (random.nextInt(20) == 0) {
                hosts.get(from).restart(random.nextBoolean() ? IpoibMode.DATAGRAM : IpoibMode.CONNECTED);
                address(hosts.get(from), from + 1);
            }
            hosts.get(from).send(packet("10.9.0." + (from + 1), "10.9.0." + (to + 1), random.nextInt(1500)));
            subnet.run(SECOND / 10);
        }
        subnet.loss = 0;
        // Refusals are over, and addresses of those that began anew are confirmed or given up.
        subnet.run(70 * SECOND);
        for (int from = 0; from < 4; from++) {
            for (int to = 0; to < 4; to++) {
                List<ByteBuffer> received = hosts.get(to).received;
                received.clear();
                for (int i = 0; from != to && received.isEmpty() && i < 10; i++) {
                    hosts.get(from).send(packet("10.9.0." + (from + 1), "10.9.0." + (to + 1), 64));
                    subnet.run(2 * SECOND);
                }
                assertTrue(from == to || !received.isEmpty(), "from " + from + " to " + to + ", seed " + seed);
            }
        }
        assertFalse(subnet.connects.isEmpty());
    }
}
