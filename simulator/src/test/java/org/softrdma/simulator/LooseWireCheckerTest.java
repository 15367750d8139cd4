// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.softrdma.link.sim.Fate;
import org.softrdma.link.sim.PlainIcrc;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.ImmDt;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Reth;

/** The judge of UC and UD judged: for each rule a wire that keeps it, and one just past it; and what may have been received. */
class LooseWireCheckerTest {
    private static final Gid A = Gid.ofIpv4(0x0a000001);
    private static final Gid B = Gid.ofIpv4(0x0a000002);
    private static final Gid GROUP = Gid.ofIpv4(0xe0000005);
    private static final int UC_A = 0x11;
    private static final int UC_B = 0x22;
    private static final int UD_A = 0x33;
    private static final int UD_B = 0x44;
    private static final int SOURCE_PORT = 0xc000;
    private static final int MTU = 256;
    private static final int QKEY = 0x1111;
    private static final long VA = 0x1000;
    private static final int RKEY = 0x1234;
    /** Two PSNs before they wrap. */
    private static final int FIRST = 0xfffffe;

    private final WireChecker wire = new WireChecker();
    private final Arrivals ucAtB = new Arrivals();
    private final Arrivals udAtA = new Arrivals();
    private final Arrivals udAtB = new Arrivals();

    LooseWireCheckerTest() {
        wire.addAddress(A, SOURCE_PORT);
        wire.addAddress(B, SOURCE_PORT);
        wire.setGroup(GROUP);
        wire.addUcFlow(A, UC_A, B, UC_B, new UcFlow(FIRST, MTU, false, ucAtB));
        wire.addDatagrams(A, UD_A, FIRST, QKEY, true, udAtA);
        wire.addDatagrams(B, UD_B, FIRST, QKEY, true, udAtB);
    }

    // ---- packets from A, by their place in the flow ----

    private static ByteBuffer packet(int opcode, int place, int payload, int destQp) {
        int pad = -payload & 3;
        ByteBuffer packet = ByteBuffer.allocateDirect(Opcode.headerLength(opcode) + payload + pad + 4);
        Bth.put(packet, 0, opcode, false, pad, 0xffff, destQp, false, FIRST + place & 0xffffff);
        return packet;
    }

    /** @param stamp first bytes of the payload */
    private static ByteBuffer uc(int opcode, int place, int payload, int stamp) {
        ByteBuffer packet = packet(opcode, place, payload, UC_B);
        return payload >= 4 ? packet.putInt(Opcode.headerLength(opcode), stamp) : packet;
    }

    private static ByteBuffer write(int opcode, int place, int payload, int length) {
        ByteBuffer packet = uc(opcode, place, payload, 0);
        Reth.put(packet, Opcode.rethOffset(opcode), VA, RKEY, length);
        return packet;
    }

    private static ByteBuffer datagram(int place, int destQp, int qkey, int sourceQp, int stamp) {
        ByteBuffer packet = packet(Opcode.UD_SEND_ONLY, place, 8, destQp);
        Deth.put(packet, Opcode.dethOffset(Opcode.UD_SEND_ONLY), qkey, sourceQp);
        return packet.putInt(Opcode.headerLength(Opcode.UD_SEND_ONLY), stamp);
    }

    private ByteBuffer sentTo(Gid to, ByteBuffer packet) {
        int length = packet.limit();
        packet.putInt(length - 4, Integer.reverseBytes(PlainIcrc.of(A, to, SOURCE_PORT, packet, 0, length)));
        wire.onPacket(0, A, to, packet, 0, length, Fate.SENT);
        return packet;
    }

    private ByteBuffer sent(ByteBuffer packet) {
        return sentTo(B, packet);
    }

    /** Reaches B, of whatever was sent before. */
    private void arrives(ByteBuffer packet) {
        wire.onPacket(0, A, B, packet, 0, packet.limit(), Fate.DELIVERED);
    }

    private void good() {
        assertNull(wire.complaint());
    }

    private void complains(String about) {
        assertNotNull(wire.complaint(), "no complaint about " + about);
        assertTrue(wire.complaint().contains(about), wire.complaint());
    }

    // ---- UC: what may be sent ----

    @Test
    void shouldWantUcPsnsWithoutGapsAcrossTheWrap() {
        for (int i = 0; i < 4; i++) {
            sent(uc(Opcode.UC_SEND_ONLY, i, 8, 0));
        }
        good();
        sent(uc(Opcode.UC_SEND_ONLY, 5, 8, 0));
        complains("PSN is not the next one");
    }

