// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;

/** Multicast: delivery of datagrams to the members of a group, and to nobody else. IBA vol 1 §10.5. */
class MulticastTest {
    private static final Gid GROUP = Gid.ofIpv4(0xef010203);
    private static final Gid OTHER_GROUP = Gid.ofIpv4(0xef010204);
    private static final int QKEY = 0x11111111;
    private static final int MULTICAST_QPN = 0xffffff;
    private static final int RECEIVE_BYTES = 200;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();

    MulticastTest() {
        setup.type = QpType.UD;
        setup.qkey = QKEY;
    }

    /** A queue pair on the context of {@code on} that is ready and has receives. */
    private static final class Member {
        final SimulatedPair.Side side;
        final MemoryRegion memory;

        Member(SimulatedPair.Side side, int receives) {
            this.side = side;
            memory = side.memory(Math.max(1, receives) * (long) RECEIVE_BYTES, SimulatedPair.ALL_REMOTE);
            for (int i = 0; i < receives; i++) {
                side.qp.postReceive(new ReceiveRequest().begin(i).element(memory, (long) i * RECEIVE_BYTES, RECEIVE_BYTES));
            }
        }

        int received() {
            assertTrue(side.receiveStatuses().stream().allMatch(WcStatus.SUCCESS::equals));
            return side.receives().size();
        }

