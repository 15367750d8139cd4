// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;

/**
 * The next hops of a link's paths, with the MAC addresses of the kernel's neighbour table: the kernel resolves them by ARP or neighbour
 * discovery and sends notices. For the link's owner.
 *
 * <p>A neighbour is kept while a path refers to it, so the bound on paths bounds them, too: connection requests from ever new addresses
 * leave nothing behind.
 */
final class Neighbours implements AutoCloseable {
    private static final long RETRY_NS = 50_000_000;

    private final RouteSocket questions;
    private final RouteSocket notices;
    private final WeakValueMap<Gid, Neighbour> known = new WeakValueMap<>();
    private final RouteSocket.Listener listener = new Notices();
    private boolean routesChanged;

    private final class Notices implements RouteSocket.Listener {
        @Override
        public void onNeighbour(Gid address, long mac) {
            Neighbour neighbour = known.get(address);
            if (neighbour != null) {
                neighbour.setMac(mac);
            }
        }

        @Override
        public void onRoutes() {
            routesChanged = true;
        }
    }

    Neighbours(LinuxSockets calls, int interfaceIndex) {
        questions = new RouteSocket(calls, interfaceIndex, false);
        boolean open = false;
        try {
            notices = new RouteSocket(calls, interfaceIndex, true);
            open = true;
        } finally {
            if (!open) {
                questions.close();
            }
        }
    }

    /** Descriptor to poll for input: then {@link #readNotices} must be called. */
    int fd() {
        return notices.fd();
    }

    /**
     * Looks up the next hop of a path.
     *
     * @throws org.softrdma.verbs.VerbsException ENETUNREACH, EHOSTUNREACH and others of the routing table
     */
    NextHop nextHop(Gid local, Gid remote) {
        return questions.nextHop(local, remote);
    }

    /** The neighbour of that address; the kernel starts to resolve it unless it is known. */
    Neighbour of(Gid address) {
        Neighbour neighbour = known.get(address);
        if (neighbour == null) {
            neighbour = new Neighbour(address, RouteSocket.UNKNOWN);
            known.put(address, neighbour);
        }
        if (!neighbour.isKnown()) {
            find(neighbour);
        }
        return neighbour;
    }

    /** Number of neighbours, including unreferenced ones that are not collected yet. */
    int size() {
        return known.size();
    }

    /** Reads the kernel's table, and makes the kernel resolve the address if it is unknown or failed before. */
    private void find(Neighbour neighbour) {
        neighbour.setRequestedNs(System.nanoTime());
        neighbour.setMac(questions.usableMac(neighbour.address()));
        if (!neighbour.isKnown()) {
            neighbour.setMac(RouteSocket.UNKNOWN);
            questions.probe(neighbour.address());
        }
    }

    /**
     * Repeats the request for a neighbour that packets wait for, at a bounded rate: the kernel discards neighbours and requests when the
     * interface goes down.
     */
    void retry(Neighbour neighbour) {
        if (neighbour.isUnreachable() || System.nanoTime() - neighbour.requestedNs() >= RETRY_NS) {
            find(neighbour);
        }
    }

    /** Reads the kernel's notices of changed neighbours and routes. */
    void readNotices() {
        if (notices.readNotices(listener)) {
            routesChanged = true;
            known.forEach((address, neighbour) -> neighbour.setMac(questions.usableMac(address)));
        }
    }

    /** Whether notices since the last call reported a changed routing table. */
    boolean routesChanged() {
        boolean changed = routesChanged;
        routesChanged = false;
        return changed;
    }

    /**
     * Makes the kernel probe stale neighbours that packets were sent to: it sees neither our packets nor the answers, and would keep a MAC
     * address for ever that belongs to another station by now.
     */
    void confirm() {
        known.forEach((address, neighbour) -> {
            if (neighbour.wasUsed() && questions.isStale(address)) {
                questions.probe(address);
            }
        });
    }

    @Override
    public void close() {
        questions.close();
        notices.close();
    }
}
