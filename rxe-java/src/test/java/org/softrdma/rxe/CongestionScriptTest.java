// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.rxe.qp.CongestionPoint;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendRequest;

/** Marks, congestion notifications and their effect on the packets of a queue pair. Sources: IBA annex A17, the DCQCN paper. */
class CongestionScriptTest {
    private static final long US = 1_000;
    private static final int CNP = 0x81;
    private static final int BECN = 0x40;
    private static final int ECT_0 = 2;
    /** Line rate 1 Gbit/s: 500 Mbit/s after the first notification, and the timers are too slow to raise it during a test. */
    private static final String HALF_A_GIGABIT = "dcqcn,rate=1gbit,timer=1s,bytes=999999999";
    /** A full packet, BTH to ICRC, at 500 Mbit/s. */
    private static final long PACKET_NS = (12 + 1024 + 4) * 8 * 2;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private RawPeer peer;
    private MemoryRegion memory;

    private void connect(String congestion) {
        setup.options = RxeOptions.DEFAULT.withCongestion(CongestionControl.parse(congestion));
        peer = new RawPeer(setup);
        memory = peer.side.memory(1 << 20, SimulatedPair.ALL_REMOTE);
    }

    private RawPacket write(int number) {
        return RawPacket.of(RawPacket.WRITE_ONLY, OUR_PSN + number).reth(memory.address(), memory.rkey(), 8).payload(8);
    }

    private static RawPacket notification() {
        return RawPacket.of(CNP, 0).payload(new byte[16]);
    }

    private void expectNotification() {
        RawPacket cnp = peer.expect(CNP, 0);
        assertEquals(RawPeer.QPN, cnp.destQpn());
        assertEquals(BECN, cnp.congestionBits);
        assertArrayEquals(new byte[16], cnp.payload(), "reserved");
    }

    // ---- notification point ----

    @Test
    void shouldAnswerMarkedPacketsWithOneNotificationPerInterval() {
        connect("dcqcn,cnp=50us");
        peer.sendMarked(write(0), write(1), write(2));
        expectNotification();
        peer.expectNothingFor(46 * US);
        peer.sendMarked(write(3));
        peer.expectNothingFor(3 * US);
        peer.send(write(4));
        peer.expectNothingFor(100 * US);
        peer.sendMarked(write(5));
        expectNotification();
        peer.expectNothingFor(MS);
        assertEquals(5, peer.side.counter("np_ecn_marked_roce_packets"));
        assertEquals(2, peer.side.counter("np_cnp_sent"));
    }

    /** IBA annex A17: a CNP is not answered by a CNP. Nor is a dropped packet: that would help unknown senders. */
    @Test
    void shouldNotAnswerMarkedNotificationsAndStrangers() {
        connect("dcqcn");
        peer.sendMarked(notification());
        peer.sendMarked(write(0).badIcrc());
        peer.sendMarked(write(0).destQpn(0x77));
        peer.expectNothingFor(MS);
        assertEquals(0, peer.side.counter("np_ecn_marked_roce_packets"));
        assertEquals(1, peer.side.counter("rp_cnp_handled"));
    }

    @Test
    void shouldSendPacketsThatMayBeMarked() {
        connect("dcqcn");
        peer.side.qp.postSend(wr.send().element(memory, 0, 10));
        assertEquals(ECT_0, peer.expect().trafficClass);
        peer.send(RawPacket.ack(THEIR_PSN), write(0).ackRequest());
        assertEquals(ECT_0, peer.expectAck(OUR_PSN).trafficClass);
        peer.sendMarked(write(1));
        assertEquals(ECT_0, peer.expect(CNP, 0).trafficClass);
    }

    /** The application's DSCP is kept, for any value of the ECN bits, which are not its own. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void shouldKeepTheDscp(int ecn) {
        setup.options = RxeOptions.DEFAULT.withCongestion(CongestionControl.DCQCN);
        peer = new RawPeer(setup, false);
        AddressVector plain = AddressVector.to(peer.gid(), 1);
        peer.side.qp.modify(SimulatedPair.init(setup, setup.accessA));
        peer.side.qp.modify(new QpAttributes().state(QpState.RTR).addressVector(new AddressVector(plain.dgid(), plain.sgidIndex(),
                plain.flowLabel(), plain.hopLimit(), 26 << 2 | ecn, plain.sl(), plain.port())).pathMtu(Mtu.MTU_1024)
            .destQpn(RawPeer.QPN).rqPsn(OUR_PSN & 0xffffff).maxDestRdAtomic(1).minRnrTimer(12));
        peer.side.qp.modify(SimulatedPair.rts(setup, THEIR_PSN));
        peer.side.qp.postSend(wr.send().element(peer.side.memory(8, 0), 0, 8));
        assertEquals(26 << 2 | ECT_0, peer.expect().trafficClass);
    }

    /** As with kernel rxe, nothing on the wire indicates congestion control. */
    @Test
    void shouldDoNothingButCountWhileItIsOff() {
        connect("none");
        peer.sendMarked(write(0).ackRequest());
        assertEquals(0, peer.expectAck(OUR_PSN).trafficClass);
        peer.send(notification());
        peer.side.qp.postSend(wr.write(0, 1).element(memory, 0, 100 * 1024));
        List<RawPacket> sent = peer.takeAll(10 * US);
        assertEquals(100, sent.size());
        assertEquals(0, sent.getLast().atNs - sent.getFirst().atNs);
        assertEquals(0, sent.getFirst().trafficClass);
        assertEquals(1, peer.side.counter("np_ecn_marked_roce_packets"));
        assertEquals(0, peer.side.counter("np_cnp_sent"));
        assertEquals(1, peer.side.counter("rp_cnp_ignored"));
        assertEquals(0, peer.side.counter("rp_cnp_handled"));
    }

