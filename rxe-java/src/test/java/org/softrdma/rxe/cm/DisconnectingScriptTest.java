// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.cm.CmApr;
import org.softrdma.wire.cm.CmDreq;
import org.softrdma.wire.cm.CmLap;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.cm.CmSidrReq;
import org.softrdma.wire.mad.Mad;

/** Scripts of disconnecting, and of connections that one side has forgotten. */
class DisconnectingScriptTest extends CmScript {
    @Test
    void shouldDisconnectAndWaitForLatePackets() {
        Connection active = established();
        a.disconnect(active);
        world.runFor(2 * MILLISECOND);
        assertEvents(b, "peer disconnects");
        assertEvents(a);
        b.disconnect(b.requested);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "disconnected");
        assertEquals(ConnectionState.TIMEWAIT, active.state());
        assertEquals(ConnectionState.TIMEWAIT, b.requested.state());
        // 4.096 µs · 2^19 = 2.15 s
        world.runFor(2100 * MILLISECOND);
        assertFalse(a.manager().isIdle() || b.manager().isIdle());
        world.runFor(100 * MILLISECOND);
        assertEvents(a, "timewait is over");
        assertEvents(b, "timewait is over");
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
    }

    @Test
    void shouldEndOnceWhenBothDisconnectAtTheSameTime() {
        Connection active = established();
        a.disconnect(active);
        b.disconnect(b.requested);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "disconnected");
        assertEvents(b, "disconnected");
        assertNothingIsLeft();
    }

    @Test
    void shouldRepeatADreqAndEndWithoutAnswer() {
        Connection active = established();
        a.disconnect(active);
        List<ByteBuffer> dreq = drain(a);
        assertEquals("DREQ", names(dreq));
        assertEquals(B_QPN, CmDreq.REMOTE_QPN.get(dreq.getFirst(), 0));
        long startNs = world.nowNs();
        for (int i = 1; i <= 15; i++) {
            a.manager().onTime(startNs + i * REQUEST_INTERVAL_NS);
            assertEquals(dreq, drain(a));
        }
        a.manager().onTime(startNs + 16 * REQUEST_INTERVAL_NS);
        assertEvents(a, "disconnected, no answer");
        assertEquals(15, a.count(CmCounter.CM_REPEATED));
        assertEquals(1, a.count(CmCounter.CM_TIMEOUTS));
        assertEquals(ConnectionState.TIMEWAIT, active.state());
    }

    @Test
    void shouldAnswerADreqInTimewaitAndForNoConnectionAtAll() {
        Connection active = established();
        a.disconnect(active);
        ByteBuffer dreq = drain(a).getFirst();
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), dreq);
        assertEquals("", names(drain(b)), "the application answers");
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), dreq);
        assertEquals("", names(drain(b)), "once");
        b.disconnect(b.requested);
        List<ByteBuffer> drep = drain(b);
        assertEquals("DREP", names(drep));
        assertEquals(Mad.transactionId(dreq, 0), Mad.transactionId(drep.getFirst(), 0));
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), dreq);
        assertEquals(drep, drain(b));
        world.runFor(3 * SECOND);
        assertTrue(b.manager().isIdle());
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), dreq);
        assertEquals(drep, drain(b));
        assertEvents(b, "peer disconnects", "timewait is over");
        assertEquals(2, b.count(CmCounter.CM_DUPLICATES), "one before the application answered, one in timewait");
        assertEquals(1, b.count(CmCounter.CM_DROP_UNKNOWN_ID), "and one after it");
    }

    @Test
    void shouldIgnoreADreqForAnotherQueuePairOrFromAnotherAddress() {
        Connection active = established();
        Consumer<ByteBuffer> ids = mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, active.localId());
            CmMessage.REMOTE_COMM_ID.set(mad, 0, b.requested.localId());
        };
        assertEquals("", names(say(b, CmMessage.DREQ, 5, ids.andThen(mad -> CmDreq.REMOTE_QPN.set(mad, 0, B_QPN)))));
        ByteBuffer otherQp = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(otherQp, 0, CmMessage.DREQ, 5);
        ids.accept(otherQp);
        CmDreq.REMOTE_QPN.set(otherQp, 0, B_QPN + 1);
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), otherQp);
        assertEquals("", names(drain(b)));
        assertEquals(2, b.count(CmCounter.CM_DROP_WRONG_PEER));
        assertEvents(b);
        assertEquals(ConnectionState.ESTABLISHED, b.requested.state());
    }

    /** The peer's ID is another connection's: ours is not meant, and the peer's is gone. Kernel 6.1 compares both IDs, too. */
    @Test
    void shouldAnswerADreqWithAnotherIdOfThePeerAndStayConnected() {
        Connection active = established();
        ByteBuffer dreq = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(dreq, 0, CmMessage.DREQ, 5);
        CmMessage.LOCAL_COMM_ID.set(dreq, 0, active.localId() + 1);
        CmMessage.REMOTE_COMM_ID.set(dreq, 0, b.requested.localId());
        CmDreq.REMOTE_QPN.set(dreq, 0, B_QPN);
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), dreq);
        assertEquals("DREP", names(drain(b)));
        assertEquals(1, b.count(CmCounter.CM_DROP_UNKNOWN_ID));
        assertEvents(b);
        assertEquals(ConnectionState.ESTABLISHED, b.requested.state());
    }

    @Test
    void shouldTakeADreqBeforeTheRtu() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.accept(b.requested, B_QPN);
        world.runFor(2 * MILLISECOND);
        a.confirm(connection);
        assertEquals("RTU", names(drain(a)), "lost");
        a.disconnect(connection);
        world.runFor(2 * MILLISECOND);
        assertEvents(b, "request", "peer disconnects");
        world.runFor(REQUEST_INTERVAL_NS);
        assertEquals(0, b.count(CmCounter.CM_REPEATED), "the REP has an answer");
        b.disconnect(b.requested);
        assertNothingIsLeft();
    }

    /** A server that ends right after it has accepted. */
    @Test
    void shouldSayThatAConnectionEndedBeforeItWasEstablished() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.accept(b.requested, B_QPN);
        world.runFor(2 * MILLISECOND);
        b.manager().abandonAll(world.nowNs(), Assertions::fail);
        world.runFor(2 * MILLISECOND);

        VerbsException refused = assertThrows(VerbsException.class, () -> a.confirm(connection));
        assertEquals(Errno.EINVAL, refused.errno());
        assertTrue(refused.getMessage().startsWith("establish: "), refused.getMessage());
        assertTrue(refused.getMessage().endsWith(" is in TIMEWAIT: it has ended already"), refused.getMessage());
    }

    @Test
    void shouldSayWhetherAConnectionThatCannotBeAcceptedHasEnded() {
        Connection active = established();
        assertCannotBeAccepted(" is in ESTABLISHED, in which it is not possible to accept");
        a.disconnect(active);
        world.runFor(2 * MILLISECOND);
        assertCannotBeAccepted(" is in DREQ_RECEIVED: it has ended already");
        b.disconnect(b.requested);
        assertCannotBeAccepted(" is in TIMEWAIT: it has ended already");
        assertNothingIsLeft();
        assertCannotBeAccepted(" is in CLOSED: it has ended already");
    }

    private void assertCannotBeAccepted(String why) {
        VerbsException refused = assertThrows(VerbsException.class, () -> b.accept(b.requested, B_QPN));
        assertEquals(Errno.EINVAL, refused.errno());
        assertTrue(refused.getMessage().startsWith("accept: ") && refused.getMessage().endsWith(why), refused.getMessage());
    }

    @Test
    void shouldEndAnEstablishedConnectionThatThePeerRejects() {
        Connection active = established();
        ByteBuffer rej = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(rej, 0, CmMessage.REJ, 5);
        CmMessage.LOCAL_COMM_ID.set(rej, 0, b.requested.localId());
        CmMessage.REMOTE_COMM_ID.set(rej, 0, active.localId());
        CmRej.MESSAGE.set(rej, 0, CmMessage.ANSWERS_OTHER);
        CmRej.REASON.set(rej, 0, 99);
        a.manager().onMad(world.nowNs(), CmWorld.gids(a.address(), b.address()), rej);
        assertEvents(a, "rejected: reason 99");
        assertEquals(ConnectionState.TIMEWAIT, active.state());
    }

    /** Of two copies of a REQ one was accepted; whoever refuses the other one has no id for it. */
    @Test
    void shouldIgnoreALateRefusalOfAReqThatWasAccepted() {
        Connection active = established();
        ByteBuffer rej = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(rej, 0, CmMessage.REJ, 5);
        CmMessage.REMOTE_COMM_ID.set(rej, 0, active.localId());
        CmRej.MESSAGE.set(rej, 0, CmMessage.ANSWERS_REQ);
        CmRej.REASON.set(rej, 0, CmRejectReason.INVALID_SERVICE_ID);
        a.manager().onMad(world.nowNs(), CmWorld.gids(a.address(), b.address()), rej);
        assertEvents(a);
        assertEquals(ConnectionState.ESTABLISHED, active.state());
        assertEquals(1, a.count(CmCounter.CM_DROP_UNKNOWN_ID));
    }

    /** Hosts that were copied, or say no GUID: one must not keep the other one out, nor hide that a queue pair was forgotten. */
    @Test
    void shouldKeepPeersApartThatHaveTheSameNumbers() {
        b.manager().listen(CmHost.SERVICE, b);
        Gid other = CmWorld.gid(8);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.requested, B_QPN);
        drain(b);
        ByteBuffer same = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(same, 0, CmMessage.REQ, 5);
        strangersReq(b).accept(same);
        CmReq.LOCAL_GID_LOW.set(same, 0, other.low());
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), other), same);
        assertEquals("", names(drain(b)));
        assertEvents(b, "request", "request");
        assertEquals(other, b.requested.remote());
        assertEquals("REP", names(say(b, CmMessage.REQ, 5, strangersReq(b))), "still known by its numbers");
        List<ByteBuffer> answers = say(b, CmMessage.REQ, 6, strangersReq(b).andThen(mad -> CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x78)));
        assertEquals(CmRejectReason.STALE_CONNECTION, CmRej.REASON.get(answers.getFirst(), 0), "and by its queue pair");
    }

    @Test
    void shouldEndTheOldConnectionOfAQueuePairThatAsksForANewOne() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.requested, B_QPN);
        b.manager().onPacket(B_QPN);
        drain(b);
        Connection old = b.requested;
        List<ByteBuffer> answers = say(b, CmMessage.REQ, 6, strangersReq(b).andThen(mad -> CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x78)));
        assertEquals("REJ DREQ", names(answers));
        assertEquals(CmRejectReason.STALE_CONNECTION, CmRej.REASON.get(answers.getFirst(), 0));
        assertEquals(0, CmMessage.LOCAL_COMM_ID.get(answers.getFirst(), 0));
        assertEquals(0x77, CmMessage.REMOTE_COMM_ID.get(answers.get(1), 0));
        assertEquals(ConnectionState.DREQ_SENT, old.state());
        assertEquals(1, b.count(CmCounter.CM_STALE_CONNECTIONS));
        say(b, CmMessage.DREP, 6, mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77);
            CmMessage.REMOTE_COMM_ID.set(mad, 0, old.localId());
        });
        assertEvents(b, "request", "established", "disconnected");
        assertEquals("", names(say(b, CmMessage.REQ, 7, strangersReq(b).andThen(mad -> CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x79)))));
        assertEvents(b, "request");
    }

    @Test
    void shouldRejectARepWhoseQueuePairIsAnotherConnections() {
        Connection first = established();
        a.connect(b, 0x12);
        world.runFor(2 * MILLISECOND);
        Connection second = b.requested;
        b.accept(second, B_QPN);
        world.runFor(2 * MILLISECOND);
        // Both messages were sent at once, and either may be faster.
        assertEquals(Set.of("request", "rejected: stale connection", "peer disconnects"), Set.copyOf(b.told()));
        assertEquals(ConnectionState.DREQ_SENT, first.state());
        assertEvents(a);
    }

    @Test
    void shouldNotTakeALateReqOfAnEndedConnectionForANewOne() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        ByteBuffer req = drain(a).getFirst();
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), req);
        world.runFor(1);
        b.accept(b.requested, B_QPN);
        world.runFor(2 * MILLISECOND);
        a.confirm(connection);
        a.disconnect(connection);
        world.runFor(4 * MILLISECOND);
        b.disconnect(b.requested);
        world.runFor(4 * MILLISECOND);
        assertEquals(ConnectionState.TIMEWAIT, b.requested.state());
        b.told();
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), req);
        assertEquals("", names(drain(b)));
        assertEvents(b);
        // Another transaction is another connection, even with the same id. Linux takes it at once, too.
        ByteBuffer anew = ByteBuffer.allocate(Mad.LENGTH).put(0, req, 0, Mad.LENGTH);
        anew.putLong(Mad.TRANSACTION_ID_OFFSET, 4711);
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), anew);
        assertEvents(b, "request");
    }

    @Test
    void shouldFindAConnectionByGuidAndIdWhenItsPeerGivesUp() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        Consumer<ByteBuffer> rej = mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77);
            CmRej.MESSAGE.set(mad, 0, CmMessage.ANSWERS_OTHER);
            CmRej.REASON.set(mad, 0, CmRejectReason.TIMEOUT);
            CmRej.INFO_GUID.set(mad, 0, STRANGERS_GUID);
        };
        say(b, CmMessage.REJ, 5, rej);
        assertEvents(b, "request");
        assertEquals(1, b.count(CmCounter.CM_DROP_UNKNOWN_ID), "without the GUID");
        say(b, CmMessage.REJ, 5, rej.andThen(mad -> CmRej.INFO_LENGTH.set(mad, 0, 8)));
        assertEvents(b, "rejected: timeout");
    }

    @Test
    void shouldRefuseAlternatePaths() {
        Connection active = established();
        ByteBuffer lap = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(lap, 0, CmMessage.LAP, 8);
        CmMessage.LOCAL_COMM_ID.set(lap, 0, b.requested.localId());
        CmMessage.REMOTE_COMM_ID.set(lap, 0, active.localId());
        CmLap.REMOTE_QPN.set(lap, 0, A_QPN);
        a.manager().onMad(world.nowNs(), CmWorld.gids(a.address(), b.address()), lap);
        ByteBuffer apr = drain(a).getFirst();
        assertEquals(CmMessage.APR, Mad.attribute(apr, 0));
        assertEquals(8, Mad.transactionId(apr, 0));
        assertEquals(CmApr.UNSUPPORTED, CmApr.STATUS.get(apr, 0));
        CmMessage.REMOTE_COMM_ID.set(lap, 0, active.localId() + 1);
        a.manager().onMad(world.nowNs(), CmWorld.gids(a.address(), b.address()), lap);
        assertEquals(CmApr.INVALID_COMM_ID, CmApr.STATUS.get(drain(a).getFirst(), 0));
        CmMessage.REMOTE_COMM_ID.set(lap, 0, active.localId());
        CmLap.REMOTE_QPN.set(lap, 0, B_QPN);
        a.manager().onMad(world.nowNs(), CmWorld.gids(a.address(), b.address()), lap);
        assertEquals(6, CmApr.STATUS.get(drain(a).getFirst(), 0), "the queue pair is not that of the IDs");
        assertEquals(1, a.count(CmCounter.CM_DROP_WRONG_PEER));
        CmLap.REMOTE_QPN.set(lap, 0, A_QPN);
        hand(a, stranger, lap);
        assertEquals(CmApr.INVALID_COMM_ID, CmApr.STATUS.get(drain(a).getFirst(), 0), "not this sender's");
        assertEquals(2, a.count(CmCounter.CM_DROP_WRONG_PEER));
        assertEquals(1, a.count(CmCounter.CM_DROP_UNKNOWN_ID));
        assertEquals(ConnectionState.ESTABLISHED, active.state());
    }

    /** The peer is established, and may send a LAP, while its RTU is on the way; and while a DREQ of ours is. */
    @Test
    void shouldRefuseAlternatePathsInEveryState() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.requested, B_QPN);
        drain(b);
        ByteBuffer lap = message(CmMessage.LAP, 8, 0x77, b.requested.localId());
        CmLap.REMOTE_QPN.set(lap, 0, B_QPN);
        ByteBuffer apr = say(b, lap).getFirst();
        assertEquals(CmMessage.APR, Mad.attribute(apr, 0));
        assertEquals(2, CmApr.STATUS.get(apr, 0));
        assertEquals(b.requested.localId(), CmMessage.LOCAL_COMM_ID.get(apr, 0));
        assertEquals(0x77, CmMessage.REMOTE_COMM_ID.get(apr, 0));
        b.manager().onPacket(B_QPN);
        b.disconnect(b.requested);
        drain(b);
        assertEquals(2, CmApr.STATUS.get(say(b, lap).getFirst(), 0));
    }

    /** Requesting side: from the target ACK delay in the REP, combined with the round trip; other side: the ACK timeout in the REQ. */
    @Test
    void shouldWaitForLatePacketsAsLongAsThePeersFiguresSay() {
        b.manager().listen(CmHost.SERVICE, b);
        ReqFields request = CmHost.requestBuilder(a.address(), b.address(), A_QPN).ackTimeout(16).build();
        Connection active = a.connect(request);
        world.runFor(2 * MILLISECOND);
        b.requested.accept(world.nowNs(), CmHost.replyBuilder(B_QPN).targetAckDelay(20).build());
        world.runFor(2 * MILLISECOND);
        a.confirm(active);
        world.runFor(2 * MILLISECOND);
        a.disconnect(active);
        b.disconnect(b.requested);
        assertEquals("DREQ", names(drain(a)));
        ByteBuffer dreq = drain(b).getFirst();
        hand(a, b.address(), dreq);
        hand(b, a.address(), drain(a).getFirst());
        assertEquals(ConnectionState.TIMEWAIT, active.state());
        assertEquals(ConnectionState.TIMEWAIT, b.requested.state());
        // A round trip of packet life times is exponent 19, less than the ACK delay; both together are 21.
        assertEquals(world.nowNs() + (4096L << 21), active.deadlineNs());
        assertEquals(world.nowNs() + (4096L << 16), b.requested.deadlineNs());
    }

    /** The first connection of a queue pair that requests another one, while our REP waits for its RTU: the peer learns that it is void. */
    @Test
    void shouldRejectWhatWaitsForAnRtuWhenItsQueuePairRequestsAnew() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.requested, B_QPN);
        drain(b);
        int id = b.requested.localId();
        List<ByteBuffer> answers = say(b, CmMessage.REQ, 6, strangersReq(b).andThen(mad -> CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x78)));
        assertEquals("REJ REJ", names(answers));
        ByteBuffer ofOld = answers.get(1);
        assertEquals(CmRejectReason.STALE_CONNECTION, CmRej.REASON.get(ofOld, 0));
        assertEquals(id, CmMessage.LOCAL_COMM_ID.get(ofOld, 0));
        assertEquals(0x77, CmMessage.REMOTE_COMM_ID.get(ofOld, 0));
        assertEvents(b, "request", "rejected: stale connection");
        assertEquals(1, b.count(CmCounter.CM_STALE_CONNECTIONS));
        assertTrue(b.manager().isIdle());
    }

    /** As before, on the requesting side, whose REP the application has not confirmed yet. */
    @Test
    void shouldRejectAnUnconfirmedRepWhenItsQueuePairRequestsAnew() {
        b.manager().listen(CmHost.SERVICE, b);
        a.manager().listen(CmHost.SERVICE, a);
        Connection first = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.accept(b.requested, B_QPN);
        int peersId = b.requested.localId();
        world.runFor(2 * MILLISECOND);
        assertEquals(ConnectionState.REP_RECEIVED, first.state());
        b.restart();
        b.connect(a, B_QPN);
        hand(a, b.address(), drain(b).getFirst());
        List<ByteBuffer> answers = drain(a);
        assertEquals("REJ REJ", names(answers));
        ByteBuffer ofOld = answers.get(1);
        assertEquals(CmRejectReason.STALE_CONNECTION, CmRej.REASON.get(ofOld, 0));
        assertEquals(first.localId(), CmMessage.LOCAL_COMM_ID.get(ofOld, 0));
        assertEquals(peersId, CmMessage.REMOTE_COMM_ID.get(ofOld, 0));
        assertEvents(a, "reply", "rejected: stale connection");
        assertTrue(a.manager().isIdle());
    }

    /** Nothing waits for an RTU that cannot come any more: a late packet must not establish what was disconnected. */
    @Test
    void shouldAwaitNoPacketAfterADisconnectRequest() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.requested, B_QPN);
        assertTrue(b.manager().isAwaitingPackets());
        ByteBuffer dreq = message(CmMessage.DREQ, 6, 0x77, b.requested.localId());
        CmDreq.REMOTE_QPN.set(dreq, 0, B_QPN);
        say(b, dreq);
        assertFalse(b.manager().isAwaitingPackets());
        b.manager().onPacket(B_QPN);
        assertEvents(b, "request", "peer disconnects");
        assertEquals(ConnectionState.DREQ_RECEIVED, b.requested.state());
    }

    /** Established connections of the stranger with {@code host}, the first with communication ID 0x77 and queue pair B_QPN. */
    private List<Connection> establishedWithStranger(CmHost host, int count) {
        host.manager().listen(CmHost.SERVICE, host);
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            say(host, CmMessage.REQ, 5 + number, strangersReq(host).andThen(mad -> {
                CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77 + number);
                CmReq.QPN.set(mad, 0, 0x99 + number);
            }));
            connections.add(host.requested);
            host.accept(host.requested, B_QPN + i);
            host.manager().onPacket(B_QPN + i);
        }
        drain(host);
        return connections;
    }

    /** Both ends of a connection are an answer, as far as the time until the next request is concerned: a slow peer gets twice its time. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldMeasureThePeersAnswerTimeByTheEndOfAConnection(boolean crossing) {
        CmHost narrow = new CmHost(world, 3, CmSettings.of(3).withMaxInFlight(1));
        List<Connection> connections = establishedWithStranger(narrow, 3);
        connections.forEach(narrow::disconnect);
        drain(narrow);
        world.pass(40 * MILLISECOND);
        ByteBuffer answer = message(crossing ? CmMessage.DREQ : CmMessage.DREP, 5, 0x77, connections.get(0).localId());
        CmDreq.REMOTE_QPN.set(answer, 0, crossing ? B_QPN : 0);
        say(narrow, answer);
        assertNextTurns(narrow, "DREQ", 80 * MILLISECOND);
    }

    /** One slot: the second DREQ goes out when the first is over, whether by a DREP or by a DREQ of the peer. */
    @Test
    void shouldSendTheNextDreqAsSoonAsOneIsOver() {
        CmHost narrow = new CmHost(world, 3, CmSettings.of(3).withMaxInFlight(1));
        List<Connection> connections = establishedWithStranger(narrow, 3);
        connections.forEach(narrow::disconnect);
        assertEquals("DREQ", names(drain(narrow)));

        say(narrow, message(CmMessage.DREP, 5, 0x77, connections.get(0).localId()));
        narrow.manager().onTime(world.nowNs());
        assertEquals("DREQ", names(drain(narrow)), "after a DREP");

        ByteBuffer crossing = message(CmMessage.DREQ, 6, 0x78, connections.get(1).localId());
        CmDreq.REMOTE_QPN.set(crossing, 0, B_QPN + 1);
        assertEquals("DREP", names(say(narrow, crossing)));
        narrow.manager().onTime(world.nowNs());
        List<ByteBuffer> last = drain(narrow);
        assertEquals("DREQ", names(last), "after a DREQ that crossed ours");
        assertEquals(connections.get(2).localId(), CmMessage.LOCAL_COMM_ID.get(last.getFirst(), 0));
        assertEquals(List.of("disconnected", "disconnected"), narrow.told().stream().filter("disconnected"::equals).toList());
    }

    /** A DREQ that was repeated for the last time occupies its slot no longer. */
    @Test
    void shouldGiveTheSlotBackWhenNobodyAnswers() {
        CmHost narrow = new CmHost(world, 3, CmSettings.of(3).withMaxInFlight(1));
        List<Connection> connections = establishedWithStranger(narrow, 1);
        narrow.disconnect(connections.getFirst());
        world.runFor(16 * REQUEST_INTERVAL_NS + MILLISECOND);
        assertTrue(narrow.told().contains("disconnected, no answer"));
        narrow.connect(CmHost.request(narrow.address(), stranger, A_QPN + 1));
        assertEquals("REQ", names(drain(narrow)));
    }

    @Test
    void shouldListenNoMoreOnceEverythingIsAbandoned() {
        b.manager().listen(CmHost.SERVICE, b);
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.manager().abandonAll(world.nowNs(), Assertions::fail);
        assertEquals("REJ", names(drain(b)), "the request that waited for an answer");
        assertEvents(b, "request");
        assertEquals(CmRejectReason.INVALID_SERVICE_ID, refusal(b, mad -> { }));
        ByteBuffer noService = say(b, CmMessage.SIDR_REQ, 7, mad -> CmSidrReq.SERVICE_ID.set(mad, 0, CmHost.DATAGRAM_SERVICE)).getFirst();
        assertEquals(CmSidrRep.UNSUPPORTED_SERVICE_ID, CmSidrRep.STATUS.get(noService, 0));
        assertEvents(b);
        assertTrue(b.manager().isIdle());
    }

    /** Messages that a state does not expect change nothing, and each is counted. */
    @Test
    void shouldCountMessagesThatTheStateDoesNotExpect() {
        Connection active = established();
        int ids = b.requested.localId();
        hand(a, b.address(), message(CmMessage.DREP, 5, ids, active.localId()));
        assertEquals(1, a.count(CmCounter.CM_DROP_WRONG_STATE), "DREP without DREQ");
        hand(a, b.address(), message(CmMessage.RTU, 5, ids, active.localId()));
        assertEquals(1, a.count(CmCounter.CM_DUPLICATES), "RTU when established");
        hand(a, b.address(), message(CmMessage.MRA, 5, ids, active.localId()));
        assertEquals(2, a.count(CmCounter.CM_DROP_WRONG_STATE), "MRA without a message that waits");
        hand(a, b.address(), message(CmMessage.APR, 5, ids, active.localId()));
        assertEquals(3, a.count(CmCounter.CM_DROP_WRONG_STATE), "APR without LAP");
        ByteBuffer rep = message(CmMessage.REP, 5, active.localId(), ids);
        hand(b, a.address(), rep);
        assertEquals(1, b.count(CmCounter.CM_DROP_UNKNOWN_ID), "REP to the side that was asked");
        hand(a, stranger, message(CmMessage.RTU, 5, ids, active.localId()));
        hand(a, stranger, message(CmMessage.MRA, 5, ids, active.localId()));
        hand(a, stranger, message(CmMessage.DREP, 5, ids, active.localId()));
        assertEquals(3, a.count(CmCounter.CM_DROP_WRONG_PEER));
        hand(a, b.address(), message(CmMessage.RTU, 5, ids, active.localId() + 1));
        hand(a, b.address(), message(CmMessage.MRA, 5, ids, active.localId() + 1));
        hand(a, b.address(), message(CmMessage.DREP, 5, ids + 1, active.localId()));
        assertEquals(3, a.count(CmCounter.CM_DROP_UNKNOWN_ID));
        a.disconnect(active);
        drain(a);
        hand(a, b.address(), message(CmMessage.DREP, 5, ids, active.localId()));
        assertEquals(ConnectionState.TIMEWAIT, active.state());
        hand(a, b.address(), message(CmMessage.RTU, 5, ids, active.localId()));
        hand(a, b.address(), message(CmMessage.REJ, 5, ids, active.localId()));
        hand(a, b.address(), message(CmMessage.REP, 5, ids, active.localId()));
        assertEquals(6, a.count(CmCounter.CM_DROP_WRONG_STATE), "in timewait");
        assertEvents(a, "disconnected");
    }

    @Test
    void shouldConnectToItself() {
        a.manager().listen(CmHost.SERVICE, a);
        Connection active = a.connect(a, A_QPN);
        world.runFor(2 * MILLISECOND);
        Connection passive = a.requested;
        assertNotEquals(active, passive);
        a.accept(passive, B_QPN);
        world.runFor(2 * MILLISECOND);
        a.confirm(active);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "request", "reply", "established");
        a.disconnect(passive);
        world.runFor(2 * MILLISECOND);
        a.disconnect(active);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "peer disconnects", "disconnected");
        assertNothingIsLeft();
    }
}
