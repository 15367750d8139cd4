// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.device.agent.Deadline;
import org.softrdma.rxe.sim.CmWorld;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.mad.Mad;

/** Counters, timers and numbers that communication management keeps beside its exchanges. */
class CmBookkeepingTest extends CmScript {
    private static final int MANAGEMENT_CLASS = 1;
    private static final int ATTRIBUTE = 16;

    // ---- counters ----

    @Test
    void shouldCountWhatIsNoMessageOfItsOwn() {
        ByteBuffer otherClass = message(CmMessage.RTU, 1, 1, 2).put(MANAGEMENT_CLASS, (byte) 3);
        assertEquals(List.of(), say(a, otherClass));
        assertEquals(1, a.count(CmCounter.CM_DROP_OTHER_CLASS));
        ByteBuffer unknown = message(CmMessage.RTU, 1, 1, 2).putShort(ATTRIBUTE, (short) 0x7f);
        assertEquals(List.of(), say(a, unknown));
        assertEquals(1, a.count(CmCounter.CM_DROP_UNKNOWN_MESSAGE));
        assertEquals(List.of(), say(a, message(CmMessage.RTU, 1, 1, 2).limit(Mad.LENGTH - 1)));
        assertEquals(1, a.count(CmCounter.CM_DROP_MALFORMED));
        assertEquals(0, a.count(CmCounter.CM_RECEIVED));
    }

    @Test
    void shouldCountRepliesAndRejectionsOfOthersThanThePeer() {
        Connection connection = a.connect(b, A_QPN);
        drain(a);
        assertEquals(List.of(), say(a, message(CmMessage.REP, 1, 0x77, connection.localId())));
        assertEquals(List.of(), say(a, message(CmMessage.REJ, 1, 0x77, connection.localId())));
        assertEquals(2, a.count(CmCounter.CM_DROP_WRONG_PEER));
        assertEquals(List.of(), say(a, message(CmMessage.REJ, 1, 0x77, connection.localId() + 1)));
        assertEquals(1, a.count(CmCounter.CM_DROP_UNKNOWN_ID));
        assertEquals(ConnectionState.REQ_SENT, connection.state());
        assertEvents(a);
    }

    @Test
    void shouldIgnoreAReturnedReqThatWasAnsweredMeanwhile() {
        b.manager().listen(CmHost.SERVICE, b);
        Connection connection = a.connect(b, A_QPN);
        ByteBuffer req = drain(a).getFirst();
        hand(b, a.address(), req);
        b.accept(b.requested, B_QPN);
        hand(a, b.address(), drain(b).getFirst());
        a.manager().onPortUnreachable(CmWorld.gids(a.address(), b.address()), req);
        assertEquals(1, a.count(CmCounter.CM_DROP_WRONG_STATE));
        assertEquals(ConnectionState.REP_RECEIVED, connection.state());
        assertEvents(a, "reply");
    }

    // ---- requests ----

    /** 256 and 4096 bytes are the ends, and UC is a transport: IBA vol 1 table 99. */
    @ParameterizedTest
    @CsvSource({"0, 1", "0, 5", "1, 3"})
    void shouldTakeEveryTransportAndMtuThatIs(int transport, int mtu) {
        b.manager().listen(CmHost.SERVICE, b);
        assertEquals(List.of(), say(b, CmMessage.REQ, 5, strangersReq(b).andThen(mad -> {
            CmReq.TRANSPORT.set(mad, 0, transport);
            CmReq.MTU.set(mad, 0, mtu);
        })));
        assertEvents(b, "request");
    }