    /** A CNP to a datagram's sender would need a path of its own. */
    @Test
    void shouldNotAnswerMarkedDatagrams() {
        setup.type = QpType.UD;
        connect("dcqcn");
        peer.sendMarked(RawPacket.of(RawPacket.UD_SEND, 1).deth(setup.qkey, 7).payload(8));
        peer.send(notification());
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("np_ecn_marked_roce_packets"));
        assertEquals(1, peer.side.counter("rp_cnp_ignored"));
    }

    // ---- reaction point ----

    /** Packets are sent at the rate, in bursts no longer than the credit of a host that woke late. */
    private static void checkRate(List<RawPacket> packets) {
        RawPacket first = packets.getFirst();
        for (int i = 1; i < packets.size(); i++) {
            long passedNs = packets.get(i).atNs - first.atNs;
            assertTrue(passedNs >= i * PACKET_NS - CongestionPoint.CREDIT_NS - PACKET_NS, "packet " + i + " after " + passedNs + " ns");
            assertTrue(passedNs <= (i + 1) * PACKET_NS + CongestionPoint.BURST_NS, "packet " + i + " after " + passedNs + " ns");
        }
    }

    @Test
    void shouldSendAtLineRateUntilNotified() {
        connect(HALF_A_GIGABIT);
        peer.side.qp.postSend(wr.write(0, 1).element(memory, 0, 100 * 1024));
        List<RawPacket> sent = peer.takeAll(10 * US);
        assertEquals(100, sent.size());
        assertEquals(0, sent.getLast().atNs - sent.getFirst().atNs);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RC", "UC"})
    void shouldSpaceRequestsAfterANotification(QpType service) {
        setup.type = service;
        connect(HALF_A_GIGABIT);
        peer.send(notification());
        peer.runFor(US);
        peer.side.qp.postSend(wr.write(0, 1).element(memory, 0, 100 * 1024));
        List<RawPacket> sent = peer.takeAll(3 * MS);
        assertEquals(100, sent.size());
        checkRate(sent);
        assertEquals(1, peer.side.counter("rp_cnp_handled"));
        assertEquals(0, peer.side.counter("rp_cnp_ignored"));
    }

    @Test
    void shouldSpaceReadResponsesAndAcknowledgeBesideThem() {
        connect(HALF_A_GIGABIT);
        peer.send(notification());
        peer.send(RawPacket.of(RawPacket.READ_REQUEST, OUR_PSN).reth(memory.address(), memory.rkey(), 100 * 1024));
        List<RawPacket> sent = peer.takeAll(3 * MS);
        assertEquals(100, sent.size());
        checkRate(sent);
        assertEquals(RawPacket.READ_LAST, sent.getLast().opcode());
    }

    @Test
    void shouldNotMakeAcknowledgementsWait() {
        connect(HALF_A_GIGABIT);
        peer.send(notification());
        peer.runFor(US);
        peer.side.qp.postSend(wr.write(0, 1).element(memory, 0, 100 * 1024));
        peer.takeAll(500 * US);
        peer.send(write(0).ackRequest());
        List<RawPacket> next = peer.takeAll(2 * US);
        assertTrue(next.stream().anyMatch(packet -> packet.opcode() == RawPacket.ACK), next.toString());
    }

    /** A second notification halves the rate left by the first one. */
    @Test
    void shouldSlowDownFurther() {
        connect(HALF_A_GIGABIT);
        peer.send(notification(), notification());
        peer.runFor(US);
        peer.side.qp.postSend(wr.write(0, 1).element(memory, 0, 100 * 1024));
        List<RawPacket> sent = peer.takeAll(6 * MS);
        assertEquals(100, sent.size());
        long lastNs = sent.getLast().atNs - sent.getFirst().atNs;
        assertTrue(Math.abs(lastNs - 99 * 2 * PACKET_NS) < CongestionPoint.CREDIT_NS, lastNs + " ns");
    }

    @Test
    void shouldDropNotificationsInError() {
        connect(HALF_A_GIGABIT);
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        peer.send(notification());
        peer.expectNothingFor(MS);
        assertEquals(1, peer.side.counter("drop_qp_state"));
        assertEquals(0, peer.side.counter("rp_cnp_handled"));
    }

    /** Held packets are gone after a reset, and a new connection starts at line rate. */
    @Test
    void shouldForgetItsRateInReset() {
        connect(HALF_A_GIGABIT);
        peer.send(notification());
        peer.runFor(US);
        peer.side.qp.postSend(wr.write(0, 1).element(memory, 0, 100 * 1024));
        peer.takeAll(500 * US);
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        peer.expectNothingFor(10 * MS);
        peer.side.qp.modify(new QpAttributes().state(QpState.RESET));
        SimulatedPair.connect(peer.side, peer.gid(), RawPeer.QPN, setup, setup.accessA, THEIR_PSN, OUR_PSN & 0xffffff);
        peer.side.qp.postSend(wr.write(0, 1).element(memory, 0, 100 * 1024));
        List<RawPacket> sent = peer.takeAll(10 * US);
        assertEquals(100, sent.size());
    }
}
