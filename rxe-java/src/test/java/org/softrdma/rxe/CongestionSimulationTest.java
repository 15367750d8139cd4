// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.Fate;
import org.softrdma.link.sim.LinkProfile;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.link.sim.SimulatedLink;
import org.softrdma.link.sim.SwitchPort;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * Two devices send to a third at full speed, through the one port of a switch that leads to it. All wires have 10 Gbit/s, and the
 * port marks as in the DCQCN paper: from 5 kB on a few packets, from 200 kB on all. The second starts when the first one has had the port
 * to itself for a while.
 */
class CongestionSimulationTest {
    private static final long MS = 1_000_000;
    private static final int MESSAGE_BYTES = 1 << 16;
    private static final int DEPTH = 16;
    private static final long LINE_BITS = 10_000_000_000L;
    private static final SwitchPort PORT = new SwitchPort(LINE_BITS, 8 << 20, 5_000, 200_000, 0.01);
    private static final LinkProfile HOST = LinkProfile.DEFAULT.withBandwidth(LINE_BITS, 8 << 20);
    private static final RxeOptions ON = RxeOptions.DEFAULT.withCongestion(CongestionControl.DCQCN.withLineRate(LINE_BITS));

    private SimulatedFabric fabric;
    private Simulation simulation;
    private SplittableRandom random;
    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final List<Flow> flows = new ArrayList<>();
    private SimulatedLink receiversLink;
    private SimulatedPair.Side receiver;
    private int notificationsOnTheWire;
    private double longestQueue;

    /** One sender, and the receiver's view of it. */
    private final class Flow {
        final SimulatedPair.Side sender;
        final MemoryRegion from;
        final MemoryRegion to;
        final SendRequest wr = new SendRequest();
        int posted;
        boolean running;
        int doneAtStart;

        Flow(int number, RxeOptions options) {
            Gid gid = Gid.ofIpv4(0x0a000001 + number);
            sender = new SimulatedPair.Side(SimulatedRxe.open(simulation, fabric.attach(HOST, gid), random, 9000, options), gid, setup);
            SimulatedPair.Side target = new SimulatedPair.Side(receiver.context, receiver.gid, setup);
            SimulatedPair.connect(sender, receiver.gid, target.qp.qpNum(), setup, setup.accessA, 5, 5);
            SimulatedPair.connect(target, gid, sender.qp.qpNum(), setup, setup.accessB, 5, 5);
            from = sender.memory(MESSAGE_BYTES, AccessFlags.LOCAL_WRITE);
            to = target.memory(MESSAGE_BYTES, SimulatedPair.ALL_REMOTE);
        }

        int done() {
            return sender.sends().size();
        }

        void post() {
            while (running && posted - done() < DEPTH) {
                sender.qp.postSend(wr.write(to.address(), to.rkey()).element(from, 0, MESSAGE_BYTES).signaled());
                posted++;
            }
        }
    }

    private void build(long seed, RxeOptions options) {
        fabric = new SimulatedFabric(seed, FaultPlan.NONE.withDelay(2_000, 2_000));
        simulation = new Simulation(fabric);
        random = new SplittableRandom(seed);
        setup.mtu = Mtu.MTU_4096;
        Gid gid = Gid.ofIpv4(0x0a0000ff);
        receiversLink = fabric.attach(HOST.withPort(PORT), gid);
        receiver = new SimulatedPair.Side(SimulatedRxe.open(simulation, receiversLink, random, 9000, options), gid, setup);
        flows.add(new Flow(0, options));
        flows.add(new Flow(1, options));
        fabric.observe((nowNs, from, to, packet, offset, length, fate) ->
            notificationsOnTheWire += fate == Fate.SENT && (packet.get(offset) & 0xff) == 0x81 ? 1 : 0);
    }

    private void run(long durationNs) {
        longestQueue = 0;
        flows.forEach(flow -> flow.doneAtStart = flow.done());
        long untilNs = fabric.nowNs() + durationNs;
        simulation.runUntil(() -> {
            flows.forEach(Flow::post);
            longestQueue = Math.max(longestQueue, receiversLink.portQueueBytes());
            return false;
        }, untilNs);
    }

    private double bitsPerSecond(Flow flow, long durationNs) {
        return (flow.done() - flow.doneAtStart) * 8e9 * MESSAGE_BYTES / durationNs;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldShareABottleneckAndKeepItsQueueShort(long seed) {
        build(seed, ON);
        flows.getFirst().running = true;
        run(10 * MS);
        assertTrue(bitsPerSecond(flows.getFirst(), 10 * MS) > 0.8 * LINE_BITS, "alone: " + bitsPerSecond(flows.getFirst(), 10 * MS));
        flows.getLast().running = true;
        run(50 * MS);

        run(50 * MS);
        double first = bitsPerSecond(flows.getFirst(), 50 * MS);
        double second = bitsPerSecond(flows.getLast(), 50 * MS);
        String result = String.format("%.0f and %.0f Mbit/s, at most %.0f bytes queued, %d CNPs", first / 1e6, second / 1e6, longestQueue,
            notificationsOnTheWire);
        assertTrue(first + second > 0.8 * LINE_BITS, result);
        assertTrue(Math.min(first, second) > 0.4 * (first + second), result);
        assertTrue(longestQueue < 400_000, result);
        assertEquals(0, fabric.count(Fate.QUEUE_FULL), result);
        assertTrue(fabric.count(Fate.MARKED) >= receiver.counter("np_ecn_marked_roce_packets"), result);
        assertEquals(notificationsOnTheWire, receiver.counter("np_cnp_sent"), result);
        for (Flow flow : flows) {
            assertTrue(flow.sender.counter("rp_cnp_handled") > 0, result);
            assertEquals(0, flow.sender.counter("retransmitted_pkts"), result);
            assertTrue(flow.sender.sendStatuses().stream().allMatch(status -> status == WcStatus.SUCCESS));
        }
    }

    /** Without congestion control only the windows bound the queue, and no packet is marked or may be. */
    @Test
    void shouldFillTheQueueWithoutCongestionControl() {
        build(3, RxeOptions.DEFAULT);
        flows.forEach(flow -> flow.running = true);
        run(50 * MS);
        assertTrue(longestQueue > 1_000_000, "at most " + longestQueue + " bytes queued");
        assertEquals(0, notificationsOnTheWire);
        assertEquals(0, fabric.count(Fate.MARKED));
    }
}
