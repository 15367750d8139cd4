// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmMra;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmRep;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.cm.CmSidrReq;
import org.softrdma.wire.mad.Mad;

/** Scripts of connection establishment and its refusal. */
class ConnectingScriptTest extends CmScript {
    /** The peer's host sends back what it has nobody for. Whoever did not see the REQ does not know its ids. */
    @Test
    void shouldEndWhenTheRequestComesBack() {
        Connection connection = a.connect(b, A_QPN);
        ByteBuffer req = drain(a).getFirst();
        a.manager().onPortUnreachable(CmWorld.gids(a.address(), CmWorld.gid(9)), req);
        ByteBuffer guessed = ByteBuffer.allocate(req.capacity()).put(0, req, 0, req.capacity());
        CmMessage.LOCAL_COMM_ID.set(guessed, 0, CmMessage.LOCAL_COMM_ID.get(req, 0) + 1);
        a.manager().onPortUnreachable(CmWorld.gids(a.address(), b.address()), guessed);
        assertEquals(ConnectionState.REQ_SENT, connection.state());

        a.manager().onPortUnreachable(CmWorld.gids(a.address(), b.address()), req);
        assertEquals(ConnectionState.CLOSED, connection.state());
        assertEvents(a, "nobody there");
        assertEquals(1, a.manager().counters().get(CmCounter.CM_RETURNED));
        assertEquals(2, a.manager().counters().get(CmCounter.CM_DROP_UNKNOWN_ID));
        assertTrue(a.manager().isIdle());
        world.runFor(100 * CmWorld.SECOND);
        assertEquals(List.of(), drain(a), "nothing is repeated");
    }

    @Test
    void shouldTellEachSideWhatTheOtherSaid() {
        Connection active = established();
        Connection passive = b.requested;
        assertEquals(ConnectionState.ESTABLISHED, active.state());
        assertEquals(ConnectionState.ESTABLISHED, passive.state());
        ReqFields request = passive.request();
        assertEquals(A_QPN, request.qpn());
        assertEquals(0x111111, request.startingPsn());
        assertEquals(4, request.responderResources());
        assertEquals(5, request.initiatorDepth());
        assertEquals(6, request.retryCount());
        assertEquals(7, request.rnrRetryCount());
        assertEquals(3, request.pathMtu());
        assertEquals(19, request.ackTimeout());
        assertEquals(0x12345, request.flowLabel());
        assertEquals(a.address(), request.local());
        assertEquals(b.address(), request.remote());
        assertEquals(92, request.privateData().length);
        assertEquals(3, request.privateData()[2]);
        RepFields reply = active.reply();
        assertEquals(B_QPN, reply.qpn());
        assertEquals(0x222222, reply.startingPsn());
        assertEquals(5, reply.responderResources());
        assertEquals(4, reply.initiatorDepth());
        assertEquals(196, reply.privateData().length);
        assertEquals(5, reply.privateData()[1]);
    }

    @Test
    void shouldRepeatAReqByteForByteAndGiveUpAfterFifteenRepetitions() {
        a.connect(b, A_QPN);
        ByteBuffer first = drain(a).getFirst();
        for (int i = 1; i <= 15; i++) {
            world.runUntil(i * REQUEST_INTERVAL_NS - 1);
            assertFalse(a.manager().hasOutgoing());
            a.manager().onTime(i * REQUEST_INTERVAL_NS);
            List<ByteBuffer> repeated = drain(a);
            assertEquals(List.of(first), repeated);
        }
        assertEvents(a);
        a.manager().onTime(16 * REQUEST_INTERVAL_NS);
        ByteBuffer rej = drain(a).getFirst();
        assertEquals(CmRejectReason.TIMEOUT, CmRej.REASON.get(rej, 0));
        assertEquals(CmMessage.ANSWERS_OTHER, CmRej.MESSAGE.get(rej, 0));
        assertEquals(8, CmRej.INFO_LENGTH.get(rej, 0));
        assertEquals(a.manager().settings().caGuid(), CmRej.INFO_GUID.getLong(rej, 0));
        assertEvents(a, "unreachable");
        assertEquals(15, a.count(CmCounter.CM_REPEATED));
        assertEquals(1, a.count(CmCounter.CM_TIMEOUTS));
        assertNothingIsLeft();
    }

