// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.link;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
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
    private final Map<Ends, Entry> known = new HashMap<>();
    private final ReferenceQueue<Route> unused = new ReferenceQueue<>();

    /** From where to where. RoCE v1 cannot pass a router. */
    private record Ends(GidType type, Gid local, Gid remote) {
    }

    /** Does not keep a route that no path takes. */
    private static final class Entry extends WeakReference<Route> {
        final Ends ends;

        Entry(Ends ends, Route route, ReferenceQueue<Route> unused) {
            super(route, unused);
            this.ends = ends;
        }
    }

    Routes(Neighbours neighbours) {
        this.neighbours = neighbours;
    }

    /** @throws VerbsException as {@link #firstOf} and {@link RouteSocket#nextHop} */
    Route between(GidType type, Gid local, Gid remote) {
        forgetUnused();
        Ends ends = new Ends(type, local, remote);
        Neighbour first = first(ends);
        Entry entry = known.get(ends);
        Route route = entry == null ? null : entry.get();
        if (route == null) {
            route = new Route(first);
            known.put(ends, new Entry(ends, route, unused));
        }
        route.leadsTo(first);
        return route;
    }

    private Neighbour first(Ends ends) {
        return neighbours.of(firstOf(neighbours.nextHop(ends.local, ends.remote), ends.type, ends.remote));
    }

    private void forgetUnused() {
        for (Entry gone = (Entry) unused.poll(); gone != null; gone = (Entry) unused.poll()) {
            // Another path may have the same ends again.
            known.remove(gone.ends, gone);
        }
    }

    /** The routing table changed. A peer that there is no way to now may still be where it was: its route stays. */
    void lookAgain() {
        forgetUnused();
        for (Entry each : known.values()) {
            Route route = each.get();
            if (route != null) {
                try {
                    route.leadsTo(first(each.ends));
                } catch (VerbsException noWay) {
                    // For now, perhaps: an interface that goes down loses its routes until it is up again.
                }
            }
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
