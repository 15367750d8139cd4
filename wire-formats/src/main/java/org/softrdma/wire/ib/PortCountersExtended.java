// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.util.List;
import org.softrdma.wire.mad.Field;

/** PortCountersExtended: traffic of a port with 64 bits. Source: IBA vol 1 §16.1.4.11. */
public final class PortCountersExtended {
    /** PortXmitData in units of 4 bytes. */
    public static final Field XMIT_DATA = Field.bytes(8, 8);
    /** PortRcvData in units of 4 bytes. */
    public static final Field RCV_DATA = Field.bytes(16, 8);
    /** PortXmitPkts. */
    public static final Field XMIT_PACKETS = Field.bytes(24, 8);
    /** PortRcvPkts. */
    public static final Field RCV_PACKETS = Field.bytes(32, 8);
    /** PortUnicastXmitPkts. */
    public static final Field UNICAST_XMIT_PACKETS = Field.bytes(40, 8);
    /** PortUnicastRcvPkts. */
    public static final Field UNICAST_RCV_PACKETS = Field.bytes(48, 8);
    /** PortMulticastXmitPkts. */
    public static final Field MULTICAST_XMIT_PACKETS = Field.bytes(56, 8);
    /** PortMulticastRcvPkts. */
    public static final Field MULTICAST_RCV_PACKETS = Field.bytes(64, 8);

    /** Counters in the order of CounterSelect's bits. */
    public static final List<Field> SELECTABLE = List.of(XMIT_DATA, RCV_DATA, XMIT_PACKETS, RCV_PACKETS, UNICAST_XMIT_PACKETS,
        UNICAST_RCV_PACKETS, MULTICAST_XMIT_PACKETS, MULTICAST_RCV_PACKETS);

    private PortCountersExtended() {
    }
}
