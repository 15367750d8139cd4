// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.softrdma.contract.AllContracts;
import org.softrdma.contract.Capability;
import org.softrdma.contract.ContractFabric;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;

/** The contract of the API on rxe devices of a simulated network, in virtual time. */
class SimulatedContractTest extends AllContracts {
    @Override
    protected ContractFabric openFabric() {
        return new Network(RxeOptions.DEFAULT);
    }

    @Override
    protected Set<Capability> unsupported() {
        return Set.of();
    }

    /** Three devices on a network without faults. */
    static class Network implements ContractFabric {
        private static final long SEED = 15;
        private static final long PATIENCE_NS = 600_000_000_000L;
        private static final int INTERFACE_MTU = 9000;

        private final SimulatedFabric fabric = new SimulatedFabric(SEED, FaultPlan.NONE);
        private final Simulation simulation = new Simulation(fabric);
        private final List<Context> devices = new ArrayList<>();

        Network(RxeOptions options) {
            RandomGenerator random = new SplittableRandom(SEED);
            for (int device = 0; device < DEVICES; device++) {
                devices.add(SimulatedRxe.open(simulation, fabric.attach(gid(device)), random, INTERFACE_MTU, options));
            }
        }

        private static Gid gid(int device) {
            return Gid.ofIpv4(0x0a000001 + device);
        }

        @Override
        public Context open(int device) {
            return devices.get(device).device().open();
        }

        @Override
        public GidEntry address(int device) {
            return devices.get(device).queryGidTable().stream().filter(entry -> entry.gid().equals(gid(device))).findFirst().orElseThrow();
        }

        @Override
        public boolean await(BooleanSupplier done) {
            return simulation.runUntil(done, fabric.nowNs() + PATIENCE_NS);
        }

        @Override
        public void close() {
            devices.forEach(Context::close);
        }
    }
}
