// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.device.agent.Deadline;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.cm.CmSidrReq;
import org.softrdma.wire.mad.Mad;

/** Scripts of service ID resolution. */
class SidrScriptTest extends CmScript {
    @Test
    void shouldAnswerWhereDatagramsGo() {
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[] {7}, a);
        world.runFor(2 * MILLISECOND);
        assertEquals(7, b.lookup.privateData()[0]);
        assertEquals(a.address(), b.lookup.remote());
        assertEquals(b.address(), b.lookup.local());
        assertEquals(0xffff, b.lookup.pkey());
        b.lookup.answer(world.nowNs(), CmSidrRep.VALID, 0x1234, 0x01234567, new byte[] {8});
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "answer 0 1234 1234567");
        assertNull(a.manager().nextOutgoing());
        assertNothingIsLeft();
    }

    @Test
    void shouldGiveOneAnswerToARepeatedQuestion() {
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        ByteBuffer lookup = drain(a).getFirst();
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), lookup);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), lookup);
        assertEquals("", names(drain(b)), "the application thinks");
        b.lookup.answer(0, CmSidrRep.VALID, 0x1234, 1, new byte[0]);
        List<ByteBuffer> answer = drain(b);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), lookup);
        assertEquals(answer, drain(b));
        assertEvents(b, "question");
        assertEquals(2, b.count(CmCounter.CM_DUPLICATES));
    }

    @Test
    void shouldAnswerWithAllThatTheRequestNeeds() {
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        ask(0x41, 0x1122334455667788L);
        b.lookup.answer(0, CmSidrRep.VALID, 0x1234, 0x01234567, new byte[] {8, 9});
        ByteBuffer answer = drain(b).getFirst();
        assertEquals(0x1122334455667788L, Mad.transactionId(answer, 0));
        assertEquals(0x41, CmSidrRep.REQUEST_ID.get(answer, 0));
        assertEquals(CmSidrRep.VALID, CmSidrRep.STATUS.get(answer, 0));
        assertEquals(0x1234, CmSidrRep.QPN.get(answer, 0));
        assertEquals(0x01234567, CmSidrRep.QKEY.get(answer, 0));
        assertEquals(CmHost.DATAGRAM_SERVICE, CmSidrRep.SERVICE_ID.getLong(answer, 0));
        assertEquals("0809", HexFormat.of().formatHex(CmMessage.privateData(answer, 0), 0, 2));
    }

    @Test
    void shouldDropAQuestionThatHasNoPlaceInTheBacklog() {
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        b.verdict = RequestVerdict.DROPPED;
        assertEquals(List.of(), ask(1, 1));
        assertEquals(1, b.count(CmCounter.CM_DROP_BACKLOG_FULL));
        assertTrue(b.manager().isIdle());
    }

    /** An answer is kept as long as the peer may repeat its question, with our settings for its: 16 times 4.096 µs · 2^20. */
    @Test
    void shouldKeepAnAnswerAsLongAsTheQuestionMayBeRepeated() {
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        ask(1, 1);
        b.lookup.answer(5 * MILLISECOND, CmSidrRep.VALID, 0x1234, 1, new byte[0]);
        long endNs = 5 * MILLISECOND + 16 * (4096L << 20);
        assertEquals(endNs, b.manager().deadlineNs());
        assertEquals(0, b.manager().onTime(endNs - 1));
        assertFalse(b.manager().isIdle());
        assertEquals(1, b.manager().onTime(endNs));
        assertTrue(b.manager().isIdle());
        assertEquals(Deadline.NEVER, b.manager().deadlineNs());
    }

    @Test
    void shouldKeepTheNewestAnswersOnly() {
        CmHost small = new CmHost(world, 3, CmSettings.of(3).withMaxAnswered(2));
        small.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, small);
        for (int i = 1; i <= 3; i++) {
            ask(small, i, i);
            small.lookup.answer(0, CmSidrRep.VALID, i, 1, new byte[0]);
            drain(small);
        }
        small.told();
        assertEquals("SIDR_REP SIDR_REP", names(ask(small, 3, 3)) + " " + names(ask(small, 2, 2)));
        assertEvents(small);
        assertEquals(List.of(), ask(small, 1, 1));
        assertEvents(small, "question");
    }

    @Test
    void shouldHaveNoTimerForAnAnswerThatIsForgotten() {
        CmHost small = new CmHost(world, 3, CmSettings.of(3).withMaxAnswered(0));
        small.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, small);
        ask(small, 1, 1);
        small.lookup.answer(0, CmSidrRep.VALID, 1, 1, new byte[0]);
        assertEquals(Deadline.NEVER, small.manager().deadlineNs());
        assertTrue(small.manager().isIdle());
    }

    @Test
    void shouldTakeAnswersFromThePeerOnly() {
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0x8001, new byte[0], a);
        ByteBuffer question = drain(a).getFirst();
        assertEquals(0x8001, CmSidrReq.PKEY.get(question, 0));
        int id = CmSidrReq.REQUEST_ID.get(question, 0);
        say(a, CmMessage.SIDR_REP, 1, mad -> CmSidrRep.REQUEST_ID.set(mad, 0, id));
        assertEquals(1, a.count(CmCounter.CM_DROP_WRONG_PEER));
        say(a, CmMessage.SIDR_REP, 1, mad -> CmSidrRep.REQUEST_ID.set(mad, 0, id + 1));
        assertEquals(1, a.count(CmCounter.CM_DROP_UNKNOWN_ID));
        assertEvents(a);
    }

    @Test
    void shouldForgetAQuestionOfWhichNobodyWantsTheAnswer() {
        SidrQuery query = a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        ByteBuffer question = drain(a).getFirst();
        query.abandon();
        assertTrue(a.manager().isIdle());
        assertEquals(Deadline.NEVER, a.manager().deadlineNs());
        say(a, CmMessage.SIDR_REP, 1, mad -> CmSidrRep.REQUEST_ID.set(mad, 0, CmSidrReq.REQUEST_ID.get(question, 0)));
        assertEvents(a);
    }

    /** As a REP is: a peer that takes 40 ms for an answer is not sent the next question before twice that time. */
    @Test
    void shouldMeasureThePeersAnswerTimeByItsAnswer() {
        CmHost narrow = new CmHost(world, 3, CmSettings.of(3).withMaxInFlight(1));
        GidPair toStranger = CmWorld.gids(narrow.address(), stranger);
        for (int i = 0; i < 3; i++) {
            narrow.manager().query(0, toStranger, CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], narrow);
        }
        ByteBuffer question = drain(narrow).getFirst();
        world.pass(40 * MILLISECOND);
        say(narrow, CmMessage.SIDR_REP, 1, mad -> CmSidrRep.REQUEST_ID.set(mad, 0, CmSidrReq.REQUEST_ID.get(question, 0)));
        assertNextTurns(narrow, "SIDR_REQ", 80 * MILLISECOND);
    }

    @Test
    void shouldRefuseAndForgetEverythingWhenTheDeviceStops() {
        CmHost small = new CmHost(world, 3, CmSettings.of(3).withMaxOutgoing(1));
        small.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, small);
        for (int i = 1; i <= 3; i++) {
            ask(small, i, i);
        }
        small.manager().query(0, CmWorld.gids(small.address(), stranger), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], small);
        drain(small);
        List<ByteBuffer> said = new ArrayList<>();
        small.manager().abandonAll(0, () -> said.addAll(drain(small)));
        said.addAll(drain(small));
        assertEquals("SIDR_REP SIDR_REP SIDR_REP", names(said));
        assertEquals(0, small.count(CmCounter.CM_DROP_OUTBOX_FULL));
        said.forEach(answer -> assertEquals(CmSidrRep.REJECTED, CmSidrRep.STATUS.get(answer, 0)));
        assertEvents(small, "question", "question", "question");
        world.runFor(100 * SECOND);
        assertEvents(small);
        assertTrue(small.manager().isIdle());
    }

    private List<ByteBuffer> ask(int requestId, long transaction) {
        return ask(b, requestId, transaction);
    }

    private List<ByteBuffer> ask(CmHost host, int requestId, long transaction) {
        return say(host, CmMessage.SIDR_REQ, transaction, mad -> {
            CmSidrReq.REQUEST_ID.set(mad, 0, requestId);
            CmSidrReq.SERVICE_ID.set(mad, 0, CmHost.DATAGRAM_SERVICE);
        });
    }

    @Test
    void shouldSayWhyThereAreNoDatagrams() {
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "answer 1 0 0");
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        b.verdict = RequestVerdict.REFUSED;
        a.manager().query(world.nowNs(), CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "answer 2 0 0");
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
    }

    @Test
    void shouldGiveUpAQuestionThatNobodyAnswers() {
        a.manager().query(0, CmWorld.gids(a.address(), stranger), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        world.runUntil(16 * (4096L << 20) - 1);
        assertEvents(a);
        world.runUntil(16 * (4096L << 20));
        assertEvents(a, "unreachable");
        assertEquals(16, a.count(CmCounter.CM_SENT));
        assertEquals(15, a.count(CmCounter.CM_REPEATED));
        assertEquals(1, a.count(CmCounter.CM_TIMEOUTS));
        assertTrue(a.manager().isIdle());
    }
}
