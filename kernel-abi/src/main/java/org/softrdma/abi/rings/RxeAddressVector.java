// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.softrdma.abi.AbiLayout.U32;
import static org.softrdma.abi.AbiLayout.U8;

import java.lang.foreign.MemorySegment;

/**
 * Address of a peer as librxe resolves it.
 *
 * <p>Source: {@code struct rxe_av}.
 */
public final class RxeAddressVector {
    /** Size in bytes. */
    public static final int BYTES = 88;
    /** u8. */
    public static final int PORT_NUM_OFFSET = 0;
    /** u8. */
    public static final int NETWORK_TYPE_OFFSET = 1;
    /** 6 bytes: MAC address of the next hop. */
    public static final int DMAC_OFFSET = 2;
    /** 16 bytes: GID of the peer in network order. */
    public static final int DGID_OFFSET = 8;
    /** u32. */
    public static final int FLOW_LABEL_OFFSET = 24;
    /** u8. */
    public static final int SGID_INDEX_OFFSET = 28;
    /** u8. */
    public static final int HOP_LIMIT_OFFSET = 29;
    /** u8. */
    public static final int TRAFFIC_CLASS_OFFSET = 30;
    /** 28 bytes: own address as sockaddr_in or sockaddr_in6. */
    public static final int SGID_ADDR_OFFSET = 32;
    /** 28 bytes: peer's address as sockaddr_in or sockaddr_in6. */
    public static final int DGID_ADDR_OFFSET = 60;
    /** IPv4. */
    public static final int NETWORK_IPV4 = 1;
    /** IPv6. */
    public static final int NETWORK_IPV6 = 2;

    private RxeAddressVector() {
    }

    /** Own port, from 1. */
    public static int portNum(MemorySegment m, long at) {
        return m.get(U8, at + PORT_NUM_OFFSET) & 0xFF;
    }

    public static void portNum(MemorySegment m, long at, int value) {
        m.set(U8, at + PORT_NUM_OFFSET, (byte) value);
    }

    /** {@link #NETWORK_IPV4} or {@link #NETWORK_IPV6}. */
    public static int networkType(MemorySegment m, long at) {
        return m.get(U8, at + NETWORK_TYPE_OFFSET) & 0xFF;
    }

    public static void networkType(MemorySegment m, long at, int value) {
        m.set(U8, at + NETWORK_TYPE_OFFSET, (byte) value);
    }

    /** Flow label, u20. */
    public static int flowLabel(MemorySegment m, long at) {
        return m.get(U32, at + FLOW_LABEL_OFFSET);
    }

    public static void flowLabel(MemorySegment m, long at, int value) {
        m.set(U32, at + FLOW_LABEL_OFFSET, value);
    }

    /** Index of the own GID. */
    public static int sgidIndex(MemorySegment m, long at) {
        return m.get(U8, at + SGID_INDEX_OFFSET) & 0xFF;
    }

    public static void sgidIndex(MemorySegment m, long at, int value) {
        m.set(U8, at + SGID_INDEX_OFFSET, (byte) value);
    }

    /** Hop limit of IP packets. */
    public static int hopLimit(MemorySegment m, long at) {
        return m.get(U8, at + HOP_LIMIT_OFFSET) & 0xFF;
    }

    public static void hopLimit(MemorySegment m, long at, int value) {
        m.set(U8, at + HOP_LIMIT_OFFSET, (byte) value);
    }

    /** Traffic class of IP packets. */
    public static int trafficClass(MemorySegment m, long at) {
        return m.get(U8, at + TRAFFIC_CLASS_OFFSET) & 0xFF;
    }

    public static void trafficClass(MemorySegment m, long at, int value) {
        m.set(U8, at + TRAFFIC_CLASS_OFFSET, (byte) value);
    }
}
