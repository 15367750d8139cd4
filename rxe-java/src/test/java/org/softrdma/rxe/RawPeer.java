// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.StalledException;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.sim.PlainIcrc;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.link.sim.SimulatedLink;
import org.softrdma.verbs.Gid;

/**
 * A peer without a protocol: a test specifies the packets that it sends and must receive, on virtual time. The other end is one real
 * device with one queue pair, {@link #side}. One way takes 1 µs.
 */
public final class RawPeer implements DeviceWork {
    static final int QPN = 0x000abc;
    /** First PSN the device sends. */
    static final int THEIR_PSN = 0xfffffe;
    /** First PSN we send. */
    public static final int OUR_PSN = 0xfffffd;
    static final long MS = 1_000_000;
    /** Bound of an answer that waits for no timer: five round trips. Every timer of the device is far longer. */
    static final long AT_ONCE_NS = 10_000;
    /** Bound of what a timer causes. */
    private static final long PATIENCE_NS = 20_000 * MS;

    final SimulatedFabric fabric;
    final Simulation simulation;
    public final SimulatedPair.Side side;
    private final Gid gid = Gid.ofIpv4(0x0a000009);
    private final Gid otherGid = Gid.ofIpv4(0x0a00000a);
    private final SimulatedLink link;
    private final TransmitBatch batch = new TransmitBatch(8, SimulatedFabric.MAX_SENT_BYTES);
    private final ArrayDeque<RawPacket> received = new ArrayDeque<>();
    private final Path path;
    private final Path otherPath;

    RawPeer(SimulatedPair.Setup setup) {
        this(setup, true);
    }

    /** @param wrapper puts something between the device and its link to the fabric */
    RawPeer(SimulatedPair.Setup setup, UnaryOperator<Link> wrapper) {
        this(setup, true, wrapper);
    }

    /** @param connected false leaves the queue pair in RESET */
    RawPeer(SimulatedPair.Setup setup, boolean connected) {
        this(setup, connected, UnaryOperator.identity());
    }

    private RawPeer(SimulatedPair.Setup setup, boolean connected, UnaryOperator<Link> wrapper) {
        fabric = new SimulatedFabric(7, setup.faults);
        simulation = new Simulation(fabric);
        Gid theirs = Gid.ofIpv4(0x0a000001);
        Link device = wrapper.apply(fabric.attach(theirs));
        side = new SimulatedPair.Side(SimulatedRxe.open(simulation, device, new SplittableRandom(7), 9000, setup.options), theirs, setup);
        link = fabric.attach(gid, otherGid);
        simulation.add(this);
        path = link.resolve(PathRequest.v2(gid, theirs));
        otherPath = link.resolve(PathRequest.v2(otherGid, theirs));
        if (connected) {
            SimulatedPair.connect(side, gid, QPN, setup, setup.accessA, THEIR_PSN, OUR_PSN);
        }
    }

    public Gid gid() {
        return gid;
    }

    int sourcePort() {
        return path.sourcePort();
    }

    // ---- script ----

    public void send(RawPacket... packets) {
        for (RawPacket packet : packets) {
            sendBytes(path, packet.bytes(side.qp.qpNum(), gid, side.gid, path.sourcePort()));
        }
    }

    /** Sends packets that a switch marks: ECN CE. */
    void sendMarked(RawPacket... packets) {
        for (RawPacket packet : packets) {
            sendBytes(link.resolve(PathRequest.v2(gid, side.gid).withTrafficClass(3)), bytesOf(packet));
        }
    }

    /** Sends from an address that is not the one the queue pair was connected to. */
    void sendFromElsewhere(RawPacket packet) {
        sendBytes(otherPath, packet.bytes(side.qp.qpNum(), otherGid, side.gid, otherPath.sourcePort()));
    }

    /** Sends to a multicast group, to the queue pair number the packet names. */
    void sendToGroup(Gid group, RawPacket packet) {
        sendBytes(link.resolve(PathRequest.v2(gid, group).withHopLimit(1)), packet.bytes(side.qp.qpNum(), gid, group, path.sourcePort()));
    }

