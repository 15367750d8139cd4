// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.softrdma.link.sim.Fate;
import org.softrdma.link.sim.PlainIcrc;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.AtomicAckEth;
import org.softrdma.wire.roce.AtomicEth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Reth;
import org.softrdma.wire.roce.Syndrome;

/** The judge judged: for each rule a wire that keeps it, and one just past it. */
class WireCheckerTest {
    private static final Gid A = Gid.ofIpv4(0x0a000001);
    private static final Gid B = Gid.ofIpv4(0x0a000002);
    private static final int QPN_A = 0x11;
    private static final int QPN_B = 0x22;
    private static final int SOURCE_PORT = 0xc000;
    private static final int MTU = 256;
    private static final int DEPTH = 2;
    private static final int TIMEOUT_CODE = 10;
    private static final long TIMEOUT_NS = 4_194_304;
    private static final int RETRY_COUNT = 2;
    private static final long SHORTEST_SILENCE_NS = 4_000_000;
    private static final int RKEY = 0x1234;
    /** Two PSNs before they wrap. */
    private static final int FIRST = 0xfffffe;
    private static final int LONGEST = 12 + 16 + 28 + MTU + 4;

    private final WireChecker wire = new WireChecker();
    private long nowNs = 1_000;

    WireCheckerTest() {
        wire.addAddress(A, SOURCE_PORT);
        wire.addAddress(B, SOURCE_PORT);
        addFlows(false);
    }

    private void addFlows(boolean probes) {
        wire.addFlow(A, QPN_A, B, QPN_B, new Flow(FIRST, MTU, DEPTH, TIMEOUT_CODE, RETRY_COUNT, probes, false));
        wire.addFlow(B, QPN_B, A, QPN_A, new Flow(0, MTU, DEPTH, TIMEOUT_CODE, RETRY_COUNT, probes, false));
    }

    // ---- packets, by their place in the flow from A to B ----

    private static ByteBuffer packet(int opcode, int place, boolean asks, int payload, boolean toB) {
        int pad = -payload & 3;
        ByteBuffer packet = ByteBuffer.allocateDirect(LONGEST).limit(Opcode.headerLength(opcode) + payload + pad + 4);
        Bth.put(packet, 0, opcode, false, pad, 0xffff, toB ? QPN_B : QPN_A, asks, FIRST + place & 0xffffff);
        return packet;
    }

    private static ByteBuffer send(int opcode, int place, int payload) {
        return packet(opcode, place, Opcode.has(opcode, Opcode.END), payload, true);
    }

    private static ByteBuffer sendOnly(int place) {
        return send(Opcode.RC_SEND_ONLY, place, 8);
    }

    private static ByteBuffer read(int place, long va, int length) {
        ByteBuffer packet = packet(Opcode.RC_RDMA_READ_REQUEST, place, true, 0, true);
        Reth.put(packet, Opcode.rethOffset(Opcode.RC_RDMA_READ_REQUEST), va, RKEY, length);
        return packet;
    }

    private static ByteBuffer add(int place) {
        ByteBuffer packet = packet(Opcode.RC_FETCH_ADD, place, true, 0, true);
        AtomicEth.put(packet, Opcode.atomicEthOffset(Opcode.RC_FETCH_ADD), 64, RKEY, 1, 0);
        return packet;
    }

    private static ByteBuffer answer(int opcode, int place, int syndrome, int msn, int payload) {
        ByteBuffer packet = packet(opcode, place, false, payload, false);
        if (Opcode.has(opcode, Opcode.AETH)) {
            Aeth.put(packet, Opcode.aethOffset(opcode), syndrome, msn);
        }
        return packet;
    }

    private static ByteBuffer ack(int place, int msn) {
        return answer(Opcode.RC_ACKNOWLEDGE, place, Syndrome.ACK_UNLIMITED, msn, 0);
    }

    private static ByteBuffer nak(int place, int syndrome, int msn) {
        return answer(Opcode.RC_ACKNOWLEDGE, place, syndrome, msn, 0);
    }

