// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.cm.CmContext;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.rxe.engine.Gsi;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.mad.Mad;

/** Queue pair 1 at the packet edge: accepted packets, dropped packets with their counters, and the cost of a flood for others. */
class GsiTest {
    private static final int GSI_QKEY = 0x80010000;
    private static final int SERVICE_PORT = 7174;

    private final RawPeer peer = new RawPeer(new SimulatedPair.Setup());

    /** rping's REQ of kernel 6.1, except for addresses and numbers. */
    private ByteBuffer req(int commId) {
        ByteBuffer mad = ByteBuffer.allocate(256);
        mad.putInt(0, 0x01070203).putInt(16, 0x00100000);
        mad.putLong(8, 0x4711);
        mad.putInt(24, commId);
        mad.putLong(32, 0x01060000L | SERVICE_PORT).putLong(40, 0x505400fffe123456L);
        mad.putInt(56, commId << 8 | 1).putInt(60, 1).putInt(64, 0xa0).putInt(68, 0x5d4b04a7).putInt(72, 0xffff57f0).putInt(76, -1);
        mad.putLong(88, peer.gid().low()).putLong(104, peer.side.gid.low());
        mad.putInt(112, 0x66b69000).putInt(116, 0x00400098);
        mad.putInt(164, 0x0040b83d).putInt(180, peer.gid().ipv4()).putInt(196, peer.side.gid.ipv4());
        return mad;
    }

    private static RawPacket datagram(ByteBuffer mad) {
        return RawPacket.of(RawPacket.UD_SEND, 0).deth(GSI_QKEY, 1).payload(mad.array()).destQpn(1);
    }

    @Test
    void shouldAnswerFromQueuePairOneWithItsKey() {
        peer.send(datagram(req(5)));
        RawPacket answer = peer.expect();
        assertEquals(RawPacket.UD_SEND, answer.opcode());
        assertEquals(1, answer.destQpn());
        ByteBuffer deth = ByteBuffer.wrap(answer.headers());
        assertEquals(GSI_QKEY, deth.getInt(0));
        assertEquals(1, deth.getInt(4));
        ByteBuffer rej = ByteBuffer.wrap(answer.payload());
        assertEquals(256, rej.capacity());
        assertEquals(CmMessage.REJ, Mad.attribute(rej, 0));
        assertEquals(0x4711, Mad.transactionId(rej, 0));
        assertEquals(CmRejectReason.INVALID_SERVICE_ID, CmRej.REASON.get(rej, 0));
        peer.runFor(2 * MS);
        peer.send(datagram(req(6)));
        assertEquals(answer.psn() + 1, peer.expect().psn(), "one PSN after the other, whoever it goes to");
    }

    @Test
    void shouldDropWhatIsNoMadByName() {
        RawPacket good = datagram(req(5));
        assertDropped("drop_gsi_bad_qkey", RawPacket.of(RawPacket.UD_SEND, 0).deth(0x11111111, 1).payload(256).destQpn(1));
        assertDropped("drop_gsi_no_mad", RawPacket.of(RawPacket.SEND_ONLY, 0).payload(256).destQpn(1));
        assertDropped("drop_gsi_no_mad", RawPacket.of(RawPacket.UD_SEND_IMM, 0).deth(GSI_QKEY, 1).immediate(1).payload(256).destQpn(1));
        assertDropped("drop_gsi_no_mad", RawPacket.of(RawPacket.UD_SEND, 0).deth(GSI_QKEY, 1).payload(255).destQpn(1));
        assertDropped("drop_gsi_no_mad", RawPacket.of(RawPacket.UD_SEND, 0).deth(GSI_QKEY, 1).payload(260).destQpn(1));
        assertDropped("drop_gsi_no_mad", RawPacket.of(RawPacket.UD_SEND, 0).deth(GSI_QKEY, 1).payload(0).destQpn(1));
        assertDropped("drop_gsi_no_mad", RawPacket.of(0x7f, 0).deth(GSI_QKEY, 1).payload(256).destQpn(1));
        assertDropped("drop_bad_icrc", datagram(req(5)).badIcrc());
        assertDropped("drop_bad_pkey", datagram(req(5)).pkey(0x1234));
        assertDropped("drop_unknown_qpn", datagram(req(5)).destQpn(0));
        assertDropped("cm_drop_malformed", datagram(req(5).put(0, (byte) 2)));
        assertDropped("cm_drop_malformed", datagram(req(5).put(2, (byte) 1)));
        assertDropped("cm_drop_malformed", datagram(req(5).put(3, (byte) 0x81)));
        assertDropped("cm_drop_other_class", datagram(req(5).put(1, (byte) 3)));
        assertDropped("cm_drop_unknown_message", datagram(req(5).put(17, (byte) 0x1b)));
        assertDropped("cm_drop_unknown_id", datagram(req(5).put(17, (byte) CmMessage.RTU)));
        peer.send(good);
        peer.expect();
    }