    void sendBytes(byte[] bytes) {
        sendBytes(path, bytes);
    }

    private void sendBytes(Path by, byte[] bytes) {
        int at = batch.begin(by);
        batch.buffer().put(at, bytes);
        batch.commit(bytes.length);
        link.send(batch);
    }

    byte[] bytesOf(RawPacket packet) {
        return packet.bytes(side.qp.qpNum(), gid, side.gid, path.sourcePort());
    }

    /** Next packet from the device, of any kind, which it sends without waiting for a timer. */
    RawPacket expect() {
        return next(AT_ONCE_NS);
    }

    /** Next packet from the device, which it sends without waiting for a timer. */
    RawPacket expect(int opcode, int psn) {
        return expectWithin(AT_ONCE_NS, opcode, psn);
    }

    /** Next packet from the device, which a timer of the device causes, at any time. */
    RawPacket expectByTimer(int opcode, int psn) {
        int arrived = received.size();
        long fromNs = nowNs();
        RawPacket packet = expectWithin(PATIENCE_NS, opcode, psn);
        assertTrue(arrived == 0 && packet.atNs - fromNs > AT_ONCE_NS, () -> packet + " came at once, not by a timer");
        return packet;
    }

    /** Next packet from the device, which arrives within this time from now. */
    RawPacket expectWithin(long durationNs, int opcode, int psn) {
        RawPacket packet = next(durationNs);
        assertEquals(String.format("opcode 0x%02x psn 0x%06x", opcode, psn & 0xffffff),
            String.format("opcode 0x%02x psn 0x%06x", packet.opcode(), packet.psn()), packet.toString());
        return packet;
    }

    private RawPacket next(long durationNs) {
        try {
            simulation.runUntil(() -> !received.isEmpty(), nowNs() + durationNs);
        } catch (StalledException silence) {
            throw new AssertionError("a packet was expected, but the device has nothing to send", silence);
        }
        if (received.isEmpty()) {
            throw new AssertionError("no packet within " + durationNs / 1000 + " us");
        }
        return received.remove();
    }

    RawPacket expectAck(int psn) {
        return expectSyndrome(psn, 0x1f);
    }

    RawPacket expectSyndrome(int psn, int syndrome) {
        RawPacket packet = expect(RawPacket.ACK, psn);
        assertEquals(Integer.toHexString(syndrome), Integer.toHexString(packet.syndrome()), "syndrome, hex");
        return packet;
    }

    /** Lets time pass; no packet may arrive. */
    void expectNothingFor(long durationNs) {
        simulation.runFor(durationNs);
        assertEquals(List.of(), new ArrayList<>(received), "packets although silence was expected");
    }

    long nowNs() {
        return fabric.nowNs();
    }

    void runFor(long durationNs) {
        simulation.runFor(durationNs);
    }

    /** Takes all packets that have arrived and arrive during this time. */
    List<RawPacket> takeAll(long durationNs) {
        simulation.runFor(durationNs);
        List<RawPacket> all = new ArrayList<>(received);
        received.clear();
        return all;
    }

    // ---- in the simulation ----

    @Override
    public int doWork(long nowNs) {
        return link.poll(frame -> {
            ByteBuffer buffer = frame.buffer();
            int icrc = PlainIcrc.of(side.gid, gid, frame.sourcePort(), buffer, frame.offset(), frame.length());
            assertEquals(icrc, PlainIcrc.stored(buffer, frame.offset(), frame.length()), "ICRC");
            RawPacket packet = RawPacket.parse(buffer, frame.offset(), frame.length(), nowNs);
            packet.trafficClass = frame.trafficClass();
            received.add(packet);
        }, 1000);
    }

    @Override
    public long deadlineNs() {
        return Long.MAX_VALUE;
    }

    @Override
    public void await(long timeoutNs) {
    }

    @Override
    public void wakeup() {
    }
}