    @Test
    void shouldAskForPatienceWhenTheApplicationThinks() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runUntil(REQUEST_INTERVAL_NS + 10 * MILLISECOND);
        // The second REQ was answered by an MRA for 4.096 µs · 2^24 = 68.7 s: there is no third one before that.
        world.runUntil(70 * SECOND);
        assertEquals(1, b.count(CmCounter.CM_DUPLICATES));
        assertEquals(1, a.count(CmCounter.CM_REPEATED));
        b.accept(b.requested, B_QPN);
        world.runFor(5 * MILLISECOND);
        a.confirm(connection);
        world.runFor(5 * MILLISECOND);
        assertEvents(b, "request", "established");
    }

    @Test
    void shouldGoOnAskingWhenThePatienceIsOver() {
        b.manager().listen(CmHost.SERVICE, b);
        a.connect(b, A_QPN);
        world.runUntil(80 * SECOND);
        assertEquals(2, a.count(CmCounter.CM_REPEATED), "one before the MRA, one after it");
    }

    /** As between repetitions: whoever asks for more than 4.096 µs · 2^24 = 69 s gets that, and may ask again. */
    @Test
    void shouldBoundThePatienceThatAPeerMayAskFor() {
        Connection connection = a.connect(b, A_QPN);
        drain(a);
        ByteBuffer mra = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(mra, 0, CmMessage.MRA, 5);
        CmMessage.REMOTE_COMM_ID.set(mra, 0, connection.localId());
        CmMra.SERVICE_TIMEOUT.set(mra, 0, 31);
        a.manager().onMad(world.nowNs(), CmWorld.gids(a.address(), b.address()), mra);
        // Service timeout plus the round trip, which is ACK timeout 19.
        long patienceNs = (4096L << 24) + (4096L << 19);
        a.manager().onTime(patienceNs - 1);
        assertEquals("", names(drain(a)));
        a.manager().onTime(patienceNs);
        assertEquals("REQ", names(drain(a)));
    }

    @Test
    void shouldAnswerARepeatedReqByTheRepOfBefore() {
        b.manager().listen(CmHost.SERVICE, b);
        a.connect(b, A_QPN);
        ByteBuffer req = drain(a).getFirst();
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), req);
        b.accept(b.requested, B_QPN);
        List<ByteBuffer> rep = drain(b);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), req);
        assertEquals(rep, drain(b));
        assertEvents(b, "request");
        assertEquals(1, b.count(CmCounter.CM_DUPLICATES));
        assertEquals(2, b.count(CmCounter.CM_RECEIVED));
        assertEquals(2, b.count(CmCounter.CM_SENT));
    }

    @Test
    void shouldAnswerARepeatedRepByTheRtuOfBefore() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), drain(a).getFirst());
        b.accept(b.requested, B_QPN);
        ByteBuffer rep = drain(b).getFirst();
        a.manager().onMad(0, CmWorld.gids(a.address(), b.address()), rep);
        a.manager().onMad(0, CmWorld.gids(a.address(), b.address()), rep);
        ByteBuffer mra = drain(a).getFirst();
        assertEquals(CmMessage.MRA, Mad.attribute(mra, 0));
        assertEquals(CmMessage.ANSWERS_REP, CmMra.MESSAGE.get(mra, 0));
        connection.confirm(world.nowNs(), new byte[] {6, 7});
        List<ByteBuffer> rtu = drain(a);
        assertEquals("0607", HexFormat.of().formatHex(CmMessage.privateData(rtu.getFirst(), 0), 0, 2));
        a.manager().onMad(0, CmWorld.gids(a.address(), b.address()), rep);
        assertEquals(rtu, drain(a));
        assertEvents(a, "reply");
        assertEquals(2, a.count(CmCounter.CM_DUPLICATES), "one in each state");
    }

    /**
     * The requesting side states how long it takes and how often to repeat: 4.096 µs · 2^16 = 268 ms, 3 times. An MRA with our ID proves
     * that it receives at its address.
     */
    @Test
    void shouldRepeatARepAsTheReqSaysAndThenGiveUp() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.requested, B_QPN);
        ByteBuffer rep = drain(b).getFirst();
        say(b, CmMessage.MRA, 5, mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77);
            CmMessage.REMOTE_COMM_ID.set(mad, 0, b.requested.localId());
            CmMra.MESSAGE.set(mad, 0, CmMessage.ANSWERS_REP);
            CmMra.SERVICE_TIMEOUT.set(mad, 0, 10);
        });
        // The MRA's service timeout, and the round trip, which is ACK timeout 19.
        long firstNs = (4096L << 10) + (4096L << 19);
        for (int i = 0; i < 3; i++) {
            b.manager().onTime(firstNs + i * (4096L << 16) - 1);
            assertFalse(b.manager().hasOutgoing());
            b.manager().onTime(firstNs + i * (4096L << 16));
            assertEquals(List.of(rep), drain(b));
        }
        assertEvents(b, "request");
        b.manager().onTime(firstNs + 3 * (4096L << 16));
        ByteBuffer rej = drain(b).getFirst();
        assertEquals(CmRejectReason.TIMEOUT, CmRej.REASON.get(rej, 0));
        assertEvents(b, "unreachable");
        assertEquals(3, b.count(CmCounter.CM_REPEATED));
        assertEquals(1, b.count(CmCounter.CM_TIMEOUTS));
        assertEquals(0, b.count(CmCounter.CM_DROP_UNPROVEN_PEER));
        assertNothingIsLeft();
    }

    /** One REQ with a forged source address: the host there gets three messages at most, though the REQ asks for sixteen REPs. */
    @Test
    void shouldSendNoMoreThanThreeMessagesToAPeerThatNeverProvedItsAddress() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> CmReq.MAX_CM_RETRIES.set(mad, 0, 15)));
        b.accept(b.requested, B_QPN);
        List<ByteBuffer> sent = new ArrayList<>(drain(b));
        for (int i = 1; i <= 16; i++) {
            b.manager().onTime(i * (4096L << 16));
            sent.addAll(drain(b));
        }
        assertEquals("REP REP REJ", names(sent));
        assertEquals(CmRejectReason.TIMEOUT, CmRej.REASON.get(sent.getLast(), 0));
        assertEvents(b, "request", "unreachable");
        assertEquals(1, b.count(CmCounter.CM_REPEATED));
        assertEquals(14, b.count(CmCounter.CM_DROP_UNPROVEN_PEER));
        assertTrue(b.manager().isIdle());
    }

    @Test
    void shouldSendThreeMessagesMoreForEachRepetitionOfAReq() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> CmReq.MAX_CM_RETRIES.set(mad, 0, 15)));
        b.accept(b.requested, B_QPN);
        List<ByteBuffer> sent = new ArrayList<>(drain(b));
        sent.addAll(say(b, CmMessage.REQ, 5, strangersReq(b)));
        for (int i = 1; i <= 16; i++) {
            b.manager().onTime(i * (4096L << 16));
            sent.addAll(drain(b));
        }
        assertEquals("REP REP REP REP REP REJ", names(sent));
    }

    @Test
    void shouldBeEstablishedByTheFirstPacketWhenTheRtuIsLost() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.requested, B_QPN);
        assertTrue(b.manager().isAwaitingPackets());
        b.manager().onPacket(A_QPN);
        assertEvents(b, "request");
        b.manager().onPacket(B_QPN);
        assertEvents(b, "established");
        assertFalse(b.manager().isAwaitingPackets());
        say(b, CmMessage.RTU, 5, mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77);
            CmMessage.REMOTE_COMM_ID.set(mad, 0, b.requested.localId());
        });
        assertEvents(b);
        assertEquals(Long.MAX_VALUE, b.requested.deadlineNs(), "no REP is repeated any more");
        assertEquals(1, b.count(CmCounter.CM_ESTABLISHED_BY_PACKET));
        assertEquals(1, b.count(CmCounter.CM_DUPLICATES), "the late RTU");
    }

    @Test
    void shouldTellTheReasonAndTheBytesOfARejection() {
        b.manager().listen(CmHost.SERVICE, b);
        a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.requested.reject(world.nowNs(), CmRejectReason.CONSUMER, new byte[] {9});
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "rejected: consumer reject, 09");
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
    }

    /** 0 for a REQ, 1 for a REP: IBA vol 1 §12.6.7, message REJected. */
    @Test
    void shouldSayWhichMessageIsRejected() {
        b.manager().listen(CmHost.SERVICE, b);
        a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.requested.reject(world.nowNs(), CmRejectReason.CONSUMER, new byte[0]);
        ByteBuffer ofReq = drain(b).getFirst();
        assertEquals(0, CmRej.MESSAGE.get(ofReq, 0));
        assertEquals(CmRejectReason.CONSUMER, CmRej.REASON.get(ofReq, 0));

        Connection second = a.connect(b, A_QPN + 1);
        world.runFor(2 * MILLISECOND);
        b.accept(b.requested, B_QPN);
        world.runFor(2 * MILLISECOND);
        second.reject(world.nowNs(), CmRejectReason.INSUFFICIENT_RESPONDER_RESOURCES, new byte[0]);
        ByteBuffer ofRep = drain(a).getFirst();
        assertEquals(1, CmRej.MESSAGE.get(ofRep, 0));
        assertEquals(CmRejectReason.INSUFFICIENT_RESPONDER_RESOURCES, CmRej.REASON.get(ofRep, 0));
    }

    /** 4.096 µs · 2^20 for either side, and 15 repetitions, as Linux: the peer plans its own repetitions with these. */
    @Test
    void shouldStateItsTimesInTheReq() {
        a.connect(b, A_QPN);
        ByteBuffer req = drain(a).getFirst();
        assertEquals(20, CmReq.REMOTE_RESPONSE_TIMEOUT.get(req, 0));
        assertEquals(20, CmReq.LOCAL_RESPONSE_TIMEOUT.get(req, 0));
        assertEquals(15, CmReq.MAX_CM_RETRIES.get(req, 0));
        assertEquals(0x0200_0000_0000_0001L, CmReq.CA_GUID.getLong(req, 0));
    }

    @Test
    void shouldBeginEachConnectionWithATransactionOfItsOwn() {
        a.connect(b, A_QPN);
        a.connect(b, A_QPN + 1);
        b.connect(a, B_QPN);
        List<ByteBuffer> reqs = new ArrayList<>(drain(a));
        reqs.addAll(drain(b));
        assertEquals("REQ REQ REQ", names(reqs));
        assertEquals(3, reqs.stream().map(mad -> Mad.transactionId(mad, 0)).distinct().count());
    }

    @Test
    void shouldRefuseWhatNobodyListensFor() {
        a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "rejected: invalid service id");
        b.manager().listenForDatagrams(CmHost.SERVICE, b);
        a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "rejected: invalid service id");
    }

    @Test
    void shouldRefuseEveryKindOfImpossibleRequest() {
        b.manager().listen(CmHost.SERVICE, b);
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.PKEY.set(mad, 0, 0x1234)));
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.REMOTE_GID_LOW.set(mad, 0, 0)));
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.REMOTE_GID_LOW.set(mad, 0, a.address().low())));
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.LOCAL_GID_LOW.set(mad, 0, 0)));
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.LOCAL_GID_HIGH.set(mad, 0, 0xfd77L << 48)));
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.LOCAL_GID_LOW.set(mad, 0, a.address().low())));
        assertEquals(CmRejectReason.INVALID_COMM_INSTANCE, refusal(b, mad -> CmReq.QPN.set(mad, 0, 0)));
        assertEquals(CmRejectReason.INVALID_COMM_INSTANCE, refusal(b, mad -> CmReq.QPN.set(mad, 0, 1)));
        assertEquals(CmRejectReason.INVALID_COMM_INSTANCE, refusal(b, mad -> CmReq.QPN.set(mad, 0, 0xffffff)));
        assertEquals(CmRejectReason.INVALID_TRANSPORT_TYPE, refusal(b, mad -> CmReq.TRANSPORT.set(mad, 0, 2)));
        assertEquals(CmRejectReason.INVALID_TRANSPORT_TYPE, refusal(b, mad -> CmReq.TRANSPORT.set(mad, 0, 3)));
        assertEquals(CmRejectReason.INVALID_MTU, refusal(b, mad -> CmReq.MTU.set(mad, 0, 0)));
        assertEquals(CmRejectReason.INVALID_MTU, refusal(b, mad -> CmReq.MTU.set(mad, 0, 6)));
        assertEquals(CmRejectReason.INVALID_SERVICE_ID, refusal(b, mad -> CmReq.SERVICE_ID.set(mad, 0, CmHost.SERVICE + 1)));
        assertEvents(b);
        assertTrue(b.manager().isIdle());
        assertEquals("", names(say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> CmReq.PKEY.set(mad, 0, 0x7fff)))));
        assertEvents(b, "request");
    }

    @Test
    void shouldTakeTheLowestAndTheHighestQueuePairNumber() {
        b.manager().listen(CmHost.SERVICE, b);
        assertEquals("", names(say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> CmReq.QPN.set(mad, 0, 2)))));
        assertEquals("", names(say(b, CmMessage.REQ, 6, strangersReq(b).andThen(mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x78);
            CmReq.QPN.set(mad, 0, 0xfffffe);
        }))));
        assertEvents(b, "request", "request");
    }

    /** A REQ that is refused anyway must not end the connection whose numbers it has. */
    @Test
    void shouldNotTakeAConnectionForStaleBecauseOfAnImpossibleRequest() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.requested, B_QPN);
        b.manager().onPacket(B_QPN);
        drain(b);
        assertEquals(CmRejectReason.INVALID_GID, CmRej.REASON.get(say(b, CmMessage.REQ, 6, strangersReq(b).andThen(mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x78);
            CmReq.LOCAL_GID_LOW.set(mad, 0, a.address().low());
        })).getFirst(), 0));
        assertEquals(ConnectionState.ESTABLISHED, b.requested.state());
        assertEquals(0, b.count(CmCounter.CM_STALE_CONNECTIONS));
    }

    @Test
    void shouldNameAnAddressOfOursWhenItRefusesOne() {
        List<ByteBuffer> answers = say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> CmReq.REMOTE_GID_LOW.set(mad, 0, 0)));
        assertEquals(16, CmRej.INFO_LENGTH.get(answers.getFirst(), 0));
        assertEquals(b.address().low(), CmRej.INFO_GID_LOW.getLong(answers.getFirst(), 0));
    }

    /** A path has a LID, which RoCE does not use, or a GID; a request without either has no alternate path. */
    @ParameterizedTest
    @CsvSource({"1, 0, 1", "0, 1, 1", "0, 0, 0"})
    void shouldSayThatAlternatePathsAreNotSupported(int lid, long gidLow, int failover) {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> {
            CmReq.ALTERNATE_LOCAL_LID.set(mad, 0, lid);
            CmReq.ALTERNATE_LOCAL_GID_LOW.set(mad, 0, gidLow);
        }));
        b.accept(b.requested, B_QPN);
        assertEquals(failover, CmRep.FAILOVER.get(drain(b).getFirst(), 0));
    }

    @Test
    void shouldRefuseOrForgetAsTheListenerSays() {
        b.manager().listen(CmHost.SERVICE, b);
        b.verdict = RequestVerdict.DROPPED;
        assertEquals("", names(say(b, CmMessage.REQ, 5, strangersReq(b))));
        assertEquals(1, b.count(CmCounter.CM_DROP_BACKLOG_FULL));
        b.verdict = RequestVerdict.REFUSED;
        ByteBuffer rej = say(b, CmMessage.REQ, 5, strangersReq(b)).getFirst();
        assertEquals(CmRejectReason.CONSUMER, CmRej.REASON.get(rej, 0));
        assertTrue(b.manager().isIdle());
    }

    @Test
    void shouldRefuseWhenThereAreTooMany() {
        CmHost small = new CmHost(world, 3, CmSettings.of(3).withMaxConnections(1));
        small.manager().listen(CmHost.SERVICE, small);
        assertEquals("", names(say(small, CmMessage.REQ, 5, strangersReq(small))));
        assertEquals(CmRejectReason.NO_RESOURCES, refusal(small, mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77);
            CmReq.CA_GUID.set(mad, 0, 1);
        }));
        assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class, () -> small.connect(b, A_QPN)).errno());
    }

    /** Look-ups in both directions count like connections; answered ones, which are kept for repetitions only, do not. */
    @Test
    void shouldCountLookUpsAsConnections() {
        CmHost small = new CmHost(world, 3, CmSettings.of(3).withMaxConnections(4));
        small.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, small);
        GidPair toStranger = CmWorld.gids(small.address(), stranger);
        small.manager().query(0, toStranger, CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], small);
        small.manager().query(0, toStranger, CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], small);
        drain(small);
        for (int i = 0; i < 2; i++) {
            int number = i;
            assertEquals("", names(say(small, CmMessage.SIDR_REQ, number, mad -> {
                CmSidrReq.REQUEST_ID.set(mad, 0, number);
                CmSidrReq.SERVICE_ID.set(mad, 0, CmHost.DATAGRAM_SERVICE);
            })));
        }
        assertEvents(small, "question", "question");
        assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class, () -> small.connect(b, A_QPN)).errno());
        assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class,
            () -> small.manager().query(0, toStranger, CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], small)).errno());
        ByteBuffer refusal = say(small, CmMessage.SIDR_REQ, 3, mad -> {
            CmSidrReq.REQUEST_ID.set(mad, 0, 3);
            CmSidrReq.SERVICE_ID.set(mad, 0, CmHost.DATAGRAM_SERVICE);
        }).getFirst();
        assertEquals(CmSidrRep.NO_QP, CmSidrRep.STATUS.get(refusal, 0));
        small.lookup.answer(0, CmSidrRep.VALID, 0x1234, 1, new byte[0]);
        small.connect(b, A_QPN);
        assertThrows(VerbsException.class, () -> small.connect(b, A_QPN + 1));
    }

    @Test
    void shouldRejectARep() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.accept(b.requested, B_QPN);
        world.runFor(2 * MILLISECOND);
        connection.reject(world.nowNs(), CmRejectReason.CONSUMER, new byte[0]);
        world.runFor(2 * MILLISECOND);
        assertEvents(b, "request", "rejected: consumer reject");
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> a.confirm(connection)).errno());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> b.accept(b.requested, B_QPN)).errno());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> connection.reject(world.nowNs(), CmRejectReason.CONSUMER,
            new byte[0])).errno());
        assertFalse(a.manager().hasOutgoing());
    }

    @Test
    void shouldRefuseARepForAConnectionThatIsNot() {
        List<ByteBuffer> answers = say(a, CmMessage.REP, 5, mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77);
            CmMessage.REMOTE_COMM_ID.set(mad, 0, 0x88);
        });
        assertEquals("REJ", names(answers));
        ByteBuffer rej = answers.getFirst();
        assertEquals(CmRejectReason.INVALID_COMM_ID, CmRej.REASON.get(rej, 0));
        assertEquals(CmMessage.ANSWERS_REP, CmRej.MESSAGE.get(rej, 0));
        assertEquals(0x88, CmMessage.LOCAL_COMM_ID.get(rej, 0));
        assertEquals(0x77, CmMessage.REMOTE_COMM_ID.get(rej, 0));
        assertEquals(1, a.count(CmCounter.CM_DROP_UNKNOWN_ID));
    }

    @Test
    void shouldTellAPeerThatGivesUpBeforeTheAnswer() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        connection.abandon(world.nowNs());
        world.runFor(2 * MILLISECOND);
        assertEvents(b, "request", "rejected: timeout");
        assertEvents(a);
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
    }

    @Test
    void shouldRejectForAConsumerThatIsGoneAfterItsReply() {
        b.manager().listen(CmHost.SERVICE, b);
        a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.accept(b.requested, B_QPN);
        b.requested.abandon(world.nowNs());
        world.runFor(2 * MILLISECOND);
        assertEvents(a, "reply", "rejected: consumer reject");
        assertEvents(b, "request");
        assertNothingIsLeft();
    }

    /** A REP is an answer: a peer that takes 40 ms for it is not sent the next request before twice that time. */
    @Test
    void shouldMeasureThePeersAnswerTimeByItsReply() {
        CmHost narrow = new CmHost(world, 3, CmSettings.of(3).withMaxInFlight(1));
        for (int i = 0; i < 3; i++) {
            narrow.connect(CmHost.request(narrow.address(), stranger, A_QPN + i));
        }
        ByteBuffer req = drain(narrow).getFirst();
        world.pass(40 * MILLISECOND);
        ByteBuffer rep = message(CmMessage.REP, Mad.transactionId(req, 0), 0x77, CmMessage.LOCAL_COMM_ID.get(req, 0));
        CmHost.reply(B_QPN).put(rep);
        say(narrow, rep);
        assertEvents(narrow, "reply");
        assertNextTurns(narrow, "REQ", 80 * MILLISECOND);
    }
}
