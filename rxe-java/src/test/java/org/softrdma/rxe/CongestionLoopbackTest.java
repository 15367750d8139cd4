// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.NetDevice;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * Marks and notifications on real sockets, trains included. The loopback interface marks nothing, so the sender, without congestion
 * control, does it itself: its address vector has the mark in the traffic class.
 */
@Timeout(60)
class CongestionLoopbackTest {
    private static final int SIZE = 1 << 20;
    private static final int MESSAGES = 8;
    private static final int MARKED = 3;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private static final class End implements AutoCloseable {
        final Context context;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final QueuePair qp;
        final Arena arena = Arena.ofShared();
        final MemoryRegion region;
        final GidEntry address;

        End(String name, RxeOptions options) {
            String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
            context = Rxe.device(name, lo, options).open();
            address = context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
            pd = context.allocatePd();
            cq = context.createCq(64);
            qp = pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(16, 16, 1, 1, 0)));
            region = pd.register(arena.allocate(SIZE, 4096), SimulatedPair.ALL_REMOTE);
        }

        void connect(End peer, int trafficClass) {
            SimulatedPair.Setup setup = new SimulatedPair.Setup();
            // A second, so that no busy machine exhausts the retries.
            setup.timeout = 18;
            AddressVector vector = new AddressVector(peer.address.gid(), address.index(), 0, 64, trafficClass, 0, 1);
            qp.modify(SimulatedPair.init(setup, SimulatedPair.ALL_REMOTE));
            qp.modify(SimulatedPair.rtr(peer.address.gid(), peer.qp.qpNum(), setup, 100).addressVector(vector));
            qp.modify(SimulatedPair.rts(setup, 100));
        }

        long counter(String name) {
            return context.counters().get(name);
        }

        /** Received packets, once as many were marked: on a busy machine some are received again after the last completion. */
        long packetsAllOfThemMarked(long beganNs) {
            Map<String, Long> counters = context.counters();
            while (!counters.get("rcvd_pkts").equals(counters.get("np_ecn_marked_roce_packets"))) {
                assertTrue(System.nanoTime() - beganNs < PATIENCE_NS, "each packet of a train is marked: " + counters);
                Thread.yield();
                counters = context.counters();
            }
            return counters.get("rcvd_pkts");
        }

        @Override
        public void close() {
            qp.close();
            cq.close();
            region.close();
            pd.close();
            context.close();
            arena.close();
        }
    }

    @Test
    void shouldAnswerMarkedTrainsNowAndThen() {
        assumeTrue(System.getProperty("os.name").equals("Linux") && !"nio".equals(System.getProperty("softrdma.link")),
            "only the Linux link learns the traffic class of what it receives");
        try (End sender = new End("marked-sender", RxeOptions.DEFAULT);
             End receiver = new End("marked-receiver", RxeOptions.DEFAULT.withCongestion(CongestionControl.DCQCN))) {
            sender.connect(receiver, MARKED);
            receiver.connect(sender, 0);
            long beganNs = System.nanoTime();
            for (int i = 0; i < MESSAGES; i++) {
                sender.qp.postSend(new SendRequest().write(receiver.region.address(), receiver.region.rkey())
                    .element(sender.region, 0, SIZE).signaled());
            }
            WorkCompletion[] done = WorkCompletion.array(MESSAGES);
            int completed = 0;
            while (completed < MESSAGES || sender.counter("rp_cnp_ignored") < receiver.counter("np_cnp_sent")) {
                int polled = sender.cq.poll(done);
                for (int i = 0; i < polled; i++) {
                    assertTrue(done[i].isSuccess(), done[i].toString());
                }
                completed += polled;
                assertTrue(System.nanoTime() - beganNs < PATIENCE_NS, completed + " completions; " + receiver.context.counters());
            }
            long notifications = receiver.counter("np_cnp_sent");
            long intervals = (System.nanoTime() - beganNs) / CongestionControl.DCQCN.cnpIntervalNs() + 1;

            assertTrue(notifications >= 1 && notifications <= intervals, notifications + " CNPs in " + intervals + " intervals");
            long packets = receiver.packetsAllOfThemMarked(beganNs);
            assertTrue(packets >= MESSAGES * SIZE / 1024, packets + " packets");
        }
    }
}
