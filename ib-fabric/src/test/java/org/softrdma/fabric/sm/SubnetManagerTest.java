// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricNode;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.fabric.topology.Topology;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/** A manager at an adapter of simulated subnets, on virtual time. Packets are followed through the tables that the switches have. */
class SubnetManagerTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long GUID = 0x1122334455667788L;

    private ManagedFabric managed;
    private Fabric fabric;
    private SubnetManager manager;
    private FabricPort at;

    private void begin(Topology topology, String node, int seed) {
        managed = new ManagedFabric(topology, new SplittableRandom(seed));
        fabric = managed.fabric();
        at = fabric.find(node).port(fabric.find(node).isSwitch() ? 0 : 1);
        manager = managed.beginAlone(at, Partitions.DEFAULT).manager();
    }

    private static SmSettings settings(long guid) {
        return new SmSettings(guid, 3, SmSettings.SWEEP_INTERVAL_NS, SmSettings.TIMEOUT_NS, true, Partitions.DEFAULT,
            ManagedFabric.FIRST_TRANSACTION);
    }

    /** Lets time pass. */
    private void run(long durationNs) {
        managed.run(durationNs);
    }

    private void assertConnected() {
        new ConnectedSubnet(fabric).assertConnected(at.lid());
    }

    private void assertUp() {
        assertTrue(manager.isUp(), () -> "not up: " + manager.counters());
        assertConnected();
    }

    // ---- forms ----

    @Test
    void shouldBringUpTree() {
        begin(Topologies.tree(16, 4, 2), "h1", 1);
        run(SECOND);
        assertUp();
    }

    @Test
    void shouldUseShortestRoutesAndAllSpinesOfTree() {
        begin(Topologies.tree(16, 4, 2), "h1", 1);
        run(SECOND);
        ConnectedSubnet view = new ConnectedSubnet(fabric);
        Set<FabricNode> spines = new HashSet<>();
        for (FabricPort to : view.ends()) {
            if (!to.node().isSwitch() && to != at) {
                List<FabricPort> links = view.walk(at, to);
                assertTrue(links.size() == 2 || links.size() == 4, () -> to + ": " + links.size() + " links");
                if (links.size() == 4) {
                    spines.add(links.get(2).node());
                }
            }
        }
        assertEquals(2, spines.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6, 9})
    void shouldBringUpRingWithoutCreditLoop(int switches) {
        begin(Topologies.ring(switches, 2), "h2", 1);
        run(SECOND);
        assertUp();
    }

    @Test
    void shouldBringUpTorusWithoutCreditLoop() {
        begin(Topologies.torus(5, 4, 1), "s7", 1);
        run(SECOND);
        assertUp();
    }

    @Test
    void shouldBringUpTwoHundredNodes() {
        begin(Topologies.torus(8, 5, 4), "h1", 1);
        assertEquals(200, fabric.nodes().size());
        run(SECOND);
        assertUp();
    }

    @Test
    void shouldBringUpRandomSubnets() {
        for (int seed = 0; seed < 100; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            begin(Topologies.random(random, 1 + random.nextInt(12), random.nextInt(12), 1 + random.nextInt(12)), "h1", seed);
            run(SECOND);
            int which = seed;
            assertTrue(manager.isUp(), () -> "seed " + which);
            assertConnected();
        }
    }

    // ---- faults ----

    @Test
    void shouldBringUpSubnetsThatLoseDatagrams() {
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            begin(Topologies.random(random, 1 + random.nextInt(6), random.nextInt(6), 1 + random.nextInt(6)), "h1", seed);
            fabric.cables().forEach(each -> fabric.setLoss(each, 0.1));
            run(20 * SECOND);
            fabric.cables().forEach(each -> fabric.setLoss(each, 0));
            run(2 * SmSettings.SWEEP_INTERVAL_NS);
            int which = seed;
            assertTrue(manager.isUp(), () -> "seed " + which);
            assertConnected();
        }
    }

    @Test
    void shouldRouteAroundPulledCableAfterTrap() {
        begin(Topologies.ring(5, 1), "h1", 1);
        run(SECOND);
        fabric.pull(fabric.cables().get(0), managed.nowNs());
        run(3 * SECOND);
        assertTrue(manager.counters().get(SmCounter.TRAPS) > 0);
        assertUp();
        fabric.plug(fabric.cables().get(0), managed.nowNs());
        run(3 * SECOND);
        assertUp();
    }

    @Test
    void shouldKeepLidsOverSweeps() {
        begin(Topologies.tree(6, 2, 1), "h1", 1);
        run(SECOND);
        int lid = fabric.find("h4").port(1).lid();
        fabric.powerCycle(fabric.find("h4"), managed.nowNs());
        assertEquals(0, fabric.find("h4").port(1).lid());
        run(3 * SECOND);
        assertEquals(lid, fabric.find("h4").port(1).lid());
        assertUp();
    }

    @Test
    void shouldWriteTablesAgainAfterSwitchLostPower() {
        begin(Topologies.tree(6, 2, 1), "h1", 1);
        run(SECOND);
        fabric.powerCycle(fabric.find("s2"), managed.nowNs());
        run(2 * SmSettings.SWEEP_INTERVAL_NS);
        assertUp();
    }

    @Test
    void shouldSweepLightlyWhileNothingChanges() {
        begin(Topologies.tree(6, 2, 1), "h1", 1);
        run(SECOND);
        long heavy = manager.counters().get(SmCounter.HEAVY_SWEEPS);
        run(5 * SmSettings.SWEEP_INTERVAL_NS);
        assertEquals(heavy, manager.counters().get(SmCounter.HEAVY_SWEEPS));
        assertTrue(manager.counters().get(SmCounter.LIGHT_SWEEPS) >= 4);
    }

    @Test
    void shouldNotBeUpWithoutItsOwnNode() {
        manager = new SubnetManager(settings(GUID), 0);
        for (long nowNs = 0; nowNs < 10 * SECOND; nowNs += SECOND / 10) {
            manager.onTime(nowNs);
            while (manager.transmit(nowNs) != null) {
                assertFalse(manager.isUp());
            }
        }
        assertFalse(manager.isUp());
        assertTrue(manager.counters().get(SmCounter.HEAVY_SWEEPS) > 1, "tries again");
    }

    // ---- SMInfo ----

    /** IBA vol 1 §14.2.5.13: GUID, SM_Key, ActCount, Priority and SMState. */
    @Test
    void shouldShowItsStateWhileItDiscoversAndAsMaster() {
        begin(Topologies.ring(2, 1), "h1", 1);
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.begin(mad, 0, MadMethod.GET, SmAttribute.SM_INFO, 0, 7, 0);
        assertEquals(0x31, shownBy(ManagementPacket.lidRouted(9, 1, mad)).get(Smp.DATA_OFFSET + 20));
        run(SECOND);
        ByteBuffer shown = shownBy(ManagementPacket.lidRouted(9, 1, mad));
        assertEquals(0x33, shown.get(Smp.DATA_OFFSET + 20));
        assertEquals(at.guid(), shown.getLong(Smp.DATA_OFFSET));
        assertEquals(1, shown.getLong(Smp.DATA_OFFSET + 8), "SM_Key of opensm");
        assertEquals(2, shown.getInt(Smp.DATA_OFFSET + 16), "counts");
    }

    @Test
    void shouldShowItsStateByDirectedRoute() {
        begin(Topologies.ring(2, 1), "h1", 1);
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.beginDirected(mad, 0, MadMethod.GET, SmAttribute.SM_INFO, 0, 7, 0, new byte[2]);
        assertEquals((short) 0x8000, shownBy(ManagementPacket.directed(mad)).getShort(Smp.STATUS_OFFSET), "the way back");
    }

    private ByteBuffer shownBy(ManagementPacket request) {
        assertTrue(manager.accepts(request));
        manager.onPacket(request, managed.nowNs());
        ManagementPacket answer = manager.transmit(managed.nowNs());
        assertEquals(MadMethod.GET_RESPONSE, answer.method());
        assertEquals(7, answer.transactionId());
        assertEquals(request.slid(), answer.dlid());
        return answer.mad();
    }

    // ---- hostile datagrams ----

    @Test
    void shouldDropWhatItHasNoUseFor() {
        manager = new SubnetManager(settings(GUID), 0);
        manager.onPacket(ManagementPacket.directed(ByteBuffer.allocate(Mad.LENGTH - 1)), 0);
        assertEquals(1, manager.counters().get(SmCounter.DROP_MALFORMED));
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.begin(mad, 0, MadMethod.GET, SmAttribute.PORT_INFO, 0, 1, 0);
        manager.onPacket(ManagementPacket.lidRouted(1, 2, mad), 0);
        assertEquals(1, manager.counters().get(SmCounter.DROP_UNSUPPORTED));
        Smp.beginDirected(mad, 0, MadMethod.GET_RESPONSE, SmAttribute.PORT_INFO, 0, ManagedFabric.FIRST_TRANSACTION, 0, new byte[2]);
        manager.onPacket(ManagementPacket.directed(mad), 0);
        assertEquals(1, manager.counters().get(SmCounter.DROP_NO_REQUEST));
    }

    @Test
    void shouldBoundAnswersToTraps() {
        manager = new SubnetManager(settings(GUID), 0);
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.begin(mad, 0, MadMethod.TRAP, SmAttribute.NOTICE, 0, 7, 0);
        manager.onPacket(ManagementPacket.lidRouted(0, 2, mad), 0);
        assertEquals(1, manager.counters().get(SmCounter.DROP_BAD_LID));
        for (int i = 0; i <= SubnetManager.MAX_TO_OTHERS; i++) {
            manager.onPacket(ManagementPacket.lidRouted(3, 2, mad), 0);
        }
        assertEquals(1, manager.counters().get(SmCounter.DROP_QUEUE_FULL));
        ManagementPacket answer = manager.transmit(0);
        assertEquals(MadMethod.TRAP_REPRESS, answer.method());
        assertEquals(3, answer.dlid());
        assertEquals(7, answer.transactionId());
    }

    @Test
    void shouldDropNodesThatCannotBe() {
        manager = new SubnetManager(settings(GUID), 0);
        manager.onTime(0);
        ManagementPacket request = manager.transmit(0);
        request.mad().put(Mad.METHOD_OFFSET, (byte) MadMethod.GET_RESPONSE);
        manager.onPacket(request, 0);
        assertEquals(1, manager.counters().get(SmCounter.DROP_BAD_NODE), "node type 0");
        assertFalse(manager.isUp());
    }
}
