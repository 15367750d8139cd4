// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.QpState;

/** The device as requester of READs and atomics. */
class RequesterReadTest extends RequesterScript {

    @ParameterizedTest
    @CsvSource({"0,0x10", "1,0x10", "1024,0x10"})
    void shouldTakeReadOfOnePacket(int length, int opcode) {
        connect();
        postRead(1, length);
        RawPacket request = peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        assertEquals(List.of(REMOTE_VA, (long) RKEY, (long) length), List.of(request.va(), (long) request.rkey(), request.length()));
        RawPacket answer = RawPacket.of(opcode, THEIR_PSN).aeth(0x1f, 1).payload(length);
        peer.send(answer);
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS"), completions());
        assertArrayEquals(answer.payload(), placed(length));
        assertEquals(length, peer.side.sends().getFirst().byteLength());
    }

    /** Keeps little more than the window in flight; for the responder each request is a READ of its own. */
    @Test
    void shouldAskForALongReadPieceByPiece() {
        int length = 600 * 1024 + 5;
        connect();
        postRead(1, length);
        List<RawPacket> all = new ArrayList<>();
        for (int i = 0; i <= 600; i++) {
            boolean first = i % 256 == 0;
            boolean last = i % 256 == 255 || i == 600;
            int opcode = RawPacket.READ_MIDDLE;
            if (first) {
                opcode = RawPacket.READ_FIRST;
            } else if (last) {
                opcode = RawPacket.READ_LAST;
            }
            RawPacket packet = RawPacket.of(opcode, THEIR_PSN + i);
            all.add((first || last ? packet.aeth(0x1f, 1) : packet).payload(i == 600 ? 5 : 1024));
        }
        for (int i = 0; i <= 600; i += 256) {
            RawPacket request = peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + i);
            assertEquals(List.of(REMOTE_VA + 1024L * i, Math.min(262_144L, length - 1024L * i)), List.of(request.va(), request.length()));
            peer.expectNothingFor(10 * US);
            peer.send(all.subList(i, Math.min(i + 256, 601)).toArray(RawPacket[]::new));
        }
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS"), completions());
        assertArrayEquals(joined(all.toArray(RawPacket[]::new)), placed(length));
        for (int i = 0; i < setup.rdAtomic; i++) {
            postRead(2 + i, 10);
        }
        for (int i = 0; i < setup.rdAtomic; i++) {
            peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 601 + i);
        }
    }

    /** A response that ends the READ before the requested piece is complete, or continues after it, is wrong. */
    @ParameterizedTest
    @ValueSource(ints = {254, 255})
    void shouldRefuseReadResponsesThatEndInTheWrongPlace(int wrong) {
        connect();
        postRead(1, 300 * 1024);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024));
        for (int i = 1; i < wrong; i++) {
            peer.send(RawPacket.of(RawPacket.READ_MIDDLE, THEIR_PSN + i).payload(1024));
        }
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 256);
        RawPacket end = RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + wrong).aeth(0x1f, 1).payload(1024);
        peer.send(wrong == 255 ? RawPacket.of(RawPacket.READ_MIDDLE, THEIR_PSN + wrong).payload(1024) : end);
        peer.runFor(MS / 2);
        assertEquals(List.of("1 BAD_RESP_ERR"), completions());
    }

    /** Each piece is a READ of its own, whose responses begin with First. */
    @Test
    void shouldRefuseReadResponsesWhoseSecondPieceBeginsWithAMiddle() {
        connect();
        postRead(1, 300 * 1024);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024));
        for (int i = 1; i < 255; i++) {
            peer.send(RawPacket.of(RawPacket.READ_MIDDLE, THEIR_PSN + i).payload(1024));
        }
        peer.send(RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + 255).aeth(0x1f, 1).payload(1024));
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 256);
        assertEquals(List.of(), completions());
        peer.send(RawPacket.of(RawPacket.READ_MIDDLE, THEIR_PSN + 256).payload(1024));
        peer.runFor(MS / 2);
        assertEquals(List.of("1 BAD_RESP_ERR"), completions());
    }

    @Test
    void shouldAskAPeerThatTakesFewReadsForAllAtOnce() {
        setup.rdAtomic = 3;
        connect();
        postRead(1, 1 << 20);
        assertEquals(1 << 20, peer.expect(RawPacket.READ_REQUEST, THEIR_PSN).length());
        peer.expectNothingFor(MS / 2);
    }

    /** Re-request at the first missing PSN; the kernel answers with Middle or Last, others with First or Only. */
    @ParameterizedTest
    @CsvSource({"0x0e,0x0e,0x0f", "0x0d,0x0e,0x0f"})
    void shouldAskAgainForWhatIsMissingOfRead(int third, int fourth, int fifth) {
        connect();
        postRead(1, 4100);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        RawPacket p0 = RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024);
        RawPacket p1 = RawPacket.of(RawPacket.READ_MIDDLE, THEIR_PSN + 1).payload(1024);
        RawPacket p3 = RawPacket.of(RawPacket.READ_MIDDLE, THEIR_PSN + 3).payload(1024);
        RawPacket p4 = RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + 4).aeth(0x1f, 1).payload(4);
        peer.send(p0, p1, p3, p4);
        RawPacket again = peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 2);
        assertEquals(List.of(REMOTE_VA + 2048, 2052L), List.of(again.va(), again.length()));
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of(), completions());
        RawPacket p2 = RawPacket.of(third, THEIR_PSN + 2);
        peer.send((third == RawPacket.READ_FIRST ? p2.aeth(0x1f, 1) : p2).payload(1024),
            RawPacket.of(fourth, THEIR_PSN + 3).payload(1024), RawPacket.of(fifth, THEIR_PSN + 4).aeth(0x1f, 1).payload(4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS"), completions());
        assertArrayEquals(joined(p0, p1, p2, p3, p4), placed(4100));
    }

    /** The rest of one request is requested again, and the rest of the READ with the requests that it was cut into. */
    @Test
    void shouldAskAgainForTheRestOfAPieceOnly() {
        connect();
        postRead(1, 600 * 1024);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024),
            RawPacket.of(RawPacket.READ_MIDDLE, THEIR_PSN + 1).payload(1024));
        RawPacket again = peer.expectByTimer(RawPacket.READ_REQUEST, THEIR_PSN + 2);
        assertEquals(List.of(REMOTE_VA + 2 * 1024, 254L * 1024), List.of(again.va(), again.length()));
    }

    @ParameterizedTest
    @ValueSource(ints = {RawPacket.READ_LAST, RawPacket.READ_ONLY})
    void shouldTakeResumedReadOfOnePacket(int opcode) {
        connect();
        postRead(1, 1500);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024));
        RawPacket again = peer.expectByTimer(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        assertEquals(List.of(REMOTE_VA + 1024, 476L), List.of(again.va(), again.length()));
        peer.send(RawPacket.of(opcode, THEIR_PSN + 1).aeth(0x1f, 1).payload(476));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS"), completions());
    }

    @Test
    void shouldIgnoreRepeatedReadResponses() {
        connect();
        postRead(1, 2048);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        RawPacket p0 = RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024);
        RawPacket p1 = RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + 1).aeth(0x1f, 1).payload(1024);
        peer.send(p0, p0, p1, p1, p0);
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS"), completions());
        assertArrayEquals(joined(p0, p1), placed(2048));
        assertEquals(3, peer.side.counter("drop_duplicate_response"));
    }

    @ParameterizedTest
    @CsvSource({"0x0d,1023", "0x0d,1025", "0x10,1024", "0x0f,1024", "0x10,2048", "0x0d,0"})
    void shouldNotTakeReadResponseOfWrongSize(int opcode, int payload) {
        connect();
        memory.memory().fill((byte) 0x55);
        postRead(1, 2048);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(RawPacket.of(opcode, THEIR_PSN).aeth(0x1f, 1).payload(payload));
        peer.runFor(MS);
        assertEquals(List.of("1 BAD_RESP_ERR"), completions());
        for (byte each : placed(4096)) {
            assertEquals(0x55, each, "memory is untouched");
        }
    }

    @Test
    void shouldNotTakeDataOfReadWhereSendWasOldest() {
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1).payload(10));
        peer.runFor(MS);
        assertEquals(List.of("0 BAD_RESP_ERR"), completions());
    }

    /** If a responder acknowledges a READ with a plain ACK, its response was lost: request it again, complete nothing. */
    @Test
    void shouldNotCompleteReadOrAtomicByPlainAck() {
        connect();
        postRead(1, 100);
        peer.side.qp.postSend(wr.fetchAndAdd(REMOTE_VA, RKEY, 1).wrId(2).element(memory, 0, 8).signaled());
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.expect(RawPacket.FETCH_ADD, THEIR_PSN + 1);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.expect(RawPacket.FETCH_ADD, THEIR_PSN + 1);
        assertEquals(List.of(), completions());
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1).payload(100), RawPacket.ack(THEIR_PSN + 1));
        peer.expect(RawPacket.FETCH_ADD, THEIR_PSN + 1);
        assertEquals(List.of("1 SUCCESS"), completions());
        peer.send(RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN + 1).aeth(0x1f, 2).atomicAck(0x1122334455667788L));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), completions());
        assertEquals(0x1122334455667788L, memory.memory().get(ValueLayout.JAVA_LONG, 0), "in this host's order");
    }

    @Test
    void shouldTakeNakForReadAtItsPsn() {
        connect();
        postSends(1);
        postRead(1, 5000);
        expectSends(0, 1);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        peer.send(RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_ACCESS));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS", "1 REM_ACCESS_ERR"), completions());
    }

    @Test
    void shouldHaveNoMoreReadsAndAtomicsInFlightThanThePeerTakes() {
        setup.rdAtomic = 2;
        connect();
        postRead(0, 10);
        peer.side.qp.postSend(wr.fetchAndAdd(REMOTE_VA, RKEY, 1).wrId(1).element(memory, 100, 8).signaled());
        postRead(2, 10);
        postSends(1);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.expect(RawPacket.FETCH_ADD, THEIR_PSN + 1);
        peer.expectNothingFor(10 * MS);
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1).payload(10));
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 2);
        expectSends(3, 1);
    }

    @Test
    void shouldSendTheNextAtomicOnceTheOldestIsAnswered() {
        setup.rdAtomic = 1;
        connect();
        for (int i = 0; i < 3; i++) {
            peer.side.qp.postSend(wr.fetchAndAdd(REMOTE_VA, RKEY, 1).wrId(i).element(memory, 8 * i, 8).signaled());
        }
        for (int i = 0; i < 3; i++) {
            peer.expect(RawPacket.FETCH_ADD, THEIR_PSN + i);
            peer.expectNothingFor(MS);
            peer.send(RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN + i).aeth(0x1f, 1 + i).atomicAck(i));
        }
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), completions());
    }

    // ---- lost responses ----

    /** An implied NAK of a READ takes one retry like a NAK. IBA vol 1 §9.7.5.1.1 */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveUpOnALostResponseWithoutRetries(boolean shownByAcknowledge) {
        setup.retryCount = 0;
        connect();
        postRead(1, 2048);
        postSends(1);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        expectSends(2, 1);
        peer.send(shownByAcknowledge ? RawPacket.ack(THEIR_PSN + 2)
            : RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + 1).aeth(0x1f, 1).payload(1024));
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of("1 RETRY_EXC_ERR", "0 WR_FLUSH_ERR"), completions());
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    /** After a NAK another one before any progress changes nothing: a SEND acknowledged by the same packet is progress. */
    @Test
    void shouldAskAgainForALostResponseBehindASendThatIsAcknowledged() {
        connect();
        postSends(1);
        postRead(1, 10);
        postSends(1);
        expectSends(0, 1);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        expectSends(2, 1);
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        expectSends(0, 1);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        expectSends(2, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        expectSends(2, 1);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @Test
    void shouldGoBackAgainAfterAnAtomicWasAnswered() {
        connect();
        peer.side.qp.postSend(wr.fetchAndAdd(REMOTE_VA, RKEY, 1).wrId(1).element(memory, 0, 8).signaled());
        postSends(1);
        peer.expect(RawPacket.FETCH_ADD, THEIR_PSN);
        expectSends(1, 1);
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        peer.expect(RawPacket.FETCH_ADD, THEIR_PSN);
        expectSends(1, 1);
        peer.send(RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN).aeth(0x1f, 1).atomicAck(5),
            RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_SEQUENCE));
        expectSends(1, 1);
        assertEquals(List.of("1 SUCCESS"), completions());
    }

    @Test
    void shouldHoldFencedRequestBackUntilReadsAreComplete() {
        connect();
        postRead(0, 2000);
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 1).signaled());
        peer.side.qp.postSend(wr.send().wrId(2).element(memory, 0, 2).signaled().fence());
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 2);
        peer.expectNothingFor(10 * MS);
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024));
        peer.expectNothingFor(10 * MS);
        peer.send(RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + 1).aeth(0x1f, 1).payload(976));
        assertEquals(2, peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 3).payload().length);
    }
}
