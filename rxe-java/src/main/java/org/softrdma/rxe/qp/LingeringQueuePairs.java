// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.util.ArrayDeque;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.Counters;
import org.softrdma.link.Path;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Syndrome;

/**
 * Recently destroyed queue pairs, which still acknowledge requests they had executed. If a program exits right after its last receive and
 * the acknowledgement is lost, its peer would otherwise keep sending to a queue pair that no longer exists, and kernel rxe with retry_cnt 7
 * never stops. No new request is accepted.
 */
public final class LingeringQueuePairs {
    /** How long a queue pair lingers. */
    public static final long LINGER_NS = 500_000_000;
    /** How long a device that is closed waits for requests that its last queue pair must acknowledge again. */
    private static final long STOP_DELAY_NS = 100_000_000;
    private static final int MAX_ENTRIES = 1024;

    private final Counters<RxeCounter> counters;
    private final Int2ObjectHashMap<Entry> byQpn = new Int2ObjectHashMap<>();
    private final ArrayDeque<Entry> oldestFirst = new ArrayDeque<>();
    private final ArrayDeque<Entry> toAcknowledge = new ArrayDeque<>();

    /** Remains of one queue pair: path, numbers, and what its responder had executed; not its queues, whose memory returns. */
    public static final class Entry {
        private final int qpn;
        private final int destQpn;
        /** Opcode of the service's acknowledgement. */
        private final int acknowledge;
        private final int pkey;
        private final Path path;
        private final Responder.Executed executed;
        /** When the entry expires. */
        private final long untilNs;
        private int acknowledgePsn;
        private boolean owesAcknowledge;

        Entry(RcMachine qp, long untilNs) {
            qpn = qp.qpn();
            destQpn = qp.destQpn();
            acknowledge = qp.transport() | Opcode.RC_ACKNOWLEDGE;
            pkey = qp.pkey();
            path = qp.path();
            executed = qp.responder().executed();
            this.untilNs = untilNs;
        }

        public RxeCounter checkOrigin(InboundPacket packet) {
            return path.connects(packet.frame()) ? null : RxeCounter.DROP_WRONG_ADDRESS;
        }

        public int pkey() {
            return pkey;
        }
    }

    public LingeringQueuePairs(Counters<RxeCounter> counters) {
        this.counters = counters;
    }

    public void add(Entry entry) {
        if (oldestFirst.size() == MAX_ENTRIES) {
            byQpn.remove(oldestFirst.remove().qpn);
        }
        byQpn.put(entry.qpn, entry);
        oldestFirst.add(entry);
    }

    public Entry find(int qpn) {
        return byQpn.get(qpn);
    }

    /** Whether the youngest entry may still receive requests: for a while, peers repeat those that were not acknowledged. */
    public boolean lingers(long nowNs) {
        return !oldestFirst.isEmpty() && oldestFirst.peekLast().untilNs - nowNs > LINGER_NS - STOP_DELAY_NS;
    }

    /** Removes the entries whose time is over. */
    public void expire(long nowNs) {
        while (!oldestFirst.isEmpty() && oldestFirst.peek().untilNs - nowNs <= 0) {
            byQpn.remove(oldestFirst.remove().qpn);
        }
    }

    /**
     * Acknowledges again a request that was executed before the queue pair was destroyed; READs and atomics cannot be answered.
     *
     * @return why the packet must be dropped, or null
     */
    public RxeCounter onPacket(Entry entry, InboundPacket packet) {
        if (packet.service() != Opcode.service(entry.acknowledge)) {
            return RxeCounter.DROP_WRONG_SERVICE;
        }
        if (Psn.compare(packet.psn(), entry.executed.expectedPsn()) >= 0 || !packet.hasAny(Opcode.SEND | Opcode.WRITE)) {
            return RxeCounter.DROP_GHOST_REQUEST;
        }
        entry.acknowledgePsn = entry.executed.acknowledgeable(packet.psn());
        if (!entry.owesAcknowledge) {
            entry.owesAcknowledge = true;
            toAcknowledge.add(entry);
        }
        return null;
    }

    /**
     * Sends the acknowledgements owed.
     *
     * @return number of packets
     */
    public int transmit(PacketWriter out) {
        int sent = 0;
        while (!toAcknowledge.isEmpty() && out.hasRoom()) {
            Entry entry = toAcknowledge.remove();
            entry.owesAcknowledge = false;
            int at = out.begin(entry.path);
            Bth.put(out.buffer(), at, entry.acknowledge, false, 0, entry.pkey, entry.destQpn, false, entry.acknowledgePsn);
            Aeth.put(out.buffer(), at + Opcode.aethOffset(entry.acknowledge), Syndrome.ACK_UNLIMITED, entry.executed.msn());
            out.finish(entry.path, at, at + Opcode.headerLength(entry.acknowledge));
            counters.count(RxeCounter.GHOST_ACKS);
            sent++;
        }
        return sent;
    }
}
