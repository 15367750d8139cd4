// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.link.LocalAddresses;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * The routes of a link's paths, as the host's routing table has them; when that changes, they do, too. Paths between the same addresses
 * share one, which is known as long as one of them is there. For the link's owner.
 */
final class Routes {
    private final Neighbours neighbours;
    private final WeakValueMap<Ends, Route> known = new WeakValueMap<>();

    /** From where to where. RoCE v1 cannot pass a router. */
    private record Ends(GidType type, Gid local, Gid remote) {
    }

    Routes(Neighbours neighbours) {
        this.neighbours = neighbours;
    }

    /** @throws VerbsException as {@link #firstOf} and {@link RouteSocket#nextHop} */
    Route between(GidType type, Gid local, Gid remote) {
        Ends ends = new Ends(type, local, remote);
        Neighbour first = first(ends);
        Route route = known.get(ends);
        if (route == null) {
            route = new Route(first);
            known.put(ends, route);
        }
        route.setNeighbour(first);
        return route;
    }

    private Neighbour first(Ends ends) {
        return neighbours.of(firstOf(neighbours.nextHop(ends.local, ends.remote), ends.type, ends.remote));
    }

    /** The routing table changed. */
    void refresh() {
        known.forEach(this::refresh);
    }

    /** A peer that there is no way to now may still be where it was: its route stays. */
    private void refresh(Ends ends, Route route) {
        try {
            route.setNeighbour(first(ends));
        } catch (VerbsException noWay) {
            // For now, perhaps: an interface that goes down loses its routes until it is up again.
        }
    }

    /**
     * Whom packets to a peer are sent to on the wire.
     *
     * @throws VerbsException EHOSTUNREACH: nobody on the wire can take them
     */
    static Gid firstOf(NextHop hop, GidType type, Gid remote) {
        if (hop.own()) {
            throw new VerbsException(Errno.EHOSTUNREACH, "resolve_route", LocalAddresses.text(remote) + " is an address of another"
                + " interface of this host: frames do not get there by the wire. Give both devices link udp, or one a network"
                + " namespace of its own");
        }
        if (type == GidType.ROCE_V1 && !hop.neighbour().equals(remote)) {
            throw new VerbsException(Errno.EHOSTUNREACH, "resolve_route", LocalAddresses.text(remote) + " is behind the router "
                + LocalAddresses.text(hop.neighbour()) + ": RoCE v1 stays in one Ethernet segment, RoCE v2 does not");
        }
        return hop.neighbour();
    }
}
