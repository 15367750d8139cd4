// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Identifiers without a channel, whose calls wait. */
class SynchronousTest extends TwoHosts {
    private static final long PATIENCE_NS = 30_000_000_000L;

    /** The network goes on while the call waits. */
    private <T> T during(Supplier<T> call) throws InterruptedException {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                done.complete(call.get());
            } catch (RuntimeException | Error thrown) {
                done.completeExceptionally(thrown);
            }
        });
        long endNs = System.nanoTime() + PATIENCE_NS;
        while (!done.isDone()) {
            assertTrue(System.nanoTime() - endNs < 0, "the call waits for ever");
            network.run(MemoryNetwork.LATENCY_NS);
            Thread.onSpinWait();
        }
        try {
            return done.get();
        } catch (ExecutionException thrown) {
            if (thrown.getCause() instanceof VerbsException refused) {
                throw refused;
            }
            throw new AssertionError(thrown.getCause());
        }
    }

    @Test
    void shouldConnectEndpointsSynchronously() throws Exception {
        AddressInfo here = new AddressInfo(true, QpType.RC, PortSpace.TCP, at(BOB, PORT), null);
        SoftCmId listener = bob.manager.createEndpoint(here, null, rc());
        listener.listen(1);
        assertTrue(listener.isSynchronous());
        SoftCmId active = alice.manager.createEndpoint(ConnectionManager.addressInfo(BOB, PORT, PortSpace.TCP, false), null, rc());
        assertEquals(CmEventType.ROUTE_RESOLVED, active.event().type());
        CompletableFuture<CmId> server = CompletableFuture.supplyAsync(() -> {
            CmId passive = listener.getRequest();
            passive.accept(ConnectionParameters.DEFAULT.withPrivateData(new byte[] {5}));
            return passive;
        });
        during(() -> {
            active.connect(ConnectionParameters.DEFAULT);
            return 0;
        });
        assertEquals(CmEventType.ESTABLISHED, active.event().type());
        assertArrayEquals(new byte[] {5}, active.event().connection().privateData());
        CmId passive = during(server::join);
        assertTrue(passive.isSynchronous());
        assertEquals(QpState.RTS, passive.qp().state());
        assertEquals(QpState.RTS, active.qp().state());

        CompletableFuture<Void> gone = CompletableFuture.runAsync(active::disconnect);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        during(() -> {
            passive.disconnect();
            return gone.join();
        });
        assertEquals(CmEventType.DISCONNECTED, active.event().type());
        // There is no second event to wait for.
        passive.close();
        active.close();
        listener.close();
        assertEquals(1, alicesDevice.contexts.size());
        alices.close();
        assertEquals(1, alicesDevice.context().released);
    }

    /** Otherwise a program would wait for ever: no other thread takes the events of its identifier. */
    @Test
    void shouldStopTheQueuePairOfAReceiveWhosePeerHasDisconnected() throws Exception {
        AddressInfo here = new AddressInfo(true, QpType.RC, PortSpace.TCP, at(BOB, PORT), null);
        SoftCmId listener = bob.manager.createEndpoint(here, null, rc());
        listener.listen(1);
        SoftCmId active = alice.manager.createEndpoint(ConnectionManager.addressInfo(BOB, PORT, PortSpace.TCP, false), null, rc());
        CompletableFuture<CmId> server = CompletableFuture.supplyAsync(() -> {
            CmId passive = listener.getRequest();
            passive.accept(ConnectionParameters.DEFAULT);
            return passive;
        });
        during(() -> {
            active.connect(ConnectionParameters.DEFAULT);
            return 0;
        });
        CmId passive = during(server::join);
        CompletableFuture<Void> received = CompletableFuture.runAsync(() -> passive.awaitReceive(new WorkCompletion()),
            task -> Thread.ofPlatform().daemon().start(task));
        assertThrows(TimeoutException.class, () -> received.get(300, TimeUnit.MILLISECONDS));
        CompletableFuture<Void> gone = CompletableFuture.runAsync(active::disconnect);

        VerbsException ended = assertThrows(VerbsException.class, () -> during(() -> {
            try {
                return received.join();
            } catch (CompletionException thrown) {
                throw (VerbsException) thrown.getCause();
            }
        }));

        assertEquals(Errno.ENOTCONN, ended.errno());
        assertEquals(QpState.ERR, passive.qp().state());
        passive.disconnect();
        during(gone::join);
        passive.close();
        active.close();
        listener.close();
    }

    @Test
    void shouldThrowWhatTheEventSays() throws Exception {
        refused(Errno.ENETUNREACH, () -> alice.manager.createEndpoint(
            ConnectionManager.addressInfo("10.9.9.9", PORT, PortSpace.TCP, false), null, null));
        SoftCmId active = alice.manager.createEndpoint(ConnectionManager.addressInfo(BOB, PORT, PortSpace.TCP, false), null, null);
        VerbsException nobody = assertThrows(VerbsException.class, () -> during(() -> {
            active.connect(ConnectionParameters.DEFAULT);
            return 0;
        }));
        assertEquals(Errno.ECONNREFUSED, nobody.errno());
        assertEquals(MemoryNetwork.NO_SERVICE, active.event().status());
        // Nothing to wait for: the end is known.
        refused(Errno.EINVAL, active::disconnect);
        alice.route("10.0.0.99", ALICE);
        SoftCmId lost = alice.manager.createEndpoint(ConnectionManager.addressInfo("10.0.0.99", PORT, PortSpace.TCP, false), null, null);
        VerbsException silence = assertThrows(VerbsException.class, () -> during(() -> {
            lost.connect(ConnectionParameters.DEFAULT);
            return 0;
        }));
        assertEquals(Errno.ETIMEDOUT, silence.errno());
    }
}