    @Test
    void shouldNotLetUcSendAnythingAgain() {
        sent(uc(Opcode.UC_SEND_ONLY, 0, 8, 0));
        sent(uc(Opcode.UC_SEND_ONLY, 0, 8, 0));
        complains("PSN is not the next one");
    }

    @Test
    void shouldWantUcMessagesOneAfterTheOther() {
        sent(uc(Opcode.UC_SEND_FIRST, 0, MTU, 0));
        sent(uc(Opcode.UC_SEND_MIDDLE, 1, MTU, 0));
        sent(uc(Opcode.UC_SEND_LAST, 2, 1, 0));
        sent(uc(Opcode.UC_SEND_FIRST, 3, MTU, 0));
        good();
        sent(uc(Opcode.UC_RDMA_WRITE_LAST, 4, 8, 0));
        complains("messages are mixed");
    }

    @Test
    void shouldNotLetUcBreakOffAMessageWhoseMemoryIsThere() {
        sent(uc(Opcode.UC_SEND_FIRST, 0, MTU, 0));
        sent(uc(Opcode.UC_SEND_ONLY, 1, 8, 0));
        complains("messages are mixed");
    }

    @Test
    void shouldLetUcBreakOffAMessageWhoseMemoryMayBeGone() {
        wire.addUcFlow(A, UC_A, B, UC_B, new UcFlow(FIRST, MTU, true, ucAtB));
        sent(uc(Opcode.UC_SEND_FIRST, 0, MTU, 0));
        sent(uc(Opcode.UC_SEND_ONLY, 1, 8, 0));
        good();
        sent(uc(Opcode.UC_SEND_LAST, 2, 8, 0));
        complains("messages are mixed");
    }

    @Test
    void shouldWantUcPacketsFullButTheLast() {
        sent(uc(Opcode.UC_SEND_FIRST, 0, MTU, 0));
        good();
        sent(uc(Opcode.UC_SEND_MIDDLE, 1, MTU - 4, 0));
        complains("payload 252 at MTU 256");
    }

    @Test
    void shouldWantAUcWriteToBeAsLongAsItsRethSays() {
        sent(write(Opcode.UC_RDMA_WRITE_FIRST, 0, MTU, MTU + 8));
        sent(uc(Opcode.UC_RDMA_WRITE_LAST, 1, 8, 0));
        sent(write(Opcode.UC_RDMA_WRITE_FIRST, 2, MTU, MTU + 8));
        good();
        sent(uc(Opcode.UC_RDMA_WRITE_LAST, 3, 4, 0));
        complains("WRITE ends with 4 bytes left");
    }

    @Test
    void shouldNotLetUcAskForAnAcknowledgement() {
        ByteBuffer packet = uc(Opcode.UC_SEND_ONLY, 0, 8, 0);
        Bth.setAckRequest(packet, 0, true);
        sent(packet);
        complains("asks for an acknowledgement");
    }

    @Test
    void shouldNotLetADrainedSendQueueSendUntilItGoesOn() {
        wire.expectDrained(A, UC_A, true);
        wire.expectDrained(A, UC_A, false);
        sent(uc(Opcode.UC_SEND_ONLY, 0, 8, 0));
        good();
        wire.expectDrained(A, UC_A, true);
        sent(uc(Opcode.UC_SEND_ONLY, 1, 8, 0));
        complains("a request while the send queue is drained");
    }

    @Test
    void shouldNotTakeAUcSendQueueForDrainedInTheMiddleOfAMessage() {
        sent(uc(Opcode.UC_SEND_FIRST, 0, MTU, 0));
        sent(uc(Opcode.UC_SEND_LAST, 1, 8, 0));
        wire.expectDrained(A, UC_A, true);
        good();
        wire.expectDrained(A, UC_A, false);
        sent(uc(Opcode.UC_SEND_FIRST, 2, MTU, 0));
        wire.expectDrained(A, UC_A, true);
        complains("in the middle of a message");
    }

    @Test
    void shouldNotLetAGoneUcQueuePairSend() {
        wire.expectSilence(A, UC_A, false);
        sent(uc(Opcode.UC_SEND_ONLY, 0, 8, 0));
        complains("a request of a queue pair that is gone");
    }

    // ---- UC: what may have been received ----

    @Test
    void shouldKnowAUcMessageThatArrivedWholeOnce() {
        arrives(sent(uc(Opcode.UC_SEND_FIRST, 0, MTU, 7)));
        arrives(sent(uc(Opcode.UC_SEND_LAST, 1, 4, 99)));
        assertTrue(ucAtB.receive(7));
        assertFalse(ucAtB.receive(7));
    }

