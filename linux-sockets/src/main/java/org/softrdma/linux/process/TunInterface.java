// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.NativeCalls;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A network interface whose other end is this process: IP packets that the host sends by it are read here, and what is written here is
 * received by the host. The interface is made, which takes CAP_NET_ADMIN, and removed with this object; or one that was made beforehand for
 * the user ({@code ip tuntap add NAME mode tun user USER}) is used, and stays. One thread reads, and one writes. Source:
 * Documentation/networking/tuntap.rst of Linux.
 */
public final class TunInterface implements AutoCloseable {
    /** Link type of IP over InfiniBand. */
    public static final int INFINIBAND = 32;
    private static final String DEVICE = "/dev/net/tun";
    private static final int NAME_BYTES = 16;
    private static final int REQUEST_BYTES = 40;
    private static final int TUNSETIFF = 0x400454CA;
    private static final int TUNSETLINK = 0x400454CD;
    private static final int SIOCSIFMTU = 0x8922;
    private static final short TUN_WITHOUT_HEADER = 0x1001;

    private static final MethodHandle IOCTL =
        CLibrary.variadic("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), 2);
    private static final MethodHandle IOCTL_NUMBER =
        CLibrary.variadic("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG), 2);

    private static final MethodHandle SOCKET = CLibrary.function("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;

    private final int fd;
    private final String name;
    private final OpenGuard guard = new OpenGuard();

    /**
     * Makes an interface, or takes one that is there and has no process.
     *
     * @param wanted its name, 1 to 15 bytes
     * @throws VerbsException EPERM: it is not there, and this process may not make it; EBUSY: another process has it; ENODEV: the host has
     *     no such interfaces; EINVAL: no name; EOPNOTSUPP: not Linux
     */
    public TunInterface(String wanted) {
        NativeCalls.require("a network interface of this process");
        byte[] bytes = wanted.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length >= NAME_BYTES) {
            throw new VerbsException(Errno.EINVAL, "open_interface", "'" + wanted + "' is no name of an interface: 1 to 15 bytes");
        }
        name = wanted;
        try (Arena arena = Arena.ofConfined()) {
            int opened = Descriptors.open(Descriptors.AT_FDCWD, arena.allocateFrom(DEVICE),
                CLibrary.O_RDWR | CLibrary.O_NONBLOCK | CLibrary.O_CLOEXEC, 0);
            if (opened == -CLibrary.ENOENT) {
                throw new VerbsException(Errno.ENODEV, "open_interface", "the host has no " + DEVICE + ": load the module tun");
            }
            fd = CLibrary.check(opened, "open_interface", DEVICE);
            MemorySegment request = arena.allocate(REQUEST_BYTES, 8);
            MemorySegment.copy(bytes, 0, request, JAVA_BYTE, 0, bytes.length);
            request.set(JAVA_SHORT, NAME_BYTES, TUN_WITHOUT_HEADER);
            int result = ioctl(fd, TUNSETIFF, request);
            if (result < 0) {
                LinuxSockets.close(fd);
                throw LinuxSockets.failure(-result, "open_interface", name + ": making it takes CAP_NET_ADMIN; as root, ip tuntap add "
                    + name + " mode tun user USER makes it for another user");
            }
        }
    }

    private static int ioctl(int fd, int request, MemorySegment argument) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) IOCTL.invokeExact(library.state, fd, (long) request, argument));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Name of the interface. */
    public String name() {
        return name;
    }

    /** The descriptor: readable when there is a packet. */
    public int fd() {
        return fd;
    }

    /**
     * Sets the link type that tools show. The interface must be down.
     *
     * @param type ARPHRD_ constant: {@link #INFINIBAND}
     * @return false if the interface is up; it stays as it is
     */
    public boolean setLinkType(int type) {
        CLibrary library = CLibrary.current();
        try {
            return (int) IOCTL_NUMBER.invokeExact(library.state, fd, (long) TUNSETLINK, (long) type) >= 0;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /**
     * Sets the MTU, which takes CAP_NET_ADMIN.
     *
     * @param bytes of the longest IP packet
     * @return false if this process may not
     */
    public boolean setMtu(int bytes) {
        int socket = openSocket();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocate(REQUEST_BYTES, 8);
            request.setString(0, name);
            request.set(JAVA_INT, NAME_BYTES, bytes);
            return ioctl(socket, SIOCSIFMTU, request) >= 0;
        } finally {
            LinuxSockets.close(socket);
        }
    }

    /** Any socket serves: it only names the network namespace. */
    private static int openSocket() {
        CLibrary library = CLibrary.current();
        try {
            return CLibrary.check(library.result((int) SOCKET.invokeExact(library.state, AF_INET, SOCK_DGRAM | CLibrary.O_CLOEXEC, 0)),
                "socket", "the limit is ulimit -n");
        } catch (VerbsException refused) {
            throw refused;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /**
     * Reads the next packet that the host sent.
     *
     * @param to at least as long as the MTU; a longer packet is cut off
     * @return its length, bytes; 0 if there is none, or the interface is down
     */
    public int read(MemorySegment to) {
        if (!guard.enter()) {
            return 0;
        }
        try {
            return (int) Math.max(0, Descriptors.read(fd, to, to.byteSize()));
        } finally {
            guard.leave();
        }
    }

    /**
     * Lets the host receive a packet.
     *
     * @return false if the interface is down, or the packet is none of IP: it is lost
     */
    public boolean write(MemorySegment packet, long length) {
        if (!guard.enter()) {
            return false;
        }
        try {
            return Descriptors.write(fd, packet, length) == length;
        } finally {
            guard.leave();
        }
    }

    /** Ends reading and writing; an interface that this object made is gone. */
    @Override
    public void close() {
        if (guard.close()) {
            LinuxSockets.close(fd);
        }
    }
}
