// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.softrdma.device.link.Link;
import org.softrdma.device.link.Path;
import org.softrdma.device.link.ReceivedFrame;
import org.softrdma.rxe.cm.CmCounter;
import org.softrdma.rxe.cm.CmSettings;
import org.softrdma.rxe.cm.ConnectionManager;
import org.softrdma.rxe.cm.OutgoingMad;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.Bth;
import org.softrdma.wire.Deth;
import org.softrdma.wire.Mad;
import org.softrdma.wire.Opcode;
import org.softrdma.wire.PacketCheck;
import org.softrdma.wire.Psn;

/**
 * The general services interface, queue pair 1: takes management datagrams from the edge to communication management, and its datagrams to
 * the link.
 *
 * <p>What comes in waits in an inbox, of which each round of the device reads a few, and sends a few: a flood of requests takes a bounded
 * share of a round, the rest is data's. What finds the inbox full is dropped before its ICRC is looked at. Source: IBA vol 1 §13.5.1, §3.9.
 */
final class Gsi {
    /** MADs that wait to be read at most; Linux has 512 receives on its queue pair 1. */
    static final int INBOX_MADS = 512;
    /** MADs that are read, and that are sent, in one round of the device. */
    static final int MADS_PER_ROUND = 16;
    /** Paths to peers that are remembered. */
    private static final int PATHS = 256;
    private static final int HOP_LIMIT = 64;

    private final Link link;
    private final ConnectionManager manager;
    private final ArrayDeque<IncomingMad> inbox = new ArrayDeque<>();
    private final Map<Route, Path> paths = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Route, Path> eldest) {
            return size() > PATHS;
        }
    };
    private int nextPsn;

    private record IncomingMad(Gid local, Gid remote, ByteBuffer mad) {
    }

    private record Route(Gid local, Gid remote) {
    }

    Gsi(Link link, long caGuid, RandomGenerator random) {
        this.link = link;
        manager = new ConnectionManager(CmSettings.of(caGuid), random, address -> link.addresses().contains(address));
    }

    ConnectionManager manager() {
        return manager;
    }

    // ---- input ----

    /** The edge asks before it looks at partition and ICRC. @return why the packet is dropped, or null */
    RxeCounter check(ReceivedFrame frame) {
        ByteBuffer buffer = frame.buffer();
        int at = frame.offset();
        if (frame.local().isMulticast() || Bth.opcode(buffer, at) != Opcode.UD_SEND_ONLY
            || PacketCheck.payloadLength(buffer, at, frame.length()) != Mad.LENGTH) {
            return RxeCounter.DROP_GSI_NO_MAD;
        }
        if (Deth.qkey(buffer, at + Opcode.dethOffset(Opcode.UD_SEND_ONLY)) != Mad.GSI_QKEY) {
            return RxeCounter.DROP_GSI_BAD_QKEY;
        }
        return inbox.size() < INBOX_MADS ? null : RxeCounter.DROP_GSI_FULL;
    }

    /** A packet passed all checks of the edge. */
    void onPacket(ReceivedFrame frame) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        mad.put(0, frame.buffer(), frame.offset() + Opcode.headerLength(Opcode.UD_SEND_ONLY), Mad.LENGTH);
        inbox.add(new IncomingMad(frame.local(), new Gid(frame.remoteHigh(), frame.remoteLow()), mad));
    }

    /** Reads a part of what came in. @return how much was done */
    int takeIn(long nowNs) {
        int done = 0;
        while (done < MADS_PER_ROUND && !inbox.isEmpty()) {
            IncomingMad next = inbox.remove();
            manager.onMad(nowNs, next.local, next.remote, next.mad);
            done++;
        }
        return done + manager.onTime(nowNs);
    }

    // ---- output ----

    /** Whether there is something to read or to send without waiting for anything. */
    boolean isBusy() {
        return !inbox.isEmpty() || manager.hasOutgoing();
    }

    long deadlineNs() {
        return manager.deadlineNs();
    }

    /** Sends a part of what is to be sent. @return how many packets */
    int transmit(PacketWriter out) {
        int sent = 0;
        while (sent < MADS_PER_ROUND && out.hasRoom()) {
            OutgoingMad next = manager.nextOutgoing();
            if (next == null) {
                return sent;
            }
            send(next, out);
            sent++;
        }
        return sent;
    }

    private void send(OutgoingMad outgoing, PacketWriter out) {
        Path path;
        try {
            path = path(outgoing.local(), outgoing.remote());
        } catch (VerbsException noWay) {
            manager.counters().count(CmCounter.CM_DROP_NO_ROUTE);
            return;
        }
        int at = out.begin(path);
        int payloadAt = at + Opcode.headerLength(Opcode.UD_SEND_ONLY);
        Bth.put(out.buffer(), at, Opcode.UD_SEND_ONLY, false, 0, QpMachine.PKEY, Mad.GSI_QPN, true, nextPsn);
        Deth.put(out.buffer(), at + Opcode.dethOffset(Opcode.UD_SEND_ONLY), Mad.GSI_QKEY, Mad.GSI_QPN);
        out.buffer().put(payloadAt, outgoing.mad(), 0, Mad.LENGTH);
        out.finish(path, at, payloadAt + Mad.LENGTH);
        nextPsn = Psn.next(nextPsn);
    }

    /**
     * The way to a peer's GSI.
     *
     * @throws VerbsException as {@link Link#resolve}
     */
    Path path(Gid local, Gid remote) {
        Route route = new Route(local, remote);
        Path path = paths.get(route);
        if (path == null) {
            path = link.resolve(local, remote, 0, HOP_LIMIT);
            paths.put(route, path);
        }
        return path;
    }
}
