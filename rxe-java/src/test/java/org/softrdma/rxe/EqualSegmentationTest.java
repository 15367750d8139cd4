// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.rxe.config.Segmentation;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;

/** The device as requester with the option {@code segmentation equal}; its path MTU is 1024. */
class EqualSegmentationTest extends RequesterScript {
    private static final int MTU = 1024;
    private static final List<Integer> MESSAGE =
        List.of(RawPacket.WRITE_FIRST, RawPacket.WRITE_MIDDLE, RawPacket.WRITE_MIDDLE, RawPacket.WRITE_LAST);

    private final byte[] data = new byte[65 * MTU];
    private MemoryRegion from;
    private int nextPsn = THEIR_PSN;

    @BeforeEach
    void segmentEqually() {
        setup.options = RxeOptions.DEFAULT.withSegmentation(Segmentation.EQUAL);
    }

    private void open() {
        connect();
        new Random(7).nextBytes(data);
        from = peer.side.memory(data);
    }

    private void postWrite(long wrId, long va, int rkey, int length) {
        peer.side.qp.postSend(wr.write(va, rkey).wrId(wrId).element(from, 0, length).signaled());
    }

    /** Takes the packets of a WRITE, and acknowledges it. */
    private List<Integer> accept(int packets) {
        List<RawPacket> all = peer.takeAll(10 * US);
        assertEquals(packets, all.size());
        nextPsn += packets;
        peer.send(RawPacket.ack(nextPsn - 1));
        peer.runFor(10 * US);
        return all.stream().map(RawPacket::opcode).toList();
    }

    private List<Integer> write(long va, int rkey, int length) {
        postWrite(0, va, rkey, length);
        return accept((length + MTU - 1) / MTU);
    }