        byte[] payload(int receive, int length) {
            return memory.memory().asSlice(receive * (long) RECEIVE_BYTES + 40, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private SimulatedPair.Side ready(SimulatedPair.Side side, int qkey) {
        side.qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(qkey));
        side.qp.modify(new QpAttributes().state(QpState.RTR));
        side.qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
        return side;
    }

    private static void refused(Errno errno, String verb, String why, Runnable call) {
        VerbsException refused = assertThrows(VerbsException.class, call::run);
        assertEquals(List.of(errno, verb), List.of(refused.errno(), refused.verb()), refused.getMessage());
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDeliverToEveryQueuePairAttachedOnEveryDevice(boolean ipv6) {
        Gid group = ipv6 ? new Gid(0xff0e_0000_0000_0000L, 0x1234) : GROUP;
        SimulatedFabric fabric = new SimulatedFabric(3, FaultPlan.NONE);
        Simulation simulation = new Simulation(fabric);
        List<SimulatedPair.Side> devices = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Gid gid = ipv6 ? new Gid(0xfd00L << 48, i) : Gid.ofIpv4(0x0a000000 | i);
            devices.add(ready(new SimulatedPair.Side(SimulatedRxe.open(simulation, fabric.attach(gid), new SplittableRandom(i), 9000), gid,
                setup), QKEY));
        }
        Member sender = new Member(devices.get(0), 4);
        Member first = new Member(devices.get(1), 4);
        Member second = new Member(ready(new SimulatedPair.Side(devices.get(1).context, devices.get(1).gid, setup), QKEY), 4);
        Member otherKey = new Member(ready(new SimulatedPair.Side(devices.get(1).context, devices.get(1).gid, setup), QKEY + 1), 4);
        Member without = new Member(ready(new SimulatedPair.Side(devices.get(1).context, devices.get(1).gid, setup), QKEY), 0);
        Member outsider = new Member(devices.get(2), 4);
        List<Member> members = List.of(sender, first, second, otherKey, without);
        members.forEach(member -> member.side.qp.attachMulticast(group));

        MemoryRegion data = sender.side.memory("to everybody".getBytes());
        sender.side.qp.postSend(new SendRequest().sendWithImmediate(7).element(data, 0, 12)
            .to(sender.side.pd.createAh(AddressVector.to(group, 1)), MULTICAST_QPN, QKEY));
        simulation.runFor(MS);

        // The host's stack delivers a member's own datagrams to it.
        assertEquals(List.of(1, 1, 1, 0, 0), members.stream().map(Member::received).toList());
        assertEquals(0, outsider.received());
        for (Member each : List.of(sender, first, second)) {
            assertArrayEquals("to everybody".getBytes(), each.payload(0, 12));
            assertEquals(sender.side.qp.qpNum(), each.side.receives().getFirst().sourceQp());
            assertEquals(7, each.side.receives().getFirst().immediate());
        }
        String header = HexFormat.of().formatHex(first.memory.memory().asSlice(0, 40).toArray(ValueLayout.JAVA_BYTE));
        assertTrue(header.endsWith(ipv6 ? "ff0e0000000000000000000000001234" : "ef010203"), header);
        assertEquals(1, first.side.counter("rcvd_pkts"), "one packet for the whole device");
        assertEquals(1, first.side.counter("drop_bad_qkey"));
        assertEquals(1, first.side.counter("drop_no_receive"));
        assertEquals(0, outsider.side.counter("rcvd_pkts"), "not a member of the group");
    }

    @Test
    void shouldStopWithDetaching() {
        RawPeer peer = new RawPeer(setup);
        Member first = new Member(peer.side, 4);
        Member second = new Member(ready(new SimulatedPair.Side(peer.side.context, peer.side.gid, setup), QKEY), 4);
        RawPacket datagram = RawPacket.of(RawPacket.UD_SEND, 1).deth(QKEY, 9).payload(8).destQpn(MULTICAST_QPN);
        first.side.qp.attachMulticast(GROUP);
        first.side.qp.attachMulticast(GROUP);
        second.side.qp.attachMulticast(GROUP);
        peer.sendToGroup(GROUP, datagram);
        peer.sendToGroup(OTHER_GROUP, datagram);
        peer.runFor(MS);
        assertEquals(List.of(1, 1), List.of(first.received(), second.received()), "attached twice is attached once");
        first.side.qp.detachMulticast(GROUP);
        peer.sendToGroup(GROUP, datagram);
        peer.runFor(MS);
        assertEquals(List.of(1, 2), List.of(first.received(), second.received()));
        second.side.qp.detachMulticast(GROUP);
        long before = peer.side.counter("rcvd_pkts");
        peer.sendToGroup(GROUP, datagram);
        peer.runFor(MS);
        assertEquals(before, peer.side.counter("rcvd_pkts"));
        assertEquals(0, peer.side.counter("drop_unknown_group"), "the device left the group");
        refused(Errno.EINVAL, "detach_mcast", "not attached", () -> second.side.qp.detachMulticast(GROUP));
        first.side.qp.attachMulticast(GROUP);
        peer.sendToGroup(GROUP, datagram);
        peer.runFor(MS);
        assertEquals(List.of(2, 2), List.of(first.received(), second.received()), "and joined it again");
    }

    /** Groups and queue pair number 0xffffff belong together: neither is delivered without the other. */
    @Test
    void shouldDropWhatMixesGroupsAndQueuePairs() {
        RawPeer peer = new RawPeer(setup);
        Member member = new Member(peer.side, 4);
        member.side.qp.attachMulticast(GROUP);
        RawPacket datagram = RawPacket.of(RawPacket.UD_SEND, 1).deth(QKEY, 9).payload(8);
        peer.sendToGroup(GROUP, datagram);
        peer.runFor(MS);
        assertEquals(1, peer.side.counter("drop_wrong_address"), "to the group, but for one queue pair");
        peer.send(datagram.destQpn(MULTICAST_QPN));
        peer.runFor(MS);
        assertEquals(1, peer.side.counter("drop_unknown_qpn"), "to one device, but for a group");
        assertEquals(0, member.received());
        peer.sendToGroup(GROUP, datagram.badIcrc());
        peer.runFor(MS);
        assertEquals(1, peer.side.counter("drop_bad_icrc"));
        peer.sendToGroup(GROUP, RawPacket.of(RawPacket.SEND_ONLY, 1).payload(8).destQpn(MULTICAST_QPN));
        peer.sendToGroup(GROUP, RawPacket.of(0x66, 1).deth(QKEY, 9).destQpn(MULTICAST_QPN));
        peer.runFor(MS);
        assertEquals(2, peer.side.counter("drop_wrong_service"));
        assertEquals(0, member.received());
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    @Test
    void shouldRefuseGroupsThatTheDeviceCannotReach() {
        RawPeer peer = new RawPeer(setup);
        refused(Errno.EADDRNOTAVAIL, "attach_mcast", "IP version", () -> peer.side.qp.attachMulticast(new Gid(0xff0eL << 48, 1)));
        setup.type = QpType.UC;
        SimulatedPair.Side connected = new SimulatedPair.Side(peer.side.context, peer.side.gid, setup);
        refused(Errno.EINVAL, "modify_qp", "multicast group", () -> SimulatedPair.connect(connected, GROUP, 1, setup, 0, 0, 0));
    }

    @Test
    void shouldTakeAsManyGroupsAndMembersAsItSays() {
        RawPeer peer = new RawPeer(setup);
        int groups = peer.side.context.queryDevice().maxMcastGrp();
        int members = peer.side.context.queryDevice().maxMcastQpAttach();
        for (int i = 0; i < groups; i++) {
            peer.side.qp.attachMulticast(Gid.ofIpv4(0xef000000 + i));
        }
        refused(Errno.ENOMEM, "attach_mcast", String.valueOf(groups), () -> peer.side.qp.attachMulticast(Gid.ofIpv4(0xeeffffff)));
        for (int i = 1; i < members; i++) {
            new SimulatedPair.Side(peer.side.context, peer.side.gid, setup).qp.attachMulticast(Gid.ofIpv4(0xef000000));
        }
        SimulatedPair.Side oneMore = new SimulatedPair.Side(peer.side.context, peer.side.gid, setup);
        refused(Errno.ENOMEM, "attach_mcast", String.valueOf(members), () -> oneMore.qp.attachMulticast(Gid.ofIpv4(0xef000000)));
        oneMore.qp.attachMulticast(Gid.ofIpv4(0xef000001));
        assertEquals((long) groups * members, peer.side.context.queryDevice().maxTotalMcastQpAttach());
    }
}
