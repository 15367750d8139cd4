// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * A 128-bit global identifier. On RoCE it is an IPv6 address, or an IPv4 address in mapped form ({@code ::ffff:a.b.c.d}).
 *
 * @param high bytes 0..7, big-endian
 * @param low  bytes 8..15, big-endian
 */
public record Gid(long high, long low) {
    /** The GID of unused entries. */
    public static final Gid ZERO = new Gid(0, 0);

    private static final long IPV4_MAPPED = 0x0000_ffff_0000_0000L;

    /**
     * Maps an IPv4 address.
     *
     * @param address big-endian
     * @return {@code ::ffff:a.b.c.d}
     */
    public static Gid ofIpv4(int address) {
        return new Gid(0, IPV4_MAPPED | Integer.toUnsignedLong(address));
    }

    /**
     * Makes the address of a port within its InfiniBand subnet, for packets without a global route: no GID has the prefix 0.
     *
     * @param lid local identifier, u16
     * @return the LID behind the prefix 0
     */
    public static Gid ofLid(int lid) {
        return new Gid(0, lid & 0xffffL);
    }

    /**
     * Converts an IP address.
     *
     * @param address IPv4 or IPv6
     * @return the mapped address, or the address itself
     */
    public static Gid of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.capacity() == 4 ? ofIpv4(bytes.getInt(0)) : new Gid(bytes.getLong(0), bytes.getLong(8));
    }

    /**
     * Parses the 32 hexadecimal digits that the ping-pong tools exchange.
     *
     * @param text of exactly those digits
     * @return the GID
     * @throws IllegalArgumentException if the text is anything else
     */
    public static Gid parseWireText(String text) {
        if (text.length() != 32) {
            throw new IllegalArgumentException("a GID on the wire has 32 hexadecimal digits, not " + text.length() + ": " + text);
        }
        return new Gid(HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
    }

    /** {@return whether all bytes are 0, as in unused entries} */
    public boolean isZero() {
        return (high | low) == 0;
    }

    /** {@return whether an address on an InfiniBand subnet is a LID, as {@link #ofLid} makes it, and no GID} */
    public boolean isLid() {
        return high == 0 && low >>> 16 == 0;
    }

    /** {@return the LID, u16; meaningful only if {@link #isLid()}} */
    public int lid() {
        return (int) low;
    }

    /** {@return whether it is a mapped IPv4 address} */
    public boolean isIpv4Mapped() {
        return high == 0 && low >>> 32 == 0xffffL;
    }

    /** {@return the IPv4 address as a big-endian int; meaningful only if {@link #isIpv4Mapped()}} */
    public int ipv4() {
        return (int) low;
    }

    /** {@return whether the GID is link-local: fe80::/10} */
    public boolean isLinkLocal() {
        return high >>> 54 == 0xfe80 >>> 6;
    }

    /** {@return whether the GID is a multicast group: ff00::/8, or a mapped IPv4 group} */
    public boolean isMulticast() {
        return high >>> 56 == 0xff || isIpv4Mapped() && ipv4() >>> 28 == 0xe;
    }

    /** {@return the IP address that packets of this GID carry} */
    public InetAddress toInetAddress() {
        byte[] bytes = isIpv4Mapped()
            ? ByteBuffer.allocate(4).putInt(ipv4()).array()
            : ByteBuffer.allocate(16).putLong(high).putLong(low).array();
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** {@return 32 hexadecimal digits, as the ping-pong tools exchange it} */
    public String wireText() {
        return String.format("%016x%016x", high, low);
    }

    /** {@return eight groups of four digits, as the kernel shows it in sysfs} */
    public String sysfsText() {
        StringBuilder text = new StringBuilder(39);
        for (int group = 0; group < 8; group++) {
            text.append(group == 0 ? "" : ":").append(String.format("%04x", group(group)));
        }
        return text.toString();
    }

    /** The canonical IPv6 text of RFC 5952, mapped and compatible addresses with dotted quad: what {@code inet_ntop} prints. */
    @Override
    public String toString() {
        boolean compatible = high == 0 && low >>> 32 == 0 && low >>> 16 != 0;
        if (isIpv4Mapped() || compatible) {
            int a = ipv4();
            return (compatible ? "::" : "::ffff:") + (a >>> 24) + "." + (a >>> 16 & 0xff) + "." + (a >>> 8 & 0xff) + "." + (a & 0xff);
        }
        int bestStart = -1;
        int bestLength = 1;
        for (int start = 0; start < 8; start++) {
            int end = start;
            while (end < 8 && group(end) == 0) {
                end++;
            }
            if (end - start > bestLength) {
                bestStart = start;
                bestLength = end - start;
            }
        }
        StringBuilder text = new StringBuilder(39);
        for (int group = 0; group < 8; group++) {
            if (group == bestStart) {
                text.append("::");
                group += bestLength - 1;
            } else {
                text.append(text.isEmpty() || text.charAt(text.length() - 1) == ':' ? "" : ":").append(Integer.toHexString(group(group)));
            }
        }
        return text.toString();
    }

    private int group(int index) {
        long half = index < 4 ? high : low;
        return (int) (half >>> 48 - 16 * (index & 3)) & 0xffff;
    }
}
