// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.PathRecord;

/**
 * Interfaces that this one sends to: first their link-layer address is asked for, then subnet administration for the path. Packets wait
 * meanwhile, a few for each. An address that was not confirmed for some time is asked for again, and used until nobody answers.
 */
final class Neighbours {
    /** Neighbours at most; the one that was not used for the longest time makes room. */
    static final int MAX_NEIGHBOURS = 1024;
    /** Packets that wait for a neighbour. */
    static final int MAX_WAITING = 16;
    /** Time for an answer to a solicitation. */
    static final long TIMEOUT_NS = 1_000_000_000L;
    /** Times that a neighbour is asked for at most. */
    static final int MAX_TRIES = 3;
    /** Time that an address counts as confirmed. */
    static final long CONFIRMED_NS = 60_000_000_000L;

    /** Sends solicitations. */
    interface Solicitor {
        void solicit(Gid ip, long nowNs);
    }

    private static final class Neighbour {
        final Gid ip;
        final Queue<ByteBuffer> waiting = new ArrayDeque<>();
        /** Look-ups that wait for the address. */
        final List<Consumer<Gid>> lookups = new ArrayList<>();
        LinkAddress address;
        /** PathRecord; null as long as no path is known. */
        ByteBuffer path;
        boolean findsPath;
        /** Solicitations without an answer. */
        int tries;
        /** When the next solicitation is due, or the address has to be confirmed. */
        long dueNs;

        Neighbour(Gid ip) {
            this.ip = ip;
        }

        boolean isAsked() {
            return tries > 0;
        }

        /** @param found GID of the port; null if no port answers */
        void endLookups(Gid found) {
            List<Consumer<Gid>> ended = List.copyOf(lookups);
            lookups.clear();
            ended.forEach(each -> each.accept(found));
        }
    }

    private final Paths paths;
    private final Counters<IpoibCounter> counters;
    private final Carrier out;
    private final Solicitor ask;
    private final Map<Gid, Neighbour> neighbours = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Begins without neighbours.
     *
     * @param out sends to a neighbour whose path is known
     * @param ask sends a solicitation for an IP address
     */
    Neighbours(Paths paths, Counters<IpoibCounter> counters, Carrier out, Solicitor ask) {
        this.paths = paths;
        this.counters = counters;
        this.out = out;
        this.ask = ask;
    }

    /** Sends to a neighbour as soon as its address and the path to it are known. */
    void send(Gid ip, ByteBuffer payload, long nowNs) {
        Neighbour neighbour = get(ip);
        if (!neighbour.isAsked() && (neighbour.address == null || Deadline.isDue(neighbour.dueNs, nowNs))) {
            solicit(neighbour, nowNs);
        }
        send(neighbour, payload, nowNs);
    }

    /**
     * Looks up the port that has an address. The number of look-ups at a time is the caller's to bound.
     *
     * @param found receives the GID of the port, or null if no port answers or the own port changes
     */
    void find(Gid ip, Consumer<Gid> found, long nowNs) {
        Neighbour neighbour = get(ip);
        if (neighbour.address != null && !neighbour.isAsked() && !Deadline.isDue(neighbour.dueNs, nowNs)) {
            found.accept(neighbour.address.gid());
            return;
        }
        neighbour.lookups.add(found);
        if (!neighbour.isAsked()) {
            solicit(neighbour, nowNs);
        }
    }

    private Neighbour get(Gid ip) {
        Neighbour known = neighbours.get(ip);
        if (known != null) {
            return known;
        }
        if (neighbours.size() == MAX_NEIGHBOURS) {
            Iterator<Neighbour> all = neighbours.values().iterator();
            Neighbour eldest = all.next();
            all.remove();
            eldest.waiting.forEach(lost -> counters.count(IpoibCounter.DROP_IPOIB_QUEUE_FULL));
            eldest.endLookups(null);
        }
        Neighbour made = new Neighbour(ip);
        neighbours.put(ip, made);
        return made;
    }

