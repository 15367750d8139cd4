// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.device.verbs.MadPort;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.rxe.cm.CmCounter;
import org.softrdma.rxe.cm.CmSettings;
import org.softrdma.rxe.cm.CommunicationManager;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.OutgoingMad;
import org.softrdma.rxe.qp.InboundPacket;
import org.softrdma.rxe.qp.PacketWriter;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.rxe.qp.RxeCounter;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;

/**
 * General services interface, queue pair 1: passes received management datagrams to communication management or to the agent of their
 * class, and sends theirs.
 *
 * <p>Received datagrams wait in a bounded inbox. Each round of the device processes a few and sends a few, so a flood of requests takes a
 * bounded share of a round. A datagram that finds the inbox full is dropped before its ICRC is computed. Source: IBA vol 1 §13.5.1, §3.9.
 */
public final class Gsi {
    /** Maximum MADs in the inbox. Linux has 512 receives on its queue pair 1, and empties it in interrupts. */
    public static final int INBOX_MADS = 2048;
    /** Bytes of a datagram, BTH to ICRC. */
    public static final int PACKET_BYTES = Opcode.headerLength(Opcode.UD_SEND_ONLY) + Mad.LENGTH + Icrc.LENGTH;
    /** Maximum MADs processed, and sent, in one round of the device. */
    static final int MADS_PER_ROUND = 16;
    /**
     * Interval in which refusals are sent together. The first one is sent at once; under a flood of requests, the next ones leave as one
     * train for the price of one datagram, as those to a peer have equal lengths.
     */
    static final long REFUSAL_INTERVAL_NS = 1_000_000;
    /** Maximum MADs of agents that wait to be sent. */
    static final int OUTBOX_MADS = 64;
    /** Bytes needed of a MAD that was returned: its header and the communication IDs after it. */
    private static final int RETURNED_MAD_BYTES = 32;
    /** Bytes needed of a datagram that was returned, from the BTH on. */
    static final int RETURNED_BYTES = Opcode.headerLength(Opcode.UD_SEND_ONLY) + RETURNED_MAD_BYTES;
    /** Maximum cached paths to peers. */
    private static final int PATHS = 256;
    private static final int HOP_LIMIT = 64;

