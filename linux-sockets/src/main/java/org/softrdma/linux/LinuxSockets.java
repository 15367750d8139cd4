// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.net.Gids;

/**
 * The C library's socket calls on 64-bit Linux. Every call returns what the system call returns: the result, or minus errno. One object
 * per link, for its owner's thread, because errno is captured in a buffer of the object; only {@link #signal} is for any thread.
 */
public final class LinuxSockets {
    public static final int AF_UNIX = 1;
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;
    public static final int AF_NETLINK = 16;
    public static final int AF_PACKET = 17;
    public static final int IPPROTO_IP = 0;
    public static final int IPPROTO_UDP = 17;
    public static final int IPPROTO_IPV6 = 41;
    public static final int IP_TOS = 1;
    public static final int IP_MTU_DISCOVER = 10;
    /** Keeps ICMP errors for sent packets in the socket's error queue. */
    public static final int IP_RECVERR = 11;
    public static final int IP_RECVTOS = 13;
    public static final int IP_TTL = 2;
    public static final int IP_MULTICAST_IF = 32;
    public static final int IP_ADD_MEMBERSHIP = 35;
    public static final int IP_DROP_MEMBERSHIP = 36;
    /** 0: receives only packets of groups that this socket joined. */
    public static final int IP_MULTICAST_ALL = 49;
    public static final int IPV6_MULTICAST_IF = 17;
    public static final int IPV6_JOIN_GROUP = 20;
    public static final int IPV6_LEAVE_GROUP = 21;
    public static final int IPV6_MULTICAST_ALL = 29;
    public static final int IPV6_HOPLIMIT = 52;
    public static final int IPV6_MTU_DISCOVER = 23;
    public static final int IPV6_RECVERR = 25;
    public static final int IPV6_V6ONLY = 26;
    public static final int IPV6_RECVTCLASS = 66;
    public static final int IPV6_TCLASS = 67;
    /** Never fragments: DF is set, and on an unconnected socket the IP identification is 0. */
    public static final int PMTUDISC_DO = 2;
    public static final int UDP_NO_CHECK6_RX = 102;
    /** Segment size of a train to send; as a control message, for this train only. */
    public static final int UDP_SEGMENT = 103;
    /** Receives trains whole; as a control message, the length of their packets. */
    public static final int UDP_GRO = 104;
    public static final int SOL_SOCKET = 1;
    public static final int SO_REUSEADDR = 2;
    public static final int SO_SNDBUF = 7;
    public static final int SO_RCVBUF = 8;
    public static final int SO_PRIORITY = 12;
    public static final int SO_ATTACH_FILTER = 26;
    public static final int SO_SNDBUFFORCE = 32;
    public static final int SO_RCVBUFFORCE = 33;
    /** Restricts the socket to the interface of that index; needs no privilege on a socket that is bound to none. */
    public static final int SO_BINDTOIFINDEX = 62;
    public static final int SOL_PACKET = 263;
    public static final int PACKET_ADD_MEMBERSHIP = 1;
    public static final int PACKET_DROP_MEMBERSHIP = 2;
    /** Puts a struct virtio_net_hdr before each frame, which makes offloads possible. */
    public static final int PACKET_VNET_HDR = 15;
    static final int POLLIN = 1;
    static final int POLLOUT = 4;
    static final int POLLERR = 8;
    public static final int MSG_TRUNC = 0x20;
    public static final int EPERM = 1;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int EINVAL = 22;
    public static final int ENOTSOCK = 88;
    public static final int EAFNOSUPPORT = 97;
    public static final int ENOBUFS = 105;

    /** Bytes that hold either kind of socket address. */
    public static final int SOCKADDR_BYTES = 32;
    static final int SOCKADDR_IN_LENGTH = 16;
    static final int SOCKADDR_IN6_LENGTH = 28;
    public static final int SOCKADDR_PORT = 2;
    static final int SOCKADDR_IN_ADDRESS = 4;
    static final int SOCKADDR_IN6_ADDRESS = 8;
    private static final int SOCKADDR_IN6_SCOPE = 24;
    /** Of an abstract name: the family and a zero byte are before it. */
    private static final int SOCKADDR_UN_NAME = 3;

    /** Offsets in a struct cmsghdr: it begins with its length, a long; data follows it, and the next one begins at a multiple of 8. */
    public static final int CMSG_LEVEL = 8;
    public static final int CMSG_TYPE = 12;
    public static final int CMSG_HEADER = 16;

