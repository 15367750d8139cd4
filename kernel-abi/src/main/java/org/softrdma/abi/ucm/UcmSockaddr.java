// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.ucm;

import static org.softrdma.abi.AbiLayout.BE16;
import static org.softrdma.abi.AbiLayout.BE32;
import static org.softrdma.abi.AbiLayout.BE64;
import static org.softrdma.abi.AbiLayout.U16;
import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U64;

import java.lang.foreign.MemorySegment;

/**
 * Addresses in rdma_cm's commands: {@code sockaddr_in}, {@code sockaddr_in6} and {@code sockaddr_ib}. The family decides; the caller checks
 * that {@link #bytes} of it fit before it reads more than the family.
 *
 * <p>Source: {@code netinet/in.h}; {@code struct sockaddr_ib} of {@code infiniband/ib.h}.
 */
public final class UcmSockaddr {
    /** Room for an address in {@code struct __kernel_sockaddr_storage}. */
    public static final int STORAGE_BYTES = 128;
    /** Size of a {@code sockaddr_in}. */
    public static final int IPV4_BYTES = 16;
    /** Size of a {@code sockaddr_in6}. */
    public static final int IPV6_BYTES = 28;
    /** Size of a {@code sockaddr_ib}. */
    public static final int IB_BYTES = 48;

    /** Family of no address. */
    public static final int AF_UNSPEC = 0;
    /** Family of {@code sockaddr_in}. */
    public static final int AF_INET = 2;
    /** Family of {@code sockaddr_in6} on Linux. */
    public static final int AF_INET6 = 10;
    /** Family of {@code sockaddr_ib}. */
    public static final int AF_IB = 27;

    /** u16, of all families. */
    public static final int FAMILY_OFFSET = 0;
    /** be16, of IPv4 and IPv6. */
    public static final int PORT_OFFSET = 2;
    /** 4 bytes in network order. */
    public static final int IPV4_ADDRESS_OFFSET = 4;
    /** be32. */
    public static final int IPV6_FLOW_INFO_OFFSET = 4;
    /** 16 bytes in network order. */
    public static final int IPV6_ADDRESS_OFFSET = 8;
    /** u32. */
    public static final int IPV6_SCOPE_ID_OFFSET = 24;
    /** be16. */
    public static final int IB_PKEY_OFFSET = 2;
    /** be32. */
    public static final int IB_FLOW_INFO_OFFSET = 4;
    /** 16 bytes: GID in network order. */
    public static final int IB_ADDRESS_OFFSET = 8;
    /** be64. */
    public static final int IB_SERVICE_ID_OFFSET = 24;
    /** be64. */
    public static final int IB_SERVICE_ID_MASK_OFFSET = 32;
    /** u64. */
    public static final int IB_SCOPE_ID_OFFSET = 40;

    private UcmSockaddr() {
    }

    /**
     * Size of an address by its family.
     *
     * @return bytes, or 0 for a family that rdma_cm does not know
     */
    public static int bytes(int family) {
        return switch (family) {
            case AF_INET -> IPV4_BYTES;
            case AF_INET6 -> IPV6_BYTES;
            case AF_IB -> IB_BYTES;
            default -> 0;
        };
    }

    /** Family of the address. */
    public static int family(MemorySegment m, long at) {
        return m.get(U16, at + FAMILY_OFFSET) & 0xFFFF;
    }

    public static void family(MemorySegment m, long at, int value) {
        m.set(U16, at + FAMILY_OFFSET, (short) value);
    }

    /** Port of IPv4 and IPv6. */
    public static int port(MemorySegment m, long at) {
        return m.get(BE16, at + PORT_OFFSET) & 0xFFFF;
    }

    public static void port(MemorySegment m, long at, int value) {
        m.set(BE16, at + PORT_OFFSET, (short) value);
    }

    /** Traffic class and flow label of IPv6. */
    public static int ipv6FlowInfo(MemorySegment m, long at) {
        return m.get(BE32, at + IPV6_FLOW_INFO_OFFSET);
    }

    public static void ipv6FlowInfo(MemorySegment m, long at, int value) {
        m.set(BE32, at + IPV6_FLOW_INFO_OFFSET, value);
    }

    /** Interface index of link-local IPv6 addresses. */
    public static int ipv6ScopeId(MemorySegment m, long at) {
        return m.get(U32, at + IPV6_SCOPE_ID_OFFSET);
    }

    public static void ipv6ScopeId(MemorySegment m, long at, int value) {
        m.set(U32, at + IPV6_SCOPE_ID_OFFSET, value);
    }

    /** Partition key of AF_IB. */
    public static int ibPkey(MemorySegment m, long at) {
        return m.get(BE16, at + IB_PKEY_OFFSET) & 0xFFFF;
    }

    public static void ibPkey(MemorySegment m, long at, int value) {
        m.set(BE16, at + IB_PKEY_OFFSET, (short) value);
    }

    /** Traffic class and flow label of AF_IB. */
    public static int ibFlowInfo(MemorySegment m, long at) {
        return m.get(BE32, at + IB_FLOW_INFO_OFFSET);
    }

    public static void ibFlowInfo(MemorySegment m, long at, int value) {
        m.set(BE32, at + IB_FLOW_INFO_OFFSET, value);
    }

    /** Service ID of AF_IB: the port space in bits 31:16, the port in bits 15:0. */
    public static long ibServiceId(MemorySegment m, long at) {
        return m.get(BE64, at + IB_SERVICE_ID_OFFSET);
    }

    public static void ibServiceId(MemorySegment m, long at, long value) {
        m.set(BE64, at + IB_SERVICE_ID_OFFSET, value);
    }

    /** Bits of the service ID that count. */
    public static long ibServiceIdMask(MemorySegment m, long at) {
        return m.get(BE64, at + IB_SERVICE_ID_MASK_OFFSET);
    }

    public static void ibServiceIdMask(MemorySegment m, long at, long value) {
        m.set(BE64, at + IB_SERVICE_ID_MASK_OFFSET, value);
    }

    /** Interface index of link-local GIDs. */
    public static long ibScopeId(MemorySegment m, long at) {
        return m.get(U64, at + IB_SCOPE_ID_OFFSET);
    }

    public static void ibScopeId(MemorySegment m, long at, long value) {
        m.set(U64, at + IB_SCOPE_ID_OFFSET, value);
    }
}
