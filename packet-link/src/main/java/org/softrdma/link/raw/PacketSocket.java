// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * A packet socket of one interface: whole frames that pass a {@link FrameFilter}, each behind a {@code virtio_net_hdr}. Never promiscuous.
 * Source: packet(7).
 */
final class PacketSocket implements AutoCloseable {
    private static final int NAME_BYTES = 20;
    private static final int NAME_INTERFACE = 4;
    private static final int ALL_PROTOCOLS = 3;
    private static final int MEMBERSHIP_BYTES = 16;
    private static final int MEMBER_OF_MULTICAST = 0;
    private static final int MAC_BYTES = 6;

    private final LinuxSockets calls;
    private final String interfaceName;
    private final int interfaceIndex;
    private final int fd;
    private int priority;

    /**
     * @param excludedSenders frames from these addresses are not received
     * @throws VerbsException EPERM, with the remedy in the message; others of the host
     */
    PacketSocket(LinuxSockets calls, RawLinkOptions options, int interfaceIndex, List<Gid> excludedSenders) {
        this.calls = calls;
        this.interfaceIndex = interfaceIndex;
        interfaceName = options.interfaceName();
        fd = calls.packetSocket();
        if (fd < 0) {
            throw refused(-fd);
        }
        boolean open = false;
        try (Arena call = Arena.ofConfined()) {
            set(LinuxSockets.SOL_PACKET, LinuxSockets.PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
            // Attached before bind, so that no other frame is ever received.
            check(calls.setOption(fd, LinuxSockets.SOL_SOCKET, LinuxSockets.SO_ATTACH_FILTER,
                FrameFilter.roce(call, options.v1(), options.v2(), options.port(), excludedSenders)), "SO_ATTACH_FILTER");
            bufferSize(LinuxSockets.SO_RCVBUFFORCE, LinuxSockets.SO_RCVBUF, options.socketBufferBytes(), "SO_RCVBUF");
            bufferSize(LinuxSockets.SO_SNDBUFFORCE, LinuxSockets.SO_SNDBUF, options.socketBufferBytes(), "SO_SNDBUF");
            MemorySegment name = call.allocate(NAME_BYTES, 8);
            name.set(JAVA_SHORT, 0, (short) LinuxSockets.AF_PACKET);
            name.set(LinuxSockets.SHORT_BE, 2, (short) ALL_PROTOCOLS);
            name.set(JAVA_INT, NAME_INTERFACE, interfaceIndex);
            check(calls.bind(fd, name, NAME_BYTES), "bind to " + interfaceName);
            open = true;
        } finally {
            if (!open) {
                close();
            }
        }
    }

    private static VerbsException refused(int errno) {
        if (errno != LinuxSockets.EPERM) {
            return LinuxSockets.failure(errno, "open_device", "packet socket");
        }
        return new VerbsException(Errno.EPERM, "open_device", "raw frames need the capability CAP_NET_RAW. Run as root; or give it to one"
            + " process: setpriv --inh-caps +net_raw --ambient-caps +net_raw --reuid USER --init-groups COMMAND; or to a container:"
            + " --cap-add NET_RAW. Without it there is RoCE v2 over UDP sockets: rdma link set DEV link udp");
    }

    /** The forced sizes need CAP_NET_ADMIN; without it net.core.{r,w}mem_max are the limit. */
    private void bufferSize(int forced, int asked, int bytes, String text) {
        if (calls.setOption(fd, LinuxSockets.SOL_SOCKET, forced, bytes) < 0) {
            set(LinuxSockets.SOL_SOCKET, asked, bytes, text);
        }
    }

    private void set(int level, int name, int value, String text) {
        check(calls.setOption(fd, level, name, value), "setsockopt " + text + " = " + value);
    }

    private void check(int result, String what) {
        if (result < 0) {
            throw LinuxSockets.failure(-result, "open_device", interfaceName + ": " + what);
        }
    }

    int fd() {
        return fd;
    }

    /** Whether the socket is still bound: a deleted interface leaves its sockets unbound, even if one of the same name is created. */
    boolean isOnInterface() {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment name = call.allocate(NAME_BYTES, 8);
            return calls.boundTo(fd, name) == 0 && name.get(JAVA_INT, NAME_INTERFACE) == interfaceIndex;
        }
    }

    int receiveBufferBytes() {
        return calls.getOption(fd, LinuxSockets.SOL_SOCKET, LinuxSockets.SO_RCVBUF);
    }

    /** Sets the priority of later frames in the interface's queues and, by its {@code egress-qos-map}, in VLAN tags. */
    void setPriority(int wanted) {
        if (wanted != priority) {
            calls.setOption(fd, LinuxSockets.SOL_SOCKET, LinuxSockets.SO_PRIORITY, wanted);
            priority = wanted;
        }
    }

    /**
     * Makes the interface receive frames to a group.
     *
     * @param mac u48
     */
    void join(long mac) {
        int error = membership(LinuxSockets.PACKET_ADD_MEMBERSHIP, mac);
        if (error < 0) {
            throw LinuxSockets.failure(-error, "attach_mcast", interfaceName + " does not accept frames to " + Long.toHexString(mac));
        }
    }

    void leave(long mac) {
        membership(LinuxSockets.PACKET_DROP_MEMBERSHIP, mac);
    }

    private int membership(int option, long mac) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment request = call.allocate(MEMBERSHIP_BYTES, 8);
            request.set(JAVA_INT, 0, interfaceIndex);
            request.set(JAVA_SHORT, 4, (short) MEMBER_OF_MULTICAST);
            request.set(JAVA_SHORT, 6, (short) MAC_BYTES);
            for (int i = 0; i < MAC_BYTES; i++) {
                request.set(JAVA_BYTE, 8 + i, (byte) (mac >>> 8 * (MAC_BYTES - 1 - i)));
            }
            return calls.setOption(fd, LinuxSockets.SOL_PACKET, option, request);
        }
    }

    @Override
    public void close() {
        LinuxSockets.close(fd);
    }
}
