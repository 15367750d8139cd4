// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.Fabric;
import org.softrdma.fabric.model.FabricObserver;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.MadClient;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.topology.Topology;
import org.softrdma.wire.ib.MadMethod;

/** A simulated subnet with its managers, on virtual time. */
public final class ManagedFabric {
    /** Transaction ID of the first request of the first manager. */
    public static final long FIRST_TRANSACTION = 1000;
    private static final long TRANSACTIONS = 1_000_000;
    /** Time passes at each step, however soon the next deadline is. */
    private static final long LEAST_STEP_NS = 1000;

    private final Fabric fabric;
    private final List<Running> managers = new ArrayList<>();
    private long nowNs;
    private int begun;

    /** Creates a subnet without managers. */
    public ManagedFabric(Topology topology, RandomGenerator random) {
        fabric = new Fabric(topology, random, new FabricObserver() { });
    }

    /** A manager at its port. */
    public final class Running implements MadClient {
        final int priority;
        private final FabricPort port;
        private final SubnetManager manager;
        private final List<ManagementPacket> received = new ArrayList<>();
        private boolean deaf;

        private Running(FabricPort port, SmSettings settings) {
            this.port = port;
            priority = settings.priority();
            manager = new SubnetManager(settings, nowNs);
        }

        public FabricPort port() {
            return port;
        }

        public SubnetManager manager() {
            return manager;
        }

        @Override
        public boolean accepts(ManagementPacket packet) {
            return manager.accepts(packet) && !(deaf && SmInfoAgent.serves(packet));
        }

        @Override
        public void deliver(ManagementPacket packet) {
            if (packet.method() == MadMethod.TRAP || packet.method() == MadMethod.SET) {
                received.add(packet.copy());
            }
            manager.onPacket(packet, nowNs);
        }

        /** The last trap, or the last order of another manager. */
        ManagementPacket lastReceived(int method) {
            return received.stream().filter(each -> each.method() == method).toList().getLast();
        }

        /** Lets the manager miss the questions and orders of others. */
        void setDeaf(boolean now) {
            deaf = now;
        }

        /** The manager is gone without a word. */
        void die() {
            fabric.detach(port, this);
            fabric.setManager(port, false, nowNs);
            managers.remove(this);
        }
    }

    /** Begins a manager that other managers cannot see in the port's capabilities: the only one. */
    public Running beginAlone(FabricPort port, Partitions partitions) {
        return begin(port, 3, partitions);
    }

    /** Begins a manager. */
    Running begin(FabricPort port, int priority) {
        Running running = begin(port, priority, Partitions.DEFAULT);
        fabric.setManager(port, true, nowNs);
        return running;
    }

    private Running begin(FabricPort port, int priority, Partitions partitions) {
        Running running = new Running(port, new SmSettings(port.guid(), priority, SmSettings.SWEEP_INTERVAL_NS, SmSettings.TIMEOUT_NS, true,
            partitions, FIRST_TRANSACTION + TRANSACTIONS * begun++));
        fabric.attach(port, running);
        managers.add(running);
        return running;
    }

    public Fabric fabric() {
        return fabric;
    }

    List<Running> managers() {
        return managers;
    }

    public long nowNs() {
        return nowNs;
    }

    /** Lets time pass. */
    public void run(long durationNs) {
        long endNs = nowNs + durationNs;
        while (nowNs - endNs < 0) {
            long nextNs = endNs;
            for (Running each : managers) {
                each.manager.onTime(nowNs);
                for (ManagementPacket sent = each.manager.transmit(nowNs); sent != null; sent = each.manager.transmit(nowNs)) {
                    fabric.send(each.port, sent, nowNs);
                }
            }
            for (Running each : managers) {
                nextNs = Deadline.earlier(nextNs, each.manager.wantsSweep() ? nowNs : each.manager.deadlineNs());
            }
            nowNs = Math.max(nowNs + LEAST_STEP_NS, Deadline.earlier(nextNs, fabric.deadlineNs()));
            fabric.onTime(nowNs);
        }
    }
}
