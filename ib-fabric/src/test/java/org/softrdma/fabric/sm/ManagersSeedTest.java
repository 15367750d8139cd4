// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Cable;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricNode;
import org.softrdma.fabric.model.FabricObserver;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.MadClient;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.wire.ib.SmInfo;

/**
 * Random subnets with two or three managers, in which datagrams are lost, cables are pulled and plugged in, nodes lose power, and managers
 * die and come back; after a quiet time the first of the managers is the only master, and every port reaches every other one.
 */
class ManagersSeedTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int EVENTS = 20;
    private static final double LOSS = 0.05;
    /** Longer than a standby manager needs to notice that its master is dead, and than the interval of sweeps. */
    private static final long QUIET_NS = 60 * SECOND;

    @Test
    void shouldEndWithOneMasterAndEveryPairConnected() {
        run(0, 100);
    }

    @Tag("soak")
    @Test
    void shouldEndWithOneMasterAndEveryPairConnectedForTenThousandSeeds() {
        run(100, 10_000);
    }

    private static void run(int first, int end) {
        for (int seed = first; seed < end; seed++) {
            try {
                new Subnet(seed).live();
            } catch (RuntimeException | AssertionError failed) {
                throw new AssertionError("seed " + seed + ": " + failed.getMessage(), failed);
            }
        }
    }

    private static final class Subnet {
        private final SplittableRandom random;
        private final Fabric fabric;
        private final List<Manager> managers = new ArrayList<>();
        private long nowNs;
        private int born;

        private final class Manager implements MadClient {
            final FabricPort port;
            final int priority;
            final SubnetManager machine;

            Manager(FabricPort port, int priority) {
                this.port = port;
                this.priority = priority;
                machine = new SubnetManager(new SmSettings(port.guid(), priority, SmSettings.SWEEP_INTERVAL_NS, SmSettings.TIMEOUT_NS, true,
                Partitions.DEFAULT, ++born * 1_000_000L), nowNs);
                fabric.attach(port, this);
                fabric.setManager(port, true, nowNs);
            }

            boolean isBefore(Manager other) {
                return priority > other.priority || priority == other.priority && Long.compareUnsigned(port.guid(), other.port.guid()) < 0;
            }

            @Override
            public boolean accepts(ManagementPacket packet) {
                return machine.accepts(packet);
            }

            @Override
            public void deliver(ManagementPacket packet) {
                machine.onPacket(packet, nowNs);
            }
        }

        Subnet(int seed) {
            random = new SplittableRandom(seed);
            int adapters = 3 + random.nextInt(5);
            fabric = new Fabric(Topologies.random(random, 1 + random.nextInt(5), random.nextInt(5), adapters), random,
                new FabricObserver() { });
            int count = 2 + random.nextInt(2);
            for (int i = 1; i <= count; i++) {
                managers.add(new Manager(fabric.find("h" + i).port(1), random.nextInt(4)));
            }
        }

        void live() {
            fabric.cables().forEach(each -> fabric.setLoss(each, LOSS));
            for (int i = 0; i < EVENTS; i++) {
                disturb();
                run(random.nextLong(5 * SECOND));
            }
            for (Cable each : fabric.cables()) {
                fabric.setLoss(each, 0);
                if (!each.isPlugged()) {
                    fabric.plug(each, nowNs);
                }
            }
            run(QUIET_NS);
            List<Manager> masters = managers.stream().filter(each -> each.machine.state() == SmInfo.STATE_MASTER).toList();
            List<Integer> states = managers.stream().map(each -> each.machine.state()).toList();
            assertEquals(1, masters.size(), () -> "states " + states);
            assertEquals(managers.size() - 1, states.stream().filter(each -> each == SmInfo.STATE_STANDBY).count(),
                () -> "states " + states);
            Manager master = masters.getFirst();
            managers.forEach(each -> assertTrue(each == master || master.isBefore(each), "another one is the first"));
            new ConnectedSubnet(fabric).assertConnected(master.port.lid());
        }

        private void disturb() {
            Cable cable = fabric.cables().get(random.nextInt(fabric.cables().size()));
            switch (random.nextInt(4)) {
                case 0 -> replaceManager();
                case 1 -> {
                    FabricNode node = fabric.nodes().get(random.nextInt(fabric.nodes().size()));
                    fabric.powerCycle(node, nowNs);
                }
                default -> {
                    if (cable.isPlugged()) {
                        fabric.pull(cable, nowNs);
                    } else {
                        fabric.plug(cable, nowNs);
                    }
                }
            }
        }

        /** A manager dies; another one begins at its port. */
        private void replaceManager() {
            int which = random.nextInt(managers.size());
            FabricPort port = managers.get(which).port;
            fabric.detach(port, managers.get(which));
            fabric.setManager(port, false, nowNs);
            managers.set(which, new Manager(port, random.nextInt(4)));
        }

        private void run(long durationNs) {
            long endNs = nowNs + durationNs;
            while (nowNs - endNs < 0) {
                long nextNs = endNs;
                for (Manager each : managers) {
                    each.machine.onTime(nowNs);
                    for (ManagementPacket sent = each.machine.transmit(nowNs); sent != null; sent = each.machine.transmit(nowNs)) {
                        fabric.send(each.port, sent, nowNs);
                    }
                }
                for (Manager each : managers) {
                    nextNs = Deadline.earlier(nextNs, each.machine.wantsSweep() ? nowNs : each.machine.deadlineNs());
                }
                nowNs = Math.max(nowNs + 1000, Deadline.earlier(nextNs, fabric.deadlineNs()));
                fabric.onTime(nowNs);
            }
        }
    }
}
