// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;

/** A raw link on one end of a veth pair in a network namespace with changing tables, and stations at the other end. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RawLinkTest {
    private static final long MAC = 0x0200_0000_0001L;
    private static final long SECOND_MAC = 0x0200_0000_0002L;
    private static final long THIRD_MAC = 0x0200_0000_0003L;
    private static final Gid LOCAL = Gid.ofIpv4(0x0a63_0001);
    private static final Gid SECOND = Gid.ofIpv4(0x0a63_0002);
    private static final Gid THIRD = Gid.ofIpv4(0x0a63_0003);
    private static final Gid FAR = Gid.ofIpv4(0xc000_0201);
    private static final Gid GROUP = Gid.ofIpv4(0xef01_0203);
    private static final Gid IPV6_GROUP = new Gid(0xff0e_0000_0000_0000L, 0x1234);
    private static final int PACKET_BYTES = Bth.LENGTH + Icrc.LENGTH;
    private static final long LOOK_AGAIN_NS = 5_000_000;
    private static final long DEADLINE_NS = 20_000_000_000L;

    private final TransmitBatch batch = new TransmitBatch(1, 64);

    private static RawLink open(GidType type) throws Exception {
        OwnNetwork.sh("""
            ip link add v0 address 02:00:00:00:00:01 type veth peer name v1
            ip addr add 10.99.0.1/24 dev v0
            ip link set v0 up
            ip link set v1 up""");
        return new RawLink(List.of(LOCAL), RawLinkOptions.on("v0", MAC, List.of(type)));
    }

    /** Sends to an address, and polls and refreshes as a device does, until a station has received a packet. */
    private void sendUntilReceived(RawLink link, Path path, Station by) {
        long untilNs = System.nanoTime() + DEADLINE_NS;
        do {
            assertTrue(System.nanoTime() - untilNs < 0, "the station received nothing; " + link.counters());
            batch.begin(path);
            batch.commit(PACKET_BYTES);
            link.send(batch);
            LockSupport.parkNanos(LOOK_AGAIN_NS);
            link.poll(frame -> { }, 16);
            link.refresh(0);
        } while (by.received() == 0);
    }

    /** The kernel does not see packets to and from a neighbour; without probes it would keep the old MAC address for ever. */
    @Test
    void shouldFindANeighbourThatMoved() throws Throwable {
        OwnNetwork.run(() -> {
            try (RawLink link = open(GidType.ROCE_V1); Station station = new Station("v1", SECOND_MAC, SECOND.ipv4())) {
                OwnNetwork.sh("""
                    cd /proc/sys/net/ipv4/neigh/v0
                    echo 100 > base_reachable_time_ms
                    echo 1 > delay_first_probe_time
                    echo 300 > retrans_time_ms""");
                Path path = link.resolve(new PathRequest(GidType.ROCE_V1, LOCAL, SECOND, 0, 64, 0));
                sendUntilReceived(link, path, station);
                // The state an entry gets when the kernel has not used it for a while.
                OwnNetwork.sh("ip neigh replace 10.99.0.2 lladdr 02:00:00:00:00:02 dev v0 nud stale");
                station.moveTo(THIRD_MAC);
                sendUntilReceived(link, path, station);
            }
        });
    }

    /** Without carrier the kernel discards its requests but keeps routes; the sender may have given up. */
    @Test
    void shouldSendWaitingPacketsAfterACarrierLoss() throws Throwable {
        OwnNetwork.run(() -> {
            // IPv6 routes change by themselves while an interface comes up.
            OwnNetwork.sh("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6");
            try (RawLink link = open(GidType.ROCE_V1); Station station = new Station("v1", SECOND_MAC, SECOND.ipv4())) {
                sendTo(link, GidType.ROCE_V1, LOCAL, SECOND);
                OwnNetwork.sh("""
                    ip link set v1 down
                    until ip link show v0 | grep -q NO-CARRIER; do :; done
                    ip link set v1 up""");
                long untilNs = System.nanoTime() + DEADLINE_NS;
                do {
                    assertTrue(System.nanoTime() - untilNs < 0, "the packet waits for ever; " + link.counters());
                    link.refresh(0);
                    LockSupport.parkNanos(LOOK_AGAIN_NS);
                    link.poll(frame -> { }, 16);
                } while (station.received() == 0);
            }
        });
    }

    @Test
    void shouldTakeTheRouteThatTheHostChangedTo() throws Throwable {
        OwnNetwork.run(() -> {
            try (RawLink link = open(GidType.ROCE_V2);
                 Station first = new Station("v1", SECOND_MAC, SECOND.ipv4());
                 Station second = new Station("v1", THIRD_MAC, THIRD.ipv4())) {
                OwnNetwork.sh("ip route add 192.0.2.0/24 via 10.99.0.2");
                Path path = link.resolve(new PathRequest(GidType.ROCE_V2, LOCAL, FAR, 0, 64, 0));
                sendUntilReceived(link, path, first);
                assertEquals(0, second.received());
                OwnNetwork.sh("ip route replace 192.0.2.0/24 via 10.99.0.3");
                sendUntilReceived(link, path, second);
                first.received();
                OwnNetwork.sh("ip route del 192.0.2.0/24");
                sendUntilReceived(link, path, second);
                assertEquals(0, first.received(), "no better way is known");
            }
        });
    }

    /** The kernel removes the tag before sockets receive a frame. Priority tags, VLAN 0, belong to the interface itself. */
    @Test
    void shouldLeaveFramesOfVlansToTheirInterfaces() throws Throwable {
        OwnNetwork.run(() -> {
            try (RawLink link = open(GidType.ROCE_V1); Station station = new Station("v1", SECOND_MAC, SECOND.ipv4())) {
                station.send(frame(1));
                station.send(tagged(frame(2), 5 << 13 | 7));
                station.send(tagged(frame(3), 5 << 13));
                station.send(tagged(frame(4), 4095));
                station.send(frame(5));
                List<Integer> psns = new ArrayList<>();
                long untilNs = System.nanoTime() + DEADLINE_NS;
                while (!psns.contains(5) && System.nanoTime() - untilNs < 0) {
                    link.poll(frame -> psns.add(Bth.psn(frame.buffer(), frame.offset())), 16);
                }
                assertEquals(List.of(1, 3, 5), psns);
            }
        });
    }

    /** Builds a RoCE v1 packet from the second address to the link's. */
    private static byte[] frame(int psn) {
        byte[] bytes = new byte[Ethernet.LENGTH + Grh.LENGTH + PACKET_BYTES];
        ByteBuffer b = ByteBuffer.wrap(bytes);
        Ethernet.put(b, 0, MAC, SECOND_MAC, Ethernet.TYPE_ROCE_V1);
        Grh.put(b, Ethernet.LENGTH, 0, 0, PACKET_BYTES, Grh.NEXT_HEADER_BTH, 64, SECOND.high(), SECOND.low(), LOCAL.high(), LOCAL.low());
        Bth.put(b, Ethernet.LENGTH + Grh.LENGTH, 0x04, false, 0, 0xffff, 17, false, psn);
        return bytes;
    }

    /** Inserts an IEEE 802.1Q tag after the MAC addresses: its type and the tag. */
    private static byte[] tagged(byte[] frame, int tag) {
        ByteBuffer b = ByteBuffer.allocate(frame.length + 4);
        b.put(frame, 0, Ethernet.TYPE_OFFSET).putShort((short) Ethernet.TYPE_VLAN).putShort((short) tag);
        return b.put(frame, Ethernet.TYPE_OFFSET, frame.length - Ethernet.TYPE_OFFSET).array();
    }

    /** The loopback interface delivers a frame to every socket on it, its sender included. */
    @ParameterizedTest
    @EnumSource(value = GidType.class, names = {"ROCE_V1", "ROCE_V2"})
    void shouldReceiveFramesOfOthersOnTheLoopbackInterfaceOnly(GidType type) throws Throwable {
        OwnNetwork.run(() -> {
            Gid alice = Gid.ofIpv4(0x7f00_0001);
            Gid bob = Gid.ofIpv4(0x7f00_0002);
            Gid ipv6 = new Gid(0, 1);
            try (RawLink alices = new RawLink(List.of(alice, ipv6), RawLinkOptions.on("lo", 0, List.of(type)));
                 RawLink bobs = new RawLink(List.of(bob), RawLinkOptions.on("lo", 0, List.of(type)))) {
                alices.join(GROUP);
                bobs.join(GROUP);
                alices.join(IPV6_GROUP);
                sendTo(alices, type, alice, GROUP);
                sendTo(alices, type, ipv6, IPV6_GROUP);
                sendTo(bobs, type, bob, GROUP);
                sendTo(alices, type, alice, bob);
                sendTo(bobs, type, bob, alice);
                assertEquals(List.of("127.0.0.1 > 127.0.0.2", "127.0.0.1 > 239.1.2.3", "127.0.0.2 > 239.1.2.3"),
                    receivedAddresses(bobs, "127.0.0.1 > 127.0.0.2"));
                assertEquals(List.of("127.0.0.1 > 239.1.2.3", "127.0.0.2 > 127.0.0.1", "127.0.0.2 > 239.1.2.3", "::1 > ff0e::1234"),
                    receivedAddresses(alices, "127.0.0.2 > 127.0.0.1"));
            }
        });
    }

    private void sendTo(RawLink link, GidType type, Gid from, Gid to) {
        batch.begin(link.resolve(new PathRequest(type, from, to, 0, 64, 0)));
        batch.commit(PACKET_BYTES);
        assertEquals(1, link.send(batch));
    }

    /** Lists received packets up to that one, with source and destination. */
    private static List<String> receivedAddresses(RawLink link, String last) {
        List<String> receivedAddresses = new ArrayList<>();
        long untilNs = System.nanoTime() + DEADLINE_NS;
        while (!receivedAddresses.contains(last) && System.nanoTime() - untilNs < 0) {
            link.poll(frame -> receivedAddresses.add(LocalAddresses.text(new Gid(frame.remoteHigh(), frame.remoteLow())) + " > "
                + LocalAddresses.text(frame.local())), 16);
        }
        receivedAddresses.sort(null);
        return receivedAddresses;
    }

    @Test
    void shouldUndoMembershipsWhenTheHostRefusesAGroup() throws Throwable {
        OwnNetwork.run(() -> {
            try (RawLink link = open(GidType.ROCE_V2)) {
                OwnNetwork.sh("echo 0 > /proc/sys/net/ipv4/igmp_max_memberships");
                assertThrows(VerbsException.class, () -> link.join(GROUP));
                assertFalse(isMember("01:00:5e:01:02:03"));
                OwnNetwork.sh("echo 20 > /proc/sys/net/ipv4/igmp_max_memberships");
                link.join(GROUP);
                assertTrue(isMember("01:00:5e:01:02:03") && isMember("239.1.2.3"));
                link.leave(GROUP);
                assertFalse(isMember("01:00:5e:01:02:03") || isMember("239.1.2.3"));
            }
        });
    }

    private static boolean isMember(String group) throws Exception {
        return OwnNetwork.sh("ip maddr show dev v0").contains(group);
    }
}
