// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ipoib;

import org.softrdma.wire.mad.Field;

/** The four bytes before an IP packet or ARP message in a UD datagram. Source: RFC 4391 §6. */
public final class IpoibHeader {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** {@link #TYPE} of IPv4. */
    public static final int IPV4 = 0x0800;
    /** {@link #TYPE} of ARP. */
    public static final int ARP = 0x0806;
    /** {@link #TYPE} of IPv6. */
    public static final int IPV6 = 0x86DD;

    /** EtherType of what follows, u16. */
    public static final Field TYPE = Field.bytes(0, 2);
    /** Reserved, u16: sent as 0, ignored by receivers. */
    public static final Field RESERVED = Field.bytes(2, 2);

    private IpoibHeader() {
    }
}
