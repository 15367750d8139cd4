// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.verbs.FlushFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;

/**
 * Responses that no correct responder sends: cut short, out of order, of another kind, never requested. Kernel rxe 6.1 reports success
 * for many of them with data missing. Here nothing succeeds without its data, no foreign byte is placed, and each response is
 * counted.
 * IBA vol 1 §9.7.5.2, §9.9.2.
 */
class HostileResponsesTest {
    private static final int MTU = 1024;
    /** Bytes of the READ: two full packets and a rest. */
    private static final int LENGTH = 2 * MTU + 452;
    private static final long REMOTE_VA = 0xffff_ffff_0000_0000L;
    private static final int RKEY = 0x12345678;
    private static final byte UNTOUCHED = 0x55;

    private final SendRequest wr = new SendRequest();
    private RawPeer peer;
    private MemoryRegion memory;

    @BeforeEach
    void connect() {
        peer = new RawPeer(new SimulatedPair.Setup());
        memory = peer.side.memory(16_384, SimulatedPair.ALL_REMOTE);
        memory.memory().fill(UNTOUCHED);
    }

    private static RawPacket at(int opcode, int psn, int payload) {
        RawPacket packet = RawPacket.of(opcode, THEIR_PSN + psn);
        return (opcode == RawPacket.READ_MIDDLE ? packet : packet.aeth(0x1f, 1)).payload(payload);
    }

    private static RawPacket first() {
        return at(RawPacket.READ_FIRST, 0, MTU);
    }

    private static RawPacket middle() {
        return at(RawPacket.READ_MIDDLE, 1, MTU);
    }

    private static RawPacket firstWith(int syndrome) {
        return RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(syndrome, 1).payload(MTU);
    }

    private static final Consumer<HostileResponsesTest> READ = t ->
        t.peer.side.qp.postSend(t.wr.read(REMOTE_VA, RKEY).wrId(1).element(t.memory, 0, LENGTH).signaled());
    private static final Consumer<HostileResponsesTest> SHORT_READ = t ->
        t.peer.side.qp.postSend(t.wr.read(REMOTE_VA, RKEY).wrId(1).element(t.memory, 0, 8).signaled());
    private static final Consumer<HostileResponsesTest> WRITE = t ->
        t.peer.side.qp.postSend(t.wr.write(REMOTE_VA, RKEY).wrId(1).element(t.memory, 8192, LENGTH).signaled());
    private static final Consumer<HostileResponsesTest> FETCH_ADD = t ->
        t.peer.side.qp.postSend(t.wr.fetchAndAdd(REMOTE_VA, RKEY, 1).wrId(1).element(t.memory, 0, 8).signaled());
    private static final Consumer<HostileResponsesTest> SEND = t ->
        t.peer.side.qp.postSend(t.wr.send().wrId(1).element(t.memory, 8192, 8).signaled());
    private static final Consumer<HostileResponsesTest> ATOMIC_WRITE = t ->
        t.peer.side.qp.postSend(t.wr.atomicWrite(REMOTE_VA, RKEY).wrId(1).element(t.memory, 8192, 8).signaled());
    private static final Consumer<HostileResponsesTest> FLUSH = t ->
        t.peer.side.qp.postSend(t.wr.flush(REMOTE_VA, RKEY, 8, FlushFlags.GLOBAL, FlushFlags.RANGE).wrId(1).signaled());

    private static Arguments row(String name, Consumer<HostileResponsesTest> request, int placed, RawPacket... answers) {
        return Arguments.of(name, request, placed, answers);
    }

