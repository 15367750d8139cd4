// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;

/** Socket addresses of Linux: {@code struct sockaddr_in} and {@code struct sockaddr_in6}. */
final class SocketAddresses {
    private static final ValueLayout.OfShort PORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int PORT_OFFSET = 2;
    private static final int IPV4_OFFSET = 4;
    private static final int IPV6_OFFSET = 8;
    private static final int SCOPE_OFFSET = 24;
    private static final int BYTES = 28;

    private SocketAddresses() {
    }

    /**
     * Writes an address.
     *
     * @param address null for none
     * @return its memory; NULL for none
     */
    static MemorySegment of(InetSocketAddress address, Arena arena) {
        if (address == null) {
            return MemorySegment.NULL;
        }
        MemorySegment m = arena.allocate(BYTES, 8);
        byte[] ip = address.getAddress().getAddress();
        boolean v6 = address.getAddress() instanceof Inet6Address;
        m.set(JAVA_SHORT, 0, (short) (v6 ? AF_INET6 : AF_INET));
        m.set(PORT, PORT_OFFSET, (short) address.getPort());
        MemorySegment.copy(ip, 0, m, JAVA_BYTE, v6 ? IPV6_OFFSET : IPV4_OFFSET, ip.length);
        if (address.getAddress() instanceof Inet6Address scoped) {
            m.set(JAVA_INT, SCOPE_OFFSET, scoped.getScopeId());
        }
        return m;
    }

    /** Reads an address; null if there is none. */
    static InetSocketAddress get(MemorySegment memory, long at) {
        int family = memory.get(JAVA_SHORT, at);
        if (family != AF_INET && family != AF_INET6) {
            return null;
        }
        boolean v6 = family == AF_INET6;
        byte[] ip = memory.asSlice(at + (v6 ? IPV6_OFFSET : IPV4_OFFSET), v6 ? 16 : 4).toArray(JAVA_BYTE);
        try {
            InetAddress address = v6 ? Inet6Address.getByAddress(null, ip, scope(memory, at)) : InetAddress.getByAddress(ip);
            return new InetSocketAddress(address, memory.get(PORT, at + PORT_OFFSET) & 0xffff);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Scope of an IPv6 address; -1 for none. */
    private static int scope(MemorySegment memory, long at) {
        int scope = memory.get(JAVA_INT, at + SCOPE_OFFSET);
        return scope == 0 ? -1 : scope;
    }
}
