// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.softrdma.link.subnet.SubnetObserver;
import org.softrdma.link.subnet.SubnetSimulation;
import org.softrdma.link.subnet.SubnetSimulator;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;

/** Reports of a simulated subnet: each hop in order, with its datagram, and where datagrams end. */
class FabricSimulationTest {
    /** Two hosts on two switches with two cables between these. */
    private static final String SQUARE = """
        Ca 1 "a" # "Left"
        [1] "s"[1]

        Switch 3 "s" # "First"
        [2] "t"[2]
        [3] "t"[3]

        Switch 3 "t" # "Second"

        Ca 1 "b" # "Right"
        [1] "t"[1]
        """;
    private static final int A = 0;
    private static final int S = 1;
    private static final int T = 2;
    private static final int B = 3;

    private final Reports reports = new Reports();

    private record Hop(long sentNs, int from, int to, SubnetObserver.Kind kind, byte[] bytes, String drop) {
        String way() {
            return from + ">" + to + (drop.isEmpty() ? "" : " " + drop);
        }
    }

    private static final class Reports implements SubnetObserver {
        final List<Hop> hops = new ArrayList<>();
        final List<String> events = new ArrayList<>();

        @Override
        public void onHop(long sentNs, int from, int to, Kind kind, byte[] bytes, String drop) {
            hops.add(new Hop(sentNs, from, to, kind, bytes, drop));
        }

        @Override
        public void onPortState(long nowNs, int node, int port, String before, String now) {
            events.add(node + "." + port + " " + now);
        }

        @Override
        public void onLid(long nowNs, int node, int port, int lid) {
            events.add(node + " LID " + lid);
        }

        @Override
        public void onForwarding(long nowNs, int node) {
            events.add(node + " table");
        }

        @Override
        public void onManager(long nowNs, int node, String event) {
            events.add(node + " " + event);
        }

        @Override
        public void onData(long nowNs, int node, int number) {
            events.add(node + " data " + number);
        }
    }

    private SubnetSimulation subnet() {
        return ServiceLoader.load(SubnetSimulator.class).findFirst().orElseThrow().create(SQUARE, 5, reports);
    }

    private SubnetSimulation managed() {
        SubnetSimulation subnet = subnet();
        for (int i = 0; i < subnet.cables().size(); i++) {
            subnet.plug(i);
        }
        subnet.manage(A, 3);
        settle(subnet);
        assertEquals("0 SUBNET UP", reports.events.getLast());
        reports.hops.clear();
        reports.events.clear();
        return subnet;
    }

    private static void settle(SubnetSimulation subnet) {
        boolean busy = true;
        while (busy) {
            busy = subnet.step();
        }
    }

    @Test
    void shouldReportEachHopOfARequestAndItsAnswer() {
        SubnetSimulation subnet = subnet();
        for (int i = 0; i < subnet.cables().size(); i++) {
            subnet.plug(i);
        }
        assertEquals(List.of("0.1 Initialize", "1.1 Initialize"), reports.events.subList(0, 2));
        assertEquals(List.of(), reports.hops);
        subnet.manage(A, 3);
        assertTrue(subnet.step());
        assertEquals(List.of("0>1", "1>0"), reports.hops.stream().map(Hop::way).toList());
        assertEquals(Mad.LENGTH, reports.hops.getFirst().bytes.length);
        assertEquals(MadMethod.GET_RESPONSE, reports.hops.get(1).bytes[Mad.METHOD_OFFSET] & 0xFF);
        assertEquals(HopRecorder.HOP_NS, reports.hops.get(1).sentNs - reports.hops.get(0).sentNs);
        settle(subnet);
        long last = -1;
        for (Hop each : reports.hops) {
            assertTrue(each.sentNs > last, "one hop after the other");
            last = each.sentNs;
        }
    }

    @Test
    void shouldCarryDataWithAValidCheckSum() {
        SubnetSimulation subnet = managed();
        subnet.send(A, B, 2, 1_000_000);
        settle(subnet);
        assertEquals(List.of("3 data 0", "3 data 1"), reports.events);
        assertEquals(6, reports.hops.size());
        assertEquals(List.of(A, S, T), reports.hops.subList(0, 3).stream().map(Hop::from).toList());
        ByteBuffer packet = ByteBuffer.wrap(reports.hops.getLast().bytes);
        assertEquals(subnet.nodes().get(B).lid(), Lrh.dlid(packet, 0));
        assertEquals(1, Bth.psn(packet, Lrh.LENGTH));
        int end = packet.capacity() - Icrc.LENGTH;
        assertEquals(new Icrc().ofLrhFrame(packet, 0, Lrh.LENGTH, end), Icrc.get(packet, end));
        assertTrue(reports.hops.get(3).sentNs - reports.hops.get(0).sentNs >= 1_000_000, "the interval");
    }

    @Test
    void shouldReportADropAtTheCableThatIsGone() {
        SubnetSimulation subnet = managed();
        subnet.pull(3);
        reports.hops.clear();
        subnet.send(A, B, 1, 1000);
        settle(subnet);
        assertEquals(List.of("0>1", "1>2", "2>3 DROP_PORT_DOWN"),
            reports.hops.stream().filter(each -> each.kind == SubnetObserver.Kind.DATA).map(Hop::way).toList());
        subnet.pull(0);
        reports.hops.clear();
        subnet.send(A, B, 1, 1000);
        subnet.step();
        assertEquals("0>1 DROP_PORT_DOWN", reports.hops.getLast().way(), "the sender's own cable");
    }

    @Test
    void shouldReportLossesWhereTheyHappen() {
        SubnetSimulation subnet = managed();
        subnet.loss(1);
        subnet.send(A, B, 1, 1000);
        settle(subnet);
        assertEquals(List.of("0>1 DROP_CABLE_LOSS"), reports.hops.stream().map(Hop::way).toList());
    }

    @Test
    void shouldHandOverToAnotherManager() {
        SubnetSimulation subnet = managed();
        subnet.manage(B, 9);
        for (int i = 0; i < 500 && !subnet.nodes().get(A).manager().equals("STANDBY"); i++) {
            subnet.step();
        }
        assertEquals("MASTER", subnet.nodes().get(B).manager());
        assertEquals("STANDBY", subnet.nodes().get(A).manager());
    }

    @Test
    void shouldRefuseTopologiesAndNumbersThatAreWrong() {
        FabricSimulator simulator = new FabricSimulator();
        assertThrows(IllegalArgumentException.class, () -> simulator.create("Ca", 1, reports));
        SubnetSimulation subnet = subnet();
        assertThrows(IllegalArgumentException.class, () -> subnet.pull(4));
        assertThrows(IllegalArgumentException.class, () -> subnet.manage(S, 3));
        assertThrows(IllegalArgumentException.class, () -> subnet.outputPort(4, 1));
        assertThrows(IllegalArgumentException.class, () -> subnet.send(A, B, 1, 1));
        assertEquals(SubnetSimulation.NO_PORT, subnet.outputPort(S, 1));
    }
}
