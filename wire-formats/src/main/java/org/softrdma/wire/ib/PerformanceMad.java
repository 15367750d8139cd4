// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** MADs of performance management; attributes begin at byte 64. Source: IBA vol 1 §16.1. */
public final class PerformanceMad {
    /** MgmtClass. */
    public static final int CLASS = 0x04;
    /** ClassVersion. */
    public static final int CLASS_VERSION = 1;
    /** Offset of the attribute. */
    public static final int DATA_OFFSET = 64;
    /** Bytes of an attribute. */
    public static final int DATA_LENGTH = 192;

    /** AttributeID: {@link PortCounters}. */
    public static final int PORT_COUNTERS = 0x0012;
    /** AttributeID: {@link PortCountersExtended}. */
    public static final int PORT_COUNTERS_EXTENDED = 0x001D;

    /** CapabilityMask of ClassPortInfo: all ports of a switch can be selected together. */
    public static final int CAP_ALL_PORT_SELECT = 1 << 8;
    /** CapabilityMask of ClassPortInfo: {@link PortCountersExtended}. */
    public static final int CAP_EXTENDED_WIDTH = 1 << 9;
    /** CapabilityMask of ClassPortInfo: {@link PortCounters#XMIT_WAIT}. */
    public static final int CAP_XMIT_WAIT = 1 << 12;

    /** PortSelect of both attributes, u8; {@link #ALL_PORTS}. */
    public static final Field PORT_SELECT = Field.bytes(1, 1);
    /** CounterSelect of both attributes: which counters a Set clears, by their order; u16. */
    public static final Field COUNTER_SELECT = Field.bytes(2, 2);
    /** PortSelect: all ports of a switch. */
    public static final int ALL_PORTS = 0xFF;

    private PerformanceMad() {
    }
}
