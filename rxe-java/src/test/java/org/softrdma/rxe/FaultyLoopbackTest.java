// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/** Two devices of one process on real sockets and a real clock, with faults in all directions. */
@Timeout(120)
class FaultyLoopbackTest {
    /** No corruption: a UDP socket hides the IPv4 identification, and one damaged packet in 65,536 then passes as intact. */
    private static final String HEAVY = "drop=0.02,duplicate=0.05,reorder=0.05:200us,delay=5us-40us,clog=0.001:1ms,dir=both,seed=";
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int SIZE = 1 << 20;
    private static final int MESSAGES = 64;

    /** A device with one queue pair. */
    private static final class End implements AutoCloseable {
        final Context context;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final QueuePair qp;
        final Arena arena = Arena.ofShared();
        final MemoryRegion region;
        final GidEntry address;

        End(String name, String faults) {
            String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
            context = Rxe.device(name, lo, LinkFaults.parse(faults)).open();
            address = context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
            pd = context.allocatePd();
            cq = context.createCq(512);
            qp = pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(128, 128, 1, 1, 0)));
            region = pd.register(arena.allocate(3L * SIZE, 4096), SimulatedPair.ALL_REMOTE);
            qp.modify(SimulatedPair.init(new SimulatedPair.Setup(), SimulatedPair.ALL_REMOTE));
        }

        void connect(Gid peer, int peersQpn) {
            SimulatedPair.Setup setup = new SimulatedPair.Setup();
            // Long enough that no busy machine exhausts the retries; a lost last packet is found by a probe.
            setup.timeout = 17;
            qp.modify(SimulatedPair.rtr(peer, peersQpn, setup, 100).addressVector(AddressVector.to(peer, address.index())));
            qp.modify(SimulatedPair.rts(setup, 100));
        }

        byte[] bytes(int from) {
            return region.memory().asSlice((long) from * SIZE, SIZE).toArray(ValueLayout.JAVA_BYTE);
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

    private static void await(int count, End end) {
        WorkCompletion[] done = WorkCompletion.array(16);
        long deadlineNs = System.nanoTime() + PATIENCE_NS;
        int completed = 0;
        while (completed < count) {
            int polled = end.cq.poll(done);
            for (int i = 0; i < polled; i++) {
                assertTrue(done[i].isSuccess(), done[i].toString());
            }
            completed += polled;
            assertTrue(System.nanoTime() - deadlineNs < 0, completed + " of " + count + " completions; " + end.context.counters());
        }
    }

    @Test
    void shouldDeliverEverythingOverRealSockets() {
        try (End a = new End("faulty-a", HEAVY + 1); End b = new End("faulty-b", HEAVY + 2)) {
            a.connect(b.address.gid(), b.qp.qpNum());
            b.connect(a.address.gid(), a.qp.qpNum());
            byte[] data = new byte[SIZE];
            new Random(9).nextBytes(data);
            MemorySegment.copy(data, 0, a.region.memory(), ValueLayout.JAVA_BYTE, 0, SIZE);
            long there = b.region.address();
            int part = SIZE / MESSAGES;
            for (int i = 0; i < MESSAGES; i++) {
                b.qp.postReceive(new ReceiveRequest().begin(i).element(b.region, SIZE + i * part, part));
            }
            for (int i = 0; i < MESSAGES; i++) {
                a.qp.postSend(new SendRequest().send().element(a.region, i * part, part).signaled());
            }
            a.qp.postSend(new SendRequest().write(there, b.region.rkey()).element(a.region, 0, SIZE).signaled());
            a.qp.postSend(new SendRequest().read(there, b.region.rkey()).element(a.region, SIZE, SIZE).signaled());
            await(MESSAGES + 2, a);
            await(MESSAGES, b);

            assertArrayEquals(data, b.bytes(0), "written");
            assertArrayEquals(data, b.bytes(1), "sent");
            assertArrayEquals(data, a.bytes(1), "read");
            for (End each : List.of(a, b)) {
                for (String fault : List.of("dropped", "duplicated", "reordered", "delayed")) {
                    assertTrue(each.context.counters().get("fault_" + fault) > 0, fault + " in " + each.context.counters());
                }
                assertEquals(0, each.context.counters().get("drop_bad_icrc"), "trains stay whole");
            }
            assertTrue(a.context.counters().get("retransmitted_pkts") > 0);
        }
    }
}