    private static ByteBuffer added(int place, int msn, long original) {
        ByteBuffer packet = answer(Opcode.RC_ATOMIC_ACKNOWLEDGE, place, Syndrome.ACK_UNLIMITED, msn, 0);
        AtomicAckEth.put(packet, Opcode.atomicAckEthOffset(Opcode.RC_ATOMIC_ACKNOWLEDGE), original);
        return packet;
    }

    /** Leaves its sender. */
    private ByteBuffer sent(ByteBuffer packet) {
        int length = packet.limit();
        boolean toB = Bth.destQp(packet, 0) == QPN_B;
        int icrc = PlainIcrc.of(toB ? A : B, toB ? B : A, SOURCE_PORT, packet, 0, length);
        packet.putInt(length - 4, Integer.reverseBytes(icrc));
        report(packet, Fate.SENT);
        return packet;
    }

    /** Leaves its sender and reaches its receiver. */
    private ByteBuffer arrives(ByteBuffer packet) {
        report(sent(packet), Fate.DELIVERED);
        return packet;
    }

    private void report(ByteBuffer packet, Fate fate) {
        boolean toB = Bth.destQp(packet, 0) == QPN_B;
        wire.onPacket(nowNs, toB ? A : B, toB ? B : A, packet, 0, packet.limit(), fate);
    }

    private void good() {
        assertNull(wire.complaint());
    }

    private void complains(String about) {
        assertNotNull(wire.complaint(), "no complaint about " + about);
        assertTrue(wire.complaint().contains(about), wire.complaint());
    }

    // ---- requests ----

    @Test
    void shouldKnowThePsnThatComesNextAcrossTheWrap() {
        for (int i = 0; i < 4; i++) {
            sent(sendOnly(i));
        }
        good();
        sent(sendOnly(5));
        complains("PSN is not the next one");
    }

    @Test
    void shouldWantTheSameBytesUnderTheSamePsn() {
        arrives(sendOnly(0));
        nowNs += TIMEOUT_NS;
        sent(sendOnly(0));
        good();
        nowNs += TIMEOUT_NS;
        ByteBuffer other = sendOnly(0);
        other.put(Bth.LENGTH, (byte) 1);
        sent(other);
        complains("sent again with other content");
    }

    @Test
    void shouldNotTakeASendQueueForDrainedBeforeEverythingIsAcknowledged() {
        arrives(sendOnly(0));
        arrives(sendOnly(1));
        arrives(ack(1, 2));
        wire.expectDrained(A, QPN_A, true);
        good();
        wire.expectDrained(A, QPN_A, false);
        arrives(sendOnly(2));
        sent(ack(2, 3));
        wire.expectDrained(A, QPN_A, true);
        complains("before the last 1 packets were acknowledged");
    }

    @Test
    void shouldWantAReasonToGoBack() {
        arrives(sendOnly(0));
        nowNs += TIMEOUT_NS - 1;
        sent(sendOnly(0));
        complains("for no reason");
    }

    @Test
    void shouldWantOneTimeoutForEachRepeat() {
        arrives(sendOnly(0));
        nowNs += TIMEOUT_NS;
        sent(sendOnly(0));
        good();
        nowNs += TIMEOUT_NS - 1;
        sent(sendOnly(0));
        complains("1 times before, for no reason");
    }

    @Test
    void shouldWantNoMoreRepeatsThanRetryCount() {
        arrives(sendOnly(0));
        for (int i = 0; i < RETRY_COUNT; i++) {
            nowNs += TIMEOUT_NS;
            sent(sendOnly(0));
        }
        good();
        nowNs += TIMEOUT_NS;
        sent(sendOnly(0));
        complains("2 times before, for no reason");
    }

    @Test
    void shouldWantAReasonToProbe() {
        addFlows(true);
        arrives(sendOnly(0));
        nowNs += SHORTEST_SILENCE_NS - 1;
        sent(sendOnly(0));
        complains("for no reason");
    }

