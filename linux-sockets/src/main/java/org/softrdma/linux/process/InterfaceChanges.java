// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.VerbsException;

/**
 * Notices of the kernel that a network interface of this network namespace, or an address of one, has changed. Their contents are not
 * read: the caller looks at the interfaces itself. One thread. Source: rtnetlink(7).
 */
public final class InterfaceChanges implements AutoCloseable {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final int NETLINK_ROUTE = 0;
    /** RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR. */
    private static final int GROUPS = 0x1 | 0x10 | 0x100;
    /** struct sockaddr_nl: u16 family, u16 padding, u32 port, u32 groups. */
    private static final int ADDRESS_BYTES = 12;
    private static final int ADDRESS_PORT = 4;
    private static final int ADDRESS_GROUPS = 8;

    private static final MethodHandle SOCKET = CLibrary.function("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle BIND = CLibrary.function("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

    private final int fd;

    /**
     * Asks for notices from now on.
     *
     * @throws VerbsException EMFILE, or EIO where the host has no such sockets
     */
    public InterfaceChanges() {
        fd = CLibrary.check(open(), "socket", "route netlink");
        int bound = bind();
        if (bound < 0) {
            LinuxSockets.close(fd);
        }
        CLibrary.check(bound, "bind", "route netlink");
    }

    private static int open() {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) SOCKET.invokeExact(library.state, AF_NETLINK,
                SOCK_RAW | CLibrary.O_CLOEXEC | CLibrary.O_NONBLOCK, NETLINK_ROUTE));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    private int bind() {
        CLibrary library = CLibrary.current();
        MemorySegment address = library.small;
        address.set(JAVA_SHORT, 0, (short) AF_NETLINK);
        address.set(JAVA_SHORT, Short.BYTES, (short) 0);
        address.set(JAVA_INT, ADDRESS_PORT, 0);
        address.set(JAVA_INT, ADDRESS_GROUPS, GROUPS);
        try {
            return library.result((int) BIND.invokeExact(library.state, fd, address, ADDRESS_BYTES));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** The descriptor: readable when there are notices, and when some were lost. */
    public int fd() {
        return fd;
    }

    /** Forgets the notices that have arrived. */
    public void drain() {
        Descriptors.drain(fd);
    }

    @Override
    public void close() {
        LinuxSockets.close(fd);
    }
}
