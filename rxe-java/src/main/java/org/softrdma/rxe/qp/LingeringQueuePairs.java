// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.util.ArrayDeque;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.Counters;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Psn;
import org.softrdma.wire.roce.Syndrome;

/**
 * Queue pairs that were destroyed a moment ago and still acknowledge what they had executed. A program that exits right after its last
 * receive would otherwise leave a peer whose acknowledgement got lost sending into nothing, and kernel rxe with retry_cnt 7 does so for
 * ever. Nothing new is ever accepted here.
 */
public final class LingeringQueuePairs {
    /** How long a queue pair lingers. */
    public static final long LINGER_NS = 500_000_000;
    /** How long a device that is closed waits for its last ghost to be asked. */
    private static final long STOP_DELAY_NS = 100_000_000;
    private static final int MAX_GHOSTS = 1024;

    private final Counters<RxeCounter> counters;
    private final Int2ObjectHashMap<Ghost> byQpn = new Int2ObjectHashMap<>();
    private final ArrayDeque<Ghost> oldestFirst = new ArrayDeque<>();
    private final ArrayDeque<Ghost> toAnswer = new ArrayDeque<>();

    /** What is left of a queue pair. */
    public static final class Ghost {
        private final int qpn;
        private final int destQpn;
        private final int acknowledge;
        private final Path path;
        private final Responder responder;
        private int answerPsn;
        private final long goneNs;
        private boolean asked;

        public Ghost(RcMachine qp, long goneNs) {
            qpn = qp.qpn();
            destQpn = qp.destQpn();
            acknowledge = qp.transport() | Opcode.RC_ACKNOWLEDGE;
            path = qp.path();
            responder = qp.responder();
            this.goneNs = goneNs;
        }

        public RxeCounter checkOrigin(ReceivedFrame frame) {
            return path.connects(frame) ? null : RxeCounter.DROP_WRONG_ADDRESS;
        }
    }

    public LingeringQueuePairs(Counters<RxeCounter> counters) {
        this.counters = counters;
    }

    public void add(Ghost ghost) {
        if (oldestFirst.size() == MAX_GHOSTS) {
            byQpn.remove(oldestFirst.remove().qpn);
        }
        byQpn.put(ghost.qpn, ghost);
        oldestFirst.add(ghost);
    }

    public Ghost find(int qpn) {
        return byQpn.get(qpn);
    }

    /** Whether the youngest ghost may still be asked something: for a while after its end, peers repeat what was not acknowledged. */
    public boolean lingers(long nowNs) {
        return !oldestFirst.isEmpty() && oldestFirst.peekLast().goneNs - nowNs > LINGER_NS - STOP_DELAY_NS;
    }

    /** Lets those go whose time is over. */
    public void expire(long nowNs) {
        while (!oldestFirst.isEmpty() && oldestFirst.peek().goneNs - nowNs <= 0) {
            byQpn.remove(oldestFirst.remove().qpn);
        }
    }

    /** A request that was executed before the end is acknowledged again; READs and atomics cannot be. */
    public void onPacket(Ghost ghost, ReceivedFrame frame) {
        int opcode = Bth.opcode(frame.buffer(), frame.offset());
        int psn = Bth.psn(frame.buffer(), frame.offset());
        if (Psn.compare(psn, ghost.responder.expectedPsn()) >= 0 || !Opcode.hasAny(opcode, Opcode.SEND | Opcode.WRITE)) {
            counters.count(RxeCounter.DROP_GHOST_REQUEST);
            return;
        }
        ghost.answerPsn = ghost.responder.acknowledgeable(psn);
        if (!ghost.asked) {
            ghost.asked = true;
            toAnswer.add(ghost);
        }
    }

    /** Sends the acknowledgements asked for. @return how many */
    public int transmit(PacketWriter out) {
        int sent = 0;
        while (!toAnswer.isEmpty() && out.hasRoom()) {
            Ghost ghost = toAnswer.remove();
            ghost.asked = false;
            int at = out.begin(ghost.path);
            Bth.put(out.buffer(), at, ghost.acknowledge, false, 0, QpMachine.PKEY, ghost.destQpn, false, ghost.answerPsn);
            Aeth.put(out.buffer(), at + Opcode.aethOffset(ghost.acknowledge), Syndrome.ACK_UNLIMITED, ghost.responder.msn());
            out.finish(ghost.path, at, at + Opcode.headerLength(ghost.acknowledge));
            counters.count(RxeCounter.GHOST_ACKS);
            sent++;
        }
        return sent;
    }
}
