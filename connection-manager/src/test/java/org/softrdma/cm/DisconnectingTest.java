// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** Disconnecting and closing, events of closed identifiers, and devices that are closed with their last user. */
class DisconnectingTest extends TwoHosts {
    @Test
    void shouldDisconnectWhenBothHaveSaidSo() {
        Pair pair = connected();
        pair.active().disconnect();
        assertEquals(QpState.ERR, pair.active().qp().state());
        expect(bobs, CmEventType.DISCONNECTED, 0).ack();
        expectNothing(alices);
        pair.passive().disconnect();
        assertEquals(QpState.ERR, pair.passive().qp().state());
        expect(alices, CmEventType.DISCONNECTED, 0).ack();
        expectNothing(bobs);
        network.run(MemoryNetwork.TIMEWAIT_NS);
        expect(alices, CmEventType.TIMEWAIT_EXIT, 0).ack();
        expect(bobs, CmEventType.TIMEWAIT_EXIT, 0).ack();
    }

    @Test
    void shouldTellThePeerWhenAnEndIsClosed() {
        Pair pair = connected();
        RecordingQueuePair qp = alicesDevice.context().queuePairs.getFirst();
        pair.active().close();
        assertTrue(qp.destroyed);
        expect(bobs, CmEventType.DISCONNECTED, 0).ack();
    }

    @Test
    void shouldWaitForAcknowledgementBeforeClosing() throws Exception {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.resolveAddress(null, at(BOB, PORT), 1);
        CmEvent event = expect(alices, CmEventType.ADDR_RESOLVED, 0);
        Thread closing = Thread.ofPlatform().daemon().start(id::close);
        awaitWaiting(closing);
        event.ack();
        closing.join();
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            assertTrue(thread.isAlive(), "it should wait");
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldDropEventsOfAClosedIdentifier() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.resolveAddress(null, at(BOB, PORT), 1);
        id.close();
        expectNothing(alices);
        id.close();
    }

    @Test
    void shouldCountAnAcknowledgementOnce() throws Exception {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.resolveAddress(null, at(BOB, PORT), 1);
        CmEvent first = expect(alices, CmEventType.ADDR_RESOLVED, 0);
        id.resolveRoute(1);
        CmEvent second = expect(alices, CmEventType.ROUTE_RESOLVED, 0);
        first.ack();
        first.ack();
        Thread closing = Thread.ofPlatform().daemon().start(id::close);
        awaitWaiting(closing);
        second.ack();
        closing.join();
    }

    @Test
    void shouldKeepAChannelInUse() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        refused(Errno.EBUSY, alices::close);
        id.close();
        alices.close();
        refused(Errno.EINVAL, () -> alice.manager.createId(alices, null, PortSpace.TCP));
    }

    @Test
    void shouldTakeWaitingEventsAlongWhenMigrating() {
        EventChannel others = bob.manager.createEventChannel();
        SoftCmId listener = listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.connect(ConnectionParameters.DEFAULT);
        network.run(10 * MemoryNetwork.LATENCY_NS);
        listener.migrate(others);
        assertNull(bobs.getEvent(0));
        CmEvent request = expect(others, CmEventType.CONNECT_REQUEST, 0);
        assertSame(others, request.id().channel());
        request.ack();
        request.id().migrate(bobs);
        request.id().accept();
        expect(alices, CmEventType.CONNECT_RESPONSE, 0).ack();
        active.establish();
        expect(bobs, CmEventType.ESTABLISHED, 0).ack();
        assertNull(others.getEvent(0));
    }

    @Test
    void shouldShareADeviceAndCloseItWithTheLastUser() {
        SoftCmId one = resolved(alices, BOB, PORT, PortSpace.TCP);
        SoftCmId two = resolved(alices, BOB, PORT, PortSpace.TCP);
        assertSame(one.verbs(), two.verbs());
        assertSame(one.pd(), two.pd());
        assertNotEquals(one.localAddress(), two.localAddress());
        assertEquals(1, alicesDevice.contexts.size());
        one.close();
        two.close();
        assertEquals(0, alicesDevice.context().released, "the channel is still there");
        alices.close();
        assertEquals(1, alicesDevice.context().released);
    }

    @Test
    void shouldLeaveADeviceOpenThatTheProgramUses() {
        SoftCmId id = resolved(alices, BOB, PORT, PortSpace.TCP);
        var pd = id.verbs().allocatePd();
        TestContext context = alicesDevice.context();
        id.close();
        alices.close();
        assertEquals(0, context.released);
        pd.close();
        EventChannel again = alice.manager.createEventChannel();
        SoftCmId second = resolved(again, BOB, PORT, PortSpace.TCP);
        assertSame(context, second.verbs());
        second.close();
        again.close();
        assertEquals(1, context.released);
    }

    @Test
    void shouldTellPeersWhenTheProcessEnds() {
        Pair pair = connected();
        alice.manager.abandonAtExit();
        CmEvent event = expect(bobs, CmEventType.DISCONNECTED, 0);
        assertSame(pair.passive(), event.id());
        event.ack();
    }

    @Test
    void shouldEndForBothWhenBothDisconnectAtOnce() {
        Pair pair = connected();
        pair.active().disconnect();
        pair.passive().disconnect();
        expect(alices, CmEventType.DISCONNECTED, 0).ack();
        expect(bobs, CmEventType.DISCONNECTED, 0).ack();
    }

    /** As if a thread of the program had the device's lock and did not give it back. */
    @Test
    void shouldNotHoldUpTheEndOfTheProcess() throws InterruptedException {
        Pair pair = connected();
        long tookNs;
        synchronized (network) {
            long sinceNs = System.nanoTime();
            alice.manager.abandonAtExit();
            tookNs = System.nanoTime() - sinceNs;
        }
        assertTrue(tookNs >= 199_000_000 && tookNs < 10_000_000_000L, tookNs + " ns");
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().equals("softrdma-cm-notify")) {
                each.join();
            }
        }
        CmEvent event = expect(bobs, CmEventType.DISCONNECTED, 0);
        assertSame(pair.passive(), event.id());
        event.ack();
    }

    @Test
    void shouldDoNothingAtTheEndOfAProcessThatHasClosedAll() {
        alices.close();
        bobs.close();
        synchronized (network) {
            long sinceNs = System.nanoTime();
            alice.manager.abandonAtExit();
            assertTrue(System.nanoTime() - sinceNs < 199_000_000, "there is nothing to wait for");
        }
    }

    @Test
    void shouldSayThatAClosedIdentifierDoesNotMigrate() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        id.close();
        assertTrue(refused(Errno.EINVAL, () -> id.migrate(alices)).getMessage().contains("closed"));
    }
}
