// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.softrdma.linux.LinuxSockets.IPPROTO_IP;
import static org.softrdma.linux.LinuxSockets.IPPROTO_IPV6;
import static org.softrdma.linux.LinuxSockets.SOCKADDR_BYTES;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.link.PacketTrains;
import org.softrdma.link.PathRequest;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;

/**
 * The native side of a path of {@link LinuxUdpLink}: the peer's socket address, and control messages for fields of the IP header. The hop
 * limit to a single peer is the route's, to a group it is the requested one.
 */
final class UdpDestination implements PacketTrains.Target {
    /** Traffic class and hop limit. */
    private static final int CONTROL_BYTES = 2 * (LinuxSockets.CMSG_HEADER + Long.BYTES);

    final LinuxUdpSocket socket;
    /** The socket address, and behind it the control messages. */
    final MemorySegment memory = Arena.ofAuto().allocate(SOCKADDR_BYTES + CONTROL_BYTES, 8);
    /** Address of {@link #memory}. */
    final long name = memory.address();
    final int nameLength;
    /** Address of the control messages; 0 if there are none. */
    final long control;
    final int controlLength;
    private final Gid remote;
    private final int trafficClass;
    /** 0 for the route's. */
    private final int hopLimit;

    UdpDestination(LinuxUdpSocket socket, PathRequest request, int port) {
        this.socket = socket;
        remote = request.remote();
        trafficClass = request.trafficClass();
        hopLimit = remote.isMulticast() ? Math.max(1, request.hopLimit()) : 0;
        // A group has no scope: the socket has the interface, and an index here would be wrong for good once that is recreated.
        nameLength = LinuxSockets.putAddress(memory, remote, port, remote.isLinkLocal() ? socket.scope : 0);
        int length = trafficClass == 0 ? 0 : putControl(0, LinuxSockets.IP_TOS, LinuxSockets.IPV6_TCLASS, trafficClass);
        controlLength = hopLimit == 0 ? length : putControl(length, LinuxSockets.IP_TTL, LinuxSockets.IPV6_HOPLIMIT, hopLimit);
        control = controlLength == 0 ? 0 : name + SOCKADDR_BYTES;
    }

    /**
     * Writes a control message.
     *
     * @return length of all control messages so far
     */
    private int putControl(int offset, int ipv4Type, int ipv6Type, int value) {
        int at = SOCKADDR_BYTES + offset;
        memory.set(JAVA_LONG, at, LinuxSockets.CMSG_HEADER + Integer.BYTES);
        memory.set(JAVA_INT, at + LinuxSockets.CMSG_LEVEL, socket.ipv4 ? IPPROTO_IP : IPPROTO_IPV6);
        memory.set(JAVA_INT, at + LinuxSockets.CMSG_TYPE, socket.ipv4 ? ipv4Type : ipv6Type);
        memory.set(JAVA_INT, at + LinuxSockets.CMSG_HEADER, value);
        return offset + LinuxSockets.CMSG_HEADER + Long.BYTES;
    }

    @Override
    public boolean isSameAs(PacketTrains.Target target) {
        return this == target || target instanceof UdpDestination other && socket == other.socket && trafficClass == other.trafficClass
            && hopLimit == other.hopLimit && remote.equals(other.remote);
    }
}
