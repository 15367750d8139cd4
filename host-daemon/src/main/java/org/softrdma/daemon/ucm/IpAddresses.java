// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.softrdma.abi.ucm.UcmSockaddr;

/** Translates {@code sockaddr_in} and {@code sockaddr_in6}. */
public final class IpAddresses {
    private static final int IPV4_ADDRESS_BYTES = 4;
    private static final int IPV6_ADDRESS_BYTES = 16;

    private IpAddresses() {
    }

    /** Returns the length of an address by its family; 0 for a family that is unknown. */
    static int bytes(MemorySegment m, long at) {
        return UcmSockaddr.bytes(UcmSockaddr.family(m, at));
    }

    static boolean isIp(MemorySegment m, long at) {
        int family = UcmSockaddr.family(m, at);
        return family == UcmSockaddr.AF_INET || family == UcmSockaddr.AF_INET6;
    }

    /** Reads an address whose family {@link #isIp}. */
    public static InetSocketAddress read(MemorySegment m, long at) {
        boolean ipv4 = UcmSockaddr.family(m, at) == UcmSockaddr.AF_INET;
        byte[] ip = new byte[ipv4 ? IPV4_ADDRESS_BYTES : IPV6_ADDRESS_BYTES];
        MemorySegment.copy(m, U8, at + (ipv4 ? UcmSockaddr.IPV4_ADDRESS_OFFSET : UcmSockaddr.IPV6_ADDRESS_OFFSET), ip, 0, ip.length);
        int scope = ipv4 ? 0 : UcmSockaddr.ipv6ScopeId(m, at);
        return new InetSocketAddress(address(ip, scope), UcmSockaddr.port(m, at));
    }

    private static InetAddress address(byte[] ip, int scope) {
        try {
            return scope > 0 ? Inet6Address.getByAddress(null, ip, scope) : InetAddress.getByAddress(ip);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns whether an address means an interface, but does not say which one. */
    static boolean lacksScope(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address ipv6 && ipv6.isLinkLocalAddress() && ipv6.getScopeId() == 0;
    }

    /**
     * Writes an address.
     *
     * @return its length in bytes
     */
    public static int write(MemorySegment m, long at, InetSocketAddress address) {
        byte[] ip = address.getAddress().getAddress();
        boolean ipv4 = ip.length == IPV4_ADDRESS_BYTES;
        UcmSockaddr.family(m, at, ipv4 ? UcmSockaddr.AF_INET : UcmSockaddr.AF_INET6);
        UcmSockaddr.port(m, at, address.getPort());
        MemorySegment.copy(ip, 0, m, U8, at + (ipv4 ? UcmSockaddr.IPV4_ADDRESS_OFFSET : UcmSockaddr.IPV6_ADDRESS_OFFSET), ip.length);
        if (!ipv4) {
            UcmSockaddr.ipv6ScopeId(m, at, ((Inet6Address) address.getAddress()).getScopeId());
        }
        return ipv4 ? UcmSockaddr.IPV4_BYTES : UcmSockaddr.IPV6_BYTES;
    }

    /**
     * Writes only the family, for a peer that is not known yet.
     *
     * @param like address of the same family
     * @return length in bytes
     */
    static int writeEmpty(MemorySegment m, long at, InetSocketAddress like) {
        boolean ipv4 = !(like.getAddress() instanceof Inet6Address);
        UcmSockaddr.family(m, at, ipv4 ? UcmSockaddr.AF_INET : UcmSockaddr.AF_INET6);
        return ipv4 ? UcmSockaddr.IPV4_BYTES : UcmSockaddr.IPV6_BYTES;
    }
}
