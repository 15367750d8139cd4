// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.softrdma.linux.LinuxSockets;

/**
 * Netlink sockets of the family that is there for programs among themselves (NETLINK_USERSOCK): one that a program has in the place of a
 * kernel's family, and one of this process that answers. Any thread. Source: netlink(7).
 */
public final class NetlinkSocket implements AutoCloseable {
    /** Result of {@link #portOf}: the descriptor is no such socket, or not bound. */
    public static final int NONE = 0;

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final int NETLINK_USERSOCK = 2;
    private static final int MSG_DONTWAIT = 0x40;
    /** struct sockaddr_nl: u16 family, u16 padding, u32 port, u32 groups. */
    private static final int ADDRESS_BYTES = 12;
    private static final int ADDRESS_PORT = 4;
    /** Columns of /proc/net/netlink: socket, family, port, groups, …, inode. */
    private static final int COLUMN_FAMILY = 1;
    private static final int COLUMN_PORT = 2;
    private static final int COLUMN_INODE = 9;
    private static final String LINK = "socket:[";

    private static final MethodHandle SOCKET = CLibrary.function("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle SENDTO = CLibrary.function("sendto",
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

    private final int fd = CLibrary.check(open(), "socket", "netlink");

    /**
     * Opens a socket.
     *
     * @return a descriptor, or minus errno: EPROTONOSUPPORT, EAFNOSUPPORT where the host has no netlink
     */
    public static int open() {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) SOCKET.invokeExact(library.state, AF_NETLINK, SOCK_RAW | CLibrary.O_CLOEXEC, NETLINK_USERSOCK));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** The port that such a socket of another process is bound to, or {@link #NONE}. */
    public static int portOf(int tid, int descriptor) {
        String link = ProcessInfo.fdLink(tid, descriptor);
        if (link == null || !link.startsWith(LINK)) {
            return NONE;
        }
        String inode = link.substring(LINK.length(), link.length() - 1);
        try {
            for (String line : Files.readAllLines(Path.of("/proc", Integer.toString(tid), "net", "netlink"))) {
                String[] columns = line.strip().split(" +");
                if (columns.length > COLUMN_INODE && columns[COLUMN_INODE].equals(inode)
                    && columns[COLUMN_FAMILY].equals(Integer.toString(NETLINK_USERSOCK))) {
                    return Integer.parseUnsignedInt(columns[COLUMN_PORT]);
                }
            }
        } catch (IOException | NumberFormatException gone) {
            return NONE;
        }
        return NONE;
    }

    /**
     * Sends a message to a port.
     *
     * @return false if there is no such port, or its buffer is full
     */
    public boolean send(int port, byte[] message) {
        CLibrary library = CLibrary.current();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(message.length);
            bytes.copyFrom(MemorySegment.ofArray(message));
            MemorySegment address = arena.allocate(ADDRESS_BYTES, 4);
            address.set(JAVA_SHORT, 0, (short) AF_NETLINK);
            address.set(JAVA_INT, ADDRESS_PORT, port);
            return (long) SENDTO.invokeExact(library.state, fd, bytes, (long) message.length, MSG_DONTWAIT, address, ADDRESS_BYTES)
                == message.length;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    @Override
    public void close() {
        LinuxSockets.close(fd);
    }
}
