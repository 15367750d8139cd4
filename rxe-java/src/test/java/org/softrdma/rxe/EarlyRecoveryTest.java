// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.rxe.qp.FlightBudget;

/** The device as requester with the option {@code recovery early}: probes of a silent peer before the ACK timeout. */
class EarlyRecoveryTest extends RequesterScript {

    @BeforeEach
    void recoverEarly() {
        setup.options = RxeOptions.DEFAULT.withRecovery(Recovery.EARLY);
    }

    /** Without a measured round trip nothing is early: n + 1 transmissions, as without the option. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void shouldNotProbeBeforeARoundTripIsKnown(int retryCount) {
        setup.retryCount = retryCount;
        connect();
        postSends(1);
        List<RawPacket> all = peer.takeAll(10 * TIMEOUT_NS);
        assertEquals(retryCount + 1, all.size());
        for (int i = 1; i < all.size(); i++) {
            assertTrue(all.get(i).atNs - all.get(i - 1).atNs >= TIMEOUT_NS);
        }
        assertEquals(List.of("0 RETRY_EXC_ERR"), completions());
        assertEquals(0, peer.side.counter("silence_probes"));
    }

    /** With one: each timeout is preceded by three probes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void shouldTransmitFourTimesAsOftenOnceARoundTripIsKnown(int retryCount) {
        setup.retryCount = retryCount;
        connect();
        exchangeOne();
        postSends(1);
        List<RawPacket> all = peer.takeAll(10 * TIMEOUT_NS);
        assertEquals((retryCount + 1) * 4, all.size());
        for (int i = 0; i < all.size(); i += 4) {
            long firstNs = all.get(i).atNs;
            assertEquals(List.of(4L, 12L, 28L), all.subList(i + 1, i + 4).stream().map(each -> (each.atNs - firstNs) / MS).toList());
            assertTrue(i == 0 || firstNs - all.get(i - 4).atNs >= TIMEOUT_NS);
        }
        assertEquals(List.of("0 RETRY_EXC_ERR"), completions());
    }

    /** Three probes, each wait twice as long, and no retry used up: there is none. */
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
            RawPacket again = peer.expectByTimer(RawPacket.SEND_ONLY, THEIR_PSN + 1);
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

    /** A probe needs no room: otherwise a queue pair whose device has used up its budget would wait for the ACK timeout. */
    @Test
    void shouldProbeWithoutRoomInTheDevicesBudget() {
        connect();
        exchangeOne();
        postSends(1);
        expectSends(1, 1);
        peer.side.engine().flight().move(FlightBudget.MAX_PACKETS);
        expectSendsByTimer(1, 1);
        assertEquals(1, peer.side.counter("silence_probes"));
        assertEquals(0, peer.side.counter("completer_retry_err"));
    }

    /** A lost NAK, or a lost repeat: the peer was waiting for that packet only, and discarded all later ones. */
    @Test
    void shouldSendTheRestAgainWhenTheProbeWasWhatThePeerLacked() {
        setup.retryCount = 0;
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        expectSendsByTimer(1, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        expectSends(2, 3);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), completions());
    }

    /** Going back had to wait for the device's budget, so the probe was the first packet sent again, followed by the rest. */
    @Test
    void shouldSendTheRestOnceWhenTheProbeWasNextAnyway() {
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        peer.side.engine().flight().move(FlightBudget.MAX_PACKETS);
        peer.send(RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_SEQUENCE));
        expectSendsByTimer(1, 1);
        assertEquals(1, peer.side.counter("silence_probes"));
        peer.side.engine().flight().move(-FlightBudget.MAX_PACKETS);
        expectSends(2, 3);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(3 * MS);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(4, completions().size());
    }

    /** Nothing was sent after the only packet, so nothing was discarded with it; what was posted after the probe is on its way. */
    @Test
    void shouldSendNothingAgainThatFollowedTheProbe() {
        connect();
        exchangeOne();
        postSends(1);
        expectSends(1, 1);
        expectSendsByTimer(1, 1);
        postSends(1);
        expectSends(2, 1);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(3 * MS);
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        peer.expectNothingFor(1000 * MS);
        assertEquals(1, peer.side.counter("retransmitted_pkts"), "the probe");
    }

    @Test
    void shouldSendNothingAgainWhenTheProbeFindsThatOnlyTheAnswerWasLost() {
        connect();
        exchangeOne();
        postSends(4);
        expectSends(1, 4);
        expectSendsByTimer(1, 1);
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
        expectSendsByTimer(3, 1);
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
        RawPacket again = peer.expectByTimer(RawPacket.READ_REQUEST, THEIR_PSN + 1);
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
        expectSendsByTimer(1, 2);
    }

    /** The READ behind the probed SEND is still under way: it counts for the fence, and for the depth that the peer accepts. */
    @Test
    void shouldNotForgetReadsInFlightWhenItProbes() {
        setup.rdAtomic = 1;
        connect();
        exchangeOne();
        postSends(1);
        postRead(7, 100);
        expectSends(1, 1);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 2);
        expectSendsByTimer(1, 1);
        peer.side.qp.postSend(wr.send().wrId(8).element(memory, 0, 10).signaled().fence());
        postRead(9, 100);
        peer.expectNothingFor(MS);
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN + 2).aeth(0x1f, 3).payload(100));
        expectSends(3, 1);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + 4);
        assertEquals(List.of("0 SUCCESS", "7 SUCCESS"), completions());
    }

    /**
     * A late answer to a packet that was sent twice says nothing about the round trip (Karn's rule, RFC 6298 §3): the next silence is as
     * long as before. A first round trip of 10 ms makes it 2 · 10 + 4 · 5 = 40 ms.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotMeasureTheRoundTripOfWhatWasSentTwice(boolean reported) {
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.runFor(10 * MS);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS);
        postSends(1);
        expectSends(1, 1);
        if (reported) {
            peer.send(RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_SEQUENCE));
            expectSends(1, 1);
            peer.expectNothingFor(39 * MS);
        } else {
            assertBetween(39 * MS, 41 * MS, silenceBefore(1));
            peer.expectNothingFor(10 * MS);
        }
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.runFor(MS);
        postSends(1);
        expectSends(2, 1);
        assertBetween(39 * MS, 41 * MS, silenceBefore(2));
    }

    /** Time until the SEND is probed. */
    private long silenceBefore(int send) {
        long fromNs = peer.nowNs();
        return peer.expectByTimer(RawPacket.SEND_ONLY, THEIR_PSN + send).atNs - fromNs;
    }

    private static void assertBetween(long fromNs, long toNs, long ns) {
        assertTrue(ns >= fromNs && ns <= toNs, ns + " ns, not within " + fromNs + ".." + toNs);
    }
}