    @Test
    void shouldSendAWriteToAcceptedMemoryAsRequestsOfOneLength() {
        open();
        assertEquals(MESSAGE, write(REMOTE_VA, RKEY, 4 * MTU));
        postWrite(1, REMOTE_VA, RKEY, 4 * MTU - 3);
        for (int i = 0; i < 4; i++) {
            RawPacket packet = peer.expect(RawPacket.WRITE_ONLY, nextPsn + i);
            int bytes = i < 3 ? MTU : MTU - 3;
            assertEquals(List.of(REMOTE_VA + i * MTU, (long) bytes), List.of(packet.va(), packet.length()));
            assertEquals(RKEY, packet.rkey());
            assertArrayEquals(Arrays.copyOfRange(data, i * MTU, i * MTU + bytes), packet.payload());
            assertTrue(i < 3 || packet.asksForAck());
        }
        peer.send(RawPacket.nak(nextPsn + 2, RawPacket.NAK_SEQUENCE));
        assertEquals(REMOTE_VA + 2 * MTU, peer.expect(RawPacket.WRITE_ONLY, nextPsn + 2).va());
        assertEquals(REMOTE_VA + 3 * MTU, peer.expect(RawPacket.WRITE_ONLY, nextPsn + 3).va());
        assertEquals(List.of("0 SUCCESS"), completions());
        peer.send(RawPacket.ack(nextPsn + 3));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), completions());
    }

    /** A responder must refuse it before it places any of its data. */
    @ParameterizedTest
    @CsvSource({"-1,0", "1,0", "-4096,0", "4096,0", "0,1"})
    void shouldNotCutAWriteThatLeavesAcceptedMemory(long offset, int otherKey) {
        open();
        write(REMOTE_VA, RKEY, 4 * MTU);
        assertEquals(MESSAGE, write(REMOTE_VA + offset, RKEY + otherKey, 4 * MTU));
    }

    @Test
    void shouldAddNeighbouringMemoryToWhatIsAccepted() {
        open();
        write(REMOTE_VA + 4 * MTU, RKEY, 4 * MTU);
        write(REMOTE_VA, RKEY, 4 * MTU);
        write(REMOTE_VA + 8 * MTU, RKEY, 4 * MTU);
        write(REMOTE_VA + 5 * MTU, RKEY, MTU);
        assertEquals(12, write(REMOTE_VA, RKEY, 12 * MTU).stream().filter(each -> each == RawPacket.WRITE_ONLY).count());
        assertEquals(MESSAGE, write(REMOTE_VA + 9 * MTU, RKEY, 4 * MTU));
    }

    /** Nor is what lies between both places accepted. */
    @ParameterizedTest
    @ValueSource(longs = {-(1 << 20), 1 << 20})
    void shouldForgetWhatWasAcceptedElsewhere(long offset) {
        open();
        write(REMOTE_VA, RKEY, 4 * MTU);
        write(REMOTE_VA + offset, RKEY, 4 * MTU);
        assertEquals(MESSAGE, write(REMOTE_VA + offset / 2, RKEY, 4 * MTU));
        write(REMOTE_VA + offset, RKEY, 4 * MTU);
        assertEquals(MESSAGE, write(REMOTE_VA, RKEY, 4 * MTU));
    }

    /** The peer of a new connection may be another one, with other memory at that address. */
    @Test
    void shouldForgetWhatWasAcceptedBeforeAReset() {
        open();
        write(REMOTE_VA, RKEY, 4 * MTU);
        peer.side.qp.modify(new QpAttributes().state(QpState.RESET));
        SimulatedPair.connect(peer.side, peer.gid(), RawPeer.QPN, setup, setup.accessA, nextPsn & 0xffffff, RawPeer.OUR_PSN);
        assertEquals(MESSAGE, write(REMOTE_VA, RKEY, 4 * MTU));
    }

    /** The decision is made when the first packet is sent: the peer waits for the rest of a message that it has begun. */
    @Test
    void shouldRepeatAMessageAsItWasSentFirst() {
        open();
        postWrite(0, REMOTE_VA, RKEY, 4 * MTU);
        postWrite(1, REMOTE_VA, RKEY, 4 * MTU);
        assertEquals(8, peer.takeAll(10 * US).size());
        peer.send(RawPacket.nak(THEIR_PSN + 5, RawPacket.NAK_SEQUENCE));
        peer.expect(RawPacket.WRITE_MIDDLE, THEIR_PSN + 5);
        peer.expect(RawPacket.WRITE_MIDDLE, THEIR_PSN + 6);
        peer.expect(RawPacket.WRITE_LAST, THEIR_PSN + 7);
        assertEquals(List.of("0 SUCCESS"), completions());
    }

    /** The receiver's completion has the length of one request, and a WRITE of more packets gains nothing. */
    @Test
    void shouldNotCutWritesWithImmediateDataNorLongOnes() {
        open();
        write(REMOTE_VA, RKEY, 64 * MTU);
        assertEquals(64, write(REMOTE_VA, RKEY, 64 * MTU).stream().filter(each -> each == RawPacket.WRITE_ONLY).count());
        write(REMOTE_VA + MTU, RKEY, 64 * MTU);
        assertEquals(RawPacket.WRITE_FIRST, write(REMOTE_VA, RKEY, 65 * MTU).getFirst());
        peer.side.qp.postSend(wr.writeWithImmediate(REMOTE_VA, RKEY, 5).element(from, 0, 2 * MTU).signaled());
        assertEquals(RawPacket.WRITE_FIRST, accept(2).getFirst());
    }

    @ParameterizedTest
    @CsvSource({"16,2048", "15,4096"})
    void shouldRequestAReadInPairsWhileThatLeavesEnoughOfThePeersDepth(int depth, int requested) {
        setup.rdAtomic = depth;
        open();
        postRead(1, 4 * MTU);
        for (int at = 0; at < 4 * MTU; at += requested) {
            RawPacket request = peer.expect(RawPacket.READ_REQUEST, THEIR_PSN + at / MTU);
            assertEquals(List.of(REMOTE_VA + at, (long) requested), List.of(request.va(), request.length()));
        }
        peer.expectNothingFor(10 * US);
    }

    @Test
    void shouldTakeResponsesOfAReadThatWasRequestedInPairs() {
        setup.rdAtomic = 16;
        open();
        postRead(1, 3 * MTU + 5);
        assertEquals(2, peer.takeAll(10 * US).size());
        RawPacket[] responses = {
            RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(MTU),
            RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + 1).aeth(0x1f, 1).payload(MTU),
            RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN + 2).aeth(0x1f, 2).payload(MTU),
            RawPacket.of(RawPacket.READ_LAST, THEIR_PSN + 3).aeth(0x1f, 2).payload(5)};
        peer.send(responses);
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS"), completions());
        assertArrayEquals(joined(responses), placed(3 * MTU + 5));
    }

    /** Each request is answered by itself. */
    @Test
    void shouldRefuseResponsesThatJoinTwoRequests() {
        setup.rdAtomic = 16;
        open();
        postRead(1, 4 * MTU);
        assertEquals(2, peer.takeAll(10 * US).size());
        peer.send(RawPacket.of(RawPacket.READ_FIRST, THEIR_PSN).aeth(0x1f, 1).payload(MTU),
            RawPacket.of(RawPacket.READ_MIDDLE, THEIR_PSN + 1).payload(MTU));
        peer.runFor(MS / 2);
        assertEquals(List.of("1 BAD_RESP_ERR"), completions());
    }
}
