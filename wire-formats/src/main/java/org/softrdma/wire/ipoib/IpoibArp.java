// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ipoib;

import org.softrdma.wire.mad.Field;

/**
 * ARP message for IPv4 with the link-layer addresses of IP over InfiniBand.
 *
 * <pre>
 *  0 | hardware type 32 (2) | protocol type 0x0800 (2) | 20 | 4 | operation (2) |
 *  8 | sender: {@link IpoibAddress} (20) | IPv4 address (4) |
 * 32 | target: {@link IpoibAddress} (20) | IPv4 address (4) |
 * </pre>
 *
 * Source: RFC 826, RFC 4391 §9.2.
 */
public final class IpoibArp {
    /** Bytes. */
    public static final int LENGTH = 56;
    /** {@link #HARDWARE_TYPE} of InfiniBand. */
    public static final int INFINIBAND = 32;
    /** {@link #OPERATION}: who has the target's IPv4 address? */
    public static final int REQUEST = 1;
    /** {@link #OPERATION}: the sender has it. */
    public static final int REPLY = 2;
    /** Offset of the sender's {@link IpoibAddress}. */
    public static final int SENDER_OFFSET = 8;
    /** Offset of the target's {@link IpoibAddress}; zeros in a request. */
    public static final int TARGET_OFFSET = 32;

    /** Hardware type, u16. */
    public static final Field HARDWARE_TYPE = Field.bytes(0, 2);
    /** Protocol type, an EtherType, u16. */
    public static final Field PROTOCOL_TYPE = Field.bytes(2, 2);
    /** Bytes of a link-layer address, u8. */
    public static final Field HARDWARE_LENGTH = Field.bytes(4, 1);
    /** Bytes of a protocol address, u8. */
    public static final Field PROTOCOL_LENGTH = Field.bytes(5, 1);
    /** Operation, u16. */
    public static final Field OPERATION = Field.bytes(6, 2);
    /** Sender's IPv4 address, raw 32 bits. */
    public static final Field SENDER_IP = Field.bytes(28, 4);
    /** Target's IPv4 address, raw 32 bits. */
    public static final Field TARGET_IP = Field.bytes(52, 4);

    private IpoibArp() {
    }
}
