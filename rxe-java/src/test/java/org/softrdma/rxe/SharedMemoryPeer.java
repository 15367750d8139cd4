// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.softrdma.host.config.NetDevice;
import org.softrdma.rxe.config.LocalWire;
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
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/**
 * A device on the loopback interface that uses shared memory, with one queue pair; also a program, to be killed: it prints its address and
 * queue pair number, reads its peer's, and sends back what it receives.
 */
final class SharedMemoryPeer implements AutoCloseable {
    static final int SIZE = 1 << 20;
    static final int MESSAGE = 10_000;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    final Context context;
    final GidEntry address;
    final MemoryRegion region;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final WorkCompletion[] done = WorkCompletion.array(1);
    private QueuePair qp;

    SharedMemoryPeer(String name) {
        String lo = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
        context = Rxe.device(name, lo, RxeOptions.DEFAULT.withLocalWire(LocalWire.SHM)).open();
        address = context.queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
        pd = context.allocatePd();
        cq = context.createCq(64);
        region = pd.register(arena.allocate(3L * SIZE, 4096), SimulatedPair.ALL_REMOTE);
        openQp();
    }

    /** Makes another queue pair in place of the last one. */
    void openQp() {
        if (qp != null) {
            qp.close();
        }
        qp = pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(64, 64, 1, 1, 0)));
        qp.modify(SimulatedPair.init(new SimulatedPair.Setup(), SimulatedPair.ALL_REMOTE));
    }

    String text() {
        return address.gid().high() + " " + address.gid().low() + " " + qp.qpNum();
    }

    void connect(String peer) {
        String[] words = peer.split(" ");
        Gid gid = new Gid(Long.parseLong(words[0]), Long.parseLong(words[1]));
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        // Half a second with all retries; the peer is another process on a busy machine.
        setup.timeout = 14;
        qp.modify(SimulatedPair.rtr(gid, Integer.parseInt(words[2]), setup, 100).addressVector(AddressVector.to(gid, address.index())));
        qp.modify(SimulatedPair.rts(setup, 100));
    }

    void post(SendRequest request) {
        qp.postSend(request.signaled());
    }

    void postReceive(int offset, int length) {
        qp.postReceive(new ReceiveRequest().element(region, offset, length));
    }

    long count(String counter) {
        return context.counters().get(counter);
    }

    WcStatus await() {
        long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (cq.poll(done) == 0) {
            assertTrue(System.nanoTime() - deadlineNs < 0, context.counters().toString());
        }
        return done[0].status();
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

    public static void main(String[] arguments) throws IOException {
        SharedMemoryPeer peer = new SharedMemoryPeer("shm-peer");
        peer.postReceive(0, MESSAGE);
        System.out.println(peer.text());
        peer.connect(new BufferedReader(new InputStreamReader(System.in)).readLine());
        System.out.println("connected");
        // Until the process is killed.
        while (peer.await() == WcStatus.SUCCESS) {
            peer.post(new SendRequest().send().element(peer.region, 0, MESSAGE));
            peer.await();
            peer.postReceive(0, MESSAGE);
        }
    }
}
