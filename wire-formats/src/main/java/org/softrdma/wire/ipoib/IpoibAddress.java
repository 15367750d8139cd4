// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ipoib;

import org.softrdma.wire.mad.Field;

/** Link-layer address of an interface: its queue pair and its port. Source: RFC 4391 §9.1.1, RFC 4755 §3.1. */
public final class IpoibAddress {
    /** Bytes. */
    public static final int LENGTH = 20;
    /** {@link #FLAGS}: the interface takes RC connections. */
    public static final int RC_SUPPORTED = 0x80;
    /** {@link #FLAGS}: the interface takes UC connections. */
    public static final int UC_SUPPORTED = 0x40;

    /** Reserved by RFC 4391; connected modes by RFC 4755, u8. */
    public static final Field FLAGS = Field.bytes(0, 1);
    /** Number of the UD queue pair, 24 bits. */
    public static final Field QPN = Field.bytes(1, 3);
    /** Port GID, first 64 bits. */
    public static final Field GID_HIGH = Field.bytes(4, 8);
    /** Port GID, last 64 bits. */
    public static final Field GID_LOW = Field.bytes(12, 8);

    private IpoibAddress() {
    }
}
