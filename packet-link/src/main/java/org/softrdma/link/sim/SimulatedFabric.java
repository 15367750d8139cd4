// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.softrdma.device.SeededRandom;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.sim.VirtualWorld;
import org.softrdma.link.Path;
import org.softrdma.link.fault.Damage;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.fault.Wire;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.roce.Icrc;

/**
 * A network in memory with a virtual clock. It advances only in {@link #step} and {@link #advanceTo}, and all events follow from the seed,
 * the plan and the order of calls: the same run gives the same trace, on every machine.
 *
 * <p>Not thread-safe; no threads are needed.
 */
public final class SimulatedFabric implements VirtualWorld {
    /** Longest packet, BTH to ICRC; longer ones are refused and counted, as a host does with EMSGSIZE. */
    public static final int MAX_SENT_BYTES = 8192;
    private static final int ICRC_COVERS_AT_LEAST = 12;
    private static final int FIRST_SOURCE_PORT = 0xC000;
    /** ECN, the low bits of the traffic class: 0 is not ECN-capable, 3 is marked. RFC 3168 §5 */
    private static final int CONGESTION_EXPERIENCED = 3;

    private final long seed;
    private final SeededRandom random;
    private final PriorityQueue<Packet> flying = new PriorityQueue<>(Packet::compare);
    private final ArrayDeque<Packet> pool = new ArrayDeque<>();
    private final Map<Gid, SimulatedLink> links = new HashMap<>();
    private final Map<Flow.Key, Flow> flows = new LinkedHashMap<>();
    /** Members of each multicast group, by one of their addresses, in the order in which they joined. */
    private final Map<Gid, LinkedHashSet<Gid>> groups = new HashMap<>();
    private final long[] counts = new long[Fate.values().length];
    private final Damage damage = new Damage();
    private final Icrc icrc = new Icrc();
    private FaultPlan plan;
    private PacketObserver observer = (nowNs, from, to, packet, offset, length, fate) -> { };
    private long nowNs;
    private long sequence;
    private int attached;

    /**
     * Creates a fabric whose clock begins at 0.
     *
     * @param seed of all chance
     * @param plan faults of each direction between two links
     */
    public SimulatedFabric(long seed, FaultPlan plan) {
        this(seed, plan, 0);
    }

    /**
     * Creates a fabric.
     *
     * @param seed    of all chance
     * @param plan    faults of each direction between two links
     * @param startNs first reading of the clock; like {@link System#nanoTime} it may be negative
     */
    public SimulatedFabric(long seed, FaultPlan plan, long startNs) {
        this.seed = seed;
        this.plan = plan;
        random = new SeededRandom(seed);
        nowNs = startNs;
    }

    /**
     * Attaches a link with {@link LinkProfile#DEFAULT}.
     *
     * @param addresses of the link
     * @return the link
     * @throws VerbsException EADDRINUSE if an open link has one of the addresses
     */
    public SimulatedLink attach(Gid... addresses) {
        return attach(LinkProfile.DEFAULT, addresses);
    }

    /**
     * Attaches a link.
     *
     * @param profile   properties of the link
     * @param addresses of the link
     * @return the link
     * @throws VerbsException EADDRINUSE if an open link has one of the addresses
     */
    public SimulatedLink attach(LinkProfile profile, Gid... addresses) {
        for (Gid address : addresses) {
            refuseIfTaken(address);
        }
        SimulatedLink link = new SimulatedLink(this, List.of(addresses), profile, FIRST_SOURCE_PORT + attached++);
        for (Gid address : addresses) {
            links.put(address, link);
        }
        return link;
    }

    private void refuseIfTaken(Gid address) {
        if (links.containsKey(address)) {
            throw new VerbsException(Errno.EADDRINUSE, "open_device", address + " belongs to another link of the simulated fabric");
        }
    }

    /** Adds an address to the link. */
    void bind(SimulatedLink link, Gid address) {
        refuseIfTaken(address);
        links.put(address, link);
    }

    /** Removes an address from the link. */
    void unbind(SimulatedLink link, Gid address) {
        links.remove(address, link);
    }

    @Override
    public long seed() {
        return seed;
    }

    /** Virtual time. */
    @Override
    public long nowNs() {
        return nowNs;
    }

    /** {@return the faults of now} */
    public FaultPlan plan() {
        return plan;
    }

    /**
     * Replaces the plan, for packets sent from now on.
     *
     * @param newPlan faults of each direction between two links
     */
    public void plan(FaultPlan newPlan) {
        plan = newPlan;
    }

    /**
     * Replaces the observer.
     *
     * @param newObserver sees every packet
     */
    public void observe(PacketObserver newObserver) {
        observer = newObserver;
    }

