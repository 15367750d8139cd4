// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.daemon.service.TestSession;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAddress;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** The life of a program that has joined a daemon, and the ends of both. */
@Timeout(60)
class DaemonSessionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final QpCapabilities SMALL = new QpCapabilities(4, 4, 1, 1, 0);

    @Test
    void shouldSayHowToStartADaemonWhereNoneRuns(@TempDir Path state) {
        VerbsException refused = assertThrows(VerbsException.class, () -> TestSession.join(state));
        assertEquals(Errno.ENODEV, refused.errno());
        assertTrue(refused.getMessage().contains("softrdma daemon start"), refused.getMessage());
    }

    /** Two programs write into each other's memory; when one leaves without a word, its objects are gone and its peer finds no one. */
    @Test
    void shouldShareADeviceUntilOneProgramLeaves() {
        try (RunningDaemon daemon = new RunningDaemon(1); Arena arena = Arena.ofShared();
            Context context = daemon.devices().getFirst().open(); ProtectionDomain pd = context.allocatePd();
            CompletionQueue cq = context.createCq(8); QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, SMALL))) {
            DaemonSession other = daemon.another();
            Context theirs = DaemonProvider.of(other).getFirst().open();
            assertTrue(daemon.status().contains("programs: 2"), daemon.status());
            ProtectionDomain theirPd = theirs.allocatePd();
            CompletionQueue theirCq = theirs.createCq(8);
            QueuePair peer = theirPd.createQp(QpInitAttributes.rc(theirCq, SMALL));
            connectBriefly(qp, peer);
            MemorySegment from = arena.allocateFrom("written by a program");
            MemorySegment to = arena.allocate(from.byteSize());
            MemoryRegion target = theirPd.register(to, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
            try (MemoryRegion source = pd.register(from, 0)) {
                SendRequest write = new SendRequest().write(target.address(), target.rkey())
                    .element(source, 0, (int) from.byteSize()).signaled();
                qp.postSend(write);
                cq.await(PATIENCE).requireSuccess();
                assertEquals("written by a program", to.getString(0));

                other.close();
                await(() -> daemon.status().contains("programs: 1"));
                qp.postSend(write);
                assertEquals(WcStatus.RETRY_EXC_ERR, cq.await(PATIENCE).status());
            }
            assertEquals(Errno.EIO, assertThrows(VerbsException.class, theirs::queryDevice).errno());
            for (AutoCloseable each : List.of(peer, target, theirCq, theirPd, theirs)) {
                assertDoesNotThrow(each::close, "the program can close what the daemon has closed");
            }
        }
    }

    /** Connects two queue pairs, of which the first gives up its retries within milliseconds. */
    private static void connectBriefly(QueuePair impatient, QueuePair other) {
        QpAddress own = impatient.init();
        QpAddress peer = other.init();
        other.connect(peer, own);
        int index = impatient.pd().context().queryGidTable().stream().filter(entry -> entry.gid().equals(own.gid())).findFirst()
            .orElseThrow().index();
        impatient.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer.gid(), index)).pathMtu(Mtu.MTU_1024)
            .destQpn(peer.qpn()).rqPsn(peer.psn()).maxDestRdAtomic(1).minRnrTimer(12));
        impatient.modify(new QpAttributes().state(QpState.RTS).sqPsn(own.psn()).timeout(10).retryCount(2).rnrRetry(0).maxRdAtomic(1));
    }

    @Test
    void shouldFailWithEioWhenTheDaemonIsKilled() throws InterruptedException {
        RunningDaemon daemon = new RunningDaemon(1);
        try {
            Context context = daemon.devices().getFirst().open();
            ProtectionDomain pd = context.allocatePd();
            CompletionQueue queue = context.createCq(4);
            assertEquals(0, queue.poll(WorkCompletion.array(1)));
            daemon.process().destroyForcibly().waitFor();
            // Nothing is ever added to the ring again: without an error, threads that poll would do so without end.
            assertEquals(Errno.EIO, assertThrows(VerbsException.class, () -> queue.await(WorkCompletion.array(1), -1)).errno());
            assertEquals(Errno.EIO, assertThrows(VerbsException.class, () -> queue.reader().startPoll()).errno());
            assertEquals(Errno.EIO, assertThrows(VerbsException.class, () -> context.getAsyncEvent(-1)).errno());
            VerbsException refused = assertThrows(VerbsException.class, context::allocatePd);
            assertEquals(Errno.EIO, refused.errno());
            assertTrue(refused.getMessage().contains("the daemon has ended"), refused.getMessage());
            assertTrue(daemon.session().hasEnded());
            queue.close();
            pd.close();
            context.close();
        } finally {
            daemon.close();
        }
    }

    /** As C programs see it: DEVICE_FATAL, then EIO for every call, and every object can be closed. */
    @Test
    void shouldEndTheContextsOfADeletedDevice() {
        try (RunningDaemon daemon = new RunningDaemon(2); Context other = daemon.devices().getLast().open()) {
            Context context = daemon.devices().getFirst().open();
            ProtectionDomain pd = context.allocatePd();
            CompletionChannel channel = context.createCompletionChannel();
            CompletionQueue cq = context.createCq(4, null, channel, 0);
            QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, SMALL));
            daemon.deleteDevice("rxe0");
            assertEquals(AsyncEventType.DEVICE_FATAL, context.getAsyncEvent(PATIENCE.toNanos()).type());
            assertEquals(Errno.EIO, assertThrows(VerbsException.class, () -> context.getAsyncEvent(-1)).errno());
            assertEquals(Errno.EIO, assertThrows(VerbsException.class, () -> channel.getEvent(-1)).errno());
            assertEquals(Errno.EIO, assertThrows(VerbsException.class, context::queryDevice).errno());
            for (AutoCloseable each : List.of(qp, cq, channel, pd, context)) {
                assertDoesNotThrow(each::close);
            }
            assertEquals(1, daemon.devices().size());
            other.allocatePd().close();
        }
    }

    @Test
    void shouldHaveOneAddressForAllPrograms() {
        try (RunningDaemon daemon = new RunningDaemon(1); DaemonSession other = daemon.another();
            Context one = daemon.devices().getFirst().open(); Context two = DaemonProvider.of(other).getFirst().open()) {
            assertEquals(one.queryGidTable(), two.queryGidTable());
            assertTrue(one.queryGidTable().stream().anyMatch(entry -> entry.gid().isIpv4Mapped()));
        }
    }

    private static void await(BooleanSupplier done) {
        long untilNs = System.nanoTime() + PATIENCE.toNanos();
        while (!done.getAsBoolean()) {
            assertTrue(System.nanoTime() - untilNs < 0, "time is over");
            LockSupport.parkNanos(5_000_000);
        }
    }
}