    private void solicit(Neighbour neighbour, long nowNs) {
        neighbour.tries++;
        neighbour.dueNs = nowNs + TIMEOUT_NS;
        counters.count(IpoibCounter.IPOIB_SOLICITATIONS);
        ask.solicit(neighbour.ip, nowNs);
    }

    private void send(Neighbour neighbour, ByteBuffer payload, long nowNs) {
        if (neighbour.path != null) {
            out.carry(neighbour.address, neighbour.path, payload, nowNs);
        } else if (neighbour.waiting.size() < MAX_WAITING) {
            neighbour.waiting.add(payload);
            findPath(neighbour, nowNs);
        } else {
            counters.count(IpoibCounter.DROP_IPOIB_QUEUE_FULL);
        }
    }

    private void findPath(Neighbour neighbour, long nowNs) {
        if (neighbour.address == null || neighbour.findsPath) {
            return;
        }
        neighbour.findsPath = true;
        LinkAddress wanted = neighbour.address;
        paths.ask(wanted.gid(), (record, answeredNs) -> {
            neighbour.findsPath = false;
            if (neighbours.get(neighbour.ip) == neighbour) {
                onPath(neighbour, wanted, record, answeredNs);
            }
        }, nowNs);
    }

    private void onPath(Neighbour neighbour, LinkAddress wanted, ByteBuffer record, long nowNs) {
        if (!wanted.equals(neighbour.address)) {
            findPath(neighbour, nowNs);
        } else if (record == null || PathRecord.DLID.get(record, 0) == 0) {
            lose(neighbour);
        } else {
            neighbour.path = record;
            for (ByteBuffer payload = neighbour.waiting.poll(); payload != null; payload = neighbour.waiting.poll()) {
                send(neighbour, payload, nowNs);
            }
        }
    }

    private void lose(Neighbour neighbour) {
        neighbour.waiting.forEach(lost -> counters.count(IpoibCounter.DROP_IPOIB_NO_NEIGHBOUR));
        neighbours.remove(neighbour.ip, neighbour);
        neighbour.endLookups(null);
    }

    /**
     * Learns an address from a message of its owner.
     *
     * @param make whether to keep it although nothing was sent to it yet: it will be
     */
    void learn(Gid ip, LinkAddress address, boolean make, long nowNs) {
        if (!make && !neighbours.containsKey(ip)) {
            return;
        }
        Neighbour neighbour = get(ip);
        neighbour.tries = 0;
        neighbour.dueNs = nowNs + CONFIRMED_NS;
        if (!address.equals(neighbour.address)) {
            neighbour.address = address;
            neighbour.path = null;
        }
        if (neighbour.path == null && !neighbour.waiting.isEmpty()) {
            findPath(neighbour, nowNs);
        }
        neighbour.endLookups(address.gid());
    }

    /** Forgets the neighbours with a link-layer address: the interface that had it may be gone, or have another one now. */
    void forget(LinkAddress address) {
        for (Neighbour each : List.copyOf(neighbours.values())) {
            if (address.equals(each.address)) {
                lose(each);
            }
        }
    }

    /** Forgets everything: the port is down, or the subnet changed. */
    void forget() {
        for (Neighbour each : List.copyOf(neighbours.values())) {
            lose(each);
        }
    }

    /** Asks again for those that did not answer, and gives up those that were asked often enough. */
    void onTime(long nowNs) {
        for (Neighbour each : List.copyOf(neighbours.values())) {
            if (each.isAsked() && Deadline.isDue(each.dueNs, nowNs)) {
                if (each.tries == MAX_TRIES) {
                    lose(each);
                } else {
                    solicit(each, nowNs);
                }
            }
        }
    }

    long deadlineNs() {
        long earliest = Deadline.NEVER;
        for (Neighbour each : neighbours.values()) {
            if (each.isAsked()) {
                earliest = Deadline.earlier(earliest, each.dueNs);
            }
        }
        return earliest;
    }
}