    @Test
    void shouldKnowThatAUcMessageWithAHoleCannotBeReceived() {
        arrives(sent(uc(Opcode.UC_SEND_FIRST, 0, MTU, 7)));
        sent(uc(Opcode.UC_SEND_MIDDLE, 1, MTU, 0));
        arrives(sent(uc(Opcode.UC_SEND_LAST, 2, 4, 0)));
        arrives(sent(uc(Opcode.UC_SEND_ONLY, 3, 4, 8)));
        assertFalse(ucAtB.receive(7));
    }

    @Test
    void shouldTakeADuplicatedUcMessageTwiceAndPassOverALostOne() {
        ByteBuffer only = sent(uc(Opcode.UC_SEND_ONLY, 0, 4, 7));
        arrives(only);
        arrives(only);
        arrives(sent(uc(Opcode.UC_SEND_ONLY, 1, 4, 8)));
        arrives(sent(uc(Opcode.UC_SEND_ONLY, 2, 4, 9)));
        assertTrue(ucAtB.receive(7));
        assertTrue(ucAtB.receive(7));
        assertTrue(ucAtB.receive(9));
        assertFalse(ucAtB.receive(8), "it came before 9");
        assertEquals(1, ucAtB.lost());
    }

    @Test
    void shouldNotTakeAMessageWhosePacketWasDamaged() {
        ByteBuffer only = sent(uc(Opcode.UC_SEND_ONLY, 0, 8, 7));
        only.put(Bth.LENGTH + 6, (byte) 1);
        arrives(only);
        assertFalse(ucAtB.receive(7));
    }

    @Test
    void shouldKnowAUcWriteThatArrivedWhole() {
        ByteBuffer first = sent(write(Opcode.UC_RDMA_WRITE_FIRST, 0, MTU, MTU + 8));
        ByteBuffer last = sent(uc(Opcode.UC_RDMA_WRITE_LAST, 1, 8, 0));
        arrives(last);
        arrives(first);
        assertFalse(ucAtB.hasWrite(VA, RKEY));
        arrives(last);
        assertTrue(ucAtB.hasWrite(VA, RKEY));
    }

    @Test
    void shouldKnowAMessageByItsImmediateData() {
        ByteBuffer packet = packet(Opcode.UC_SEND_ONLY_WITH_IMMEDIATE, 0, 0, UC_B);
        ImmDt.put(packet, Opcode.immediateOffset(Opcode.UC_SEND_ONLY_WITH_IMMEDIATE), 5);
        arrives(sent(packet));
        assertTrue(ucAtB.receive(5));
    }

    // ---- UD ----

    @Test
    void shouldWantDatagramPsnsWithoutGaps() {
        sent(datagram(0, UD_B, QKEY, UD_A, 1));
        sent(datagram(1, UD_B, QKEY, UD_A, 1));
        good();
        sent(datagram(3, UD_B, QKEY, UD_A, 1));
        complains("PSN is not the next one");
    }

    @Test
    void shouldWantTheSendersOwnNumberInADatagram() {
        sent(datagram(0, UD_B, QKEY, UD_B, 1));
        complains("source QP 0x44 is none of the sender's");
    }

    @Test
    void shouldNotLetASenderUseAControlledQkeyButItsOwn() {
        sent(datagram(0, UD_B, QKEY + 1, UD_A, 1));
        good();
        sent(datagram(1, UD_B, QKEY | 0x80000000, UD_A, 1));
        complains("a Q_Key under control");
    }

    @Test
    void shouldWantTheQueuePairNumberOfGroupsInWhatGoesToAGroup() {
        sentTo(GROUP, datagram(0, DatagramRules.GROUP_QPN, QKEY, UD_A, 1));
        good();
        sentTo(GROUP, datagram(1, UD_B, QKEY, UD_A, 1));
        complains("unknown destination");
    }

    @Test
    void shouldKnowWhatAGroupsMembersOnOneSideReceived() {
        arrives(sentTo(GROUP, datagram(0, DatagramRules.GROUP_QPN, QKEY, UD_A, 6)));
        assertTrue(udAtB.receive(6));
        assertFalse(udAtA.receive(6));
    }

    @Test
    void shouldNotTakeADatagramWithAnotherQkey() {
        arrives(sent(datagram(0, UD_B, QKEY + 1, UD_A, 6)));
        assertFalse(udAtB.receive(6));
        assertEquals(1, udAtB.badQkeys());
    }
}
