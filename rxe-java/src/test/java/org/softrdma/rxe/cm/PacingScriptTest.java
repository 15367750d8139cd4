// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmMra;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.mad.Mad;

/** Scripts of many connections at once: pacing of requests, and bounds under floods. */
class PacingScriptTest extends CmScript {
    private static final int MAX_IN_FLIGHT = 64;
    private static final long PATIENCE_NS = 50 * MILLISECOND;

    /** Connections that nobody answers, each with a queue pair of its own. */
    private List<Connection> ask(int count) {
        List<Connection> requested = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requested.add(a.connect(CmHost.request(a.address(), stranger, A_QPN + i)));
        }
        return requested;
    }

    private List<ByteBuffer> nextTurns(long afterNs) {
        world.pass(afterNs);
        a.manager().onTime(world.nowNs());
        return drain(a);
    }

    @Test
    void shouldAskForManyConnectionsInTurns() {
        ask(200);
        List<ByteBuffer> first = drain(a);
        assertEquals(MAX_IN_FLIGHT, first.size());
        assertEquals(PATIENCE_NS, a.manager().deadlineNs());
        // Three answers make room for three, whatever they say.
        for (int i = 0; i < 3; i++) {
            int id = CmMessage.LOCAL_COMM_ID.get(first.get(i), 0);
            say(a, CmMessage.REJ, 1, mad -> {
                CmMessage.REMOTE_COMM_ID.set(mad, 0, id);
                CmRej.REASON.set(mad, 0, CmRejectReason.CONSUMER);
            });
        }
        assertTrue(a.manager().deadlineNs() <= world.nowNs(), "there is room now");
        assertEquals("REQ REQ REQ", names(nextTurns(0)));
        // The others stay unanswered: after the patience they no longer occupy slots.
        assertEquals(0, nextTurns(PATIENCE_NS - 1).size());
        assertEquals(MAX_IN_FLIGHT, nextTurns(1).size());
        assertEquals(MAX_IN_FLIGHT, nextTurns(PATIENCE_NS).size());
        assertEquals(200 - 3 * MAX_IN_FLIGHT - 3, nextTurns(PATIENCE_NS).size());
        assertEquals(0, a.count(CmCounter.CM_REPEATED));
    }

    @Test
    void shouldNotAskABusyPeerFasterThanItAnswers() {
        ask(3 * MAX_IN_FLIGHT);
        List<ByteBuffer> first = drain(a);
        world.pass(40 * MILLISECOND);
        int id = CmMessage.LOCAL_COMM_ID.get(first.getFirst(), 0);
        say(a, CmMessage.REJ, 1, mad -> {
            CmMessage.REMOTE_COMM_ID.set(mad, 0, id);
            CmRej.REASON.set(mad, 0, CmRejectReason.CONSUMER);
        });
        assertEquals("REQ", names(nextTurns(0)));
        // 40 ms are its time for an answer; after twice that the others count no longer.
        assertEquals(0, nextTurns(40 * MILLISECOND - 1).size());
        assertEquals(MAX_IN_FLIGHT - 1, nextTurns(1).size());
    }

    /** An eighth of each difference: 40 ms, then 80 ms, are 45 ms; after twice that the next one goes. */
    @Test
    void shouldSmoothThePeersAnswerTime() {
        CmHost narrow = new CmHost(world, 3, CmSettings.of(3).withMaxInFlight(1));
        world.pass(5 * SECOND);
        for (int i = 0; i < 4; i++) {
            narrow.connect(CmHost.request(narrow.address(), stranger, A_QPN + i));
        }
        for (long answerMs : new long[] {40, 80}) {
            int id = CmMessage.LOCAL_COMM_ID.get(drain(narrow).getFirst(), 0);
            world.pass(answerMs * MILLISECOND);
            say(narrow, CmMessage.REJ, 1, mad -> {
                CmMessage.REMOTE_COMM_ID.set(mad, 0, id);
                CmRej.REASON.set(mad, 0, CmRejectReason.CONSUMER);
            });
            narrow.manager().onTime(world.nowNs());
        }
        assertEquals("REQ", names(drain(narrow)));
        assertEquals(world.nowNs() + 90 * MILLISECOND, narrow.manager().deadlineNs());
    }

    @Test
    void shouldGoOnAskingAPeerThatThinksForLong() {
        ask(MAX_IN_FLIGHT);
        int id = CmMessage.LOCAL_COMM_ID.get(drain(a).getFirst(), 0);
        world.pass(3 * SECOND);
        say(a, CmMessage.REJ, 1, mad -> {
            CmMessage.REMOTE_COMM_ID.set(mad, 0, id);
            CmRej.REASON.set(mad, 0, CmRejectReason.CONSUMER);
        });
        for (int i = 0; i < MAX_IN_FLIGHT + 10; i++) {
            a.connect(CmHost.request(a.address(), stranger, 0x1000 + i));
        }
        assertEquals(MAX_IN_FLIGHT, drain(a).size(), "nobody waits for those from before");
        // Twice three seconds would be too long.
        assertEquals(0, nextTurns(2 * SECOND - 1).size());
        assertEquals(10, nextTurns(1).stream().filter(mad -> CmReq.QPN.get(mad, 0) >= 0x1000 + MAX_IN_FLIGHT).count());
    }

    @Test
    void shouldNotPaceOnePeerForAnother() {
        ask(MAX_IN_FLIGHT + 1);
        assertEquals(MAX_IN_FLIGHT, drain(a).size());
        a.connect(b, 0x999);
        assertEquals("REQ", names(drain(a)));
    }

    @Test
    void shouldMakeRoomWhenThePeerAsksForPatience() {
        ask(MAX_IN_FLIGHT + 1);
        int id = CmMessage.LOCAL_COMM_ID.get(drain(a).getFirst(), 0);
        say(a, CmMessage.MRA, 1, mad -> {
            CmMessage.REMOTE_COMM_ID.set(mad, 0, id);
            CmMra.SERVICE_TIMEOUT.set(mad, 0, 20);
        });
        assertEquals("REQ", names(nextTurns(0)));
    }

    @Test
    void shouldSayNothingOfWhatHadNoTurnWhenItIsAbandoned() {
        List<Connection> requested = ask(MAX_IN_FLIGHT + 2);
        drain(a);
        requested.getLast().abandon(world.nowNs());
        assertEquals("", names(drain(a)), "the peer never heard of it");
        requested.getFirst().abandon(world.nowNs());
        assertEquals("REJ REQ", names(nextTurns(0)));
    }

    @Test
    void shouldRepeatEachRequestAsLongAfterItsTurnAsAnyOther() {
        ask(MAX_IN_FLIGHT + 1);
        drain(a);
        nextTurns(PATIENCE_NS);
        world.pass(REQUEST_INTERVAL_NS - PATIENCE_NS);
        assertEquals(MAX_IN_FLIGHT, nextTurns(0).size());
        assertEquals(0, nextTurns(PATIENCE_NS - 1).size());
        assertEquals("REQ", names(nextTurns(1)));
    }

    @Test
    void shouldEndManyConnectionsInTurns() {
        int count = 5000;
        b.manager().listen(CmHost.SERVICE, b);
        List<Connection> active = new ArrayList<>();
        List<Connection> passive = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            active.add(a.connect(b, 0x100 + i));
            world.runFor(2 * MILLISECOND);
            passive.add(b.requested);
            b.accept(b.requested, 0x100 + i);
            world.runFor(2 * MILLISECOND);
            a.confirm(active.getLast());
        }
        world.runFor(2 * MILLISECOND);
        a.told();
        b.told();
        active.forEach(a::disconnect);
        assertEquals(MAX_IN_FLIGHT, a.count(CmCounter.CM_SENT) - 2 * count);
        // Both want to end, at the same time: neither waits for the other one's turn.
        passive.forEach(b::disconnect);
        world.runFor(100 * MILLISECOND);
        assertEquals(Collections.nCopies(count, "disconnected"), a.told());
        assertEquals(Collections.nCopies(count, "disconnected"), b.told());
        assertEquals(0, a.count(CmCounter.CM_REPEATED) + b.count(CmCounter.CM_REPEATED));
    }

    @Test
    void shouldTellAllPeersWhenTheDeviceStops() {
        b.manager().listen(CmHost.SERVICE, b);
        int count = 3000;
        for (int i = 0; i < count; i++) {
            Connection active = a.connect(b, 0x100 + i);
            world.runFor(2 * MILLISECOND);
            b.accept(b.requested, 0x100 + i);
            world.runFor(2 * MILLISECOND);
            a.confirm(active);
        }
        world.runFor(2 * MILLISECOND);
        ask(2000);
        drain(a);
        List<ByteBuffer> said = new ArrayList<>();
        a.manager().abandonAll(world.nowNs(), () -> said.addAll(drain(a)));
        assertTrue(a.manager().isPacing());
        a.manager().flushPacing(world.nowNs(), () -> said.addAll(drain(a)));
        said.addAll(drain(a));
        assertFalse(a.manager().isPacing());
        assertEquals(count, said.stream().filter(mad -> Mad.attribute(mad, 0) == CmMessage.DREQ).count());
        assertEquals(MAX_IN_FLIGHT, said.stream().filter(mad -> Mad.attribute(mad, 0) == CmMessage.REJ).count());
        assertEquals(0, a.count(CmCounter.CM_DROP_OUTBOX_FULL));
    }

    @Test
    void shouldStayBoundedUnderAFloodOfRequests() {
        CmHost small = new CmHost(world, 3, CmSettings.of(3).withMaxConnections(100).withMaxOutgoing(50).withMaxAnswered(10));
        small.manager().listen(CmHost.SERVICE, small);
        for (int i = 0; i < 1000; i++) {
            int number = i;
            ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
            CmMessage.begin(mad, 0, CmMessage.REQ, number);
            strangersReq(small).accept(mad);
            CmMessage.LOCAL_COMM_ID.set(mad, 0, number);
            CmReq.QPN.set(mad, 0, number);
            small.manager().onMad(0, CmWorld.gids(small.address(), stranger), mad);
        }
        assertEquals(100, small.told().size());
        assertEquals(50, drain(small).size());
        assertEquals(850, small.count(CmCounter.CM_DROP_OUTBOX_FULL));
        small.manager().abandonAll(0, () -> drain(small));
        drain(small);
        assertTrue(small.manager().isIdle());
    }

    @Test
    void shouldForgetTheOldestAnswerOfTooMany() {
        CmHost small = new CmHost(world, 3, CmSettings.of(3).withMaxConnections(100).withMaxOutgoing(1000).withMaxAnswered(10));
        small.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, small);
        for (int i = 0; i < 1000; i++) {
            small.manager().query(0, CmWorld.gids(small.address(), small.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], small);
            OutgoingMad lookup = small.manager().nextOutgoing();
            small.manager().onMad(0, CmWorld.gids(small.address(), small.address()), lookup.mad());
            small.lookup.answer(0, CmSidrRep.VALID, i, 1, new byte[0]);
            small.manager().onMad(0, CmWorld.gids(small.address(), small.address()), small.manager().nextOutgoing().mad());
        }
        assertFalse(small.manager().isIdle());
        world.runFor(100 * SECOND);
        assertTrue(small.manager().isIdle());
    }
}
