// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.softrdma.host.loopback.LoopbackListeners;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEventType;

/** Binds an identifier to an address and a port, and resolves addresses and routes of peers. */
final class CmAddressing {
    private final CmIdPrivate id;
    private final CmEvents events;
    private PortTable.Binding binding;
    private volatile boolean reuse;
    private volatile boolean familyOnly;

    CmAddressing(CmIdPrivate id, CmEvents events) {
        this.id = id;
        this.events = events;
    }

    void reuse(boolean wanted) {
        synchronized (id) {
            id.require(CmCall.SET_BINDING_OPTION);
            reuse = wanted;
        }
    }

    void familyOnly(boolean only) {
        synchronized (id) {
            id.require(CmCall.SET_BINDING_OPTION);
            familyOnly = only;
        }
    }

    // ---- binding ----

    void bind(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "bind_addr", "unknown host " + address.getHostString());
        }
        id.require(CmCall.BIND_ADDR);
        InetAddress ip = address.getAddress();
        OpenDevice found = id.manager.meansAny(id.space, ip) ? null : id.manager.deviceOf("bind_addr", id.space, ip);
        InetSocketAddress own = new InetSocketAddress(found == null ? wildcardLike(ip).getAddress() : found.own(ip), address.getPort());
        if (found != null) {
            found.requireAddress("bind_addr", own.getAddress());
        }
        PortTable.Binding taken = id.manager.ports().bind(id.space, own, reuse, familyOnly, id.manager.host());
        synchronized (id) {
            if (id.state == CmState.IDLE) {
                binding = taken;
                id.device = found;
                id.local = new InetSocketAddress(own.getAddress(), taken.port());
                id.state = CmState.ADDR_BOUND;
                return;
            }
        }
        id.manager.ports().release(taken);
        throw new VerbsException(Errno.EINVAL, "bind_addr", "another thread used the identifier at the same time");
    }

    /** Binds to the wildcard address of an IP version and to any port. */
    void bindToAny(InetAddress version) {
        bind(wildcardLike(version));
    }

    private static InetSocketAddress wildcardLike(InetAddress version) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[version.getAddress().length]), 0);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns the port binding; null if the identifier is not bound, or was created by a request. */
    PortTable.Binding binding() {
        return binding;
    }

    /** Returns true if the identifier is bound to a wildcard address that includes this one. */
    boolean coversWildcard(InetAddress address) {
        InetAddress bound = id.local.getAddress();
        return bound.isAnyLocalAddress()
            && (bound instanceof Inet6Address == address instanceof Inet6Address || bound instanceof Inet6Address && !familyOnly);
    }

    boolean isIpv6Only() {
        return id.local.getAddress() instanceof Inet6Address && familyOnly;
    }

    // ---- address and route resolution ----

    void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
        if (destination.isUnresolved()) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "resolve_addr", "unknown host " + destination.getHostString());
        }
        boolean idle;
        synchronized (id) {
            id.require(CmCall.RESOLVE_ADDR);
            idle = id.state == CmState.IDLE;
        }
        if (idle) {
            bind(source != null ? source : wildcardLike(destination.getAddress()));
        }
        requireVersionOf(destination.getAddress());
        try {
            resolve(destination, timeoutMs);
            synchronized (id) {
                if (id.state == CmState.ADDR_RESOLVED) {
                    events.raise(CmEventType.ADDR_RESOLVED, 0);
                }
            }
        } catch (VerbsException refused) {
            synchronized (id) {
                if (id.state == CmState.ADDR_BOUND) {
                    events.raise(CmEventType.ADDR_ERROR, refused);
                }
            }
        }
        events.complete("resolve_addr");
    }

    private void requireVersionOf(InetAddress destination) {
        InetAddress own = id.local.getAddress();
        if (own instanceof Inet6Address != destination instanceof Inet6Address) {
            throw new VerbsException(Errno.EINVAL, "resolve_addr", "the identifier is bound to " + own.getHostAddress() + ", "
                + destination.getHostAddress() + " is of another IP version");
        }
    }

    /** Finds the source address by the routing table, the device by the source address, and the peer's port where that takes messages. */
    private void resolve(InetSocketAddress destination, int timeoutMs) {
        OpenDevice found;
        InetAddress from = id.local.getAddress();
        synchronized (id) {
            found = id.device;
        }
        InetAddress to = destination.getAddress();
        if (to.isAnyLocalAddress()) {
            to = found != null ? from : InetAddress.getLoopbackAddress();
        }
        if (found == null) {
            from = id.manager.host().sourceFor(to);
            found = id.manager.deviceOf("resolve_addr", id.space, from);
            from = found.own(from);
        }
        found.requireAddress("resolve_addr", from);
        if (found.standsForOwn(to)) {
            InetAddress listener = id.manager.host().loopbackListeners()
                .find(new LoopbackListeners.Port(id.space, destination.getPort()));
            to = listener != null ? listener : to;
        }
        CmResolver resolver = found.transport().resolver();
        Gid port = resolver == null ? null : resolver.findPort(to, timeoutMs);
        synchronized (id) {
            CmCall.RESOLVE_ADDR.requireStill(CmState.ADDR_BOUND, id.state);
            id.device = found;
            id.local = new InetSocketAddress(from, id.local.getPort());
            id.peer = new InetSocketAddress(to, destination.getPort());
            id.peerPort = port;
            id.state = CmState.ADDR_RESOLVED;
        }
    }

    void resolveRoute(int timeoutMs) {
        CmResolver resolver;
        Gid port;
        synchronized (id) {
            id.require(CmCall.RESOLVE_ROUTE);
            resolver = id.device.transport().resolver();
            port = id.peerPort;
        }
        try {
            // Ethernet has no subnet manager: the host's routing table was consulted by resolve_addr, and there is nothing else.
            CmRoute route = port == null ? null : resolver.findRoute(port, timeoutMs);
            synchronized (id) {
                CmCall.RESOLVE_ROUTE.requireStill(CmState.ADDR_RESOLVED, id.state);
                id.options = id.options.withRoute(route);
                id.state = CmState.ROUTE_RESOLVED;
                events.raise(CmEventType.ROUTE_RESOLVED, 0);
            }
        } catch (VerbsException refused) {
            synchronized (id) {
                if (id.state == CmState.ADDR_RESOLVED) {
                    events.raise(CmEventType.ROUTE_ERROR, refused);
                }
            }
        }
        events.complete("resolve_route");
    }
}
