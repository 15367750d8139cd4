// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;

/**
 * The neighbours that a link's paths lead to, as the kernel knows them: what it learns, by ARP or neighbour discovery, we hear. The kernel
 * does the asking, too. For the link's owner.
 *
 * <p>Each is known as long as a path leads to it, so whatever bounds the paths bounds them: strangers who ask for connections from ever
 * new addresses leave nothing behind.
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

    /** To be polled for input: {@link #readNotices} has something to do then. */
    int fd() {
        return notices.fd();
    }

    /** @throws org.softrdma.verbs.VerbsException as {@link RouteSocket#nextHop} */
    NextHop nextHop(Gid local, Gid remote) {
        return questions.nextHop(local, remote);
    }

    /** The neighbour of that address, which the kernel is asked to find unless it knows it. */
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

    /** How many there are, those included that no path leads to any more and nobody noticed yet. */
    int size() {
        return known.size();
    }

    /** Asks the kernel, and has the kernel ask the wire if it does not know, once more if nobody answered before. */
    private void find(Neighbour neighbour) {
        neighbour.setRequestedNs(System.nanoTime());
        neighbour.setMac(questions.usableMac(neighbour.address()));
        if (!neighbour.isKnown()) {
            neighbour.setMac(RouteSocket.UNKNOWN);
            questions.probe(neighbour.address());
        }
    }

    /**
     * Packets are to go to a neighbour that is not known. The kernel is asked again now and then: when the link goes down it forgets its
     * neighbours, and that it was asked for them.
     */
    void retry(Neighbour neighbour) {
        if (neighbour.isUnreachable() || System.nanoTime() - neighbour.requestedNs() >= RETRY_NS) {
            find(neighbour);
        }
    }

    /** Takes in what the kernel learned. */
    void readNotices() {
        if (notices.readNotices(listener)) {
            routesChanged = true;
            known.forEach((address, neighbour) -> neighbour.setMac(questions.usableMac(address)));
        }
    }

    /** Whether the routing table changed since this was asked last, as far as was heard. */
    boolean routesChanged() {
        boolean changed = routesChanged;
        routesChanged = false;
        return changed;
    }

    /**
     * Has the kernel ask those again that packets went to and that it has not heard of for a while: it does not see our packets, nor what
     * they are answered with, and would believe in a MAC address for ever that is another station's by now.
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
