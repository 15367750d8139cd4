// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.MessageVector;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.roce.PortUnreachable;

/**
 * ICMP errors for packets that UDP sockets sent: the kernel keeps them in a queue of each socket, with the beginning of the packet. One
 * kind is delivered: "port unreachable" from the packet's destination itself. Source: ip(7), ipv6(7) on IP_RECVERR.
 */
final class ErrorQueue {
    /** Maximum errors read in one call; the rest waits for the next one. */
    private static final int MAX_ERRORS = 64;
    /** More than a management datagram, which is recognised by its beginning. */
    private static final int PACKET_BYTES = 512;
    private static final int CONTROL_BYTES = 256;
    /** Offsets in struct sock_extended_err, which the sender of the ICMP message follows. */
    private static final int ORIGIN = 4;
    private static final int TYPE = 5;
    private static final int CODE = 6;
    private static final int OFFENDER = 16;
    private static final int ORIGIN_ICMP = 2;
    private static final int ORIGIN_ICMP6 = 3;

    private final LinuxSockets calls;
    private final int port;
    private final MessageVector message;
    private final MemorySegment name;
    private final MemorySegment control;
    private final ByteBuffer packet;
    private final ReceivedFrame frame = new ReceivedFrame();

    /**
     * Allocates the buffers.
     *
     * @param port of RoCE v2
     */
    ErrorQueue(LinuxSockets calls, Arena arena, int port) {
        this.calls = calls;
        this.port = port;
        message = new MessageVector(arena, 1);
        name = arena.allocate(LinuxSockets.SOCKADDR_BYTES, 8);
        control = arena.allocate(CONTROL_BYTES, 8);
        MemorySegment memory = arena.allocate(PACKET_BYTES, 8);
        packet = memory.asByteBuffer();
        message.iovec(0, memory.address(), PACKET_BYTES);
        message.message(0, name.address(), LinuxSockets.SOCKADDR_BYTES, 0, 1, control.address(), CONTROL_BYTES);
    }

    /**
     * Reads a socket's error queue.
     *
     * @return whether it is empty now; otherwise call again later
     */
    boolean drain(int fd, Gid local, FrameHandler handler) {
        for (int i = 0; i < MAX_ERRORS; i++) {
            int bytes = calls.recvError(fd, message.messages());
            if (bytes < 0) {
                return true;
            }
            boolean ipv4 = local.isIpv4Mapped();
            if (isPortUnreachable(ipv4)) {
                frame.begin(packet, 0, bytes).ports(port, port)
                    .addresses(local, LinuxSockets.gidHigh(name, 0, ipv4), LinuxSockets.gidLow(name, 0, ipv4));
                handler.onReturned(frame);
            }
            message.rearm(0, LinuxSockets.SOCKADDR_BYTES, CONTROL_BYTES);
        }
        return false;
    }

    private boolean isPortUnreachable(boolean ipv4) {
        long error = extendedError(ipv4);
        if (error < 0 || (name.get(LinuxSockets.SHORT_BE, LinuxSockets.SOCKADDR_PORT) & 0xffff) != port) {
            return false;
        }
        int kind = control.get(JAVA_BYTE, error + ORIGIN) << 16 | control.get(JAVA_BYTE, error + TYPE) << 8
            | control.get(JAVA_BYTE, error + CODE);
        return kind == (ipv4 ? ORIGIN_ICMP << 16 | PortUnreachable.IPV4_TYPE_AND_CODE
            : ORIGIN_ICMP6 << 16 | PortUnreachable.IPV6_TYPE_AND_CODE)
            && LinuxSockets.gidHigh(control, error + OFFENDER, ipv4) == LinuxSockets.gidHigh(name, 0, ipv4)
            && LinuxSockets.gidLow(control, error + OFFENDER, ipv4) == LinuxSockets.gidLow(name, 0, ipv4);
    }

    /** Offset of the struct sock_extended_err, or -1. */
    private long extendedError(boolean ipv4) {
        int level = ipv4 ? LinuxSockets.IPPROTO_IP : LinuxSockets.IPPROTO_IPV6;
        int type = ipv4 ? LinuxSockets.IP_RECVERR : LinuxSockets.IPV6_RECVERR;
        long end = message.controlLength(0);
        for (long at = 0; at + LinuxSockets.CMSG_HEADER < end; at += control.get(JAVA_LONG, at) + 7 & ~7) {
            if (control.get(JAVA_INT, at + LinuxSockets.CMSG_LEVEL) == level
                && control.get(JAVA_INT, at + LinuxSockets.CMSG_TYPE) == type) {
                return at + LinuxSockets.CMSG_HEADER;
            }
        }
        return -1;
    }
}
