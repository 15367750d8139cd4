// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import org.softrdma.verbs.Gid;

/**
 * An address of an interface and the subnet that it is in.
 *
 * @param address IPv6, or IPv4 as mapped address
 * @param length  bits of the subnet: 0..32 of IPv4, 0..128 of IPv6
 */
public record Prefix(Gid address, int length) {
    private static final int IPV4_BITS = 32;

    /**
     * Checks the length.
     *
     * @throws IllegalArgumentException it is out of range
     */
    public Prefix {
        if (length < 0 || length > (address.isIpv4Mapped() ? IPV4_BITS : 2 * Long.SIZE)) {
            throw new IllegalArgumentException("a prefix of " + address + " has no length " + length);
        }
    }

    /** Whether an address is in the subnet. */
    public boolean contains(Gid other) {
        if (address.isIpv4Mapped()) {
            return other.isIpv4Mapped() && ((other.ipv4() ^ address.ipv4()) & ipv4Mask()) == 0;
        }
        return !other.isIpv4Mapped() && ((other.high() ^ address.high()) & mask(length)) == 0
            && ((other.low() ^ address.low()) & mask(length - Long.SIZE)) == 0;
    }

    /** Whether an address is the broadcast address of an IPv4 subnet. */
    boolean isBroadcast(Gid other) {
        return address.isIpv4Mapped() && length < IPV4_BITS - 1 && contains(other) && (other.ipv4() | ipv4Mask()) == -1;
    }

    private int ipv4Mask() {
        return length == 0 ? 0 : -1 << IPV4_BITS - length;
    }

    private static long mask(int bits) {
        return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << Long.SIZE - bits;
    }
}