    public static final ValueLayout.OfShort SHORT_BE = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfInt INT_BE = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG_BE = JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_RAW = 3;
    private static final int SOCK_NONBLOCK_CLOEXEC = 0x800 | 0x80000;
    private static final int NETLINK_ROUTE = 0;
    /** struct sockaddr_nl: u16 family, u16 padding, u32 port, u32 groups. */
    private static final int NETLINK_NAME_BYTES = 12;
    private static final int NETLINK_GROUPS = 8;
    private static final int EFD_NONBLOCK_CLOEXEC = 0x800 | 0x80000;
    static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_ERRQUEUE = 0x2000;

    private static final Linker LINKER = Linker.nativeLinker();
    static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO_VALUE =
        Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    /** Calls on sockets and events. They are linked at the first use of one, which takes time that {@link #close} alone need not cost. */
    private static final class Calls {
        static final MethodHandle SOCKET = call("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), ERRNO);
        static final MethodHandle BIND = call("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT), ERRNO);
        static final MethodHandle GETSOCKNAME =
            call("getsockname", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS), ERRNO);
        static final MethodHandle CONNECT = call("connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT), ERRNO);
        static final MethodHandle SETSOCKOPT =
            call("setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT), ERRNO);
        static final MethodHandle GETSOCKOPT =
            call("getsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS), ERRNO);
        static final MethodHandle SENDTO =
            call("sendto", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT), ERRNO);
        static final MethodHandle SENDMMSG =
            call("sendmmsg", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), ERRNO);
        static final MethodHandle SENDMSG =
            call("sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT), ERRNO);
        static final MethodHandle RECVMSG =
            call("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT), ERRNO);
        static final MethodHandle RECVMMSG =
            call("recvmmsg", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS), ERRNO);
        static final MethodHandle PPOLL =
            call("ppoll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS), ERRNO);
        static final MethodHandle EVENTFD = call("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT), ERRNO);
        static final MethodHandle READ = call("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG), ERRNO);
        static final MethodHandle WRITE = call("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));

        private Calls() {
        }
    }

    private static final MemorySegment ONE = Arena.global().allocate(JAVA_LONG);

    static {
        ONE.set(JAVA_LONG, 0, 1);
    }

    private final MemorySegment callState;
    private final MemorySegment option;
    private final MemorySegment optionLength;
    private final MemorySegment timeout;

    /**
     * Allocates the buffers of the calls.
     *
     * @param arena must outlive all calls
     */
    public LinuxSockets(Arena arena) {
        callState = arena.allocate(Linker.Option.captureStateLayout());
        option = arena.allocate(JAVA_LONG);
        optionLength = arena.allocate(JAVA_INT);
        timeout = arena.allocate(16, 8);
    }

    static MethodHandle call(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, options);
    }

    /**
     * Opens a non-blocking UDP socket.
     *
     * @param family {@link #AF_INET} or {@link #AF_INET6}
     */
    public int udpSocket(int family) {
        return socket(family, SOCK_DGRAM, 0);
    }

    /** Opens a non-blocking socket for whole frames, which receives none before it is bound. */
    public int packetSocket() {
        return socket(AF_PACKET, SOCK_RAW, 0);
    }

    /** Opens a non-blocking socket for processes of this host (AF_UNIX). */
    public int localSocket() {
        return socket(AF_UNIX, SOCK_DGRAM, 0);
    }

    /** Opens a non-blocking netlink socket for routes and neighbours. */
    public int routeSocket() {
        return socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    }

    /**
     * Opens a non-blocking netlink socket that receives the kernel's notices of routes, neighbours, interfaces or addresses.
     *
     * @param groups what is noticed: bits RTMGRP_… of rtnetlink(7)
     * @return descriptor, or minus errno
     */
    public int routeNotices(int groups) {
        int fd = routeSocket();
        if (fd < 0) {
            return fd;
        }
        int error;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment name = call.allocate(NETLINK_NAME_BYTES, 4);
            name.set(JAVA_SHORT, 0, (short) AF_NETLINK);
            name.set(JAVA_INT, NETLINK_GROUPS, groups);
            error = bind(fd, name, NETLINK_NAME_BYTES);
        }
        if (error < 0) {
            close(fd);
            return error;
        }
        return fd;
    }

    private int socket(int family, int type, int protocol) {
        try {
            return result((int) Calls.SOCKET.invokeExact(callState, family, type | SOCK_NONBLOCK_CLOEXEC, protocol));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public int bind(int fd, MemorySegment address, int length) {
        try {
            return result((int) Calls.BIND.invokeExact(callState, fd, address, length));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Reads the address a socket is bound to.
     *
     * @param name receives the address, truncated to its size
     * @return 0, or minus errno
     */
    public int boundTo(int fd, MemorySegment name) {
        optionLength.set(JAVA_INT, 0, (int) name.byteSize());
        try {
            return result((int) Calls.GETSOCKNAME.invokeExact(callState, fd, name, optionLength));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Connects a datagram socket. A UDP socket only for a route lookup, on a temporary socket. */
    public int connect(int fd, MemorySegment address, int length) {
        try {
            return result((int) Calls.CONNECT.invokeExact(callState, fd, address, length));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public int setOption(int fd, int level, int name, int value) {
        option.set(JAVA_INT, 0, value);
        try {
            return result((int) Calls.SETSOCKOPT.invokeExact(callState, fd, level, name, option, Integer.BYTES));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Sets an option that is a structure. */
    public int setOption(int fd, int level, int name, MemorySegment value) {
        try {
            return result((int) Calls.SETSOCKOPT.invokeExact(callState, fd, level, name, value, (int) value.byteSize()));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public int getOption(int fd, int level, int name) {
        optionLength.set(JAVA_INT, 0, Integer.BYTES);
        try {
            int result = result((int) Calls.GETSOCKOPT.invokeExact(callState, fd, level, name, option, optionLength));
            return result < 0 ? result : option.get(JAVA_INT, 0);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Sends one packet.
     *
     * @param packet its native address
     * @return 1, or minus errno
     */
    public int sendto(int fd, long packet, int length, MemorySegment name, int nameLength) {
        try {
            long sent = (long) Calls.SENDTO.invokeExact(callState, fd, packet, (long) length, MSG_DONTWAIT, name, nameLength);
            return sent < 0 ? result(-1) : 1;
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Sends messages.
     *
     * @return messages sent, at least 1, or minus errno of the first
     */
    public int sendmmsg(int fd, MemorySegment messages, int count) {
        try {
            return result((int) Calls.SENDMMSG.invokeExact(callState, fd, messages, count, MSG_DONTWAIT));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Sends the first of {@code messages}, which begins with its struct msghdr.
     *
     * @return 1, or minus errno
     */
    public int sendmsg(int fd, MemorySegment messages) {
        try {
            long sent = (long) Calls.SENDMSG.invokeExact(callState, fd, messages, MSG_DONTWAIT);
            return sent < 0 ? result(-1) : 1;
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Receives into the first of {@code messages}, which begins with its struct msghdr.
     *
     * @return bytes received, or minus errno
     */
    public int recvmsg(int fd, MemorySegment messages) {
        try {
            return result((int) (long) Calls.RECVMSG.invokeExact(callState, fd, messages, MSG_DONTWAIT));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Receives one message from the socket's error queue into the first of {@code messages}.
     *
     * @return bytes received, or minus errno: EAGAIN if the queue is empty
     */
    public int recvError(int fd, MemorySegment messages) {
        try {
            return result((int) (long) Calls.RECVMSG.invokeExact(callState, fd, messages, MSG_DONTWAIT | MSG_ERRQUEUE));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Receives messages.
     *
     * @return messages received, at least 1, or minus errno
     */
    public int recvmmsg(int fd, MemorySegment messages, int count) {
        try {
            return result((int) Calls.RECVMMSG.invokeExact(callState, fd, messages, count, MSG_DONTWAIT, MemorySegment.NULL));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /**
     * Waits for descriptors (ppoll).
     *
     * @param descriptors array of struct pollfd
     * @return descriptors ready, 0 after the timeout, or minus errno
     */
    int poll(MemorySegment descriptors, int count, long timeoutNs) {
        timeout.set(JAVA_LONG, 0, timeoutNs / 1_000_000_000L);
        timeout.set(JAVA_LONG, 8, timeoutNs % 1_000_000_000L);
        try {
            return result((int) Calls.PPOLL.invokeExact(callState, descriptors, (long) count, timeout, MemorySegment.NULL));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    int eventDescriptor() {
        try {
            return result((int) Calls.EVENTFD.invokeExact(callState, 0, EFD_NONBLOCK_CLOEXEC));
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Resets an event descriptor to not ready. */
    void drain(int eventFd) {
        try {
            // The only error is EAGAIN: it was not ready.
            long ignored = (long) Calls.READ.invokeExact(callState, eventFd, option, (long) Long.BYTES);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** Makes an event descriptor ready. Any thread. */
    static void signal(int eventFd) {
        try {
            // The only error is EAGAIN after 2^64-2 signals: it is ready then.
            long ignored = (long) Calls.WRITE.invokeExact(eventFd, ONE, (long) Long.BYTES);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    public static void close(int fd) {
        try {
            // Linux closes the descriptor whatever the result.
            int ignored = (int) CLOSE.invokeExact(fd);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    private int result(int returned) {
        return result(returned, callState);
    }

    /**
     * Converts the result of a call.
     *
     * @param callState where {@link #ERRNO} was captured
     * @return what the call returned, or minus errno
     */
    static int result(int returned, MemorySegment callState) {
        return returned >= 0 ? returned : -(int) ERRNO_VALUE.get(callState, 0L);
    }

    static AssertionError impossible(Throwable t) {
        return new AssertionError("a native call does not throw", t);
    }

    /**
     * Writes a struct sockaddr_in or sockaddr_in6.
     *
     * @param at {@link #SOCKADDR_BYTES} bytes, all zero
     * @return its length
     */
    public static int putAddress(MemorySegment at, Gid address, int port, int scope) {
        if (address.isIpv4Mapped()) {
            at.set(JAVA_SHORT, 0, (short) AF_INET);
            at.set(SHORT_BE, SOCKADDR_PORT, (short) port);
            at.set(INT_BE, SOCKADDR_IN_ADDRESS, address.ipv4());
            return SOCKADDR_IN_LENGTH;
        }
        at.set(JAVA_SHORT, 0, (short) AF_INET6);
        at.set(SHORT_BE, SOCKADDR_PORT, (short) port);
        at.set(LONG_BE, SOCKADDR_IN6_ADDRESS, address.high());
        at.set(LONG_BE, SOCKADDR_IN6_ADDRESS + 8, address.low());
        at.set(JAVA_INT, SOCKADDR_IN6_SCOPE, scope);
        return SOCKADDR_IN6_LENGTH;
    }

    /**
     * Builds a struct sockaddr_un with an abstract name, which belongs to the network namespace and to no file. Source: unix(7).
     *
     * @param name bytes behind the zero byte of abstract names; a zero byte at its end is a part of it
     */
    public static MemorySegment abstractAddress(Arena arena, byte[] name) {
        MemorySegment address = arena.allocate(SOCKADDR_UN_NAME + name.length, 8);
        address.set(JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, SOCKADDR_UN_NAME, name.length);
        return address;
    }

    /** Upper half of the address in a struct sockaddr_in or sockaddr_in6, as a GID. */
    public static long gidHigh(MemorySegment memory, long at, boolean ipv4) {
        return ipv4 ? Gids.IPV4_MAPPED_HIGH : memory.get(LONG_BE, at + SOCKADDR_IN6_ADDRESS);
    }

    /** Lower half of the address in a struct sockaddr_in or sockaddr_in6, as a GID. */
    public static long gidLow(MemorySegment memory, long at, boolean ipv4) {
        return ipv4 ? Gids.lowFromIpv4(memory.get(INT_BE, at + SOCKADDR_IN_ADDRESS)) : memory.get(LONG_BE, at + SOCKADDR_IN6_ADDRESS + 8);
    }

    /** Builds a struct ip_mreqn or ipv6_mreq: a group and an interface. */
    public static MemorySegment membership(Gid group, int interfaceIndex) {
        if (group.isIpv4Mapped()) {
            MemorySegment request = Arena.ofAuto().allocate(12, 4);
            request.set(INT_BE, 0, group.ipv4());
            request.set(JAVA_INT, 8, interfaceIndex);
            return request;
        }
        MemorySegment request = Arena.ofAuto().allocate(20, 8);
        request.set(LONG_BE, 0, group.high());
        request.set(LONG_BE, 8, group.low());
        request.set(JAVA_INT, 16, interfaceIndex);
        return request;
    }

    /** Whether an errno means that the descriptor was closed or is no socket (EBADF, ENOTSOCK). */
    public static boolean isDead(int errno) {
        return errno == EBADF || errno == ENOTSOCK;
    }

    /** Maps a Linux errno; EIO for numbers that verbs do not define. */
    public static Errno errno(int number) {
        for (Errno candidate : Errno.values()) {
            if (candidate.value() == number) {
                return candidate;
            }
        }
        return Errno.EIO;
    }

    public static VerbsException failure(int number, String verb, String detail) {
        Errno errno = errno(number);
        return new VerbsException(errno, verb, errno.value() == number ? detail : detail + " (errno " + number + ')');
    }
}
