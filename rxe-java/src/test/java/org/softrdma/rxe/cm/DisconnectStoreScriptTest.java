// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRejectReason;

/** Scripts of what is kept for the case that a process is killed: a DREQ as long as the peer may consider the connection established. */
class DisconnectStoreScriptTest extends CmScript {
    private final Store as = new Store();
    private final Store bs = new Store();

    /** Kept DREQs by key; keys are not used twice. */
    private static final class Store implements DisconnectStore {
        private final Map<Integer, OutgoingMad> kept = new HashMap<>();
        private int next;

        @Override
        public int keep(GidPair gids, ByteBuffer dreq) {
            kept.put(next, new OutgoingMad(gids, dreq));
            return next++;
        }

        @Override
        public void release(int key) {
            assertTrue(key == NONE || kept.remove(key) != null, "released twice: " + key);
        }
    }

    @BeforeEach
    void keep() {
        a.manager().keepDisconnects(as);
        b.manager().keepDisconnects(bs);
    }

    private Connection connecting() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        return connection;
    }

    /** A survivor sends the kept DREQ: the peer's connection ends, whichever side was killed, confirmed or not. */
    @Test
    void shouldEndThePeersSideOfAKilledProcess() {
        Connection active = established();
        OutgoingMad ofA = as.kept.values().iterator().next();
        assertEquals(CmWorld.gids(a.address(), b.address()), ofA.gids());
        hand(b, a.address(), ofA.mad());
        assertEvents(b, "peer disconnects");
        assertEquals(ConnectionState.DREQ_RECEIVED, b.requested.state());
        OutgoingMad ofB = bs.kept.values().iterator().next();
        assertEquals(CmWorld.gids(b.address(), a.address()), ofB.gids());
        hand(a, b.address(), ofB.mad());
        assertEvents(a, "peer disconnects");
        assertEquals(ConnectionState.DREQ_RECEIVED, active.state());
    }

    @Test
    void shouldEndAPeerThatHasNotConfirmedYet() {
        connecting();
        b.accept(b.requested, B_QPN);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "reply");
        hand(a, b.address(), bs.kept.values().iterator().next().mad());
        assertEvents(a, "peer disconnects");
        hand(b, a.address(), as.kept.values().iterator().next().mad());
        assertEvents(b, "request", "peer disconnects");
    }

    @Test
    void shouldKeepNothingBeforeThePeerCanBeEstablished() {
        Connection connection = connecting();
        assertEquals(0, as.next + bs.next);
        b.requested.reject(world.nowNs(), CmRejectReason.CONSUMER, new byte[0]);
        world.runFor(2 * MILLISECOND);
        assertEquals(ConnectionState.CLOSED, connection.state());
        assertEquals(0, as.next + bs.next);
    }

    @Test
    void shouldForgetAConnectionThatHasEnded() {
        Connection active = established();
        assertEquals(List.of(1, 1), List.of(as.kept.size(), bs.kept.size()));
        a.disconnect(active);
        world.runFor(2 * MILLISECOND);
        assertEquals(1, as.kept.size(), "the DREQ may be lost, and must be repeated");
        b.disconnect(b.requested);
        assertEquals(0, bs.kept.size());
        world.runFor(2 * MILLISECOND);
        assertEquals(0, as.kept.size());
        assertNothingIsLeft();
    }

    /** The ends without a DREQ: a REJ, no answer, another connection of the queue pair, and the end of the device. */
    @Test
    void shouldForgetAConnectionHoweverItEnds() {
        Connection active = established();
        hand(a, b.address(), message(CmMessage.REJ, 5, b.requested.localId(), active.localId()));
        assertEquals(0, as.kept.size());

        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.requested, B_QPN + 1);
        assertEquals(2, bs.kept.size());
        world.runFor(10 * SECOND);
        assertEquals(1, bs.kept.size(), "unreachable");

        say(b, CmMessage.REQ, 6, strangersReq(b));
        b.accept(b.requested, B_QPN + 2);
        assertEquals(2, bs.kept.size());
        b.manager().abandonAll(world.nowNs(), () -> drain(b));
        assertEquals(1, bs.kept.size(), "a DREQ without answer yet");
        world.runFor(200 * SECOND);
        assertEquals(0, bs.kept.size());
    }
}
