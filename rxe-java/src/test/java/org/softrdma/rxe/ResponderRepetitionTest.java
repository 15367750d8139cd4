// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.QpState;

/** The device as responder to repeated requests: each is answered again and not executed again. IBA vol 1 §9.7.5.1.4 */
class ResponderRepetitionTest extends ResponderScript {

    @Test
    void shouldAcknowledgeRepeatedSendAndWriteWithoutExecutingThemAgain() {
        connect();
        postReceives(3);
        peer.send(send(0), write(1, 5000, 10));
        peer.expectAck(OUR_PSN + 1);
        memory.memory().set(ValueLayout.JAVA_BYTE, 5000, (byte) 0x77);
        peer.send(RawPacket.of(RawPacket.SEND_ONLY, OUR_PSN).payload(10));
        assertEquals(2, peer.expectAck(OUR_PSN + 1).msn());
        peer.send(write(1, 5000, 10));
        peer.expectAck(OUR_PSN + 1);
        assertEquals(List.of("0 SUCCESS"), receives());
        assertEquals(2, peer.side.counter("duplicate_request"));
        assertEquals(0x77, memory.memory().get(ValueLayout.JAVA_BYTE, 5000));
    }

    /**
     * A plain ACK must never cover a READ or atomic whose response may be lost: kernel rxe would complete it with SUCCESS and an untouched
     * buffer (seen from kernel rxe 6.1). The repeated SEND before it used to be acknowledged up to ePSN - 1.
     */
    @Test
    void shouldNotAcknowledgeReadOrAtomicWhenEarlierSendIsRepeated() {
        connect();
        postReceives(3);
        peer.send(send(0), read(1, 0, 10));
        peer.expectAck(OUR_PSN);
        peer.expect(RawPacket.READ_ONLY, OUR_PSN + 1);
        peer.send(send(0));
        peer.expectAck(OUR_PSN);
        peer.send(send(2), add(3, 1), send(4));
        peer.expectAck(OUR_PSN + 2);
        peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + 3);
        peer.expectAck(OUR_PSN + 4);
        peer.send(send(2));
        peer.expectAck(OUR_PSN + 2);
        peer.send(send(4));
        peer.expectAck(OUR_PSN + 4);
        assertEquals(3, receives().size());
    }

    @Test
    void shouldRepeatReadWhollyAndInParts() {
        connect();
        peer.send(read(0, 5, 2500));
        peer.takeAll(MS);
        memory.memory().set(ValueLayout.JAVA_BYTE, 5, (byte) 0x42);
        peer.send(read(0, 5, 2500));
        assertEquals(0x42, peer.expect(RawPacket.READ_FIRST, OUR_PSN).payload()[0], "read again, not remembered");
        peer.expect(RawPacket.READ_MIDDLE, OUR_PSN + 1);
        peer.expect(RawPacket.READ_LAST, OUR_PSN + 2);
        peer.send(read(1, 5 + 1024, 1476));
        assertArrayEquals(content(1029, 1024), peer.expect(RawPacket.READ_FIRST, OUR_PSN + 1).payload());
        assertEquals(1, peer.expect(RawPacket.READ_LAST, OUR_PSN + 2).msn());
        // Going back before an earlier repeated request, and requesting less than the rest.
        peer.send(read(0, 5, 2048));
        peer.expect(RawPacket.READ_FIRST, OUR_PSN);
        peer.expect(RawPacket.READ_LAST, OUR_PSN + 1);
        peer.expectNothingFor(1000 * MS);
    }

    /** A READ that is repeated while its response waits to be sent is answered once, from the repeated PSN on. */
    @Test
    void shouldAnswerReadOnceThatIsAskedForAgainBeforeItIsAnswered() {
        connect();
        peer.send(read(0, 5, 5000), read(0, 5, 5000), read(2, 5 + 2048, 2952));
        peer.expect(RawPacket.READ_FIRST, OUR_PSN + 2);
        peer.expect(RawPacket.READ_MIDDLE, OUR_PSN + 3);
        peer.expect(RawPacket.READ_LAST, OUR_PSN + 4);
        peer.expectNothingFor(1000 * MS);
    }

    /** The acknowledgement of the repeated SEND must not be queued after the atomic, or the repeated atomic finds no room at depth one. */
    @Test
    void shouldKeepAnswersInOrderWhenAllIsRepeatedAtOnce() {
        setup.destRdAtomic = 1;
        connect();
        postReceives(1);
        peer.send(send(0), add(1, 1), send(0), add(1, 1), add(2, 1));
        // The requester repeats +2, so it has the responses before it: they need not be sent again.
        long original = peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + 2).original();
        peer.expectNothingFor(1000 * MS);
        assertEquals(QpState.RTS, peer.side.qp.state());
        assertEquals(original + 1, memory.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void shouldNotRepeatReadThatNeverWas() {
        connect();
        peer.send(read(0, 5, 2500));
        peer.takeAll(MS);
        RawPacket otherKey = RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(memory.address() + 5, memory.rkey() ^ 1, 2500);
        peer.send(otherKey, read(0, 6, 2500), read(0, 5, 2501), read(1, 5, 1476), read(2, 5 + 2048, 453));
        peer.expectNothingFor(1000 * MS);
        assertEquals(5, peer.side.counter("drop_unknown_duplicate"));
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    @Test
    void shouldReplayAtomicFromResource() {
        connect();
        memory.memory().set(ValueLayout.JAVA_LONG, 0, 100);
        peer.send(add(0, 7));
        assertEquals(100, peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN).original());
        for (int i = 0; i < 3; i++) {
            peer.send(add(0, 7));
            RawPacket again = peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN);
            assertEquals(List.of(100L, 1L), List.of(again.original(), (long) again.msn()));
        }
        assertEquals(107, memory.memory().get(ValueLayout.JAVA_LONG, 0), "executed once");
        assertEquals(0, peer.side.counter("drop_response_queue_full"));
    }

    @Test
    void shouldForgetOldestAtomicBeyondTheDepth() {
        setup.destRdAtomic = 2;
        connect();
        memory.memory().set(ValueLayout.JAVA_LONG, 0, 0);
        for (int i = 0; i < 3; i++) {
            peer.send(add(i, 1));
            peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + i);
        }
        peer.send(add(0, 1));
        peer.expectNothingFor(1000 * MS);
        peer.send(add(1, 1));
        assertEquals(1, peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + 1).original());
        assertEquals(List.of(2L, 1L), List.of(peer.side.counter("duplicate_request"), peer.side.counter("drop_unknown_duplicate")));
        assertEquals(3, memory.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    /** Psn.compare: exactly 2^23 ahead counts as the past, one less as the future. */
    @Test
    void shouldTellPastFromFutureAtHalfTheCircle() {
        connect();
        postReceives(1);
        peer.send(send(0));
        peer.expectAck(OUR_PSN);
        peer.send(send(1 + (1 << 23)));
        peer.expectAck(OUR_PSN);
        peer.send(send((1 << 23)));
        peer.expectSyndrome(OUR_PSN + 1, RawPacket.NAK_SEQUENCE);
    }

    /** The MSN belongs to the message that is answered, not to the newest: IBA vol 1 §9.7.5.1.4 answers with what was answered before. */
    @Test
    void shouldAnswerRepeatedReadsAndAtomicsWithTheMsnTheyHad() {
        connect();
        postReceives(1);
        peer.send(read(0, 0, 10), add(1, 1), send(2));
        assertEquals(1, peer.expect(RawPacket.READ_ONLY, OUR_PSN).msn());
        assertEquals(2, peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + 1).msn());
        assertEquals(3, peer.expectAck(OUR_PSN + 2).msn());
        peer.send(read(0, 0, 10));
        assertEquals(1, peer.expect(RawPacket.READ_ONLY, OUR_PSN).msn());
        peer.send(add(1, 1));
        assertEquals(2, peer.expect(RawPacket.ATOMIC_ACK, OUR_PSN + 1).msn());
        assertEquals(2, peer.side.counter("duplicate_request"));
    }

    /** Only what the requester asks for again is void: a READ that ends before that is still awaited. */
    @Test
    void shouldKeepTheReadThatEndsBeforeTheRepeatedOne() {
        connect();
        peer.send(read(0, 5, 2048), read(2, 7, 10), read(2, 7, 10));
        peer.expect(RawPacket.READ_FIRST, OUR_PSN);
        peer.expect(RawPacket.READ_LAST, OUR_PSN + 1);
        peer.expect(RawPacket.READ_ONLY, OUR_PSN + 2);
        peer.expectNothingFor(MS);
    }

    @Test
    void shouldNotKeepTheReadWhoseLastPacketIsAskedForAgain() {
        connect();
        peer.send(read(0, 5, 2048), read(1, 5 + 1024, 1024));
        peer.expect(RawPacket.READ_ONLY, OUR_PSN + 1);
        peer.expectNothingFor(MS);
    }

    /**
     * A requester that asks for ever more single packets of a READ, and never waits for an answer: the queue of responses is bounded at
     * two for each responder resource, and four. What finds no room is dropped and counted, and asked for again.
     */
    @Test
    void shouldDropRepeatedRequestsThatFindTheQueueOfResponsesFull() {
        setup.destRdAtomic = 1;
        connect();
        postReceives(2);
        peer.send(read(0, 0, 10 * 1024), send(10));
        peer.takeAll(MS);
        RawPacket[] flood = new RawPacket[11];
        for (int i = 0; i < 10; i++) {
            flood[i] = read(i, i * 1024, 1024);
        }
        flood[10] = send(10);
        peer.send(flood);
        for (int i = 0; i < 6; i++) {
            assertArrayEquals(content(i * 1024, 1024), peer.expect(RawPacket.READ_ONLY, OUR_PSN + i).payload());
        }
        peer.expectNothingFor(MS);
        assertEquals(5, peer.side.counter("drop_response_queue_full"));
        peer.send(read(6, 6 * 1024, 1024), send(10), send(11));
        peer.expect(RawPacket.READ_ONLY, OUR_PSN + 6);
        peer.expectAck(OUR_PSN + 11);
        assertEquals(5, peer.side.counter("drop_response_queue_full"));
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    /** Eight parts of the READ fill the queue at depth two. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDropARepeatedAtomicThatFindsTheQueueOfResponsesFull(boolean store) {
        setup.destRdAtomic = 2;
        connect();
        RawPacket atomic = store ? RawPacket.of(RawPacket.ATOMIC_WRITE, OUR_PSN + 8).reth(memory.address(), memory.rkey(), 8).payload(8)
            : add(8, 1);
        int answer = store ? RawPacket.READ_ONLY : RawPacket.ATOMIC_ACK;
        peer.send(read(0, 8, 8 * 1024), atomic);
        peer.takeAll(MS);
        RawPacket[] flood = new RawPacket[9];
        for (int i = 0; i < 8; i++) {
            flood[i] = read(i, 8 + i * 1024, 1024);
        }
        flood[8] = atomic;
        peer.send(flood);
        for (int i = 0; i < 8; i++) {
            peer.expect(RawPacket.READ_ONLY, OUR_PSN + i);
        }
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_response_queue_full"));
        peer.send(atomic);
        peer.expect(answer, OUR_PSN + 8);
        assertEquals(1, peer.side.counter("drop_response_queue_full"));
    }
}
