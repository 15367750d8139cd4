// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.link.LocalAddresses;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * The routes of a link's paths, which follow the host's routing table. Paths between the same addresses share one route, which is kept
 * while one of them exists. For the link's owner.
 */
final class Routes {
    private static final System.Logger LOG = System.getLogger(Routes.class.getName());

    private final Neighbours neighbours;
    private final WeakValueMap<Ends, Route> known = new WeakValueMap<>();

    /** Key of a route; with the type, because RoCE v1 cannot pass a router. */
    private record Ends(GidType type, Gid local, Gid remote) {
    }

    Routes(Neighbours neighbours) {
        this.neighbours = neighbours;
    }

    /**
     * The route between two addresses.
     *
     * @throws VerbsException ENETUNREACH, EHOSTUNREACH and others of the routing table
     */
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

    /** Applies a changed routing table to all routes. */
    void refresh() {
        known.forEach(this::refresh);
    }

    /** Updates a route. Without a new next hop the old one stays: the peer may still be reachable by it. */
    private void refresh(Ends ends, Route route) {
        try {
            route.setNeighbour(first(ends));
        } catch (VerbsException noRoute) {
            // Often temporary: an interface that goes down loses its routes until it is up again.
            LOG.log(System.Logger.Level.DEBUG, "route kept: " + noRoute.getMessage());
        }
    }

    /**
     * The station that frames to a peer are sent to.
     *
     * @throws VerbsException EHOSTUNREACH: no station on the wire can receive them
     */
    static Gid firstOf(NextHop hop, GidType type, Gid remote) {
        if (hop.own()) {
            throw new VerbsException(Errno.EHOSTUNREACH, "resolve_route", LocalAddresses.text(remote) + " is an address of another"
                + " interface of this host: frames cannot reach it by the wire. Give both devices link udp, or one a network"
                + " namespace of its own");
        }
        if (type == GidType.ROCE_V1 && !hop.neighbour().equals(remote)) {
            throw new VerbsException(Errno.EHOSTUNREACH, "resolve_route", LocalAddresses.text(remote) + " is behind the router "
                + LocalAddresses.text(hop.neighbour()) + ": RoCE v1 stays in one Ethernet segment, RoCE v2 does not");
        }
        return hop.neighbour();
    }
}
