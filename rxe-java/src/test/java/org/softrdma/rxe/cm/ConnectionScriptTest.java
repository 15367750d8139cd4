// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.softrdma.device.cm.RequestVerdict;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.cm.CmApr;
import org.softrdma.wire.cm.CmDreq;
import org.softrdma.wire.cm.CmLap;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmMra;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmRep;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.mad.Mad;

/** Communication management in scripts: two hosts, or one and a peer that does as the script says. */
class ConnectionScriptTest {
    private static final long SECOND = CmWorld.SECOND;
    private static final long MILLISECOND = 1_000_000;
    /** 4.096 µs · 2^20 for the answer and 2 · 4.096 µs · 2^18 for the way: what ib_cm waits before it repeats a REQ. */
    private static final long REQUEST_INTERVAL_NS = (4096L << 20) + 2 * (4096L << 18);
    private static final int A_QPN = 0x11;
    private static final int B_QPN = 0x22;

    private final CmWorld world = new CmWorld(1);
    private final CmHost a = new CmHost(world, 1);
    private final CmHost b = new CmHost(world, 2);

    /** A peer that is only an address. */
    private final Gid stranger = CmWorld.gid(9);
    private static final long STRANGERS_GUID = 0x1234_5678_9abc_def0L;

    private static void assertTold(CmHost host, String... events) {
        assertEquals(List.of(events), host.told());
    }