    /**
     * Counts what happened to packets.
     *
     * @param fate of the packets
     * @return the number of times that it was reported
     */
    public long count(Fate fate) {
        return counts[fate.ordinal()];
    }

    /** {@return the number of packets between a sender and an inbox} */
    public int inFlight() {
        return flying.size();
    }

    @Override
    public String describe() {
        return inFlight() + " packets in flight, " + plan;
    }

    /**
     * Drops the packets of one direction for a time; the other direction stays open.
     *
     * @param from       address of their sender
     * @param to         address of their receiver
     * @param durationNs from now on
     */
    public void partition(Gid from, Gid to, long durationNs) {
        flow(from, to).wire.partitionUntil(after(durationNs));
    }

    /**
     * Holds the packets of one direction for a time, then delivers them in order.
     *
     * @param from       address of their sender
     * @param to         address of their receiver
     * @param durationNs from now on
     */
    public void clog(Gid from, Gid to, long durationNs) {
        flow(from, to).wire.clogUntil(after(durationNs));
    }

    /** Ends all faults: rates, partitions and clogs. Held packets arrive now, in order; reordered packets arrive at their drawn time. */
    public void heal() {
        plan = plan.healed();
        List<Packet> held = new ArrayList<>();
        for (Packet packet : flying) {
            if (packet.held) {
                held.add(packet);
            }
        }
        flying.removeAll(held);
        held.sort(Packet::compare);
        for (Flow flow : flows.values()) {
            flow.wire.heal();
        }
        for (Packet packet : flying) {
            packet.flow.wire.keepOrderAfter(packet.arrivesNs);
        }
        for (Packet packet : held) {
            packet.held = false;
            long soonestNs = packet.flow.wire.inOrder(nowNs + plan.delayMinNs());
            packet.arrivesNs = packet.arrivesNs - soonestNs < 0 ? packet.arrivesNs : soonestNs;
            packet.flow.wire.keepOrderAfter(packet.arrivesNs);
            flying.add(packet);
        }
    }

    /** Time at which the next packet arrives; {@link Deadline#NEVER} if none is in flight. */
    @Override
    public long nextEventNs() {
        return flying.isEmpty() ? Deadline.NEVER : flying.peek().arrivesNs;
    }

    /**
     * Moves the clock to the next arrival and delivers that packet.
     *
     * @return false if no packet is in flight: the clock stays
     */
    public boolean step() {
        if (flying.isEmpty()) {
            return false;
        }
        Packet packet = flying.poll();
        moveClock(packet.arrivesNs);
        deliver(packet);
        return true;
    }

    /** Delivers all packets that arrive up to and including {@code timeNs}, and moves the clock there. */
    @Override
    public void advanceTo(long timeNs) {
        while (!flying.isEmpty() && flying.peek().arrivesNs - timeNs <= 0) {
            step();
        }
        moveClock(timeNs);
    }

    private void moveClock(long timeNs) {
        nowNs = timeNs - nowNs > 0 ? timeNs : nowNs;
    }

    private long after(long durationNs) {
        long until = nowNs + durationNs;
        return durationNs > 0 && until < nowNs ? Long.MAX_VALUE - 1 : until;
    }

    SimulatedLink linkAt(Gid address) {
        return links.get(address);
    }

    Flow flow(Gid from, Gid to) {
        return flows.computeIfAbsent(new Flow.Key(from, to), key -> new Flow(from, to));
    }

    void detach(SimulatedLink link) {
        for (Gid address : link.addresses()) {
            links.remove(address, link);
            groups.values().forEach(members -> members.remove(address));
        }
    }

    void join(Gid group, Gid member) {
        groups.computeIfAbsent(group, none -> new LinkedHashSet<>()).add(member);
    }

    void leave(Gid group, Gid member) {
        groups.get(group).remove(member);
    }

    /** Sends a copy to each member, the sender included if it is one; each copy has faults of its own. */
    void carryToGroup(Path path, ByteBuffer bytes, int offset, int length, long departsNs) {
        for (Gid member : groups.getOrDefault(path.remote(), new LinkedHashSet<>())) {
            carry(flow(path.local(), member), path, bytes, offset, length, departsNs);
        }
    }

    void report(Flow flow, ByteBuffer buffer, int offset, int length, Fate fate) {
        counts[fate.ordinal()]++;
        observer.onPacket(nowNs, flow.from, flow.to, buffer, offset, length, fate);
    }

    private void report(Packet packet, Fate fate) {
        report(packet.flow, packet.buffer, Packet.OFFSET, packet.length, fate);
    }

