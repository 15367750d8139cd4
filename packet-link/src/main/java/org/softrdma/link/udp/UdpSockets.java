// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import java.util.List;
import java.util.stream.Stream;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.PathRequest;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * The bound sockets of a UDP link: one for each address, for each removed address that still has paths, and for each multicast group
 * joined. Subclasses open and configure them with the system calls of their platform. For the link's owner, except {@link #addresses}.
 */
abstract class UdpSockets<S extends BoundSocket> {
    private static final System.Logger LOG = System.getLogger(UdpSockets.class.getName());

    protected final UdpLinkOptions options;
    /** Immutable, replaced as a whole. */
    private volatile List<Gid> addresses;
    /** Immutable, replaced as a whole. */
    private List<S> sockets = List.of();
    private boolean closed;

    /**
     * Checks the initial addresses, without opening sockets yet.
     *
     * @throws VerbsException EINVAL: no address, or one that is not unicast
     */
    UdpSockets(List<Gid> addresses, UdpLinkOptions options) {
        LocalAddresses.check(addresses);
        this.addresses = List.copyOf(addresses);
        this.options = options;
    }

    /**
     * Opens a configured, non-blocking socket and binds it to {@code address}.
     *
     * @param scope interface index of a link-local address, or 0
     */
    protected abstract S open(Gid address, int scope);

    /** Opens a socket that is bound to a group and makes the host a member of it. Each member socket on the host receives every packet. */
    protected abstract S openMember(Gid group, int interfaceIndex);

    /** Packets to groups leave the socket by that interface from now on, whatever routes there are. */
    protected abstract void sendGroupsBy(S socket, int interfaceIndex);

    /** Releases the system's socket. */
    protected abstract void release(S socket);

    /** Called after the set has changed, before removed sockets are released. */
    protected abstract void onChanged(List<S> now);

    /** Ends a wait on the former set. Any thread. */
    abstract void wakeup();

    /** Opens one socket for each initial address, or none of them. */
    protected final void openAll() {
        boolean complete = false;
        try {
            for (Gid address : addresses) {
                sockets = Stream.concat(sockets.stream(), Stream.of(openAt(address))).toList();
            }
            onChanged(sockets);
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    private S openAt(Gid address) {
        return open(address, LocalAddresses.scopeOf(address, options.interfaceName()));
    }

    /** Addresses that paths can be resolved from now. Any thread. */
    final List<Gid> addresses() {
        return addresses;
    }

    final List<S> all() {
        return sockets;
    }

    final boolean isClosed() {
        return closed;
    }

    /** The socket bound to that address or group, or null. */
    private S boundTo(Gid local) {
        for (S socket : sockets) {
            if (socket.local.equals(local)) {
                return socket;
            }
        }
        return null;
    }

    /**
     * The socket that sends the packets of a path.
     *
     * @throws VerbsException EOPNOTSUPP, EADDRNOTAVAIL, EINVAL as of {@link LocalAddresses#checkPath}; ENODEV
     */
    final S forPath(PathRequest request) {
        LocalAddresses.checkPath(addresses, request);
        S socket = boundTo(request.local());
        if (request.remote().isMulticast()) {
            int interfaceIndex = interfaceIndex();
            sendGroupsBy(socket, interfaceIndex);
            socket.groupInterface = interfaceIndex;
        }
        return socket;
    }

    private int interfaceIndex() {
        return LocalAddresses.interfaceOf(addresses, options.interfaceName()).getIndex();
    }

    /** Implements {@link org.softrdma.link.Link#addAddress}. */
    final void addAddress(Gid address) {
        LocalAddresses.check(List.of(address));
        if (!addresses.contains(address)) {
            if (boundTo(address) == null) {
                add(openAt(address));
            }
            addresses = LocalAddresses.with(addresses, address);
        }
    }

    /** Implements {@link org.softrdma.link.Link#removeAddress}. */
    final void removeAddress(Gid address) {
        addresses = LocalAddresses.without(addresses, address);
        S socket = boundTo(address);
        if (socket != null && !socket.hasPaths && sockets.size() > 1) {
            remove(socket);
        }
    }

    /** Implements {@link org.softrdma.link.Link#join}. */
    final void join(Gid group) {
        LocalAddresses.checkGroup(addresses, group);
        add(openMember(group, interfaceIndex()));
    }

    /** Implements {@link org.softrdma.link.Link#leave}. */
    final void leave(Gid group) {
        remove(boundTo(group));
    }

    /**
     * Renews memberships and group interfaces after the interface was recreated: the kernel discards both with the old index.
     *
     * @param interfaceIndex index of the link's interface now
     */
    final void refresh(int interfaceIndex) {
        for (S socket : sockets) {
            try {
                if (socket.local.isMulticast() && socket.scope != interfaceIndex) {
                    add(openMember(socket.local, interfaceIndex));
                    remove(socket);
                } else if (socket.groupInterface != 0 && socket.groupInterface != interfaceIndex) {
                    sendGroupsBy(socket, interfaceIndex);
                    socket.groupInterface = interfaceIndex;
                }
            } catch (VerbsException incomplete) {
                // The interface may lack its addresses still. The socket keeps its old index, so the next refresh tries again.
                LOG.log(System.Logger.Level.DEBUG, "UDP " + LocalAddresses.text(socket.local) + " not moved to interface index "
                    + interfaceIndex + " yet: " + incomplete.getMessage());
            }
        }
    }

    private void add(S socket) {
        sockets = Stream.concat(sockets.stream(), Stream.of(socket)).toList();
        onChanged(sockets);
        wakeup();
    }

    private void remove(S gone) {
        sockets = sockets.stream().filter(socket -> socket != gone).toList();
        onChanged(sockets);
        wakeup();
        gone.closed = true;
        release(gone);
    }

    /** Closes all sockets. May be called again. */
    void close() {
        closed = true;
        for (S socket : sockets) {
            if (!socket.closed) {
                socket.closed = true;
                release(socket);
            }
        }
    }
}
