// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;

/**
 * A UDP socket on 127.0.0.1 whose kernel cuts one send into packets and hands several over in one receive (UDP_SEGMENT, UDP_GRO).
 * For the {@link Ceiling} only, and deliberately not the device's own link: a yardstick must not change with what it measures.
 */
final class OffloadSocket implements AutoCloseable {
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM_NONBLOCK = 2 | 0x800;
    private static final int IPPROTO_IP = 0;
    private static final int IP_MTU_DISCOVER = 10;
    private static final int PMTUDISC_DO = 2;
    private static final int IPPROTO_UDP = 17;
    private static final int UDP_SEGMENT = 103;
    private static final int UDP_GRO = 104;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVBUF = 8;
    private static final int SO_RCVBUFFORCE = 33;
    private static final int LOOPBACK = 0x7f000001;
    private static final ValueLayout.OfShort U16_BE = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32_BE = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle SOCKET = call("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle BIND = call("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle GETSOCKNAME = call("getsockname", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SETSOCKOPT =
        call("setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle GETSOCKOPT =
        call("getsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SENDTO =
        call("sendto", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle RECV = call("recv", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private final Arena arena = Arena.ofShared();
    private final MemorySegment scratch = arena.allocate(16, 8);
    private final MemorySegment peer = arena.allocate(16, 8);
    private final int fd;
    private final int port;

    OffloadSocket(int receiveBufferBytes) {
        try {
            fd = checked("socket", (int) SOCKET.invokeExact(AF_INET, SOCK_DGRAM_NONBLOCK, 0));
            option(IPPROTO_IP, IP_MTU_DISCOVER, PMTUDISC_DO);
            // Forcing needs a privilege; without it the host's limit applies.
            if (setOption(SOL_SOCKET, SO_RCVBUFFORCE, receiveBufferBytes) < 0) {
                option(SOL_SOCKET, SO_RCVBUF, receiveBufferBytes);
            }
            address(peer, 0);
            checked("bind", (int) BIND.invokeExact(fd, peer, 16));
            scratch.set(JAVA_INT, 0, 16);
            checked("getsockname", (int) GETSOCKNAME.invokeExact(fd, peer, scratch));
            port = peer.get(U16_BE, 2) & 0xffff;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private static MethodHandle call(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor);
    }

    private static int checked(String what, int result) {
        if (result < 0) {
            throw new IllegalStateException(what + " failed");
        }
        return result;
    }

    private static void address(MemorySegment at, int port) {
        at.set(JAVA_SHORT, 0, (short) AF_INET);
        at.set(U16_BE, 2, (short) port);
        at.set(U32_BE, 4, LOOPBACK);
    }

    private int setOption(int level, int name, int value) {
        scratch.set(JAVA_INT, 0, value);
        try {
            return (int) SETSOCKOPT.invokeExact(fd, level, name, scratch, 4);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    private void option(int level, int name, int value) {
        checked("setsockopt " + level + " " + name, setOption(level, name, value));
    }

    int port() {
        return port;
    }

    /** Value that the kernel granted. */
    int receiveBufferBytes() {
        scratch.set(JAVA_INT, 8, 4);
        try {
            checked("getsockopt", (int) GETSOCKOPT.invokeExact(fd, SOL_SOCKET, SO_RCVBUF, scratch, scratch.asSlice(8)));
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
        return scratch.get(JAVA_INT, 0);
    }

    void segment(int bytes) {
        option(IPPROTO_UDP, UDP_SEGMENT, bytes);
    }

    void merge() {
        option(IPPROTO_UDP, UDP_GRO, 1);
    }

    void towards(int peerPort) {
        address(peer, peerPort);
    }

    /** @return false if the socket takes no more now */
    boolean send(MemorySegment data, long length) {
        try {
            return (long) SENDTO.invokeExact(fd, data, length, 0, peer, 16) >= 0;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /** @return bytes, or a negative number if there is nothing */
    long receive(MemorySegment into) {
        try {
            return (long) RECV.invokeExact(fd, into, into.byteSize(), 0);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    @Override
    public void close() {
        try {
            int ignored = (int) CLOSE.invokeExact(fd);
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
        arena.close();
    }
}
