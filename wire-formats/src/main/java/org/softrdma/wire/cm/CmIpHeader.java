// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import java.nio.ByteBuffer;

/**
 * The first 36 bytes of the private data of an rdma_cm REQ and SIDR_REQ: the IP addresses and the port the connection goes by.
 *
 * <pre>
 *  0 | major version (4 bits) = 0 | minor version (4 bits) = 0 | IP version (4 bits) | reserved (4 bits) | source port (2) |
 *  4 | source (16)      |
 * 20 | destination (16) |
 * </pre>
 *
 * An IPv4 address stands in the last four of its 16 bytes, behind zeros. Source: IBA vol 1 annex A11.
 */
public final class CmIpHeader {
    /** Bytes. */
    public static final int LENGTH = 36;
    /** u8. */
    public static final int VERSION_OFFSET = 0;
    /** u8: IP version in bits 7:4. */
    public static final int IP_VERSION_OFFSET = 1;
    /** u16. */
    public static final int SOURCE_PORT_OFFSET = 2;
    /** u128. */
    public static final int SOURCE_OFFSET = 4;
    /** u128. */
    public static final int DESTINATION_OFFSET = 20;

    private static final int IPV4_AT = 12;

    private CmIpHeader() {
    }

    /**
     * {@return major version in bits 7:4, minor version in bits 3:0; only 0 exists}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static int version(ByteBuffer b, int at) {
        return b.get(at + VERSION_OFFSET) & 0xFF;
    }

    /**
     * {@return 4 or 6 in a valid header; 4 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static int ipVersion(ByteBuffer b, int at) {
        return b.get(at + IP_VERSION_OFFSET) >>> 4 & 0xF;
    }

    /**
     * {@return the source port, u16; 0 is allowed}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static int sourcePort(ByteBuffer b, int at) {
        return b.getShort(at + SOURCE_PORT_OFFSET) & 0xFFFF;
    }

    /**
     * {@return the source, IPv4}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static int sourceIpv4(ByteBuffer b, int at) {
        return b.getInt(at + SOURCE_OFFSET + IPV4_AT);
    }

    /**
     * {@return the source's first 64 bits, IPv6}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static long sourceHigh(ByteBuffer b, int at) {
        return b.getLong(at + SOURCE_OFFSET);
    }

    /**
     * {@return the source's last 64 bits, IPv6}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static long sourceLow(ByteBuffer b, int at) {
        return b.getLong(at + SOURCE_OFFSET + 8);
    }

    /**
     * {@return the destination, IPv4}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static int destinationIpv4(ByteBuffer b, int at) {
        return b.getInt(at + DESTINATION_OFFSET + IPV4_AT);
    }

    /**
     * {@return the destination's first 64 bits, IPv6}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static long destinationHigh(ByteBuffer b, int at) {
        return b.getLong(at + DESTINATION_OFFSET);
    }

    /**
     * {@return the destination's last 64 bits, IPv6}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static long destinationLow(ByteBuffer b, int at) {
        return b.getLong(at + DESTINATION_OFFSET + 8);
    }

    /**
     * {@return whether both versions are known}
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     */
    public static boolean isValid(ByteBuffer b, int at) {
        int ip = ipVersion(b, at);
        return version(b, at) == 0 && (ip == 4 || ip == 6);
    }

    /**
     * Writes all 36 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     * @param sourcePort source port, u16
     * @param source IPv4 address, raw 32 bits
     * @param destination IPv4 address, raw 32 bits
     */
    public static void putIpv4(ByteBuffer b, int at, int sourcePort, int source, int destination) {
        put(b, at, 4, sourcePort, 0, source & 0xFFFF_FFFFL, 0, destination & 0xFFFF_FFFFL);
    }

    /**
     * Writes all 36 bytes.
     *
     * @param b buffer, big-endian
     * @param at offset of the private data
     * @param sourcePort source port, u16
     * @param sourceHigh first 64 bits of the sender's address
     * @param sourceLow last 64 bits of the sender's address
     * @param destinationHigh first 64 bits of the receiver's address
     * @param destinationLow last 64 bits of the receiver's address
     */
    public static void putIpv6(ByteBuffer b, int at, int sourcePort, long sourceHigh, long sourceLow, long destinationHigh,
            long destinationLow) {
        put(b, at, 6, sourcePort, sourceHigh, sourceLow, destinationHigh, destinationLow);
    }

    private static void put(ByteBuffer b, int at, int ipVersion, int sourcePort, long sourceHigh, long sourceLow, long destinationHigh,
            long destinationLow) {
        b.putInt(at, ipVersion << 20 | sourcePort & 0xFFFF);
        b.putLong(at + SOURCE_OFFSET, sourceHigh);
        b.putLong(at + SOURCE_OFFSET + 8, sourceLow);
        b.putLong(at + DESTINATION_OFFSET, destinationHigh);
        b.putLong(at + DESTINATION_OFFSET + 8, destinationLow);
    }
}