    @Test
    void shouldCountHowOftenASilentPeerIsProbed() {
        addFlows(true);
        arrives(sendOnly(0));
        nowNs += SHORTEST_SILENCE_NS;
        for (int i = 0; i < 3; i++) {
            sent(sendOnly(0));
        }
        good();
        sent(sendOnly(0));
        complains("3 times before, for no reason");
    }

    @Test
    void shouldTakeAnAnswerToWhatWasSentAgainAsAReasonToSendTheRest() {
        sent(sendOnly(0));
        sent(sendOnly(1));
        nowNs += TIMEOUT_NS;
        arrives(sendOnly(0));
        arrives(ack(0, 1));
        nowNs++;
        sent(sendOnly(1));
        good();
    }

    @Test
    void shouldTakeANakAsAReason() {
        sent(sendOnly(0));
        arrives(sendOnly(1));
        arrives(nak(0, Syndrome.NAK_PSN_SEQUENCE, 0));
        sent(sendOnly(0));
        good();
    }

    @Test
    void shouldWantTheReceiverToBeWaitedFor() {
        arrives(sendOnly(0));
        arrives(nak(0, Syndrome.rnr(12), 0));
        nowNs += 640_000;
        sent(sendOnly(0));
        good();
        nowNs++;
        arrives(nak(0, Syndrome.rnr(12), 0));
        nowNs += 639_999;
        sent(sendOnly(0));
        complains("sent again 1 ns before the receiver wants it");
    }

    @Test
    void shouldLetAReadResumeWhereItsDataEndsOnly() {
        arrives(read(0, 0x1000, 3 * MTU));
        arrives(answer(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 0, Syndrome.ACK_UNLIMITED, 1, MTU));
        nowNs += TIMEOUT_NS;
        sent(read(1, 0x1000 + MTU, 2 * MTU));
        good();
        nowNs += TIMEOUT_NS;
        sent(read(1, 0x1000, 2 * MTU));
        complains("asks again for va 1000");
    }

    @Test
    void shouldCountReadsAndAtomicsUnderWay() {
        sent(read(0, 0, 8));
        arrives(add(1));
        good();
        sent(add(2));
        complains("3 READs and atomics are under way");
    }

    @Test
    void shouldCountPacketsUnderWay() {
        for (int i = 0; i < 512; i++) {
            sent(sendOnly(i));
        }
        good();
        sent(sendOnly(512));
        complains("512 packets are under way already");
    }

    @Test
    void shouldWantAcknowledgementsToBeAskedForAtTheEndOfMessages() {
        sent(packet(Opcode.RC_SEND_ONLY, 0, false, 8, true));
        complains("no acknowledgement asked for at the end");
    }

    @Test
    void shouldWantAcknowledgementsToBeAskedForInLongMessages() {
        sent(send(Opcode.RC_SEND_FIRST, 0, MTU));
        for (int i = 1; i < 256; i++) {
            sent(send(Opcode.RC_SEND_MIDDLE, i, MTU));
        }
        good();
        sent(send(Opcode.RC_SEND_MIDDLE, 256, MTU));
        complains("257 packets without asking");
    }

    @Test
    void shouldWantMessagesOneAfterTheOther() {
        sent(send(Opcode.RC_SEND_FIRST, 0, MTU));
        sent(sendOnly(1));
        complains("messages are mixed");
    }

    @Test
    void shouldWantFullPacketsBeforeTheLast() {
        sent(send(Opcode.RC_SEND_FIRST, 0, MTU - 4));
        complains("payload 252 at MTU 256");
    }

    // ---- responses ----

    @Test
    void shouldLetBeAcknowledgedWhatArrivedInItsTurn() {
        arrives(sendOnly(0));
        sent(sendOnly(1));
        arrives(sendOnly(2));
        sent(ack(0, 1));
        good();
        sent(ack(2, 1));
        assertNotNull(wire.complaint());
    }

