// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.util.List;
import java.util.stream.IntStream;
import org.softrdma.device.Counters;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.wire.roce.Bth;

/** An RC machine with its work queues, a batch for its packets, and time that a test sets. */
final class MachineEnd {
    static final long NOW_NS = 1_000_000;

    boolean inMemory;
    int retryCount = 7;
    Mtu mtu = Mtu.MTU_256;
    long nowNs = NOW_NS;
    final TestQueues queues = new TestQueues();
    final Counters<RxeCounter> counters = new Counters<>(RxeCounter.class);
    final TransmitBatch batch = new TransmitBatch(256, 4200);
    final PacketWriter writer = new PacketWriter(batch, counters, _ -> !inMemory);
    final FlightBudget flight = new FlightBudget();
    final RcMachine machine;
    final Gid address;

    MachineEnd(int qpn, int host) {
        machine = new RcMachine(qpn, queues, queues.table, counters, flight);
        address = Gid.ofIpv4(0x0a000000 | host);
    }

    void connect(MachineEnd peer, int ownPsn, int peerPsn) {
        readyToReceive(peer, peerPsn);
        readyToSend(ownPsn);
    }

    void readyToReceive(MachineEnd peer, int peerPsn) {
        machine.modify(new QpAttributes().accessFlags(AccessFlags.REMOTE_ANY), QpState.INIT, null);
        machine.modify(new QpAttributes().pathMtu(mtu).destQpn(peer.machine.qpn()).rqPsn(peerPsn).maxDestRdAtomic(1)
            .minRnrTimer(1), QpState.RTR, new Path(address, peer.address, 4791, 4791, 0, 64, null));
    }

    void readyToSend(int ownPsn) {
        machine.modify(new QpAttributes().sqPsn(ownPsn).timeout(14).retryCount(retryCount).rnrRetry(7).maxRdAtomic(1), QpState.RTS, null);
    }

    /** Transmits one turn and returns the opcodes of its packets, which are lost. */
    List<Integer> turn() {
        return turn(QpMachine.TURN_PACKETS);
    }

    /** The same with a budget of so many packets. */
    List<Integer> turn(int budget) {
        int first = batch.end();
        int sent = machine.transmit(nowNs, writer, budget);
        machine.onHandedOver(nowNs);
        return opcodes(first, sent);
    }

    /** Opcodes of packets in the batch. */
    List<Integer> opcodes(int first, int count) {
        return IntStream.range(first, first + count).mapToObj(i -> Bth.opcode(batch.buffer(), batch.offset(i))).toList();
    }

    /** Lets time pass until the machine's deadline, and handles it. */
    void expireTimer() {
        nowNs = machine.deadlineNs();
        machine.onTimer(nowNs);
    }

    /**
     * Transmits until nothing more is sent, and hands each packet to the peer.
     *
     * @return packets
     */
    int transmitTo(MachineEnd peer) {
        batch.sent(batch.end() - batch.first());
        while (machine.transmit(nowNs, writer, QpMachine.TURN_PACKETS) > 0) {
            continue;
        }
        machine.onHandedOver(nowNs);
        int packets = batch.end() - batch.first();
        for (int i = batch.first(); i < batch.end(); i++) {
            peer.machine.onPacket(peer.nowNs, packet(peer, i));
        }
        batch.sent(packets);
        return packets;
    }

    /** A packet of the batch as the peer receives it. */
    InboundPacket packet(MachineEnd peer, int index) {
        InboundPacket packet = new InboundPacket();
        packet.set(new ReceivedFrame().begin(batch.buffer(), batch.offset(index), batch.length(index))
            .addresses(peer.address, address.high(), address.low()).ports(4791, 4791));
        return packet;
    }
}
