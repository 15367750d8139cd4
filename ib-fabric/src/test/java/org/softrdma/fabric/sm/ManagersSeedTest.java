// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.softrdma.fabric.model.Cable;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricNode;
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

    private static boolean isBefore(ManagedFabric.Running one, ManagedFabric.Running other) {
        return one.priority > other.priority
            || one.priority == other.priority && Long.compareUnsigned(one.port().guid(), other.port().guid()) < 0;
    }

    private static final class Subnet {
        private final SplittableRandom random;
        private final ManagedFabric managed;
        private final Fabric fabric;

        Subnet(int seed) {
            random = new SplittableRandom(seed);
            int adapters = 3 + random.nextInt(5);
            managed = new ManagedFabric(Topologies.random(random, 1 + random.nextInt(5), random.nextInt(5), adapters), random);
            fabric = managed.fabric();
            int count = 2 + random.nextInt(2);
            for (int i = 1; i <= count; i++) {
                managed.begin(fabric.find("h" + i).port(1), random.nextInt(4));
            }
        }

        void live() {
            fabric.cables().forEach(each -> fabric.setLoss(each, LOSS));
            for (int i = 0; i < EVENTS; i++) {
                disturb();
                managed.run(random.nextLong(5 * SECOND));
            }
            for (Cable each : fabric.cables()) {
                fabric.setLoss(each, 0);
                if (!each.isPlugged()) {
                    fabric.plug(each, managed.nowNs());
                }
            }
            managed.run(QUIET_NS);
            List<ManagedFabric.Running> managers = managed.managers();
            List<ManagedFabric.Running> masters = managers.stream().filter(each -> each.manager().state() == SmInfo.STATE_MASTER).toList();
            List<Integer> states = managers.stream().map(each -> each.manager().state()).toList();
            assertEquals(1, masters.size(), () -> "states " + states);
            assertEquals(managers.size() - 1, states.stream().filter(each -> each == SmInfo.STATE_STANDBY).count(),
                () -> "states " + states);
            ManagedFabric.Running master = masters.getFirst();
            managers.forEach(each -> assertTrue(each == master || isBefore(master, each), "another one is the first"));
            new ConnectedSubnet(fabric).assertConnected(master.port().lid());
        }

        private void disturb() {
            Cable cable = fabric.cables().get(random.nextInt(fabric.cables().size()));
            switch (random.nextInt(4)) {
                case 0 -> replaceManager();
                case 1 -> {
                    FabricNode node = fabric.nodes().get(random.nextInt(fabric.nodes().size()));
                    fabric.powerCycle(node, managed.nowNs());
                }
                default -> {
                    if (cable.isPlugged()) {
                        fabric.pull(cable, managed.nowNs());
                    } else {
                        fabric.plug(cable, managed.nowNs());
                    }
                }
            }
        }

        /** A manager dies; another one begins at its port. */
        private void replaceManager() {
            ManagedFabric.Running which = managed.managers().get(random.nextInt(managed.managers().size()));
            which.die();
            managed.begin(which.port(), random.nextInt(4));
        }
    }
}
