// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The C library's calls for TCP connections, and for waiting on many of them with epoll. Results and the thread rule are those of
 * {@link LinuxSockets}: the result or minus errno, one thread at a time.
 */
final class LinuxTcp {
    static final int EPOLLIN = 1;
    static final int EPOLLOUT = 4;
    static final int EPOLLERR = 8;
    static final int EPOLLHUP = 0x10;
    /** The peer has closed its side. */
    static final int EPOLLRDHUP = 0x2000;
    /** Reports each change once (edge-triggered). */
    static final int EPOLLET = 1 << 31;

    /** Offset of the data in a struct epoll_event, which is packed on x86-64 only. */
    private static final int EVENT_DATA = System.getProperty("os.arch").equals("amd64") ? 4 : 8;
    private static final int EVENT_BYTES = EVENT_DATA + Long.BYTES;
    private static final int CLOEXEC = 0x80000;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_MAXSEG = 2;
    private static final int SHUT_WR = 1;
    private static final int MSG_NOSIGNAL = 0x4000;

    private static final MethodHandle EPOLL_CREATE =
        LinuxSockets.call("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT), LinuxSockets.ERRNO);
    private static final MethodHandle EPOLL_CTL =
        LinuxSockets.call("epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS), LinuxSockets.ERRNO);
    private static final MethodHandle EPOLL_WAIT =
        LinuxSockets.call("epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), LinuxSockets.ERRNO);
    private static final MethodHandle RECV =
        LinuxSockets.call("recv", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT), LinuxSockets.ERRNO);
    private static final MethodHandle RECVMSG =
        LinuxSockets.call("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT), LinuxSockets.ERRNO);
    private static final MethodHandle SEND =
        LinuxSockets.call("send", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT), LinuxSockets.ERRNO);
    private static final MethodHandle SHUTDOWN = LinuxSockets.call("shutdown", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle FCNTL =
        LinuxSockets.call("fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));

    private final LinuxSockets options;
    private final MemorySegment callState;
    private final MemorySegment event;
    /** One message with two buffers. */
    private final MessageVector twoPlaces;

    /**
     * Allocates the buffers of the calls.
     *
     * @param arena must outlive all calls
     */
    LinuxTcp(Arena arena) {
        options = new LinuxSockets(arena);
        callState = arena.allocate(Linker.Option.captureStateLayout());
        event = arena.allocate(EVENT_BYTES, 8);
        twoPlaces = new MessageVector(arena, 1, 2);
        twoPlaces.message(0, 0, 0, 0, 2, 0, 0);
    }

    int epoll() {
        try {
            return result((int) EPOLL_CREATE.invokeExact(callState, CLOEXEC));
        } catch (Throwable t) {
            throw LinuxSockets.impossible(t);
        }
    }

    /** Makes {@link #wait} report these {@code events} of {@code fd} from now on. */
    int watch(int epoll, int fd, int events) {
        event.set(JAVA_INT, 0, events);
        event.set(JAVA_LONG_UNALIGNED, EVENT_DATA, fd);
        return control(epoll, EPOLL_CTL_ADD, fd);
    }

    int forget(int epoll, int fd) {
        return control(epoll, EPOLL_CTL_DEL, fd);
    }

    private int control(int epoll, int operation, int fd) {
        try {
            return result((int) EPOLL_CTL.invokeExact(callState, epoll, operation, fd, event));
        } catch (Throwable t) {
            throw LinuxSockets.impossible(t);
        }
    }

    /** Allocates an array for {@link #wait}. */
    static MemorySegment events(Arena arena, int count) {
        return arena.allocate((long) count * EVENT_BYTES, 8);
    }

    /**
     * Reads pending events without waiting.
     *
     * @return descriptors with events, at most {@code count}, or minus errno
     */
    int wait(int epoll, MemorySegment events, int count) {
        try {
            return result((int) EPOLL_WAIT.invokeExact(callState, epoll, events, count, 0));
        } catch (Throwable t) {
            throw LinuxSockets.impossible(t);
        }
    }

    static int events(MemorySegment events, int index) {
        return events.get(JAVA_INT, (long) index * EVENT_BYTES);
    }

    static int fd(MemorySegment events, int index) {
        return (int) events.get(JAVA_LONG_UNALIGNED, (long) index * EVENT_BYTES + EVENT_DATA);
    }

    /**
     * Receives bytes.
     *
     * @param to a native address
     * @return bytes received, 0 at the end of the stream, or minus errno
     */
    int recv(int fd, long to, int length) {
        try {
            return result((int) (long) RECV.invokeExact(callState, fd, to, (long) length, LinuxSockets.MSG_DONTWAIT));
        } catch (Throwable t) {
            throw LinuxSockets.impossible(t);
        }
    }

    /**
     * Receives bytes into two buffers, the second one when the first is full.
     *
     * @param to     native address of the first
     * @param thenTo native address of the second
     * @return bytes received, 0 at the end of the stream, or minus errno
     */
    int recv(int fd, long to, int length, long thenTo, int thenLength) {
        twoPlaces.iovec(0, to, length);
        twoPlaces.iovec(1, thenTo, thenLength);
        try {
            return result((int) (long) RECVMSG.invokeExact(callState, fd, twoPlaces.messages(), LinuxSockets.MSG_DONTWAIT));
        } catch (Throwable t) {
            throw LinuxSockets.impossible(t);
        }
    }

    /**
     * Sends bytes.
     *
     * @param from a native address
     * @return bytes accepted, or minus errno
     */
    int send(int fd, long from, int length) {
        try {
            return result((int) (long) SEND.invokeExact(callState, fd, from, (long) length, LinuxSockets.MSG_DONTWAIT | MSG_NOSIGNAL));
        } catch (Throwable t) {
            throw LinuxSockets.impossible(t);
        }
    }

    /** Payload bytes of a full segment, or minus errno. */
    int segmentBytes(int fd) {
        return options.getOption(fd, IPPROTO_TCP, TCP_MAXSEG);
    }

    /** Shuts down the sending direction. */
    static void endOutput(int fd) {
        try {
            // The only error: the connection has ended already.
            int ignored = (int) SHUTDOWN.invokeExact(fd, SHUT_WR);
        } catch (Throwable t) {
            throw LinuxSockets.impossible(t);
        }
    }

    /**
     * Duplicates a descriptor. Any thread.
     *
     * @return another descriptor of the same socket, or -1 if the process has no more descriptors
     */
    static int duplicate(int fd) {
        try {
            return (int) FCNTL.invokeExact(fd, F_DUPFD_CLOEXEC, 0);
        } catch (Throwable t) {
            throw LinuxSockets.impossible(t);
        }
    }

    private int result(int returned) {
        return LinuxSockets.result(returned, callState);
    }
}