    @Test
    void shouldNotLetAnythingBeAcknowledgedThatArrivedDamaged() {
        ByteBuffer damaged = sent(sendOnly(0));
        damaged.put(Bth.LENGTH, (byte) ~damaged.get(Bth.LENGTH));
        report(damaged, Fate.DELIVERED);
        sent(ack(0, 0));
        assertNotNull(wire.complaint());
    }

    @Test
    void shouldWantMsnsToCountMessages() {
        arrives(send(Opcode.RC_SEND_FIRST, 0, MTU));
        arrives(send(Opcode.RC_SEND_LAST, 1, MTU));
        sent(ack(1, 1));
        good();
        sent(ack(1, 2));
        complains("MSN 2 instead of 1");
    }

    /** Later messages have been executed by then, and do not count. */
    @Test
    void shouldWantTheMsnOfAnAnswerToBeThatOfItsRequest() {
        arrives(add(0));
        arrives(read(1, 0, 8));
        arrives(sendOnly(2));
        sent(ack(2, 3));
        sent(added(0, 1, 7));
        sent(answer(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 1, Syndrome.ACK_UNLIMITED, 2, 8));
        good();
        nowNs += TIMEOUT_NS;
        arrives(add(0));
        sent(added(0, 3, 7));
        complains("MSN 3 instead of 1");
    }

    @Test
    void shouldWantTheMsnOfANakToCountWhatWasBeforeIt() {
        arrives(sendOnly(0));
        arrives(sendOnly(1));
        sent(nak(1, Syndrome.rnr(1), 1));
        good();
        sent(nak(1, Syndrome.rnr(1), 2));
        complains("MSN 2 instead of 1");
    }

    /** The READ behind it, whose answer may be lost, is not acknowledged, but it is counted. */
    @Test
    void shouldLetRepeatedSendsBeAcknowledgedWithTheMsnOfNow() {
        arrives(sendOnly(0));
        arrives(read(1, 0, 8));
        sent(ack(0, 2));
        complains("MSN 2 instead of 1");
        WireCheckerTest twin = new WireCheckerTest();
        twin.arrives(sendOnly(0));
        twin.arrives(read(1, 0, 8));
        twin.nowNs += TIMEOUT_NS;
        twin.arrives(sendOnly(0));
        twin.sent(ack(0, 2));
        twin.good();
        twin.sent(ack(0, 3));
        twin.complains("MSN 3 instead of 1..2");
    }

    @Test
    void shouldNotLetMsnsGoBack() {
        arrives(sendOnly(0));
        arrives(sendOnly(1));
        sent(ack(1, 2));
        good();
        sent(ack(0, 1));
        complains("MSN 1 after 2");
    }

    @Test
    void shouldWantOneNakForAGap() {
        sent(sendOnly(0));
        arrives(sendOnly(1));
        sent(nak(0, Syndrome.NAK_PSN_SEQUENCE, 0));
        good();
        sent(nak(0, Syndrome.NAK_PSN_SEQUENCE, 0));
        complains("a second NAK for the same gap");
    }

    @Test
    void shouldNotTakeANakWithoutAGap() {
        arrives(sendOnly(0));
        sent(sendOnly(1));
        sent(nak(1, Syndrome.NAK_PSN_SEQUENCE, 1));
        complains("a sequence NAK, but nothing came after the gap");
    }

    @Test
    void shouldNotTakeAnRnrNakForWhatTakesNoReceive() {
        arrives(read(0, 0, 8));
        sent(nak(0, Syndrome.rnr(1), 0));
        complains("RNR NAK of what takes no receive");
    }

    @Test
    void shouldTakeAnAccessErrorOnlyAfterTheRegionWent() {
        arrives(read(0, 0, 8));
        wire.expectUnused(B, RKEY);
        sent(nak(0, Syndrome.NAK_REMOTE_ACCESS, 0));
        good();
        arrives(add(1));
        wire.expectUnused(A, RKEY);
        sent(nak(0, Syndrome.NAK_INVALID_REQUEST, 0));
        complains("syndrome 61");
    }