    /** The work request, the number of bytes that may be placed, and the responses, of which the last is the wrong one. */
    static Stream<Arguments> contradictions() {
        return Stream.of(
            row("READ begins with a Middle", READ, 0, at(RawPacket.READ_MIDDLE, 0, MTU)),
            row("READ of one packet answered by a Last", SHORT_READ, 0, at(RawPacket.READ_LAST, 0, 8)),
            row("READ of one packet answered by a Middle", SHORT_READ, 0, at(RawPacket.READ_MIDDLE, 0, 8)),
            row("READ begins with its Last", READ, 0, at(RawPacket.READ_LAST, 0, MTU)),
            row("READ of three packets answered by an Only", READ, 0, at(RawPacket.READ_ONLY, 0, MTU)),
            row("READ of three packets answered by an Only with all of it", READ, 0, at(RawPacket.READ_ONLY, 0, LENGTH)),
            row("READ whose First is short", READ, 0, at(RawPacket.READ_FIRST, 0, MTU - 4)),
            row("READ whose First is empty", READ, 0, at(RawPacket.READ_FIRST, 0, 0)),
            row("READ whose First is long", READ, 0, at(RawPacket.READ_FIRST, 0, MTU + 4)),
            row("READ whose Middle is short", READ, MTU, first(), at(RawPacket.READ_MIDDLE, 1, MTU - 4)),
            row("READ whose Middle is empty", READ, MTU, first(), at(RawPacket.READ_MIDDLE, 1, 0)),
            row("READ whose Last is short", READ, 2 * MTU, first(), middle(), at(RawPacket.READ_LAST, 2, 448)),
            row("READ whose Last is empty", READ, 2 * MTU, first(), middle(), at(RawPacket.READ_LAST, 2, 0)),
            row("READ whose Last is long", READ, 2 * MTU, first(), middle(), at(RawPacket.READ_LAST, 2, 456)),
            row("READ that ends a packet early", READ, MTU, first(), at(RawPacket.READ_LAST, 1, MTU)),
            row("READ that ends a packet early, with its rest", READ, MTU, first(), at(RawPacket.READ_LAST, 1, 452)),
            row("READ that does not end", READ, 2 * MTU, first(), middle(), at(RawPacket.READ_MIDDLE, 2, MTU)),
            row("READ that does not end, with its rest", READ, 2 * MTU, first(), middle(), at(RawPacket.READ_MIDDLE, 2, 452)),
            row("READ response that says access error", READ, 0, firstWith(RawPacket.NAK_ACCESS)),
            row("READ response that says receiver not ready", READ, 0, firstWith(0x2c)),
            row("READ response with a reserved syndrome", READ, 0, firstWith(0x40)),
            row("READ response with the highest bit set", READ, 0, firstWith(0x80)),
            row("READ answered by an Atomic ACK", READ, 0,
                RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN).aeth(0x1f, 1).atomicAck(0x0102030405060708L)),
            row("READ answered by an Atomic ACK after its First", READ, MTU, first(),
                RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN + 1).aeth(0x1f, 1).atomicAck(0x0102030405060708L)),
            row("atomic answered by READ data", FETCH_ADD, 0, at(RawPacket.READ_ONLY, 0, 8)),
            row("atomic answered by a READ response of nothing", FETCH_ADD, 0, at(RawPacket.READ_ONLY, 0, 0)),
            row("Atomic ACK that says access error", FETCH_ADD, 0,
                RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN).aeth(RawPacket.NAK_ACCESS, 1).atomicAck(0x0102030405060708L)),
            row("SEND answered by READ data", SEND, 0, at(RawPacket.READ_ONLY, 0, 8)),
            row("SEND answered by a READ response of nothing", SEND, 0, at(RawPacket.READ_ONLY, 0, 0)),
            row("SEND answered by a First", SEND, 0, at(RawPacket.READ_FIRST, 0, MTU)),
            row("SEND answered by a Middle", SEND, 0, at(RawPacket.READ_MIDDLE, 0, MTU)),
            row("WRITE answered by READ data", WRITE, 0, at(RawPacket.READ_ONLY, 0, 8)),
            row("WRITE answered by a Last", WRITE, 0, at(RawPacket.READ_LAST, 0, 8)),
            row("WRITE answered by a Middle at its second packet", WRITE, 0, at(RawPacket.READ_MIDDLE, 1, MTU)),
            row("WRITE answered by an Atomic ACK", WRITE, 0,
                RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN).aeth(0x1f, 1).atomicAck(1)),
            row("SEND answered by an Atomic ACK", SEND, 0,
                RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN).aeth(0x1f, 1).atomicAck(0x0102030405060708L)),
            row("ATOMIC WRITE answered by data", ATOMIC_WRITE, 0, at(RawPacket.READ_ONLY, 0, 8)),
            row("FLUSH answered by data", FLUSH, 0, at(RawPacket.READ_ONLY, 0, 8)),
            row("FLUSH answered by a Last", FLUSH, 0, at(RawPacket.READ_LAST, 0, 0)),
            row("ATOMIC WRITE answered by a Last", ATOMIC_WRITE, 0, at(RawPacket.READ_LAST, 0, 0)),
            row("FLUSH answered by a First", FLUSH, 0, at(RawPacket.READ_FIRST, 0, 0)),
            row("FLUSH answered by an Atomic ACK", FLUSH, 0,
                RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN).aeth(0x1f, 1).atomicAck(1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("contradictions")
    void shouldEndTheConnectionAndPlaceNothing(String name, Consumer<HostileResponsesTest> request, int placed, RawPacket... answers) {
        request.accept(this);
        peer.side.qp.postSend(wr.send().wrId(2).element(memory, 8192, 8).signaled());
        peer.takeAll(10_000);
        peer.send(answers);
        peer.takeAll(10_000);
        assertEquals(List.of("1 BAD_RESP_ERR", "2 WR_FLUSH_ERR"), completions());
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(1, peer.side.counter("rcvd_bad_response"));
        byte[] expected = new byte[4096];
        Arrays.fill(expected, UNTOUCHED);
        for (int i = 0; i * MTU < placed; i++) {
            System.arraycopy(answers[i].payload(), 0, expected, i * MTU, MTU);
        }
        assertArrayEquals(expected, memory.memory().asSlice(0, 4096).toArray(ValueLayout.JAVA_BYTE), "memory");
        peer.expectNothingFor(1000 * MS);
    }

    private List<String> completions() {
        return peer.side.sends().stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }

    /** Kernel rxe 6.1 completes such a READ with SUCCESS. */
    @Test
    void shouldFailAReadThatIsRefusedInItsMidst() {
        READ.accept(this);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(first(), RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_ACCESS));
        peer.runFor(MS);
        assertEquals(List.of("1 REM_ACCESS_ERR"), completions());
    }

    /** An RNR NAK inside a READ is wrong; requested again, the responder may still send the rest. */
    @Test
    void shouldAskForTheRestOfAReadAfterReceiverNotReadyInItsMidst() {
        READ.accept(this);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(first(), RawPacket.nak(THEIR_PSN + 1, 0x2c));
        RawPacket again = peer.expectByTimer(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        assertEquals(List.of(REMOTE_VA + MTU, (long) LENGTH - MTU), List.of(again.va(), again.length()));
        assertEquals(List.of(), completions());
    }

    /** A NAK after the responses received so far shows that responses are missing, with any syndrome. */
    @Test
    void shouldAskForTheRestOfAReadAfterANakBehindIt() {
        READ.accept(this);
        SEND.accept(this);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 3);
        peer.send(first(), RawPacket.nak(THEIR_PSN + 3, RawPacket.NAK_ACCESS));
        RawPacket again = peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        assertEquals(List.of(REMOTE_VA + MTU, (long) LENGTH - MTU), List.of(again.va(), again.length()));
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 3);
        assertEquals(List.of(), completions());
    }

    /** An ACK inside a READ confirms nothing of it: kernel rxe 6.1 then requests the wrong part of the READ. */
    @Test
    void shouldAskForTheRestOfAReadAfterAPlainAckInItsMidst() {
        READ.accept(this);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(first(), RawPacket.ack(THEIR_PSN + 2));
        RawPacket again = peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        assertEquals(List.of(REMOTE_VA + MTU, (long) LENGTH - MTU), List.of(again.va(), again.length()));
        assertEquals(List.of(), completions());
    }

    /** An acknowledgement of later requests completes neither an ATOMIC WRITE nor a FLUSH. */
    @Test
    void shouldNotCompleteAtomicWriteOrFlushByPlainAck() {
        ATOMIC_WRITE.accept(this);
        FLUSH.accept(this);
        peer.expect(RawPacket.ATOMIC_WRITE, THEIR_PSN);
        peer.expect(RawPacket.FLUSH, THEIR_PSN + 1);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expect(RawPacket.ATOMIC_WRITE, THEIR_PSN);
        assertEquals(List.of(), completions());
    }

    static Stream<Arguments> ghosts() {
        return Stream.of(
            Arguments.of("ACK", RawPacket.ack(THEIR_PSN + 1)),
            Arguments.of("ACK far ahead", RawPacket.ack(THEIR_PSN + 50)),
            Arguments.of("ACK half a circle ahead", RawPacket.ack(THEIR_PSN + 0x7fffff)),
            Arguments.of("sequence NAK", RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_SEQUENCE)),
            Arguments.of("access NAK", RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_ACCESS)),
            Arguments.of("RNR NAK", RawPacket.nak(THEIR_PSN + 1, 0x2c)),
            Arguments.of("READ response", at(RawPacket.READ_ONLY, 1, 8)),
            Arguments.of("Atomic ACK", RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN + 1).aeth(0x1f, 1).atomicAck(1)));
    }

    /** Kernel rxe 6.1 accepts the ACK as one of everything it sent. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("ghosts")
    void shouldNotBelieveAnswersToWhatWasNeverSent(String name, RawPacket ghost) {
        SEND.accept(this);
        peer.expect(RawPacket.SEND_ONLY, THEIR_PSN);
        peer.send(ghost);
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of(), completions());
        assertEquals(1, peer.side.counter("drop_unsent_psn_response"));
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        assertEquals(List.of("1 SUCCESS"), completions());
    }

    /** A message that is longer than the window: its end is posted, but not sent. */
    @Test
    void shouldNotBelieveAcksOfTheUnsentEndOfAMessage() {
        MemoryRegion large = peer.side.memory(4 << 20, SimulatedPair.ALL_REMOTE);
        peer.side.qp.postSend(wr.write(REMOTE_VA, RKEY).wrId(1).element(large, 0, 4 << 20).signaled());
        int sent = peer.takeAll(100_000).size();
        assertEquals(true, sent > 0 && sent < 4096, () -> sent + " packets");
        peer.send(RawPacket.ack(THEIR_PSN + 4095), RawPacket.ack(THEIR_PSN + sent));
        peer.takeAll(100_000);
        assertEquals(List.of(), completions());
        assertEquals(2, peer.side.counter("drop_unsent_psn_response"));
    }
}
