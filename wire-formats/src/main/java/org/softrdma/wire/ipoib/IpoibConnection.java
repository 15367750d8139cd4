// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ipoib;

import org.softrdma.wire.mad.Field;

/** Private data of REQ and REP in connected mode, and the service that a REQ is for. Source: RFC 4755 §3.5, §6. */
public final class IpoibConnection {
    /** Bytes of private data. */
    public static final int LENGTH = 8;
    /** Bytes of the longest IP packet that Linux sends or receives in connected mode. */
    public static final int MAX_MTU = 65_520;

    /** UD queue pair of the sender, 24 bits; the byte before it is reserved. */
    public static final Field QPN = Field.bytes(1, 3);
    /** Longest message that the sender receives, bytes with the header of {@link IpoibHeader}, u32. */
    public static final Field RECEIVE_MTU = Field.bytes(4, 4);

    /** Service IDs of the IETF, as Linux writes them: 0x10 in the first byte. */
    private static final long IETF = 0x1000_0000_0000_0000L;

    private IpoibConnection() {
    }

    /**
     * Service ID of an interface.
     *
     * @param qpn its UD queue pair, 24 bits
     * @return u64
     */
    public static long serviceId(int qpn) {
        return IETF | qpn;
    }
}