    private final Link link;
    private final CommunicationManager manager;
    private final Counters<RxeCounter> counters;
    /** Observes the datagrams that are dropped after they were received. */
    private final Supplier<QueuePairObserver> dropped;
    private final ArrayDeque<IncomingMad> inbox = new ArrayDeque<>();
    private final ArrayDeque<OutgoingMad> outbox = new ArrayDeque<>();
    /** Agents by management class. */
    private final Map<Integer, MadPort.Receiver> agents = new HashMap<>();
    private final Map<GidPair, Path> paths = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<GidPair, Path> eldest) {
            return size() > PATHS;
        }
    };
    private int nextPsn;
    /** Refusals were sent less than an interval before {@link #refusalsDueNs}. */
    private boolean holdsRefusals;
    private long refusalsDueNs;

    private record IncomingMad(GidPair gids, ByteBuffer mad) {
    }

    Gsi(Link link, long caGuid, RandomGenerator random, Counters<RxeCounter> counters, Supplier<QueuePairObserver> dropped) {
        this.link = link;
        this.counters = counters;
        this.dropped = dropped;
        manager = new CommunicationManager(CmSettings.of(caGuid), random, this::isOurs);
        if (link.subnetPort() != null) {
            manager.acceptPartitions(pkey -> link.subnetPort().hasPartitionOf(pkey));
        }
    }

    private boolean isOurs(Gid address) {
        return link.types().stream().anyMatch(type -> link.has(type, address));
    }

    public CommunicationManager manager() {
        return manager;
    }

    // ---- input ----

    /**
     * Checks a packet before its partition and ICRC are checked.
     *
     * @return why it must be dropped, or null
     */
    RxeCounter check(InboundPacket packet) {
        if (packet.frame().local().isMulticast() || packet.opcode() != Opcode.UD_SEND_ONLY || packet.payloadBytes() != Mad.LENGTH) {
            return RxeCounter.DROP_GSI_NO_MAD;
        }
        if (Deth.qkey(packet.buffer(), packet.dethAt()) != Mad.GSI_QKEY) {
            return RxeCounter.DROP_GSI_BAD_QKEY;
        }
        return inbox.size() < INBOX_MADS ? null : RxeCounter.DROP_GSI_FULL;
    }

    /** Queues a packet that passed all checks of the edge. */
    void onPacket(InboundPacket packet) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        mad.put(0, packet.buffer(), packet.payloadAt(), Mad.LENGTH);
        ReceivedFrame frame = packet.frame();
        GidPair ends = frame.isOnSubnet() ? new GidPair(GidType.IB, Gid.ofLid(frame.dlid()), Gid.ofLid(frame.slid()))
            : new GidPair(frame.type(), frame.local(), new Gid(frame.remoteHigh(), frame.remoteLow()));
        inbox.add(new IncomingMad(ends, mad));
    }

    /**
     * Handles a datagram of ours that its destination host returned by ICMP.
     *
     * @param packet at least {@link #RETURNED_BYTES} of it
     */
    void onReturned(ReceivedFrame packet) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        int madAt = packet.offset() + Opcode.headerLength(Opcode.UD_SEND_ONLY);
        mad.put(0, packet.buffer(), madAt, RETURNED_MAD_BYTES);
        manager.onPortUnreachable(new GidPair(packet.type(), packet.local(), new Gid(packet.remoteHigh(), packet.remoteLow())), mad);
    }

    /**
     * Processes a part of the inbox, and due timers.
     *
     * @return how much was done
     */
    int pollInput(long nowNs) {
        int done = 0;
        while (done < MADS_PER_ROUND && !inbox.isEmpty()) {
            deliver(nowNs, inbox.remove());
            done++;
        }
        return done + manager.onTime(nowNs);
    }

    /** Delivers to the agent of the MAD's class, or to communication management, which also handles unknown ones. */
    private void deliver(long nowNs, IncomingMad next) {
        MadPort.Receiver agent = agents.get(Mad.managementClass(next.mad, 0));
        if (agent == null || Mad.baseVersion(next.mad, 0) != Mad.BASE_VERSION) {
            manager.onMad(nowNs, next.gids, next.mad);
        } else if (!agent.onMad(next.gids.local(), next.gids.remote(), next.mad)) {
            counters.count(RxeCounter.DROP_MAD_AGENT_FULL);
            dropped.get().occurred(RecordedEvent.Effect.DROPPED, Reason.DROP_MAD_AGENT_FULL, 0, 0, 0);
        }
    }

    // ---- agents ----

    /**
     * Registers the agent of a class.
     *
     * @throws VerbsException EBUSY: the class has an agent
     */
    public void enter(int managementClass, MadPort.Receiver agent) {
        if (agents.putIfAbsent(managementClass, agent) != null) {
            throw new VerbsException(Errno.EBUSY, "open_mad_agent", "management class 0x" + Integer.toHexString(managementClass)
                + " has an agent already; close that one first");
        }
    }

    public void leave(int managementClass) {
        agents.remove(managementClass);
    }

    /**
     * Queues a datagram of an agent.
     *
     * @throws VerbsException no path to its destination, or ENOMEM: the outbox is full
     */
    public void send(OutgoingMad mad) {
        path(mad.gids());
        if (outbox.size() == OUTBOX_MADS) {
            throw new VerbsException(Errno.ENOMEM, "send_mad", OUTBOX_MADS + " management datagrams wait to be sent");
        }
        outbox.add(mad);
    }

    // ---- output ----

    /** Whether datagrams wait to be processed or sent. */
    boolean isBusy() {
        return !inbox.isEmpty() || !outbox.isEmpty() || manager.hasOutgoing() || manager.refusals() > 0 && !holdsRefusals
            || manager.refusals() >= MADS_PER_ROUND;
    }

    long deadlineNs() {
        return manager.refusals() == 0 ? manager.deadlineNs() : Deadline.earlier(manager.deadlineNs(), refusalsDueNs);
    }

    /**
     * Sends a part of the waiting datagrams.
     *
     * @return number of packets
     */
    int transmit(PacketWriter out) {
        int sent = 0;
        while (sent < MADS_PER_ROUND && out.hasRoom()) {
            OutgoingMad next = manager.hasOutgoing() ? manager.nextOutgoing() : outbox.poll();
            if (next == null) {
                return sent;
            }
            send(next, out);
            sent++;
        }
        return sent;
    }

    /**
     * Sends refusals, at most once in an interval unless many wait. Called after the data of a round has been written.
     *
     * @return number of packets
     */
    int transmitRefusals(long nowNs, PacketWriter out) {
        holdsRefusals &= !Deadline.isDue(refusalsDueNs, nowNs);
        if (manager.refusals() == 0 || holdsRefusals && manager.refusals() < MADS_PER_ROUND) {
            return 0;
        }
        int sent = 0;
        while (sent < MADS_PER_ROUND && manager.refusals() > 0 && out.hasRoom()) {
            send(manager.nextRefusal(), out);
            sent++;
        }
        holdsRefusals = true;
        refusalsDueNs = nowNs + REFUSAL_INTERVAL_NS;
        return sent;
    }

    private void send(OutgoingMad outgoing, PacketWriter out) {
        Path path;
        try {
            path = path(outgoing.gids());
        } catch (VerbsException noWay) {
            manager.counters().count(CmCounter.CM_DROP_NO_ROUTE);
            return;
        }
        int at = out.begin(path);
        out.finish(path, at, put(out.buffer(), at, outgoing.mad(), nextPsn));
        nextPsn = Psn.next(nextPsn);
    }

    /**
     * Writes a datagram between two GSIs, from the BTH on.
     *
     * @param mad 256 bytes at offset 0
     * @param psn u24
     * @return offset of its ICRC, which is left to the caller
     */
    public static int put(ByteBuffer to, int at, ByteBuffer mad, int psn) {
        int payloadAt = at + Opcode.headerLength(Opcode.UD_SEND_ONLY);
        Bth.put(to, at, Opcode.UD_SEND_ONLY, false, 0, QpMachine.PKEY, Mad.GSI_QPN, true, psn);
        Deth.put(to, at + Opcode.dethOffset(Opcode.UD_SEND_ONLY), Mad.GSI_QKEY, Mad.GSI_QPN);
        to.put(payloadAt, mad, 0, Mad.LENGTH);
        return payloadAt + Mad.LENGTH;
    }

    /**
     * Path to a peer's GSI, cached.
     *
     * @throws VerbsException as {@link Link#resolve}
     */
    public Path path(GidPair gids) {
        Path path = paths.get(gids);
        if (path == null) {
            path = link.resolve(gids.type() == GidType.IB ? PathRequest.withinSubnet(gids.local(), gids.remote().lid(), 0, 0)
                : new PathRequest(gids.type(), gids.local(), gids.remote(), 0, HOP_LIMIT, 0));
            paths.put(gids, path);
        }
        return path;
    }
}
