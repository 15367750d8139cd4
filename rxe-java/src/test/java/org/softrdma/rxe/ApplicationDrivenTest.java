// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentInvoker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Devices without threads: one thread of the application does everything, on real sockets. */
@Timeout(60)
class ApplicationDrivenTest {
    private static final int BYTES = 100_000;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);

    /** One end of a connection: device, queue pair and memory. */
    private static final class End implements AutoCloseable {
        final Context context;
        final ProtectionDomain pd;
        final CompletionChannel channel;
        final CompletionQueue cq;
        final QueuePair qp;
        final MemorySegment memory = Arena.ofAuto().allocate(BYTES);
        final MemoryRegion region;

        End(String name) {
            String loopback = NetDevice.list().stream().filter(NetDevice::loopback).findFirst().orElseThrow().name();
            context = Rxe.device(name, loopback).open();
            pd = context.allocatePd();
            channel = context.createCompletionChannel();
            cq = context.createCq(16, null, channel, 0);
            qp = pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(16, 16, 1, 1, 0)));
            region = pd.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
        }

        Gid gid() {
            return context.queryGidTable().stream().map(GidEntry::gid).filter(Gid::isIpv4Mapped).findFirst().orElseThrow();
        }

        void connect(End peer) {
            qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_WRITE));
            qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer.gid(), 1)).pathMtu(Mtu.MTU_1024)
                .destQpn(peer.qp.qpNum()).rqPsn(1).maxDestRdAtomic(1).minRnrTimer(12));
            qp.modify(new QpAttributes().state(QpState.RTS).timeout(18).retryCount(7).rnrRetry(7).sqPsn(1).maxRdAtomic(1));
        }

        void writeTo(End peer) {
            qp.postSend(new SendRequest().write(peer.region.address(), peer.region.rkey()).wrId(7).element(region, 0, BYTES).signaled());
        }

        @Override
        public void close() {
            region.close();
            qp.close();
            cq.close();
            channel.close();
            pd.close();
            context.close();
        }
    }

    /** The thread of an earlier test's devices ends a moment after they are closed. */
    @BeforeEach
    void awaitTheEndOfEarlierThreads() {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        while (!deviceThreads("driven-").isEmpty()) {
            assertTrue(System.nanoTime() - untilNs < 0, "an earlier test left a device open");
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void restore() {
        DeviceThreads.driveByThreads();
        DeviceThreads.useFactory(run -> Thread.ofPlatform().daemon().unstarted(run));
        assertEquals(List.of(), DeviceThreads.agents(), "closed devices leave nothing to drive");
    }

    private static List<String> deviceThreads(String device) {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
            .filter(name -> name.contains(device) || name.equals("softrdma-watch")).toList();
    }

    @Test
    void shouldMoveDataOnTheApplicationsDutyCycleAlone() {
        Agent all = DeviceThreads.driveByApplication();
        try (End a = new End("driven-a"); End b = new End("driven-b")) {
            a.connect(b);
            b.connect(a);
            a.memory.fill((byte) 0x5a);
            a.writeTo(b);
            AgentInvoker invoker = new AgentInvoker(failed -> {
                throw new AssertionError(failed);
            }, null, all);
            invoker.start();
            long untilNs = System.nanoTime() + PATIENCE_NS;
            while (b.memory.mismatch(a.memory) >= 0) {
                invoker.invoke();
                assertTrue(System.nanoTime() - untilNs < 0, "the data has not arrived");
            }
            assertEquals(List.of(), deviceThreads("driven-"));
        }
    }

    /** The caller's thread does the peer's work, too: no other thread exists. */
    @Test
    void shouldDriveThePeerWhileTheApplicationWaitsForAnEvent() {
        DeviceThreads.driveByApplication();
        try (End a = new End("driven-c"); End b = new End("driven-d")) {
            a.connect(b);
            b.connect(a);
            a.cq.requestNotify();
            a.writeTo(b);
            assertSame(a.cq, a.channel.getEvent(PATIENCE_NS));
            a.cq.ackEvents(1);
            WorkCompletion[] done = WorkCompletion.array(1);
            assertEquals(1, a.cq.poll(done));
            assertEquals(WcStatus.SUCCESS, done[0].status());
            assertEquals(-1, b.memory.mismatch(a.memory));
        }
    }

    @Test
    void shouldNameWhatThereIsToDrive() {
        DeviceThreads.driveByApplication();
        try (End a = new End("driven-e")) {
            assertNotNull(a);
            assertTrue(DeviceThreads.agents().stream().map(Agent::roleName).anyMatch("softrdma-driven-e"::equals));
        }
    }

    @Test
    void shouldTakeThreadsFromTheApplicationsFactory() {
        List<Thread> made = new CopyOnWriteArrayList<>();
        DeviceThreads.useFactory(run -> {
            Thread thread = Thread.ofPlatform().daemon().priority(Thread.MIN_PRIORITY).unstarted(run);
            made.add(thread);
            return thread;
        });
        try (End a = new End("made-a")) {
            assertNotNull(a);
            assertTrue(made.stream().anyMatch(thread -> thread.getName().equals("softrdma-made-a") && thread.isAlive()));
        }
    }
}
