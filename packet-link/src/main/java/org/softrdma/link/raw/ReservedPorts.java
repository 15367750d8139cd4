// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.softrdma.link.LocalAddresses;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;

/**
 * UDP sockets at a raw link's addresses that drop everything they receive: without them the host would send ICMP port unreachable to each
 * peer, and another device could bind the address. Two more make the host a member of groups, for routers and switches that listen to IGMP
 * and MLD. For the link's owner.
 */
final class ReservedPorts implements AutoCloseable {
    private final LinuxSockets calls;
    private final int port;
    private final int interfaceIndex;
    private final Map<Gid, Integer> sockets = new HashMap<>();
    /** Descriptor by address family, opened for the first group and bound to no address, so that memberships outlast addresses. */
    private final Map<Integer, Integer> members = new HashMap<>();

    ReservedPorts(LinuxSockets calls, int port, int interfaceIndex) {
        this.calls = calls;
        this.port = port;
        this.interfaceIndex = interfaceIndex;
    }

    /**
     * Binds the port at an address.
     *
     * @throws org.softrdma.verbs.VerbsException EADDRINUSE, naming the process that has it if it can be found; EADDRNOTAVAIL
     */
    void reserve(Gid address) {
        if (sockets.containsKey(address)) {
            return;
        }
        int fd = calls.udpSocket(family(address));
        if (fd < 0) {
            throw LocalAddresses.bindFailed(LinuxSockets.errno(-fd), address, port, "errno " + -fd, null);
        }
        boolean bound = false;
        try (Arena call = Arena.ofConfined()) {
            if (!address.isIpv4Mapped()) {
                require(calls.setOption(fd, LinuxSockets.IPPROTO_IPV6, LinuxSockets.IPV6_V6ONLY, 1), "IPV6_V6ONLY");
            }
            require(calls.setOption(fd, LinuxSockets.SOL_SOCKET, LinuxSockets.SO_ATTACH_FILTER, FrameFilter.nothing(call)),
                "SO_ATTACH_FILTER");
            MemorySegment name = call.allocate(LinuxSockets.SOCKADDR_BYTES, 8);
            int error = calls.bind(fd, name, LinuxSockets.putAddress(name, address, port, address.isLinkLocal() ? interfaceIndex : 0));
            if (error < 0) {
                throw LocalAddresses.bindFailed(LinuxSockets.errno(-error), address, port, "errno " + -error, null);
            }
            sockets.put(address, fd);
            bound = true;
        } finally {
            if (!bound) {
                LinuxSockets.close(fd);
            }
        }
    }

    private static void require(int result, String option) {
        if (result < 0) {
            throw LinuxSockets.failure(-result, "open_device", "setsockopt " + option);
        }
    }

    void release(Gid address) {
        Integer fd = sockets.remove(address);
        if (fd != null) {
            LinuxSockets.close(fd);
        }
    }

    /**
     * Makes the host a member of a group.
     *
     * @throws org.softrdma.verbs.VerbsException ENOMEM: the host has no more memberships; others of the host
     */
    void join(Gid group) {
        // An interface without address of the group's IP version cannot join it.
        if (sockets.keySet().stream().noneMatch(address -> address.isIpv4Mapped() == group.isIpv4Mapped())) {
            return;
        }
        int fd = members.computeIfAbsent(family(group), this::memberSocket);
        int error = membership(fd, group, group.isIpv4Mapped() ? LinuxSockets.IP_ADD_MEMBERSHIP : LinuxSockets.IPV6_JOIN_GROUP);
        if (error < 0) {
            throw LinuxSockets.failure(-error, "attach_mcast", "the host does not join group " + LocalAddresses.text(group));
        }
    }

    private int memberSocket(int family) {
        int fd = calls.udpSocket(family);
        if (fd < 0) {
            throw LinuxSockets.failure(-fd, "attach_mcast", "socket");
        }
        return fd;
    }

    void leave(Gid group) {
        Integer fd = members.get(family(group));
        if (fd != null) {
            membership(fd, group, group.isIpv4Mapped() ? LinuxSockets.IP_DROP_MEMBERSHIP : LinuxSockets.IPV6_LEAVE_GROUP);
        }
    }

    private static int family(Gid address) {
        return address.isIpv4Mapped() ? LinuxSockets.AF_INET : LinuxSockets.AF_INET6;
    }

    private int membership(int fd, Gid group, int option) {
        return calls.setOption(fd, group.isIpv4Mapped() ? LinuxSockets.IPPROTO_IP : LinuxSockets.IPPROTO_IPV6, option,
            LinuxSockets.membership(group, interfaceIndex));
    }

    @Override
    public void close() {
        sockets.values().forEach(LinuxSockets::close);
        sockets.clear();
        members.values().forEach(LinuxSockets::close);
        members.clear();
    }
}