    private Connection established() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.accept(b.asked, B_QPN);
        world.runFor(2 * MILLISECOND);
        a.confirm(connection);
        world.runFor(2 * MILLISECOND);
        assertTold(a, "reply");
        assertTold(b, "request", "established");
        return connection;
    }

    private void assertNothingIsLeft() {
        world.runFor(200 * SECOND);
        assertTrue(a.manager().isIdle() && b.manager().isIdle(), world.trace());
    }

    /** Hands {@code host} a message of the stranger, and returns what it answers. */
    private List<ByteBuffer> say(CmHost host, int attribute, long transaction, Consumer<ByteBuffer> fill) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(mad, 0, attribute, transaction);
        fill.accept(mad);
        return say(host, mad);
    }

    private List<ByteBuffer> say(CmHost host, ByteBuffer mad) {
        host.manager().onMad(world.nowNs(), CmWorld.gids(host.address(), stranger), mad);
        return drain(host);
    }

    private static List<ByteBuffer> drain(CmHost host) {
        List<ByteBuffer> answers = new ArrayList<>();
        for (OutgoingMad next = host.manager().nextOutgoing(); next != null; next = host.manager().nextOutgoing()) {
            answers.add(next.mad());
        }
        return answers;
    }

    private static String names(List<ByteBuffer> mads) {
        return String.join(" ", mads.stream().map(mad -> CmMessage.name(Mad.attribute(mad, 0))).toList());
    }

    private Consumer<ByteBuffer> strangersReq(CmHost host) {
        return mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77);
            CmReq.CA_GUID.set(mad, 0, STRANGERS_GUID);
            CmReq.LOCAL_RESPONSE_TIMEOUT.set(mad, 0, 16);
            CmReq.MAX_CM_RETRIES.set(mad, 0, 3);
            CmHost.request(stranger, host.address(), 0x99).put(mad);
        };
    }

    private int refusal(CmHost host, Consumer<ByteBuffer> change) {
        List<ByteBuffer> answers = say(host, CmMessage.REQ, 5, strangersReq(host).andThen(change));
        assertEquals("REJ", names(answers));
        ByteBuffer rej = answers.getFirst();
        assertEquals(5, Mad.transactionId(rej, 0));
        assertEquals(0, CmMessage.LOCAL_COMM_ID.get(rej, 0), "there is no connection of it");
        assertEquals(0x77, CmMessage.REMOTE_COMM_ID.get(rej, 0));
        assertEquals(CmMessage.ANSWERS_REQ, CmRej.MESSAGE.get(rej, 0));
        return CmRej.REASON.get(rej, 0);
    }

    // ---- making a connection ----

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
        assertEquals(1, a.manager().counters().get(CmCounter.CM_RETURNED));
        assertEquals(2, a.manager().counters().get(CmCounter.CM_DROP_UNKNOWN_ID));
        assertTrue(a.manager().isIdle());
        world.runFor(100 * CmWorld.SECOND);
        assertEquals(List.of(), drain(a), "nothing is repeated");
    }

    @Test
    void shouldTellEachSideWhatTheOtherSaid() {
        Connection active = established();
        Connection passive = b.asked;
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
        assertTold(a);
        a.manager().onTime(16 * REQUEST_INTERVAL_NS);
        ByteBuffer rej = drain(a).getFirst();
        assertEquals(CmRejectReason.TIMEOUT, CmRej.REASON.get(rej, 0));
        assertEquals(CmMessage.ANSWERS_OTHER, CmRej.MESSAGE.get(rej, 0));
        assertEquals(8, CmRej.INFO_LENGTH.get(rej, 0));
        assertEquals(a.manager().settings().caGuid(), CmRej.INFO_GUID.getLong(rej, 0));
        assertTold(a, "unreachable");
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
        b.accept(b.asked, B_QPN);
        world.runFor(5 * MILLISECOND);
        a.confirm(connection);
        world.runFor(5 * MILLISECOND);
        assertTold(b, "request", "established");
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
        // And the way: ACK timeout 19.
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
        b.accept(b.asked, B_QPN);
        List<ByteBuffer> rep = drain(b);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), req);
        assertEquals(rep, drain(b));
        assertTold(b, "request");
    }

    @Test
    void shouldAnswerARepeatedRepByTheRtuOfBefore() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), drain(a).getFirst());
        b.accept(b.asked, B_QPN);
        ByteBuffer rep = drain(b).getFirst();
        a.manager().onMad(0, CmWorld.gids(a.address(), b.address()), rep);
        a.manager().onMad(0, CmWorld.gids(a.address(), b.address()), rep);
        ByteBuffer mra = drain(a).getFirst();
        assertEquals(CmMessage.MRA, Mad.attribute(mra, 0));
        assertEquals(CmMessage.ANSWERS_REP, CmMra.MESSAGE.get(mra, 0));
        a.confirm(connection);
        List<ByteBuffer> rtu = drain(a);
        a.manager().onMad(0, CmWorld.gids(a.address(), b.address()), rep);
        assertEquals(rtu, drain(a));
        assertTold(a, "reply");
    }

    /** The asking side says how long it takes and how often to repeat: 4.096 µs · 2^16 = 268 ms, 3 times. */
    @Test
    void shouldRepeatARepAsTheReqSaysAndThenGiveUp() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.asked, B_QPN);
        ByteBuffer rep = drain(b).getFirst();
        for (int i = 1; i <= 3; i++) {
            b.manager().onTime(i * (4096L << 16) - 1);
            assertFalse(b.manager().hasOutgoing());
            b.manager().onTime(i * (4096L << 16));
            assertEquals(List.of(rep), drain(b));
        }
        assertTold(b, "request");
        b.manager().onTime(4 * (4096L << 16));
        ByteBuffer rej = drain(b).getFirst();
        assertEquals(CmRejectReason.TIMEOUT, CmRej.REASON.get(rej, 0));
        assertTold(b, "unreachable");
        assertNothingIsLeft();
    }

    @Test
    void shouldBeEstablishedByTheFirstPacketWhenTheRtuIsLost() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.asked, B_QPN);
        assertTrue(b.manager().isAwaitingPackets());
        b.manager().onPacket(A_QPN);
        assertTold(b, "request");
        b.manager().onPacket(B_QPN);
        assertTold(b, "established");
        assertFalse(b.manager().isAwaitingPackets());
        say(b, CmMessage.RTU, 5, mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x77);
            CmMessage.REMOTE_COMM_ID.set(mad, 0, b.asked.localId());
        });
        assertTold(b);
        assertEquals(Long.MAX_VALUE, b.asked.deadlineNs(), "no REP is repeated any more");
    }

    // ---- refusing ----

    @Test
    void shouldTellTheReasonAndTheBytesOfARejection() {
        b.manager().listen(CmHost.SERVICE, b);
        a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.asked.reject(world.nowNs(), CmRejectReason.CONSUMER, new byte[] {9});
        world.runFor(2 * MILLISECOND);
        assertTold(a, "rejected: consumer reject");
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
    }

    @Test
    void shouldRefuseWhatNobodyListensFor() {
        a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        assertTold(a, "rejected: invalid service id");
        b.manager().listenForDatagrams(CmHost.SERVICE, b);
        a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        assertTold(a, "rejected: invalid service id");
    }

    @Test
    void shouldRefuseEveryKindOfImpossibleRequest() {
        b.manager().listen(CmHost.SERVICE, b);
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.PKEY.set(mad, 0, 0x1234)));
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.REMOTE_GID_LOW.set(mad, 0, 0)));
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.REMOTE_GID_LOW.set(mad, 0, a.address().low())));
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.LOCAL_GID_LOW.set(mad, 0, 0)));
        assertEquals(CmRejectReason.INVALID_GID, refusal(b, mad -> CmReq.LOCAL_GID_HIGH.set(mad, 0, 0xfd77L << 48)));
        assertEquals(CmRejectReason.INVALID_TRANSPORT_TYPE, refusal(b, mad -> CmReq.TRANSPORT.set(mad, 0, 2)));
        assertEquals(CmRejectReason.INVALID_TRANSPORT_TYPE, refusal(b, mad -> CmReq.TRANSPORT.set(mad, 0, 3)));
        assertEquals(CmRejectReason.INVALID_MTU, refusal(b, mad -> CmReq.MTU.set(mad, 0, 0)));
        assertEquals(CmRejectReason.INVALID_MTU, refusal(b, mad -> CmReq.MTU.set(mad, 0, 6)));
        assertEquals(CmRejectReason.INVALID_SERVICE_ID, refusal(b, mad -> CmReq.SERVICE_ID.set(mad, 0, CmHost.SERVICE + 1)));
        assertTold(b);
        assertTrue(b.manager().isIdle());
        assertEquals("", names(say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> CmReq.PKEY.set(mad, 0, 0x7fff)))));
        assertTold(b, "request");
    }

    @Test
    void shouldNameAnAddressOfOursWhenItRefusesOne() {
        List<ByteBuffer> answers = say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> CmReq.REMOTE_GID_LOW.set(mad, 0, 0)));
        assertEquals(16, CmRej.INFO_LENGTH.get(answers.getFirst(), 0));
        assertEquals(b.address().low(), CmRej.INFO_GID_LOW.getLong(answers.getFirst(), 0));
    }

    @Test
    void shouldSayThatAlternatePathsAreNotSupported() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> CmReq.ALTERNATE_LOCAL_LID.set(mad, 0, 1)));
        b.accept(b.asked, B_QPN);
        assertEquals(1, CmRep.FAILOVER.get(drain(b).getFirst(), 0));
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

    @Test
    void shouldRejectARep() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.accept(b.asked, B_QPN);
        world.runFor(2 * MILLISECOND);
        connection.reject(world.nowNs(), CmRejectReason.CONSUMER, new byte[0]);
        world.runFor(2 * MILLISECOND);
        assertTold(b, "request", "rejected: consumer reject");
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> a.confirm(connection)).errno());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> b.accept(b.asked, B_QPN)).errno());
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
    }

    @Test
    void shouldTellAPeerThatGivesUpBeforeTheAnswer() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        connection.abandon(world.nowNs());
        world.runFor(2 * MILLISECOND);
        assertTold(b, "request", "rejected: timeout");
        assertTold(a);
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
    }

    // ---- the end ----

    @Test
    void shouldDisconnectAndWaitForLatePackets() {
        Connection active = established();
        a.disconnect(active);
        world.runFor(2 * MILLISECOND);
        assertTold(b, "peer disconnects");
        assertTold(a);
        b.disconnect(b.asked);
        world.runFor(2 * MILLISECOND);
        assertTold(a, "disconnected");
        assertEquals(ConnectionState.TIMEWAIT, active.state());
        assertEquals(ConnectionState.TIMEWAIT, b.asked.state());
        // 4.096 µs · 2^19 = 2.15 s
        world.runFor(2100 * MILLISECOND);
        assertFalse(a.manager().isIdle() || b.manager().isIdle());
        world.runFor(100 * MILLISECOND);
        assertTold(a, "timewait is over");
        assertTold(b, "timewait is over");
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
    }

    @Test
    void shouldEndOnceWhenBothDisconnectAtTheSameTime() {
        Connection active = established();
        a.disconnect(active);
        b.disconnect(b.asked);
        world.runFor(2 * MILLISECOND);
        assertTold(a, "disconnected");
        assertTold(b, "disconnected");
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
        assertTold(a, "disconnected, no answer");
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
        b.disconnect(b.asked);
        List<ByteBuffer> drep = drain(b);
        assertEquals("DREP", names(drep));
        assertEquals(Mad.transactionId(dreq, 0), Mad.transactionId(drep.getFirst(), 0));
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), dreq);
        assertEquals(drep, drain(b));
        world.runFor(3 * SECOND);
        assertTrue(b.manager().isIdle());
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), dreq);
        assertEquals(drep, drain(b));
        assertTold(b, "peer disconnects", "timewait is over");
    }

    @Test
    void shouldIgnoreADreqForAnotherQueuePairOrFromAnotherAddress() {
        Connection active = established();
        Consumer<ByteBuffer> ids = mad -> {
            CmMessage.LOCAL_COMM_ID.set(mad, 0, active.localId());
            CmMessage.REMOTE_COMM_ID.set(mad, 0, b.asked.localId());
        };
        assertEquals("", names(say(b, CmMessage.DREQ, 5, ids.andThen(mad -> CmDreq.REMOTE_QPN.set(mad, 0, B_QPN)))));
        ByteBuffer otherQp = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(otherQp, 0, CmMessage.DREQ, 5);
        ids.accept(otherQp);
        CmDreq.REMOTE_QPN.set(otherQp, 0, B_QPN + 1);
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), otherQp);
        assertEquals("", names(drain(b)));
        assertEquals(2, b.count(CmCounter.CM_DROP_WRONG_PEER));
        assertTold(b);
        assertEquals(ConnectionState.ESTABLISHED, b.asked.state());
    }

    @Test
    void shouldTakeADreqBeforeTheRtu() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        world.runFor(2 * MILLISECOND);
        b.accept(b.asked, B_QPN);
        world.runFor(2 * MILLISECOND);
        a.confirm(connection);
        assertEquals("RTU", names(drain(a)), "lost");
        a.disconnect(connection);
        world.runFor(2 * MILLISECOND);
        assertTold(b, "request", "peer disconnects");
        b.disconnect(b.asked);
        assertNothingIsLeft();
    }

    @Test
    void shouldEndAnEstablishedConnectionThatThePeerRejects() {
        Connection active = established();
        ByteBuffer rej = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(rej, 0, CmMessage.REJ, 5);
        CmMessage.LOCAL_COMM_ID.set(rej, 0, b.asked.localId());
        CmMessage.REMOTE_COMM_ID.set(rej, 0, active.localId());
        CmRej.MESSAGE.set(rej, 0, CmMessage.ANSWERS_OTHER);
        CmRej.REASON.set(rej, 0, 99);
        a.manager().onMad(world.nowNs(), CmWorld.gids(a.address(), b.address()), rej);
        assertTold(a, "rejected: reason 99");
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
        assertTold(a);
        assertEquals(ConnectionState.ESTABLISHED, active.state());
        assertEquals(1, a.count(CmCounter.CM_DROP_UNKNOWN_ID));
    }

    // ---- who has forgotten what ----

    /** Hosts that were copied, or say no GUID: one must not keep the other one out, nor hide that a queue pair was forgotten. */
    @Test
    void shouldKeepPeersApartThatHaveTheSameNumbers() {
        b.manager().listen(CmHost.SERVICE, b);
        Gid other = CmWorld.gid(8);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.asked, B_QPN);
        drain(b);
        ByteBuffer same = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(same, 0, CmMessage.REQ, 5);
        strangersReq(b).accept(same);
        CmReq.LOCAL_GID_LOW.set(same, 0, other.low());
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), other), same);
        assertEquals("", names(drain(b)));
        assertTold(b, "request", "request");
        assertEquals(other, b.asked.remote());
        assertEquals("REP", names(say(b, CmMessage.REQ, 5, strangersReq(b))), "still known by its numbers");
        List<ByteBuffer> answers = say(b, CmMessage.REQ, 6, strangersReq(b).andThen(mad -> CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x78)));
        assertEquals(CmRejectReason.STALE_CONNECTION, CmRej.REASON.get(answers.getFirst(), 0), "and by its queue pair");
    }

    @Test
    void shouldEndTheOldConnectionOfAQueuePairThatAsksForANewOne() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        b.accept(b.asked, B_QPN);
        b.manager().onPacket(B_QPN);
        drain(b);
        Connection old = b.asked;
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
        assertTold(b, "request", "established", "disconnected");
        assertEquals("", names(say(b, CmMessage.REQ, 7, strangersReq(b).andThen(mad -> CmMessage.LOCAL_COMM_ID.set(mad, 0, 0x79)))));
        assertTold(b, "request");
    }

    @Test
    void shouldRejectARepWhoseQueuePairIsAnotherConnections() {
        Connection first = established();
        a.connect(b, 0x12);
        world.runFor(2 * MILLISECOND);
        Connection second = b.asked;
        b.accept(second, B_QPN);
        world.runFor(2 * MILLISECOND);
        // Both messages were sent at once, and either may be faster.
        assertEquals(Set.of("request", "rejected: stale connection", "peer disconnects"), Set.copyOf(b.told()));
        assertEquals(ConnectionState.DREQ_SENT, first.state());
        assertTold(a);
    }

    @Test
    void shouldNotTakeALateReqOfAnEndedConnectionForANewOne() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        ByteBuffer req = drain(a).getFirst();
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), req);
        world.runFor(1);
        b.accept(b.asked, B_QPN);
        world.runFor(2 * MILLISECOND);
        a.confirm(connection);
        a.disconnect(connection);
        world.runFor(4 * MILLISECOND);
        b.disconnect(b.asked);
        world.runFor(4 * MILLISECOND);
        assertEquals(ConnectionState.TIMEWAIT, b.asked.state());
        b.told();
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), req);
        assertEquals("", names(drain(b)));
        assertTold(b);
        // Another transaction is another connection, even with the same id. Linux takes it at once, too.
        ByteBuffer anew = ByteBuffer.allocate(Mad.LENGTH).put(0, req, 0, Mad.LENGTH);
        anew.putLong(Mad.TRANSACTION_ID_OFFSET, 4711);
        b.manager().onMad(world.nowNs(), CmWorld.gids(b.address(), a.address()), anew);
        assertTold(b, "request");
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
        assertTold(b, "request");
        say(b, CmMessage.REJ, 5, rej.andThen(mad -> CmRej.INFO_LENGTH.set(mad, 0, 8)));
        assertTold(b, "rejected: timeout");
    }

    @Test
    void shouldRefuseAlternatePaths() {
        Connection active = established();
        ByteBuffer lap = ByteBuffer.allocate(Mad.LENGTH);
        CmMessage.begin(lap, 0, CmMessage.LAP, 8);
        CmMessage.LOCAL_COMM_ID.set(lap, 0, b.asked.localId());
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
        assertEquals("", names(drain(a)));
    }

    @Test
    void shouldConnectToItself() {
        a.manager().listen(CmHost.SERVICE, a);
        Connection active = a.connect(a, A_QPN);
        world.runFor(2 * MILLISECOND);
        Connection passive = a.asked;
        assertNotEquals(active, passive);
        a.accept(passive, B_QPN);
        world.runFor(2 * MILLISECOND);
        a.confirm(active);
        world.runFor(2 * MILLISECOND);
        assertTold(a, "request", "reply", "established");
        a.disconnect(passive);
        world.runFor(2 * MILLISECOND);
        a.disconnect(active);
        world.runFor(2 * MILLISECOND);
        assertTold(a, "peer disconnects", "disconnected");
        assertNothingIsLeft();
    }

    // ---- datagrams ----

    @Test
    void shouldAnswerWhereDatagramsGo() {
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[] {7}, a);
        world.runFor(2 * MILLISECOND);
        assertEquals(7, b.question.privateData()[0]);
        assertEquals(a.address(), b.question.remote());
        b.question.answer(world.nowNs(), CmSidrRep.VALID, 0x1234, 0x01234567, new byte[] {8});
        world.runFor(2 * MILLISECOND);
        assertTold(a, "answer 0 1234 1234567");
        assertNull(a.manager().nextOutgoing());
        assertNothingIsLeft();
    }

    @Test
    void shouldGiveOneAnswerToARepeatedQuestion() {
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        ByteBuffer question = drain(a).getFirst();
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), question);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), question);
        assertEquals("", names(drain(b)), "the application thinks");
        b.question.answer(0, CmSidrRep.VALID, 0x1234, 1, new byte[0]);
        List<ByteBuffer> answer = drain(b);
        b.manager().onMad(0, CmWorld.gids(b.address(), a.address()), question);
        assertEquals(answer, drain(b));
        assertTold(b, "question");
    }

    @Test
    void shouldSayWhyThereAreNoDatagrams() {
        a.manager().query(0, CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        world.runFor(2 * MILLISECOND);
        assertTold(a, "answer 1 0 0");
        b.manager().listenForDatagrams(CmHost.DATAGRAM_SERVICE, b);
        b.verdict = RequestVerdict.REFUSED;
        a.manager().query(world.nowNs(), CmWorld.gids(a.address(), b.address()), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        world.runFor(2 * MILLISECOND);
        assertTold(a, "answer 2 0 0");
        assertTrue(a.manager().isIdle() && b.manager().isIdle());
    }

    @Test
    void shouldGiveUpAQuestionThatNobodyAnswers() {
        a.manager().query(0, CmWorld.gids(a.address(), stranger), CmHost.DATAGRAM_SERVICE, 0xffff, new byte[0], a);
        world.runUntil(16 * (4096L << 20) - 1);
        assertTold(a);
        world.runUntil(16 * (4096L << 20));
        assertTold(a, "unreachable");
        assertEquals(16, a.count(CmCounter.CM_SENT));
        assertTrue(a.manager().isIdle());
    }

    // ---- pacing ----

    private static final int MAX_IN_FLIGHT = 64;
    private static final long PATIENCE_NS = 50 * MILLISECOND;

    /** Connections that nobody answers, each with a queue pair of its own. */
    private List<Connection> ask(int count) {
        List<Connection> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(a.manager().connect(world.nowNs(), GidType.ROCE_V2, CmHost.request(a.address(), stranger, A_QPN + i), a));
        }
        return asked;
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
        // Nobody answers the others: in a while they hold nobody up any longer.
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
            a.manager().connect(world.nowNs(), GidType.ROCE_V2, CmHost.request(a.address(), stranger, 0x1000 + i), a);
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
        List<Connection> asked = ask(MAX_IN_FLIGHT + 2);
        drain(a);
        asked.getLast().abandon(world.nowNs());
        assertEquals("", names(drain(a)), "the peer never heard of it");
        asked.getFirst().abandon(world.nowNs());
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
            passive.add(b.asked);
            b.accept(b.asked, 0x100 + i);
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
            b.accept(b.asked, 0x100 + i);
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

    // ---- floods ----

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
            OutgoingMad question = small.manager().nextOutgoing();
            small.manager().onMad(0, CmWorld.gids(small.address(), small.address()), question.mad());
            small.question.answer(0, CmSidrRep.VALID, i, 1, new byte[0]);
            small.manager().onMad(0, CmWorld.gids(small.address(), small.address()), small.manager().nextOutgoing().mad());
        }
        assertFalse(small.manager().isIdle());
        world.runFor(100 * SECOND);
        assertTrue(small.manager().isIdle());
    }
}