    @Test
    void shouldRefuseAnotherRequestWithTheIdOfOneThatIs() {
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 4, strangersReq(b));
        assertEquals(CmRejectReason.DUPLICATE_LOCAL_COMM_ID, refusal(b, mad -> CmReq.QPN.set(mad, 0, 0x9a)));
        assertEvents(b, "request");
    }

    /** These four bytes are reserved in a REQ: they are no ID of ours. */
    @Test
    void shouldNotReturnReservedBytesOfARequest() {
        assertEquals(CmRejectReason.INVALID_SERVICE_ID, refusal(b, mad -> CmMessage.REMOTE_COMM_ID.set(mad, 0, 0x55555555)));
    }

    @Test
    void shouldNameAnIpv6AddressOfOursWhenItRefusesOne() {
        Gid ours = new Gid(0xFD77_0000_0000_0001L, 2);
        Gid theirs = new Gid(0xFD77_0000_0000_0001L, 3);
        CommunicationManager manager = new CommunicationManager(CmSettings.of(1), new SplittableRandom(1), ours::equals);
        ByteBuffer mad = message(CmMessage.REQ, 5, 0x77, 0);
        CmHost.request(theirs, new Gid(0xFD77_0000_0000_0001L, 4), 0x99).put(mad);
        manager.onMad(0, new GidPair(GidType.ROCE_V2, ours, theirs), mad);
        ByteBuffer rej = manager.nextRefusal().mad();
        assertEquals(16, CmRej.INFO_LENGTH.get(rej, 0));
        assertEquals(ours.high(), CmRej.INFO_GUID.getLong(rej, 0));
        assertEquals(ours.low(), CmRej.INFO_GID_LOW.getLong(rej, 0));
    }

    /** Two adapters may draw the same communication ID: their GUIDs tell their transactions apart. */
    @Test
    void shouldHaveTransactionsOfItsOwnThoughTheIdsAreAnothers() {
        List<Long> transactions = new ArrayList<>();
        for (int guid = 1; guid <= 2; guid++) {
            CommunicationManager manager = new CommunicationManager(CmSettings.of(guid), new SplittableRandom(1), a.address()::equals);
            manager.connect(0, CmWorld.gids(a.address(), stranger), CmHost.request(a.address(), stranger, A_QPN), a);
            transactions.add(Mad.transactionId(manager.nextOutgoing().mad(), 0));
        }
        assertNotEquals(transactions.get(0), transactions.get(1));
    }

    // ---- timers ----

    @Test
    void shouldHaveNoTimerForWhatHasEnded() {
        Connection connection = a.connect(CmHost.request(a.address(), stranger, A_QPN));
        drain(a);
        assertEquals(REQUEST_INTERVAL_NS, a.manager().deadlineNs());
        say(a, CmMessage.REJ, 1, mad -> {
            CmMessage.REMOTE_COMM_ID.set(mad, 0, connection.localId());
            CmRej.REASON.set(mad, 0, CmRejectReason.CONSUMER);
        });
        assertEquals(Deadline.NEVER, a.manager().deadlineNs());
        assertEquals(0, a.manager().onTime(REQUEST_INTERVAL_NS));
    }

    @Test
    void shouldSayHowManyTimersHaveExpired() {
        a.connect(CmHost.request(a.address(), stranger, A_QPN));
        a.connect(CmHost.request(a.address(), stranger, A_QPN + 1));
        assertEquals(0, a.manager().onTime(REQUEST_INTERVAL_NS - 1));
        assertEquals(2, a.manager().onTime(REQUEST_INTERVAL_NS));
    }

    @Test
    void shouldHaveNoTimerForAPeerThatIsSentNothingMore() {
        CmHost narrow = new CmHost(world, 3, CmSettings.of(3).withMaxInFlight(1));
        Connection first = narrow.connect(CmHost.request(narrow.address(), stranger, A_QPN));
        Connection second = narrow.connect(CmHost.request(narrow.address(), stranger, A_QPN + 1));
        assertTrue(narrow.manager().isPacing());
        second.abandon(0);
        first.abandon(0);
        drain(narrow);
        assertEquals(Deadline.NEVER, narrow.manager().deadlineNs());
        assertTrue(narrow.manager().isIdle());
    }

    // ---- the end of the device ----

    @Test
    void shouldMakeRoomForEachLastWord() {
        CmHost small = new CmHost(world, 3, CmSettings.of(3).withMaxOutgoing(1));
        small.manager().listen(CmHost.SERVICE, small);
        for (int i = 0; i < 3; i++) {
            int number = i;
            say(small, CmMessage.REQ, number, strangersReq(small).andThen(mad -> {
                CmMessage.LOCAL_COMM_ID.set(mad, 0, number);
                CmReq.QPN.set(mad, 0, 0x100 + number);
            }));
        }
        List<ByteBuffer> said = new ArrayList<>();
        small.manager().abandonAll(0, () -> said.addAll(drain(small)));
        said.addAll(drain(small));
        assertEquals("REJ REJ REJ", names(said));
        assertEquals(0, small.count(CmCounter.CM_DROP_OUTBOX_FULL));
    }

    @Test
    void shouldKeepNoDisconnectWithoutAStore() {
        assertEquals(DisconnectStore.NONE, DisconnectStore.NOWHERE.keep(CmWorld.gids(a.address(), b.address()), ByteBuffer.allocate(1)));
    }

    @Test
    void shouldDescribeAConnection() {
        Connection connection = a.connect(b, A_QPN);
        String gids = a.address() + " > " + b.address();
        assertEquals("active " + Integer.toHexString(connection.localId()) + " REQ_SENT " + gids, connection.toString());
        drain(a);
        b.manager().listen(CmHost.SERVICE, b);
        say(b, CmMessage.REQ, 5, strangersReq(b));
        assertEquals("passive " + Integer.toHexString(b.requested.localId()) + "/77 REQ_RECEIVED " + b.address() + " > " + stranger,
            b.requested.toString());
        assertEquals(b.address(), b.requested.local());
    }
}
