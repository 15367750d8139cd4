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
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.rxe.qp.FlightBudget;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** The device as requester: what it sends for its work requests, and how acknowledgements and NAKs complete them. */
class RequesterScriptTest extends RequesterScript {

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

    /** As kernel rxe, which sends within the post; nothing is repeated after that. */
    @Test
    void shouldSendWhatWasPostedBeforeItIsDestroyed() {
        connect();
        postSends(4);
        peer.side.qp.close();
        expectSends(0, 4);
        peer.expectNothingFor(1000 * MS);
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

    /** As kernel rxe 6.1 does: a fatal NAK at +2 completes +0 and +1 with SUCCESS first; the rest is flushed in order. */
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
        peer.send(RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_SEQUENCE));
        expectSends(1, 3);
        peer.send(RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_SEQUENCE));
        peer.expectNothingFor(MS / 2);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.send(RawPacket.nak(THEIR_PSN + 2, RawPacket.NAK_SEQUENCE));
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
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of("0 RETRY_EXC_ERR", "1 WR_FLUSH_ERR"), completions());
    }

    @Test
    void shouldContinueInsideMessageWithTheOpcodesItHadBefore() {
        connect();
        byte[] data = new byte[5 * 1024 - 3];
        new Random(5).nextBytes(data);
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
        peer.send(RawPacket.nak(THEIR_PSN + 2, RawPacket.NAK_SEQUENCE));
        RawPacket again = peer.expect(RawPacket.WRITE_MIDDLE, THEIR_PSN + 2);
        assertArrayEquals(java.util.Arrays.copyOfRange(data, 2048, 3072), again.payload());
        peer.expect(RawPacket.WRITE_MIDDLE, THEIR_PSN + 3);
        peer.expect(RawPacket.WRITE_LAST, THEIR_PSN + 4);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS"), completions());
    }

    /** Once until everything is acknowledged that had been sent when the loss was found. */
    @Test
    void shouldCloseTheWindowByAQuarterForALossAndOnceForSeveralAtATime() {
        connect();
        peer.side.qp.postSend(wr.send().wrId(1).element(memory, 0, 1 << 20).signaled());
        int window = peer.takeAll(MS / 2).size();
        peer.send(RawPacket.nak(THEIR_PSN + 10, RawPacket.NAK_SEQUENCE));
        assertEquals(window - window / 4, peer.takeAll(MS / 2).size());
        peer.send(RawPacket.nak(THEIR_PSN + 20, RawPacket.NAK_SEQUENCE));
        assertEquals(window - window / 4, peer.takeAll(MS / 2).size(), "the same trouble");
        peer.send(RawPacket.ack(THEIR_PSN + window), RawPacket.nak(THEIR_PSN + window + 1, RawPacket.NAK_SEQUENCE));
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

    @Test
    void shouldTolerateStaleAndRepeatedAcks() {
        connect();
        postSends(3);
        expectSends(0, 3);
        peer.send(RawPacket.ack(THEIR_PSN - 1), RawPacket.ack(THEIR_PSN + 1), RawPacket.ack(THEIR_PSN + 1), RawPacket.ack(THEIR_PSN),
            RawPacket.nak(THEIR_PSN, RawPacket.NAK_ACCESS), RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_SEQUENCE),
            RawPacket.ack(THEIR_PSN - 100));
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
        peer.send(RawPacket.ack(THEIR_PSN + 2), RawPacket.ack(THEIR_PSN + 50), RawPacket.nak(THEIR_PSN + 2, RawPacket.NAK_ACCESS));
        peer.expectNothingFor(MS / 2);
        assertEquals(List.of(), completions());
        assertEquals(3, peer.side.counter("drop_unsent_psn_response"));
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
        peer.side.qp.postSend(wr.send().element(memory, 0, 10));
        assertFalse(peer.expect(RawPacket.SEND_FIRST, THEIR_PSN).isSolicited());
        assertTrue(peer.expect(RawPacket.SEND_LAST, THEIR_PSN + 1).isSolicited());
        assertFalse(peer.expect(RawPacket.WRITE_ONLY, THEIR_PSN + 2).isSolicited());
        assertTrue(peer.expect(RawPacket.WRITE_ONLY_IMM, THEIR_PSN + 3).isSolicited());
        assertFalse(peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + 4).isSolicited());
    }

    // ---- local errors ----

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

    /** Sent once, then the memory is gone, and the packet is to be sent again. */
    @Test
    void shouldFailARepeatedAtomicWriteWhoseMemoryIsGone() {
        connect();
        MemoryRegion other = peer.side.memory(8, SimulatedPair.ALL_REMOTE);
        peer.side.qp.postSend(wr.atomicWrite(REMOTE_VA, RKEY).wrId(1).element(other, 0, 8).signaled());
        peer.expect(RawPacket.ATOMIC_WRITE, THEIR_PSN);
        other.close();
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 LOC_PROT_ERR"), completions());
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    /** The packet before it is sent again as usual: completions come in order. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFailARepeatedPacketWhoseMemoryIsGoneInItsTurn(boolean atomicWrite) {
        connect();
        MemoryRegion other = peer.side.memory(8, SimulatedPair.ALL_REMOTE);
        postSends(1);
        if (atomicWrite) {
            wr.atomicWrite(REMOTE_VA, RKEY);
        } else {
            wr.send();
        }
        peer.side.qp.postSend(wr.wrId(1).element(other, 0, 8).signaled());
        expectSends(0, 1);
        peer.expect(atomicWrite ? RawPacket.ATOMIC_WRITE : RawPacket.SEND_ONLY, THEIR_PSN + 1);
        other.close();
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        expectSends(0, 1);
        peer.expectNothingFor(MS);
        assertEquals(List.of(), completions());
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.expectNothingFor(MS);
        assertEquals(List.of("0 SUCCESS", "1 LOC_PROT_ERR"), completions());
    }

    @Test
    void shouldFailAnAtomicWhoseMemoryIsGoneWhenItIsAnswered() {
        connect();
        MemoryRegion other = peer.side.memory(8, SimulatedPair.ALL_REMOTE);
        peer.side.qp.postSend(wr.fetchAndAdd(REMOTE_VA, RKEY, 1).wrId(1).element(other, 0, 8).signaled());
        peer.expect(RawPacket.FETCH_ADD, THEIR_PSN);
        other.close();
        peer.send(RawPacket.of(RawPacket.ATOMIC_ACK, THEIR_PSN).aeth(0x1f, 1).atomicAck(7));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 LOC_PROT_ERR"), completions());
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    /** Returns memory that the first of two packets of a READ was placed in. */
    private MemoryRegion readHalf() {
        connect();
        MemoryRegion other = peer.side.memory(2048, SimulatedPair.ALL_REMOTE);
        peer.side.qp.postSend(wr.read(REMOTE_VA, RKEY).wrId(1).element(other, 0, 2048).signaled());
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(1024));
        peer.runFor(MS);
        return other;
    }

    private void assertRestNotPlaced(MemoryRegion other) {
        byte[] before = other.memory().toArray(ValueLayout.JAVA_BYTE);
        peer.send(RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + 1).aeth(0x1f, 1).payload(1024));
        peer.runFor(MS);
        assertEquals(List.of("1 LOC_PROT_ERR"), completions());
        assertArrayEquals(before, other.memory().toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void shouldNotPlaceReadDataInDeregisteredMemory() {
        MemoryRegion other = readHalf();
        other.close();
        assertRestNotPlaced(other);
    }

    /** Rights and protection domain of local memory are checked with each packet, not with the first only. IBA vol 1 §10.6.3 */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldPlaceNoMoreReadDataWhenTheRegionNoLongerAllowsIt(boolean otherDomain) {
        MemoryRegion other = readHalf();
        other.reregister(otherDomain ? new Reregistration().pd(peer.side.context.allocatePd())
            : new Reregistration().access(AccessFlags.REMOTE_READ));
        assertRestNotPlaced(other);
    }

    /** Sending needs no right, but the protection domain: checked again for a packet that is sent again. IBA vol 1 §10.6.3 */
    @Test
    void shouldNotSendAgainFromARegionThatWasGivenToAnotherProtectionDomain() {
        connect();
        MemoryRegion other = peer.side.memory(10, SimulatedPair.ALL_REMOTE);
        peer.side.qp.postSend(wr.send().wrId(1).element(other, 0, 10).signaled());
        expectSends(0, 1);
        other.reregister(new Reregistration().pd(peer.side.context.allocatePd()));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 LOC_PROT_ERR"), completions());
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
        peer.send(RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_OPERATIONAL));
        peer.runFor(MS);
        assertEquals(List.of("1 REM_OP_ERR", "2 WR_FLUSH_ERR"), completions());
        List<WorkCompletion> all = peer.side.sends();
        assertEquals(peer.side.qp.qpNum(), all.getFirst().qpNum());
    }

    /** A queue pair in error sends nothing: the peer's request before the NAK was executed, but not yet acknowledged. */
    @Test
    void shouldNotAcknowledgeRequestsAfterAFatalNak() {
        connect();
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.of(RawPacket.WRITE_ONLY, RawPeer.OUR_PSN).reth(memory.address(), memory.rkey(), 8).payload(8).ackRequest(),
            RawPacket.nak(THEIR_PSN, RawPacket.NAK_ACCESS));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 REM_ACCESS_ERR"), completions());
    }

    /** A NAK also acknowledges the packets before it: once they overrun the completion queue, nothing is left for it to fail. */
    @Test
    void shouldReportAnOverrunOnceThatTheAcknowledgementInANakCauses() {
        setup.cqe = 1;
        connect();
        postSends(3);
        expectSends(0, 3);
        peer.send(RawPacket.nak(THEIR_PSN + 2, RawPacket.NAK_ACCESS));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS"), completions());
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of(AsyncEventType.CQ_ERR), peer.side.events());
    }

    /** However many packets were acknowledged before. */
    @Test
    void shouldHaveNoMoreThan512PacketsInFlight() {
        connect();
        for (int i = 0; i < 40; i++) {
            peer.side.qp.postSend(wr.send().wrId(i).element(memory, 0, 1 << 20).signaled());
        }
        int largest = 0;
        for (int acknowledged = 0; acknowledged < 30_000;) {
            List<RawPacket> flight = peer.takeAll(MS);
            largest = Math.max(largest, flight.size());
            acknowledged += flight.size();
            peer.send(RawPacket.ack(flight.getLast().psn()));
        }
        assertEquals(512, largest);
    }

    /** Packets that are to be sent again wait for room in the device's budget, and are acknowledged meanwhile: the next ones are sent. */
    @Test
    void shouldNotSendAgainWhatIsAcknowledgedWhileItWaits() {
        connect();
        postSends(4);
        expectSends(0, 4);
        peer.side.engine().flight().move(FlightBudget.MAX_PACKETS);
        peer.send(RawPacket.nak(THEIR_PSN + 1, RawPacket.NAK_SEQUENCE));
        peer.expectNothingFor(5 * US);
        peer.send(RawPacket.ack(THEIR_PSN + 2));
        peer.expectNothingFor(5 * US);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), completions());
        peer.side.engine().flight().move(-FlightBudget.MAX_PACKETS);
        postSends(1);
        expectSends(3, 2);
        peer.expectNothingFor(5 * US);
        peer.send(RawPacket.ack(THEIR_PSN + 4));
        peer.expectNothingFor(1000 * MS);
        assertEquals(5, completions().size());
        assertEquals(1, peer.side.counter("retransmitted_pkts"));
    }
}
