// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricObserver;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.MadClient;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/** Several managers in one simulated subnet, on virtual time: IBA vol 1 §14.4.1. */
class HandoverTest {
    private static final long SECOND = 1_000_000_000L;

    private final Fabric fabric = new Fabric(Topologies.tree(6, 2, 1), new SplittableRandom(1), new FabricObserver() { });
    private final List<Running> all = new ArrayList<>();
    private long nowNs;

    private final class Running implements MadClient {
        final FabricPort port;
        final SubnetManager manager;

        Running(String node, int priority) {
            port = fabric.find(node).port(1);
            manager = new SubnetManager(new SmSettings(port.guid(), priority, SmSettings.SWEEP_INTERVAL_NS, SmSettings.TIMEOUT_NS, true,
                Partitions.DEFAULT, 1_000_000L * all.size() + 1), nowNs);
            fabric.attach(port, this);
            fabric.setManager(port, true, nowNs);
            all.add(this);
        }

        @Override
        public boolean accepts(ManagementPacket packet) {
            return manager.accepts(packet);
        }

        @Override
        public void deliver(ManagementPacket packet) {
            manager.onPacket(packet, nowNs);
        }

        void die() {
            fabric.detach(port, this);
            fabric.setManager(port, false, nowNs);
            all.remove(this);
        }
    }

    private void run(long durationNs) {
        long endNs = nowNs + durationNs;
        while (nowNs - endNs < 0) {
            long nextNs = endNs;
            for (Running each : all) {
                each.manager.onTime(nowNs);
                for (ManagementPacket sent = each.manager.transmit(nowNs); sent != null; sent = each.manager.transmit(nowNs)) {
                    fabric.send(each.port, sent, nowNs);
                }
            }
            for (Running each : all) {
                nextNs = each.manager.wantsSweep() ? nowNs : Deadline.earlier(nextNs, each.manager.deadlineNs());
            }
            nowNs = Math.max(nowNs + 1000, Deadline.earlier(nextNs, fabric.deadlineNs()));
            fabric.onTime(nowNs);
        }
    }

    private void assertStates(int... states) {
        assertEquals(Arrays.stream(states).boxed().toList(),
            all.stream().map(each -> each.manager.state()).toList());
    }

    private void assertMaster(Running master) {
        assertTrue(master.manager.isUp(), () -> master.manager.counters().toString());
        for (int i = 1; i <= 6; i++) {
            assertEquals(master.port.lid(), fabric.find("h" + i).port(1).smLid(), "h" + i);
        }
    }

    @Test
    void shouldMakeTheFirstByPriorityTheMaster() {
        new Running("h1", 1);
        Running first = new Running("h4", 7);
        new Running("h6", 3);
        run(3 * SECOND);
        assertStates(SmInfo.STATE_STANDBY, SmInfo.STATE_MASTER, SmInfo.STATE_STANDBY);
        assertMaster(first);
    }

    @Test
    void shouldMakeTheLeastGuidTheMasterOfEqualPriorities() {
        Running one = new Running("h5", 2);
        Running other = new Running("h2", 2);
        run(3 * SECOND);
        boolean oneIsLess = Long.compareUnsigned(one.port.guid(), other.port.guid()) < 0;
        assertMaster(oneIsLess ? one : other);
        assertEquals(SmInfo.STATE_STANDBY, (oneIsLess ? other : one).manager.state());
    }

    @Test
    void shouldStandByUnderAMasterOfGreaterPriority() {
        Running master = new Running("h1", 5);
        run(SECOND);
        new Running("h4", 4);
        run(60 * SECOND);
        assertStates(SmInfo.STATE_MASTER, SmInfo.STATE_STANDBY);
        assertMaster(master);
    }

    @Test
    void shouldHandTheSubnetOverAndKeepLids() {
        Running before = new Running("h1", 1);
        run(SECOND);
        int lid = fabric.find("h3").port(1).lid();
        Running after = new Running("h4", 9);
        run(5 * SECOND);
        assertStates(SmInfo.STATE_STANDBY, SmInfo.STATE_MASTER);
        assertMaster(after);
        assertEquals(lid, fabric.find("h3").port(1).lid());
        assertEquals(1, before.manager.counters().get(SmCounter.STANDBY));
    }

    @Test
    void shouldTakeADeadMastersPlace() {
        Running master = new Running("h1", 5);
        Running heir = new Running("h4", 4);
        run(5 * SECOND);
        assertMaster(master);
        master.die();
        run(30 * SECOND);
        assertStates(SmInfo.STATE_MASTER);
        assertMaster(heir);
    }

    @Test
    void shouldBecomeInactiveAndStandByAgainWhenControlled() {
        new Running("h1", 5);
        Running below = new Running("h4", 4);
        run(5 * SECOND);
        assertEquals(MadStatus.OK, control(below, SmInfo.DISABLE));
        assertEquals(SmInfo.STATE_NOT_ACTIVE, below.manager.state());
        assertEquals(MadStatus.INVALID_FIELD, control(below, SmInfo.DISCOVER));
        assertEquals(MadStatus.OK, control(below, SmInfo.STANDBY));
        assertEquals(SmInfo.STATE_STANDBY, below.manager.state());
        assertEquals(MadStatus.OK, control(below, SmInfo.DISCOVER));
        assertEquals(SmInfo.STATE_DISCOVERING, below.manager.state());
        run(5 * SECOND);
        assertEquals(SmInfo.STATE_STANDBY, below.manager.state());
    }

    @Test
    void shouldRefuseControlThatItsStateDoesNotAllow() {
        Running master = new Running("h1", 5);
        run(SECOND);
        for (int modifier : new int[] {0, SmInfo.ACKNOWLEDGE, SmInfo.DISABLE, SmInfo.STANDBY, SmInfo.DISCOVER, 6, -1}) {
            assertEquals(MadStatus.INVALID_FIELD, control(master, modifier), () -> "modifier " + modifier);
        }
        assertEquals(7, master.manager.counters().get(SmCounter.DROP_BAD_STATE));
        run(SECOND);
        assertMaster(master);
    }

    /** Two masters of halves that are connected meet: the one that hands over may know more than the other one. */
    @Test
    void shouldAcceptTheSubnetAsAMasterToo() {
        Running master = new Running("h1", 5);
        run(SECOND);
        long sweeps = master.manager.counters().get(SmCounter.HEAVY_SWEEPS);
        assertEquals(MadStatus.OK, control(master, SmInfo.HANDOVER));
        run(SECOND);
        assertMaster(master);
        assertEquals(sweeps + 1, master.manager.counters().get(SmCounter.HEAVY_SWEEPS));
    }

    /** @return status of the answer */
    private int control(Running to, int modifier) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.begin(mad, 0, MadMethod.SET, SmAttribute.SM_INFO, modifier, 77, 0);
        to.manager.onPacket(ManagementPacket.lidRouted(9, to.port.lid(), mad), nowNs);
        ManagementPacket answer = to.manager.transmit(nowNs);
        assertNotNull(answer);
        assertEquals(MadMethod.GET_RESPONSE, answer.method());
        return Smp.status(answer.mad(), 0);
    }
}
