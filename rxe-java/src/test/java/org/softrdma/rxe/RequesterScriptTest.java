// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.rxe.qp.FlightBudget;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** The device as requester, its peer by hand: what it sends, when, and what it makes of the answers. PSNs wrap in every test. */
class RequesterScriptTest {
    private static final long US = 1_000;
    /** There and back. */
    private static final long ROUND_TRIP_NS = 2 * US;
    /** ACK timeout code 14. */
    private static final long TIMEOUT_NS = 4096L << 14;
    private static final long REMOTE_VA = 0xffff_ffff_0000_0000L;
    private static final int RKEY = 0x12345678;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private RawPeer peer;
    private MemoryRegion memory;

    private void connect() {
        peer = new RawPeer(setup);
        memory = peer.side.memory(1 << 20, SimulatedPair.ALL_REMOTE);
    }

    private void postSends(int count) {
        for (int i = 0; i < count; i++) {
            peer.side.qp.postSend(wr.send().wrId(i).element(memory, 0, 10).signaled());
        }
    }

    private void postRead(long wrId, int length) {
        peer.side.qp.postSend(wr.read(REMOTE_VA, RKEY).wrId(wrId).element(memory, 0, length).signaled());
    }

    private void expectSends(int first, int count) {
        for (int i = 0; i < count; i++) {
            peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + first + i);
        }
    }

    /** wr_id and status of all completions so far. */
    private List<String> completions() {
        return peer.side.sends().stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }

    private byte[] placed(int length) {
        return memory.memory().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private static byte[] joined(RawPacket... packets) {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (RawPacket packet : packets) {
            all.writeBytes(packet.payload());
        }
        return all.toByteArray();
    }

    @Test
    void shouldCompleteSeveralSendsOnOneCoalescedAck() {
        connect();
        postSends(4);
        expectSends(0, 4);
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), completions());
        peer.send(RawPacket.ack(THEIR_PSN + 3));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), completions());
    }

    @Test
    void shouldTakeReadResponseAsAcknowledgementOfWhatCameBefore() {
        connect();
        postSends(2);
        postRead(2, 100);
        expectSends(0, 2);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 2);
        RawPacket answer = RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN + 2).aeth(0x1f, 3).payload(100);
        peer.send(answer);
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), completions());
        assertArrayEquals(answer.payload(), placed(100));
    }

    /** As seen from kernel rxe 6.1, too: a fatal NAK at +2 completes +0 and +1 with SUCCESS first; the rest is flushed in order. */
    @ParameterizedTest
    @CsvSource({"0x61,REM_INV_REQ_ERR", "0x62,REM_ACCESS_ERR", "0x63,REM_OP_ERR", "0x64,REM_OP_ERR", "0x7f,REM_OP_ERR"})
    void shouldCompleteWhatCameBeforeFatalNakAndFlushTheRest(int syndrome, WcStatus status) {
        connect();
        postSends(5);
        expectSends(0, 5);
        peer.send(RawPacket.nak(THEIR_PSN + 2, syndrome));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 " + status, "3 WR_FLUSH_ERR", "4 WR_FLUSH_ERR"), completions());
        assertEquals(QpState.ERR, peer.side.qp.state());
        postSends(1);
        peer.expectNothingFor(10 * MS);
        assertEquals("0 WR_FLUSH_ERR", completions().getLast(), "posting in ERR is flushed");
    }

    @Test
    void shouldGoBackOnceOnSequenceNakUntilSomethingIsAcknowledged() {
        connect();
        postSends(4);
        expectSends(0, 4);
        peer.send(RawPacket.nak(THEIR_PSN + 1, 0x60));
        expectSends(1, 3);
        peer.send(RawPacket.nak(THEIR_PSN + 1, 0x60));
        peer.expectNothingFor(MS / 2);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.send(RawPacket.nak(THEIR_PSN + 2, 0x60));
        expectSends(2, 2);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
        peer.send(RawPacket.ack(THEIR_PSN + 3));
        peer.expectNothingFor(1000 * MS);
        assertEquals(4, completions().size());
    }

    @Test
    void shouldGiveUpOnSequenceNakWithoutRetries() {
        setup.retryCount = 0;
        connect();
        postSends(2);
        expectSends(0, 2);
        peer.send(RawPacket.nak(THEIR_PSN, 0x60));
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR"), completions());
    }

    @Test
    void shouldContinueInsideMessageWithTheOpcodesItHadBefore() {
        connect();
        byte[] data = new byte[5 * 1024 - 3];
        new java.util.Random(5).nextBytes(data);
        MemoryRegion from = peer.side.memory(data);
        peer.side.qp.postSend(wr.write(REMOTE_VA, RKEY).wrId(1).element(from, 0, data.length).signaled());
        RawPacket first = peer.expect(RawPacket.WRITE_FIRST, THEIR_PSN);
        assertEquals(List.of(REMOTE_VA, (long) data.length), List.of(first.va(), first.length()));
        for (int i = 1; i < 4; i++) {
            peer.expect(RawPacket.WRITE_MIDDLE, THEIR_PSN + i);
        }
        RawPacket last = peer.expect(RawPacket.WRITE_LAST, THEIR_PSN + 4);
        assertTrue(last.asksForAck());
        assertEquals(1021, last.payload().length);
        peer.send(RawPacket.nak(THEIR_PSN + 2, 0x60));
        RawPacket again = peer.expect(RawPacket.WRITE_MIDDLE, THEIR_PSN + 2);
        assertArrayEquals(java.util.Arrays.copyOfRange(data, 2048, 3072), again.payload());
        peer.expect(RawPacket.WRITE_MIDDLE, THEIR_PSN + 3);
        peer.expect(RawPacket.WRITE_LAST, THEIR_PSN + 4);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS"), completions());
    }

    // ---- receiver not ready ----

    /** Delays of the RNR timer codes: IBA vol 1 §9.7.5.2.8, table 46. */
    @ParameterizedTest
    @CsvSource({"1,10000", "12,640000", "14,1280000", "20,10240000", "28,163840000", "31,491520000", "0,655360000"})
    void shouldWaitAsLongAsTheReceiverAsks(int code, long waitNs) {
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20 | code));
        long askedNs = peer.fabric.nowNs();
        RawPacket again = peer.expect(RawPacket.SEND_ONLY, THEIR_PSN);
        assertEquals(waitNs + ROUND_TRIP_NS, again.atNs - askedNs);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 6})
    void shouldTransmitOnceMoreThanRnrRetryAndThenFail(int rnrRetry) {
        setup.rnrRetry = rnrRetry;
        connect();
        postSends(2);
        for (int i = 0; i <= rnrRetry; i++) {
            expectSends(0, 2);
            assertEquals(List.of(), completions());
            peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 1));
        }
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 RNR_RETRY_EXC_ERR", "1 WR_FLUSH_ERR"), completions());
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    @Test
    void shouldComeBackForEverWithRnrRetrySeven() {
        setup.rnrRetry = 7;
        connect();
        postSends(1);
        for (int i = 0; i < 100; i++) {
            expectSends(0, 1);
            peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 1));
        }
        expectSends(0, 1);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    /**
     * Kernel rxe sends RNR NAK and then, for the packet behind, NAK 0x60 with the same PSN. Together with rdma_cm's RNR
     * timer of 655 ms and a short ACK timeout this used to end in RETRY_EXC_ERR, by timeouts that ran during the wait.
     */
    @Test
    void shouldIgnoreSequenceNakWhileWaitingForTheReceiver() {
        setup.timeout = 8;
        connect();
        postSends(2);
        expectSends(0, 2);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20), RawPacket.nak(THEIR_PSN, 0x60));
        peer.expectNothingFor(655 * MS);
        assertEquals(List.of(), completions());
        expectSends(0, 2);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    @Test
    void shouldEndTheWaitForTheReceiverWhenAnAckComes() {
        connect();
        postSends(2);
        expectSends(0, 2);
        peer.send(RawPacket.nak(THEIR_PSN, 0x20));
        peer.runFor(MS);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(2000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    /** Losses during a long receiver-not-ready period used to add up to RETRY_EXC_ERR although the peer answered in between. */
    @Test
    void shouldNotAddUpTimeoutsBetweenRnrNaks() {
        setup.retryCount = 1;
        connect();
        postSends(1);
        for (int i = 0; i < 10; i++) {
            expectSends(0, 1);
            // This one gets lost; the repetition finds the receiver not ready.
            expectSends(0, 1);
            peer.send(RawPacket.nak(THEIR_PSN, 0x20 | 12));
        }
        expectSends(0, 1);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @Test
    void shouldCompleteEarlierRequestsOnRnrNak() {
        connect();
        postSends(3);
        expectSends(0, 3);
        peer.send(RawPacket.nak(THEIR_PSN + 2, 0x20 | 12));
        RawPacket again = peer.expect();
        assertEquals(THEIR_PSN + 2 & 0xffffff, again.psn());
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    // ---- silence ----

    /** IBA: retry_cnt n gives n+1 transmissions, seven included; the wait is one to four times the timeout. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void shouldTransmitOnceMoreThanRetryCountAndThenFail(int retryCount) {
        setup.retryCount = retryCount;
        connect();
        postSends(2);
        long lastNs = -1;
        for (int i = 0; i <= retryCount; i++) {
            RawPacket packet = peer.expect(RawPacket.SEND_ONLY, THEIR_PSN);
            peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 1);
            if (i > 0) {
                long waitedNs = packet.atNs - lastNs;
                assertTrue(waitedNs >= TIMEOUT_NS && waitedNs <= 4 * TIMEOUT_NS, waitedNs + " ns");
            }
            lastNs = packet.atNs;
        }
        peer.expectNothingFor(TIMEOUT_NS - 10 * US);
        assertEquals(List.of(), completions());
        peer.expectNothingFor(3 * TIMEOUT_NS);
        assertEquals(List.of("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR"), completions());
    }

    @Test
    void shouldWaitForEverWithTimeoutZero() {
        setup.timeout = 0;
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.expectNothingFor(1_000_000 * MS);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @Test
    void shouldHaveAllRetriesAgainAfterProgress() {
        setup.retryCount = 1;
        connect();
        postSends(2);
        expectSends(0, 2);
        expectSends(0, 2);
        peer.send(RawPacket.ack(THEIR_PSN));
        expectSends(1, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    /** One exchange, so that the device knows the round trip: one more and it knows when silence is strange. */
    private void exchangeOne() {
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(10 * US);
        assertEquals(List.of("0 SUCCESS"), completions());
        peer.side.sends().clear();
    }

    /** Three times, each wait twice as long, and without using up a retry: there is none to use. */
    @Test
    void shouldSendTheOldestPacketAgainWhenTheUsualRoundTripIsLongOver() {
        setup.retryCount = 0;
        connect();
        exchangeOne();
        postSends(3);
        expectSends(1, 3);
        long silentNs = 0;
        for (int probe = 0; probe < 3; probe++) {
            long beforeNs = peer.nowNs();
            RawPacket again = peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 1);
            assertTrue(again.asksForAck());
            long waitedNs = again.atNs - beforeNs;
            assertTrue(waitedNs > 3_900 * US << probe && waitedNs < 4_100 * US << probe, waitedNs + " ns before probe " + probe);
            silentNs += waitedNs;
        }
        peer.expectNothingFor(TIMEOUT_NS - silentNs);
        assertEquals(List.of(), completions());
        peer.expectNothingFor(3 * TIMEOUT_NS);
        assertEquals(List.of("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR"), completions());
        assertEquals(3, peer.side.counter("silence_probes"));
    }

    /** Or a queue pair whose device has everything under way that it may have would wait for the ACK timeout after all. */
    @Test
    void shouldProbeWithoutRoomInTheDevicesBudget() {
        connect();
        exchangeOne();
        postSends(1);
        expectSends(1, 1);
        peer.side.engine().flight().move(FlightBudget.MAX_PACKETS);
        expectSends(1, 1);
        assertEquals(1, peer.side.counter("silence_probes"));
        assertEquals(0, peer.side.counter("completer_retry_err"));
    }

    /** A lost NAK, or a lost repeat: the peer had been waiting for just that packet, and what followed is gone. */
    @Test
    void shouldSendTheRestAgainWhenTheProbeWasWhatThePeerLacked() {
        setup.retryCount = 0;
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        expectSends(1, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        expectSends(2, 3);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), completions());
    }

    /** Going back had to wait for the device's budget, so the probe was the first packet sent again, and the rest followed it. */
    @Test
    void shouldSendTheRestOnceWhenTheProbeWasNextAnyway() {
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        peer.side.engine().flight().move(FlightBudget.MAX_PACKETS);
        peer.send(RawPacket.nak(THEIR_PSN + 1, 0x60));
        expectSends(1, 1);
        assertEquals(1, peer.side.counter("silence_probes"));
        peer.side.engine().flight().move(-FlightBudget.MAX_PACKETS);
        expectSends(2, 3);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(3 * MS);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(4, completions().size());
    }

    @Test
    void shouldSendNothingAgainWhenTheProbeFindsThatOnlyTheAnswerWasLost() {
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        expectSends(1, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(4, completions().size());
    }

    /** The peer acknowledged two and is silent again: the tail was lost. */
    @Test
    void shouldFindALostTailByASecondProbe() {
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        expectSends(3, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 3));
        expectSends(4, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(4, completions().size());
    }

    @Test
    void shouldAskForAReadAgainAfterSilence() {
        setup.retryCount = 0;
        connect();
        exchangeOne();
        postRead(7, 100);
        postSends(1);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        expectSends(2, 1);
        RawPacket again = peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
        assertEquals(List.of(REMOTE_VA, 100L), List.of(again.va(), again.length()));
        expectSends(2, 1);
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN + 1).aeth(0x1f, 2).payload(100), RawPacket.ack(THEIR_PSN + 2));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("7 SUCCESS", "0 SUCCESS"), completions());
    }

    @Test
    void shouldNotProbeWhileThePeersReceiverIsNotReady() {
        setup.minRnrTimer = 12;
        connect();
        exchangeOne();
        postSends(2);
        expectSends(1, 2);
        peer.send(RawPacket.nak(THEIR_PSN + 1, 0x20 | 28));
        peer.expectNothingFor(160 * MS);
        expectSends(1, 2);
    }

    /** Once until everything is acknowledged that had been sent when the loss was found. */
    @Test
    void shouldCloseTheWindowByAQuarterForALossAndOnceForSeveralAtATime() {
        connect();
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 1 << 20).signaled());
        int window = peer.takeAll(MS / 2).size();
        peer.send(RawPacket.nak(THEIR_PSN + 10, 0x60));
        assertEquals(window - window / 4, peer.takeAll(MS / 2).size());
        peer.send(RawPacket.nak(THEIR_PSN + 20, 0x60));
        assertEquals(window - window / 4, peer.takeAll(MS / 2).size(), "the same trouble");
        peer.send(RawPacket.ack(THEIR_PSN + window), RawPacket.nak(THEIR_PSN + window + 1, 0x60));
        assertTrue(peer.takeAll(MS / 2).size() < window - window / 4, "another one");
    }

    @Test
    void shouldStopSendingWhenNothingIsAcknowledgedAndAskForAnAnswer() {
        connect();
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 1 << 20).signaled());
        List<RawPacket> packets = new ArrayList<>(peer.takeAll(MS));
        assertTrue(packets.size() <= 128, packets.size() + " packets in flight");
        assertTrue(packets.getLast().asksForAck(), "or nobody would ever open the window");
        int before = packets.size();
        peer.send(RawPacket.ack(packets.getLast().psn()));
        assertTrue(peer.takeAll(MS).size() >= before, "the acknowledgement opens the window again");
    }

    // ---- READ ----

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

    /** So that little more than the window is under way; each request is a READ of its own to the responder. */
    @Test
    void shouldAskForALongReadPieceByPiece() {
        int length = 600 * 1024 + 5;
        connect();
        postRead(1, length);
        List<RawPacket> all = new ArrayList<>();
        for (int i = 0; i <= 600; i++) {
            boolean first = i % 256 == 0;
            boolean last = i % 256 == 255 || i == 600;
            int opcode = first ? RawPacket.READ_FIRST : last ? RawPacket.READ_LAST : RawPacket.READ_MIDDLE;
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
    }

    /** A response that ends the READ before its piece is over, or goes on after it, is not the one asked for. */
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

    @ParameterizedTest
    @ValueSource(ints = {RawPacket.READ_LAST, RawPacket.READ_ONLY})
    void shouldTakeResumedReadOfOnePacket(int opcode) {
        connect();
        postRead(1, 1500);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024));
        RawPacket again = peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 1);
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

    /** A responder that acknowledges a READ with a plain ACK has lost the answer: ask again, complete nothing. */
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
        peer.send(RawPacket.nak(THEIR_PSN + 1, 0x62));
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

    // ---- odd answers ----

    @Test
    void shouldTolerateStaleAndRepeatedAcks() {
        connect();
        postSends(3);
        expectSends(0, 3);
        peer.send(RawPacket.ack(THEIR_PSN - 1), RawPacket.ack(THEIR_PSN + 1), RawPacket.ack(THEIR_PSN + 1), RawPacket.ack(THEIR_PSN),
            RawPacket.nak(THEIR_PSN, 0x62), RawPacket.nak(THEIR_PSN + 1, 0x60), RawPacket.ack(THEIR_PSN - 100));
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        peer.expectNothingFor(1000 * MS);
        assertEquals(3, completions().size());
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    @Test
    void shouldNotBelieveAckOfWhatWasNeverSent() {
        connect();
        postSends(2);
        expectSends(0, 2);
        peer.send(RawPacket.ack(THEIR_PSN + 2), RawPacket.ack(THEIR_PSN + 50), RawPacket.nak(THEIR_PSN + 2, 0x62));
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of(), completions());
        assertEquals(3, peer.side.counter("drop_ghost_response"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0x40, 0x5f, 0x80, 0xff})
    void shouldIgnoreReservedSyndromes(int syndrome) {
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.nak(THEIR_PSN, syndrome));
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of(), completions());
        assertEquals(1, peer.side.counter("drop_unexpected_response"));
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    @Test
    void shouldTakeAnyCreditCodeAsAck() {
        connect();
        postSends(2);
        expectSends(0, 2);
        peer.send(RawPacket.of(RawPacket.ACK, THEIR_PSN).aeth(0x00, 1), RawPacket.of(RawPacket.ACK, THEIR_PSN + 1).aeth(0x1e, 0));
        peer.runFor(MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    @Test
    void shouldSayAtTheLastPacketOnlyThatTheEventIsSolicited() {
        connect();
        peer.side.qp.postSend(wr.send().element(memory, 0, 2000).solicited());
        peer.side.qp.postSend(wr.write(REMOTE_VA, RKEY).element(memory, 0, 10).solicited());
        peer.side.qp.postSend(wr.writeWithImmediate(REMOTE_VA, RKEY, 7).element(memory, 0, 10).solicited());
        assertFalse(peer.expect(RawPacket.SEND_FIRST, THEIR_PSN).isSolicited());
        assertTrue(peer.expect(RawPacket.SEND_LAST, THEIR_PSN + 1).isSolicited());
        assertFalse(peer.expect(RawPacket.WRITE_ONLY, THEIR_PSN + 2).isSolicited());
        assertTrue(peer.expect(RawPacket.WRITE_ONLY_IMM, THEIR_PSN + 3).isSolicited());
    }

    // ---- what is wrong on our own side ----

    @Test
    void shouldFailInTurnWhenMemoryIsDeregisteredBeforeItIsSent() {
        connect();
        MemoryRegion other = peer.side.memory(10, SimulatedPair.ALL_REMOTE);
        postSends(1);
        peer.side.qp.postSend(wr.send().wrId(1).element(other, 0, 10).signaled());
        other.close();
        expectSends(0, 1);
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of(), completions(), "completions come in order");
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 LOC_PROT_ERR"), completions());
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    @Test
    void shouldFailWhenMemoryOfRepeatedPacketIsGone() {
        connect();
        MemoryRegion other = peer.side.memory(10, SimulatedPair.ALL_REMOTE);
        peer.side.qp.postSend(wr.send().wrId(1).element(other, 0, 10).signaled());
        expectSends(0, 1);
        other.close();
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 LOC_PROT_ERR"), completions());
    }

    @Test
    void shouldNotPlaceReadDataInDeregisteredMemory() {
        connect();
        MemoryRegion other = peer.side.memory(2048, SimulatedPair.ALL_REMOTE);
        peer.side.qp.postSend(wr.read(REMOTE_VA, RKEY).wrId(1).element(other, 0, 2048).signaled());
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024));
        peer.runFor(MS);
        other.close();
        byte[] before = other.memory().toArray(ValueLayout.JAVA_BYTE);
        peer.send(RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + 1).aeth(0x1f, 1).payload(1024));
        peer.runFor(MS);
        assertEquals(List.of("1 LOC_PROT_ERR"), completions());
        assertArrayEquals(before, other.memory().toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void shouldCompleteUnsignaledRequestsSilentlyAndReportTheirFailures() {
        connect();
        for (int i = 0; i < 3; i++) {
            peer.side.qp.postSend(wr.send().wrId(i).element(memory, 0, 10));
        }
        expectSends(0, 3);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        assertEquals(List.of(), completions());
        peer.send(RawPacket.nak(THEIR_PSN + 1, 0x63));
        peer.runFor(MS);
        assertEquals(List.of("1 REM_OP_ERR", "2 WR_FLUSH_ERR"), completions());
        List<WorkCompletion> all = peer.side.sends();
        assertEquals(peer.side.qp.qpNum(), all.getFirst().qpNum());
    }
}