    private void assertDropped(String counter, RawPacket packet) {
        long before = peer.side.counter(counter);
        peer.send(packet);
        peer.expectNothingFor(MS);
        assertEquals(before + 1, peer.side.counter(counter), counter);
    }

    /** Limited members of the default partition may send requests, too. */
    @Test
    void shouldTakeLimitedMembers() {
        peer.send(datagram(req(5)).pkey(0x7fff));
        assertEquals(RawPacket.UD_SEND, peer.expect().opcode());
    }

    /** The private data names an address of rdma_cm: a listener on the wildcard address listens on the device's. */
    @Test
    void shouldRefuseARequestForAnAddressThatIsNotOurs() {
        ((CmContext) peer.side.context).cmTransport().listen(CmEnd.SERVICE, (connection, request) -> RequestVerdict.TAKEN);
        peer.send(datagram(req(5).putInt(196, 0x08080808)));
        ByteBuffer rej = ByteBuffer.wrap(peer.expect().payload());
        assertEquals(CmMessage.REJ, Mad.attribute(rej, 0));
        assertEquals(CmRejectReason.CONSUMER, CmRej.REASON.get(rej, 0));
        peer.send(datagram(req(6)));
        peer.expectNothingFor(MS);
    }

    /**
     * One datagram for each interval instead of one for each request: the first refusal leaves at once, those of the requests after it
     * together, a millisecond later. The peer gets an answer to each.
     */
    @Test
    void shouldSendTheRefusalsOfAFloodTogether() {
        peer.send(datagram(req(5)));
        peer.runFor(MS / 20);
        List<RawPacket> first = peer.takeAll(0);
        assertEquals(1, first.size(), "the first is sent at once");
        for (int i = 6; i < 16; i++) {
            peer.send(datagram(req(i)));
            peer.runFor(MS / 20);
        }
        assertEquals(List.of(), peer.takeAll(0), "others wait");
        peer.runFor(MS / 2);
        List<RawPacket> others = peer.takeAll(0);
        assertEquals(10, others.size());
        for (int i = 0; i < 10; i++) {
            ByteBuffer rej = ByteBuffer.wrap(others.get(i).payload());
            assertEquals(CmMessage.REJ, Mad.attribute(rej, 0));
            assertEquals(CmRejectReason.INVALID_SERVICE_ID, CmRej.REASON.get(rej, 0));
        }
        peer.runFor(2 * MS);
        peer.send(datagram(req(20)));
        peer.runFor(MS / 20);
        assertEquals(1, peer.takeAll(0).size(), "after the flood");
        // As many as leave in one round need not wait.
        for (int i = 30; i < 46; i++) {
            peer.send(datagram(req(i)));
        }
        peer.runFor(MS / 20);
        assertEquals(16, peer.takeAll(0).size());
    }

    @Test
    void shouldBoundAFloodAndServeEstablishedConnections() {
        ((CmContext) peer.side.context).cmTransport().listen(CmEnd.SERVICE, (connection, request) -> RequestVerdict.DROPPED);
        MemoryRegion memory = peer.side.memory(100, SimulatedPair.ALL_REMOTE);
        peer.side.qp.postReceive(new ReceiveRequest().begin(1).element(memory, 0, 100));
        // As many as the wire holds.
        int flood = 4000;
        for (int i = 2; i < flood / 2 + 2; i++) {
            peer.send(datagram(req(i)));
        }
        peer.send(RawPacket.of(RawPacket.SEND_ONLY, RawPeer.OUR_PSN).payload(8).ackRequest());
        for (int i = 2; i < flood / 2 + 2; i++) {
            peer.send(datagram(req(i)));
        }
        peer.runFor(MS);
        assertEquals(1, peer.side.receives().size(), "data passes between the MADs");
        long taken = peer.side.counter("cm_received");
        long dropped = peer.side.counter("drop_gsi_full");
        assertEquals(flood, taken + dropped);
        assertTrue(taken >= Gsi.INBOX_MADS && dropped > 0, taken + " taken, " + dropped + " dropped");
        assertEquals(taken, peer.side.counter("cm_drop_backlog_full"));
        assertEquals(List.of(RawPacket.ACK), peer.takeAll(MS).stream().map(RawPacket::opcode).toList());
    }
}
