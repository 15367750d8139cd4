// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.link.LocalAddresses;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.MessageVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * The kernel's tables of routes and neighbours for one interface: lookups, or notices of changes. Needs no privilege. For one thread at a
 * time.
 */
final class RouteSocket implements AutoCloseable {
    /** Bits of netlink groups: neighbours; routes of IPv4 and IPv6; routing rules of both. */
    private static final int NOTICES = 1 << 2 | 1 << 6 | 1 << 10 | 1 << 7 | 1 << 18;
    private static final int NETLINK_NAME_BYTES = 12;
    private static final int DISCARD_PORT = 9;
    /** Result of {@link #usableMac}: unknown to the kernel, perhaps not resolved yet. */
    static final long UNKNOWN = -1;
    /** Result of {@link #usableMac}: the neighbour did not answer the kernel's requests. */
    static final long UNREACHABLE = -2;

    private final Arena arena = Arena.ofAuto();
    private final LinuxSockets calls;
    private final int interfaceIndex;
    private final MemorySegment memory = arena.allocate(RouteMessage.BYTES, 8);
    private final RouteMessage message = new RouteMessage(memory.asByteBuffer());
    private final MessageVector vector = new MessageVector(arena, 1);
    private final MemorySegment kernel = arena.allocate(LinuxSockets.SOCKADDR_BYTES, 8);
    private final int fd;

    /**
     * Opens a socket.
     *
     * @param notices true for a socket that receives notices, for {@link #readNotices} only; false for one that sends requests
     */
    RouteSocket(LinuxSockets calls, int interfaceIndex, boolean notices) {
        this.calls = calls;
        this.interfaceIndex = interfaceIndex;
        vector.iovec(0, memory.address(), RouteMessage.BYTES);
        vector.message(0, 0, 0, 0, 1, 0, 0);
        fd = notices ? calls.routeNotices(NOTICES) : calls.routeSocket();
        if (fd < 0) {
            throw LinuxSockets.failure(-fd, "open_device", notices ? "routing socket's notices" : "routing socket");
        }
        kernel.set(JAVA_SHORT, 0, (short) LinuxSockets.AF_NETLINK);
    }

    int fd() {
        return fd;
    }

    /**
     * Looks up the next hop of packets by this interface.
     *
     * @throws VerbsException ENETUNREACH, EHOSTUNREACH and others of the routing table
     */
    NextHop nextHop(Gid local, Gid remote) {
        int error = request(message.putRouteRequest(local, remote, interfaceIndex));
        if (error != 0) {
            // EINVAL: the source is no longer an address of this host.
            int number = error == Errno.EINVAL.value() ? Errno.ENETUNREACH.value() : error;
            throw LinuxSockets.failure(number, "resolve_route",
                "no route from " + LocalAddresses.text(local) + " to " + LocalAddresses.text(remote));
        }
        Gid gateway = message.gateway();
        return new NextHop(message.routeType() == RouteMessage.LOCAL, gateway == null ? remote : gateway);
    }

    /** A neighbour's MAC address, u48, {@link #UNKNOWN} or {@link #UNREACHABLE}. */
    long usableMac(Gid neighbour) {
        int error = request(message.putNeighbourRequest(neighbour, interfaceIndex));
        return error != 0 ? UNKNOWN : macOfMessage();
    }

    /** Whether the kernel has a MAC address of a neighbour that was not confirmed for a while. */
    boolean isStale(Gid neighbour) {
        return request(message.putNeighbourRequest(neighbour, interfaceIndex)) == 0 && message.state() == RouteMessage.STALE;
    }

    private int request(int bytes) {
        int sent = calls.sendto(fd, memory.address(), bytes, kernel, NETLINK_NAME_BYTES);
        if (sent < 0) {
            return -sent;
        }
        int received = calls.recvmsg(fd, vector.messages());
        if (received < 0) {
            return -received;
        }
        message.received(received);
        if (!message.next()) {
            return Errno.EIO.value();
        }
        return message.type() == RouteMessage.ERROR ? message.errno() : message.isComplete() ? 0 : Errno.EIO.value();
    }

    /** Receives changes. */
    interface Listener {
        /**
         * Handles a changed neighbour of the interface.
         *
         * @param mac u48, {@link #UNKNOWN} or {@link #UNREACHABLE}
         */
        void onNeighbour(Gid neighbour, long mac);

        /** Handles a changed route or rule, of any interface. */
        void onRoutes();
    }

    /**
     * Reads pending notices.
     *
     * @return whether some were lost: everything may have changed
     */
    boolean readNotices(Listener listener) {
        int received = calls.recvmsg(fd, vector.messages());
        while (received > 0) {
            message.received(received);
            while (message.next()) {
                dispatch(listener);
            }
            received = calls.recvmsg(fd, vector.messages());
        }
        return received == -LinuxSockets.ENOBUFS;
    }

    private void dispatch(Listener listener) {
        int type = message.type();
        if (type != RouteMessage.NEIGHBOUR && type != RouteMessage.NO_NEIGHBOUR) {
            listener.onRoutes();
            return;
        }
        Gid neighbour = message.isComplete() && message.interfaceIndex() == interfaceIndex ? message.address() : null;
        if (neighbour != null) {
            listener.onNeighbour(neighbour, type == RouteMessage.NEIGHBOUR ? macOfMessage() : UNKNOWN);
        }
    }

    private long macOfMessage() {
        if ((message.state() & RouteMessage.FAILED) != 0) {
            return UNREACHABLE;
        }
        return (message.state() & RouteMessage.USABLE) != 0 ? message.mac() : UNKNOWN;
    }

    /**
     * Makes the kernel resolve a neighbour, by sending an empty packet to its discard port. The result is sent as a notice.
     */
    void probe(Gid neighbour) {
        int socket = calls.udpSocket(neighbour.isIpv4Mapped() ? LinuxSockets.AF_INET : LinuxSockets.AF_INET6);
        if (socket < 0) {
            return;
        }
        try (Arena call = Arena.ofConfined()) {
            MemorySegment name = call.allocate(LinuxSockets.SOCKADDR_BYTES, 8);
            int length = LinuxSockets.putAddress(name, neighbour, DISCARD_PORT, neighbour.isLinkLocal() ? interfaceIndex : 0);
            calls.setOption(socket, LinuxSockets.SOL_SOCKET, LinuxSockets.SO_BINDTOIFINDEX, interfaceIndex);
            // The result is ignored: without an answer the neighbour stays unknown.
            calls.sendto(socket, name.address(), 0, name, length);
        } finally {
            LinuxSockets.close(socket);
        }
    }

    @Override
    public void close() {
        LinuxSockets.close(fd);
    }
}