    /** Draws the faults of a packet that leaves its sender at {@code departsNs}, and launches its copies. */
    void carry(Flow flow, Path path, ByteBuffer bytes, int offset, int length, long departsNs) {
        Wire wire = flow.wire;
        wire.drawPacket(random, plan, nowNs);
        if (wire.isPartitioned()) {
            report(flow, bytes, offset, length, Fate.PARTITIONED);
            return;
        }
        if (wire.isLost()) {
            report(flow, bytes, offset, length, Fate.LOST);
            return;
        }
        if (wire.isDuplicated()) {
            report(flow, bytes, offset, length, Fate.DUPLICATED);
            launch(copy(flow, path, bytes, offset, length), path, departsNs);
        }
        launch(copy(flow, path, bytes, offset, length), path, departsNs);
    }

    private Packet copy(Flow flow, Path path, ByteBuffer bytes, int offset, int length) {
        Packet packet = pool.isEmpty() ? new Packet() : pool.poll();
        packet.buffer.put(Packet.OFFSET, bytes, offset, length);
        packet.length = length;
        packet.flow = flow;
        packet.to = path.remote();
        packet.type = path.type();
        packet.trafficClass = path.trafficClass();
        packet.sourcePort = path.sourcePort();
        packet.held = false;
        packet.passedPort = false;
        packet.sequence = sequence++;
        return packet;
    }

    private void launch(Packet packet, Path path, long departsNs) {
        hideIpId(packet, path);
        corrupt(packet);
        Wire wire = packet.flow.wire;
        packet.arrivesNs = wire.drawArrival(random, plan, nowNs, departsNs);
        packet.held = wire.isClogged();
        if (wire.isClogged()) {
            report(packet, Fate.CLOGGED);
        }
        if (wire.isReordered()) {
            report(packet, Fate.REORDERED);
        }
        flying.add(packet);
    }

    /** Draws an identification as a kernel would choose it, and adjusts the ICRC. */
    private void hideIpId(Packet packet, Path path) {
        int id = random.below(0x1_0000);
        SimulatedLink receiver = links.get(packet.flow.to);
        int covered = packet.length - Icrc.LENGTH;
        if (receiver == null || receiver.profile().ipHeader() != LinkProfile.IpHeader.HIDDEN_RANDOM || !path.isIpv4()
            || covered < ICRC_COVERS_AT_LEAST) {
            return;
        }
        int end = Packet.OFFSET + covered;
        int difference = icrcWith(packet, path, 0, end) ^ icrcWith(packet, path, id, end);
        Icrc.put(packet.buffer, end, Icrc.get(packet.buffer, end) ^ difference);
    }

    private int icrcWith(Packet packet, Path path, int ipId, int end) {
        int prefix = Icrc.putIpv4Prefix(packet.buffer, Packet.OFFSET, path.local().ipv4(), path.remote().ipv4(), ipId, true,
            path.sourcePort(), path.destPort(), packet.length);
        return icrc.overPrefix(packet.buffer, prefix, Packet.OFFSET, end);
    }

    private void corrupt(Packet packet) {
        damage.draw(random, plan, packet.length);
        if (damage.isFlipped()) {
            damage.flip(packet.buffer, Packet.OFFSET);
            report(packet, Fate.FLIPPED);
        }
        if (damage.isTruncated()) {
            packet.length = damage.truncate();
            report(packet, Fate.TRUNCATED);
        } else if (damage.isExtended()) {
            packet.length = damage.extend(random, packet.buffer, Packet.OFFSET, packet.length);
            report(packet, Fate.EXTENDED);
        }
    }

    private void deliver(Packet packet) {
        SimulatedLink receiver = links.get(packet.flow.to);
        if (receiver != null && receiver.profile().port() != null && !packet.passedPort) {
            queue(packet, receiver);
            return;
        }
        Fate fate = receiver == null ? Fate.NO_RECEIVER : receiver.offer(packet) ? Fate.DELIVERED : Fate.INBOX_FULL;
        report(packet, fate);
        if (fate != Fate.DELIVERED) {
            release(packet);
        }
    }

    /** Queues a packet at the port before its receiver, marks it, or drops it. */
    private void queue(Packet packet, SimulatedLink receiver) {
        SwitchPort port = receiver.profile().port();
        double waitingBytes = receiver.portQueueBytes();
        if (waitingBytes > port.queueBytes()) {
            report(packet, Fate.QUEUE_FULL);
            release(packet);
            return;
        }
        boolean marked = random.chance(port.markChance(waitingBytes));
        if (marked && (packet.trafficClass & CONGESTION_EXPERIENCED) != 0) {
            packet.trafficClass |= CONGESTION_EXPERIENCED;
            report(packet, Fate.MARKED);
        }
        packet.passedPort = true;
        packet.held = false;
        packet.arrivesNs = receiver.passPort(packet);
        flying.add(packet);
    }

    void release(Packet packet) {
        packet.poison();
        pool.add(packet);
    }
}
