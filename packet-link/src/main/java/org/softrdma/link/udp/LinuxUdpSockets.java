// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.softrdma.linux.LinuxSockets.AF_INET;
import static org.softrdma.linux.LinuxSockets.AF_INET6;
import static org.softrdma.linux.LinuxSockets.IPPROTO_IP;
import static org.softrdma.linux.LinuxSockets.IPPROTO_IPV6;
import static org.softrdma.linux.LinuxSockets.IPPROTO_UDP;
import static org.softrdma.linux.LinuxSockets.SOCKADDR_BYTES;
import static org.softrdma.linux.LinuxSockets.SOL_SOCKET;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.softrdma.link.LocalAddresses;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.WaitedFor;
import org.softrdma.linux.WakeupEvent;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;

/** The sockets of a {@link LinuxUdpLink}, and the descriptors a thread waits on for them. */
final class LinuxUdpSockets extends UdpSockets<LinuxUdpSocket> {
    private final Arena arena = Arena.ofAuto();
    private final LinuxSockets calls = new LinuxSockets(arena);
    /** For {@link #await}: the agent's thread waits there while another thread may own the device and send. */
    private final LinuxSockets waitCalls = new LinuxSockets(arena);
    private final WakeupEvent wakeup = new WakeupEvent(calls);
    private final boolean segments;
    private boolean coalesces;
    private LinuxUdpSocket[] array = {};
    /** Replaced as a whole: the agent's thread may be in {@link #await} meanwhile. */
    private volatile Watched watched;

    /** Sockets a thread waits on in {@link #await}. */
    private record Watched(LinuxUdpSocket[] sockets, WaitedFor descriptors) {
    }

    LinuxUdpSockets(List<Gid> addresses, UdpLinkOptions options) {
        super(addresses, options);
        openAll();
        coalesces = options.offload() && setAll(LinuxSockets.UDP_GRO, 1);
        // Segment size 0 is the default: the call only finds out whether the kernel has the option.
        segments = options.offload() && setAll(LinuxSockets.UDP_SEGMENT, 0);
    }

    /** System calls for the link's owner. */
    LinuxSockets calls() {
        return calls;
    }

    /** The sockets as an array, which is replaced as a whole. */
    LinuxUdpSocket[] array() {
        return array;
    }

    /** Whether the kernel coalesces received packets into trains (UDP_GRO). */
    boolean coalesces() {
        return coalesces;
    }

    /** Whether the kernel cuts trains into packets (UDP_SEGMENT). */
    boolean segments() {
        return segments;
    }

    int receiveBufferBytes(LinuxUdpSocket socket) {
        return socket.closed ? 0 : calls.getOption(socket.fd, SOL_SOCKET, LinuxSockets.SO_RCVBUF);
    }

    @Override
    protected LinuxUdpSocket open(Gid address, int scope) {
        return open(address, scope, false);
    }

    @Override
    protected LinuxUdpSocket openMember(Gid group, int interfaceIndex) {
        return open(group, interfaceIndex, true);
    }

    private LinuxUdpSocket open(Gid local, int scope, boolean member) {
        int fd = calls.udpSocket(family(local));
        if (fd == -LinuxSockets.EAFNOSUPPORT) {
            throw LocalAddresses.bindFailed(Errno.EADDRNOTAVAIL, local, options.port(), "", null);
        }
        if (fd < 0) {
            throw LinuxSockets.failure(-fd, "open_device", "UDP socket for " + LocalAddresses.text(local));
        }
        boolean bound = false;
        // Not in the link's arena: an address that cannot be bound is tried again and again while the link is open.
        try (Arena call = Arena.ofConfined()) {
            configure(fd, local.isIpv4Mapped());
            if (member) {
                becomeMember(fd, local, scope);
            }
            MemorySegment name = call.allocate(SOCKADDR_BYTES, 8);
            int error = calls.bind(fd, name, LinuxSockets.putAddress(name, local, options.port(), scope));
            if (error < 0) {
                throw LocalAddresses.bindFailed(LinuxSockets.errno(-error), local, options.port(), "errno " + -error, null);
            }
            if (coalesces) {
                calls.setOption(fd, IPPROTO_UDP, LinuxSockets.UDP_GRO, 1);
            }
            bound = true;
        } finally {
            if (!bound) {
                LinuxSockets.close(fd);
            }
        }
        return new LinuxUdpSocket(fd, local, scope);
    }

    private static int family(Gid address) {
        return address.isIpv4Mapped() ? AF_INET : AF_INET6;
    }

    private void configure(int fd, boolean ipv4) {
        if (ipv4) {
            require(fd, IPPROTO_IP, LinuxSockets.IP_MTU_DISCOVER, LinuxSockets.PMTUDISC_DO, "IP_MTU_DISCOVER");
            require(fd, IPPROTO_IP, LinuxSockets.IP_RECVTOS, 1, "IP_RECVTOS");
            require(fd, IPPROTO_IP, LinuxSockets.IP_RECVERR, 1, "IP_RECVERR");
        } else {
            require(fd, IPPROTO_IPV6, LinuxSockets.IPV6_V6ONLY, 1, "IPV6_V6ONLY");
            require(fd, IPPROTO_IPV6, LinuxSockets.IPV6_MTU_DISCOVER, LinuxSockets.PMTUDISC_DO, "IPV6_MTU_DISCOVER");
            require(fd, IPPROTO_IPV6, LinuxSockets.IPV6_RECVTCLASS, 1, "IPV6_RECVTCLASS");
            require(fd, IPPROTO_IPV6, LinuxSockets.IPV6_RECVERR, 1, "IPV6_RECVERR");
            require(fd, IPPROTO_UDP, LinuxSockets.UDP_NO_CHECK6_RX, 1, "UDP_NO_CHECK6_RX");
        }
        // The forced sizes need CAP_NET_ADMIN; without it net.core.{r,w}mem_max are the limit.
        if (calls.setOption(fd, SOL_SOCKET, LinuxSockets.SO_RCVBUFFORCE, options.socketBufferBytes()) < 0) {
            require(fd, SOL_SOCKET, LinuxSockets.SO_RCVBUF, options.socketBufferBytes(), "SO_RCVBUF");
        }
        if (calls.setOption(fd, SOL_SOCKET, LinuxSockets.SO_SNDBUFFORCE, options.socketBufferBytes()) < 0) {
            require(fd, SOL_SOCKET, LinuxSockets.SO_SNDBUF, options.socketBufferBytes(), "SO_SNDBUF");
        }
    }

