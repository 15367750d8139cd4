// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.lang.foreign.Arena;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Gids;

/** Resolves the paths of a raw link: MAC address or route, hop limit, priority. */
final class RawPaths {
    /** Hop limit of RoCE v2 to single peers: kernel rxe sends 64 for every address vector. */
    private static final int HOP_LIMIT = 64;
    /** A VLAN tag has eight priorities; without a service level, the priority is the traffic class's precedence. RFC 2474 §4.2.2 */
    private static final int PRIORITIES = 7;
    private static final int PRECEDENCE_SHIFT = 5;
    /** Longer than the kernel takes to give a neighbour up: it sends three requests, a second apart. */
    private static final long REACHABLE_WITHIN_NS = 4_000_000_000L;
    private static final long NEIGHBOUR_POLL_NS = 2_000_000;

    private final RawLinkOptions options;
    private final int interfaceIndex;
    private final RawAddresses addresses;
    private final Routes routes;

    RawPaths(RawLinkOptions options, int interfaceIndex, RawAddresses addresses, Routes routes) {
        this.options = options;
        this.interfaceIndex = interfaceIndex;
        this.addresses = addresses;
        this.routes = routes;
    }

    /**
     * Implements {@link org.softrdma.link.Link#resolve}; for the owner. The neighbour's MAC address may still be unknown: packets wait for
     * it.
     */
    Path resolve(PathRequest request) {
        GidType type = request.type();
        Gid local = request.local();
        Gid remote = request.remote();
        if (!addresses.has(type, local)) {
            throw new VerbsException(options.types().contains(type) ? Errno.EADDRNOTAVAIL : Errno.EOPNOTSUPP, "resolve_route",
                LocalAddresses.text(local) + " as " + type.text() + " is not an address of this link");
        }
        boolean v2 = type == GidType.ROCE_V2;
        if (v2 && local.isIpv4Mapped() != remote.isIpv4Mapped()) {
            throw LocalAddresses.mixed(request);
        }
        int port = v2 ? options.port() : 0;
        return new Path(type, local, remote, port, port, request.trafficClass(), request.hopLimit(), destination(request));
    }

    private RawDestination destination(PathRequest request) {
        GidType type = request.type();
        Gid local = request.local();
        Gid remote = request.remote();
        boolean toSelf = addresses.isOwn(type, remote);
        long mac = 0;
        Route route = null;
        if (remote.isMulticast()) {
            mac = groupMac(type, remote);
        } else if (!toSelf && options.mac() != 0) {
            long written = type == GidType.ROCE_V1 ? macIn(remote) : RouteSocket.UNKNOWN;
            if (written >= 0) {
                mac = written;
            } else {
                route = routes.between(type, local, remote);
            }
        }
        int hops = type == GidType.ROCE_V2 && !remote.isMulticast() ? HOP_LIMIT : Math.max(1, request.hopLimit());
        int priority = request.serviceLevel() != 0 ? request.serviceLevel() & PRIORITIES : request.trafficClass() >>> PRECEDENCE_SHIFT;
        return new RawDestination(type, local, remote, request.trafficClass(), hops, priority, route, mac, toSelf, options.mac(),
            options.port());
    }

    /** MAC address of a group. RoCE v1 has MGIDs only, also for IPv4 groups. RFC 1112 §6.4, RFC 2464 §7; IBA vol 1 annex A16 */
    static long groupMac(GidType type, Gid group) {
        return type == GidType.ROCE_V2 && group.isIpv4Mapped() ? Ethernet.multicastOfIpv4(group.ipv4())
            : Ethernet.multicastOfIpv6(group.low());
    }

    /** The MAC address a link-local GID was made from, or UNKNOWN. RFC 4291 appendix A */
    private static long macIn(Gid gid) {
        long low = gid.low();
        boolean made = gid.high() == Gids.LINK_LOCAL_HIGH && (low >>> 24 & 0xffff) == 0xfffe;
        return made ? (low >>> 16 & 0xffff_ff00_0000L | low & 0xff_ffff) ^ 0x0200_0000_0000L : RouteSocket.UNKNOWN;
    }

    /** Implements {@link org.softrdma.link.Link#awaitReachable}. */
    void awaitReachable(GidType type, Gid local, Gid remote) {
        if (!addresses.has(type, local) || remote.isMulticast() || addresses.addresses().contains(remote) || options.mac() == 0
            || type == GidType.ROCE_V1 && macIn(remote) >= 0) {
            return;
        }
        try (RouteSocket table = new RouteSocket(new LinuxSockets(Arena.ofAuto()), interfaceIndex, false)) {
            Gid neighbour = Routes.firstOf(table.nextHop(local, remote), type, remote);
            long mac = table.usableMac(neighbour);
            if (mac < 0) {
                table.probe(neighbour);
            }
            long untilNs = System.nanoTime() + REACHABLE_WITHIN_NS;
            for (mac = table.usableMac(neighbour); mac == RouteSocket.UNKNOWN; mac = table.usableMac(neighbour)) {
                if (System.nanoTime() - untilNs >= 0) {
                    mac = RouteSocket.UNREACHABLE;
                    break;
                }
                LockSupport.parkNanos(NEIGHBOUR_POLL_NS);
            }
            if (mac < 0) {
                throw new VerbsException(Errno.EHOSTUNREACH, "resolve_route", LocalAddresses.text(neighbour) + " does not answer "
                    + (neighbour.isIpv4Mapped() ? "ARP" : "neighbour discovery") + " on " + options.interfaceName());
            }
        }
    }
}
