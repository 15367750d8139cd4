// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ipoib;

import org.softrdma.wire.mad.Field;

/**
 * Neighbor Solicitation and Neighbor Advertisement of ICMPv6 with one option: the sender's link-layer address.
 *
 * <pre>
 *  0 | type (1) | code 0 (1) | checksum (2) |
 *  4 | R S O (3 bits) | reserved |
 *  8 | target (16) |
 * 24 | option (1) | length 3, in units of 8 bytes (1) | 0 (2) |
 * 28 | {@link IpoibAddress} (20) |
 * </pre>
 *
 * Source: RFC 4861 §4.3, §4.4, RFC 4391 §9.3.
 */
public final class IpoibNeighbor {
    /** Bytes, with the option. */
    public static final int LENGTH = 48;
    /** Bytes before the first option. */
    public static final int OPTIONS_OFFSET = 24;
    /** Offset of the {@link IpoibAddress} in an option. */
    public static final int ADDRESS_IN_OPTION = 4;
    /** Protocol number of ICMPv6. */
    public static final int ICMPV6 = 58;
    /** {@link #TYPE} of a solicitation. */
    public static final int SOLICITATION = 135;
    /** {@link #TYPE} of an advertisement. */
    public static final int ADVERTISEMENT = 136;
    /** Option of a solicitation: link-layer address of its source. */
    public static final int SOURCE_ADDRESS = 1;
    /** Option of an advertisement: link-layer address of its target. */
    public static final int TARGET_ADDRESS = 2;
    /** Length of the option in units of 8 bytes. */
    public static final int OPTION_LENGTH = 3;
    /** Hop limit of both messages: they were not forwarded by a router. */
    public static final int HOP_LIMIT = 255;

    /** Type, u8. */
    public static final Field TYPE = Field.bytes(0, 1);
    /** Code, u8. */
    public static final Field CODE = Field.bytes(1, 1);
    /** Checksum over pseudo-header and message, u16. */
    public static final Field CHECKSUM = Field.bytes(2, 2);
    /** Of an advertisement: it answers a solicitation; 1 bit. */
    public static final Field SOLICITED = Field.bits(4, 0x40);
    /** Of an advertisement: it replaces what was known; 1 bit. */
    public static final Field OVERRIDE = Field.bits(4, 0x20);
    /** Target, first 64 bits. */
    public static final Field TARGET_HIGH = Field.bytes(8, 8);
    /** Target, last 64 bits. */
    public static final Field TARGET_LOW = Field.bytes(16, 8);

    private IpoibNeighbor() {
    }
}