    private void becomeMember(int fd, Gid group, int interfaceIndex) {
        boolean ipv4 = group.isIpv4Mapped();
        require(fd, SOL_SOCKET, LinuxSockets.SO_REUSEADDR, 1, "SO_REUSEADDR");
        require(fd, ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? LinuxSockets.IP_MULTICAST_ALL : LinuxSockets.IPV6_MULTICAST_ALL, 0,
            "MULTICAST_ALL");
        int error = calls.setOption(fd, ipv4 ? IPPROTO_IP : IPPROTO_IPV6,
            ipv4 ? LinuxSockets.IP_ADD_MEMBERSHIP : LinuxSockets.IPV6_JOIN_GROUP, LinuxSockets.membership(group, interfaceIndex));
        if (error < 0) {
            throw LinuxSockets.failure(-error, "attach_mcast", "the host does not join group " + LocalAddresses.text(group));
        }
    }

    private void require(int fd, int level, int name, int value, String text) {
        int error = calls.setOption(fd, level, name, value);
        if (error < 0) {
            throw LinuxSockets.failure(-error, "open_device", "setsockopt " + text + " = " + value);
        }
    }

    /**
     * Sets a UDP option on every socket.
     *
     * @return false if the kernel does not have the option
     */
    private boolean setAll(int name, int value) {
        boolean known = true;
        for (LinuxUdpSocket socket : array) {
            known &= calls.setOption(socket.fd, IPPROTO_UDP, name, value) >= 0;
        }
        return known;
    }

    @Override
    protected void sendGroupsBy(LinuxUdpSocket socket, int interfaceIndex) {
        int error = socket.ipv4
            ? calls.setOption(socket.fd, IPPROTO_IP, LinuxSockets.IP_MULTICAST_IF,
                LinuxSockets.membership(Gid.ofIpv4(0), interfaceIndex))
            : calls.setOption(socket.fd, IPPROTO_IPV6, LinuxSockets.IPV6_MULTICAST_IF, interfaceIndex);
        if (error < 0) {
            throw LinuxSockets.failure(-error, "resolve_route", "setsockopt MULTICAST_IF = " + interfaceIndex);
        }
    }

    /**
     * Looks up the route of a path by connecting a temporary socket, which sends nothing. The link's own sockets must never be connected.
     *
     * @throws org.softrdma.verbs.VerbsException ENETUNREACH or EHOSTUNREACH: no route; others of the host
     */
    void checkRoute(LinuxUdpSocket socket, Gid remote) {
        int fd = calls.udpSocket(family(remote));
        if (fd < 0) {
            throw LinuxSockets.failure(-fd, "resolve_route", "UDP socket");
        }
        int error;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment name = call.allocate(SOCKADDR_BYTES, 8);
            error = calls.bind(fd, name, LinuxSockets.putAddress(name, socket.local, 0, socket.scope));
            if (error >= 0) {
                int scope = remote.isLinkLocal() ? socket.scope : remote.isMulticast() ? socket.groupInterface : 0;
                name.fill((byte) 0);
                error = calls.connect(fd, name, LinuxSockets.putAddress(name, remote, options.port(), scope));
            }
        } finally {
            LinuxSockets.close(fd);
        }
        if (error < 0) {
            // EINVAL: from a loopback address to another network, or a link-local address without interface.
            int number = error == -Errno.EINVAL.value() ? Errno.ENETUNREACH.value() : -error;
            throw LinuxSockets.failure(number, "resolve_route",
                "no route from " + LocalAddresses.text(socket.local) + " to " + LocalAddresses.text(remote));
        }
    }

    @Override
    protected void onChanged(List<LinuxUdpSocket> now) {
        array = now.toArray(LinuxUdpSocket[]::new);
        watched = new Watched(array, new WaitedFor(waitCalls, wakeup, Arrays.stream(array).mapToInt(socket -> socket.fd).toArray()));
    }

    /** Parks until a socket is ready, {@link #wakeup} was called, or the time is over. */
    void await(long timeoutNs) {
        Watched now = watched;
        for (int i = 0; i < now.sockets.length; i++) {
            now.descriptors.room(i, now.sockets[i].full);
        }
        if (now.descriptors.await(timeoutNs)) {
            noteReady(now);
        }
    }

    private static void noteReady(Watched now) {
        for (int i = 0; i < now.sockets.length; i++) {
            if (now.descriptors.isReady(i)) {
                now.sockets[i].emptyPolls = 0;
                now.sockets[i].full = false;
                now.sockets[i].hasErrors |= now.descriptors.hasErrors(i);
            }
        }
    }

    @Override
    void wakeup() {
        wakeup.signal();
    }

    void alsoWakeBy(int fd) {
        wakeup.alsoBy(fd);
    }

    @Override
    protected void release(LinuxUdpSocket socket) {
        LinuxSockets.close(socket.fd);
    }

    @Override
    void close() {
        super.close();
        wakeup.close();
    }
}
