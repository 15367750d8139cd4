// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.List;
import java.util.random.RandomGenerator;
import org.softrdma.device.sim.Simulation;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.Link;
import org.softrdma.link.fault.FaultyLink;
import org.softrdma.rxe.engine.GidTable;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;
import org.softrdma.wire.net.Gids;
import org.softrdma.wire.net.Udp;

/**
 * Rxe devices on a simulated fabric: the same engine and the same API as on a real link, driven by a {@link Simulation} on virtual time.
 * Their behaviour depends only on the fabric's seed and the random generator given here.
 */
public final class SimulatedRxe {
    private SimulatedRxe() {
    }

    /**
     * Opens a device and adds it to the simulation.
     *
     * @param simulation which drives the device
     * @param link       attached to the simulation's fabric; its addresses become GIDs 1, 2, …
     * @param random     source of queue pair numbers and keys
     * @param mtu        of the interface: 9000 gives path MTUs up to 4096
     * @return a context of the device
     */
    public static Context open(Simulation simulation, Link link, RandomGenerator random, int mtu) {
        return open(simulation, link, random, mtu, RxeOptions.DEFAULT);
    }

    /**
     * Opens a device as {@link #open(Simulation, Link, RandomGenerator, int)} does, with options.
     *
     * @param simulation which drives the device
     * @param link       attached to the simulation's fabric
     * @param random     source of queue pair numbers and keys
     * @param mtu        of the interface
     * @param options    of the device
     * @return a context of the device
     */
    public static Context open(Simulation simulation, Link link, RandomGenerator random, int mtu, RxeOptions options) {
        NetDevice netdev = new NetDevice("sim0", 1, 0x020000000001L, mtu, true, true, false, List.of());
        return open(simulation, netdev, link, random, options);
    }

    /**
     * Opens a device as {@link #open(Simulation, Link, RandomGenerator, int)} does, with options, on a named interface.
     *
     * @param simulation which drives the device
     * @param netdev     the interface, with its MTU
     * @param link       attached to the simulation's fabric
     * @param random     source of queue pair numbers and keys
     * @param options    of the device
     * @return a context of the device
     */
    public static Context open(Simulation simulation, NetDevice netdev, Link link, RandomGenerator random, RxeOptions options) {
        FaultyLink faulty = new FaultyLink(link, options.faults(), simulation.world()::nowNs);
        long caGuid = Gids.nodeGuid(netdev.mac() ^ link.addresses().getFirst().low() & 0xffffffffL);
        RunningRxe running = new RunningRxe(netdev, caGuid, GidTable.of(netdev, link.types(), link.addresses()), faulty,
            Udp.DEST_PORT_ROCE, link.types()::getLast, options.queuePairs(), random, simulation.world()::nowNs, null);
        running.recordEvents(options.recordedEvents());
        simulation.add(running.engine());
        return new Device(running, options.strict()).open();
    }

    /** The device of its contexts, which opens further contexts. It is driven by the simulation, even when all contexts are closed. */
    private record Device(RunningRxe running, boolean strict) implements RdmaDevice {
        @Override
        public String name() {
            return running.netdev().name();
        }

        @Override
        public long nodeGuid() {
            return running.netdev().nodeGuid();
        }

        @Override
        public NodeType nodeType() {
            return NodeType.CA;
        }

        @Override
        public Transport transport() {
            return Transport.INFINIBAND;
        }

        @Override
        public String netdev() {
            return running.netdev().name();
        }

        @Override
        public Context open() {
            RxeContext context = new RxeContext(this, running, running.port()::leave);
            running.port().enter(context);
            if (strict) {
                context.makeStrict();
            }
            return context;
        }

        @Override
        public String toString() {
            return name() + " on the simulated fabric";
        }
    }
}