    @Test
    void shouldNotTakeAnAccessErrorWhileTheRegionIsThere() {
        arrives(read(0, 0, 8));
        sent(nak(0, Syndrome.NAK_REMOTE_ACCESS, 0));
        complains("remote access error, but the region is there");
    }

    @Test
    void shouldNotLetDataOfARegionBeSentThatWent() {
        arrives(read(0, 0, 2 * MTU));
        sent(answer(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 0, Syndrome.ACK_UNLIMITED, 1, MTU));
        good();
        wire.expectUnused(B, RKEY);
        sent(answer(Opcode.RC_RDMA_READ_RESPONSE_LAST, 1, Syndrome.ACK_UNLIMITED, 1, MTU));
        complains("data of a region that was deregistered");
    }

    @Test
    void shouldRecogniseWhatDeregisteredMemoryIsFilledWith() {
        wire.expectUnused(A, RKEY);
        ByteBuffer packet = send(Opcode.RC_SEND_ONLY, 0, 100);
        for (int i = 0; i < 12; i++) {
            packet.put(Bth.LENGTH + 50 + i, ShadowedMemory.DEAD);
        }
        sent(packet);
        complains("memory of a region that was deregistered");
    }

    @Test
    void shouldWantAReadAnsweredOnceForEachTimeItWasAsked() {
        arrives(read(0, 0, 8));
        sent(answer(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 0, Syndrome.ACK_UNLIMITED, 1, 8));
        good();
        sent(answer(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 0, Syndrome.ACK_UNLIMITED, 1, 8));
        complains("answered more often than asked");
    }

    @Test
    void shouldNotTakeAPlainAckForARead() {
        arrives(read(0, 0, 8));
        sent(ack(0, 1));
        complains("a READ or atomic answered by a plain ACK");
    }

    @Test
    void shouldWantAReadAnsweredFromItsBeginning() {
        arrives(read(0, 0, 3 * MTU));
        sent(answer(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 1, Syndrome.ACK_UNLIMITED, 1, MTU));
        complains("a READ response that continues nothing");
    }

    @Test
    void shouldWantTheSameResultOfAnAtomicEachTime() {
        arrives(add(0));
        sent(added(0, 1, 7));
        good();
        nowNs += TIMEOUT_NS;
        arrives(add(0));
        sent(added(0, 1, 8));
        complains("another result than before");
    }

    // ---- queue pairs that are gone ----

    @Test
    void shouldWantAQueuePairInErrorToBeSilent() {
        arrives(sendOnly(0));
        wire.expectSilence(B, QPN_B, false);
        sent(ack(0, 1));
        complains("an answer of a queue pair that is gone");
    }

    @Test
    void shouldLetADestroyedQueuePairAcknowledgeButNothingElse() {
        arrives(sendOnly(0));
        sent(sendOnly(1));
        arrives(sendOnly(2));
        wire.expectSilence(B, QPN_B, true);
        sent(ack(0, 1));
        good();
        sent(nak(1, Syndrome.NAK_PSN_SEQUENCE, 1));
        complains("an answer of a queue pair that is gone");
    }

    @Test
    void shouldNotLetADestroyedQueuePairAskForAnything() {
        wire.expectSilence(A, QPN_A, true);
        sent(sendOnly(0));
        complains("a request of a queue pair that is gone");
    }

    // ---- every packet ----

    @Test
    void shouldWantTheIcrcToBeRight() {
        ByteBuffer packet = sent(sendOnly(0));
        good();
        packet.putInt(packet.limit() - 4, ~packet.getInt(packet.limit() - 4));
        report(packet, Fate.SENT);
        complains("ICRC");
    }

    @Test
    void shouldWantPadBytesToBeZero() {
        ByteBuffer packet = send(Opcode.RC_SEND_ONLY, 0, 7);
        packet.put(Bth.LENGTH + 7, (byte) 1);
        sent(packet);
        complains("pad is not zero");
    }
}
