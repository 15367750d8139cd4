// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.util.List;
import org.softrdma.wire.mad.Field;

/** PortCounters: errors and traffic of a port, which stop at their greatest value. Source: IBA vol 1 §16.1.3.5. */
public final class PortCounters {
    /** SymbolErrorCounter, u16. */
    public static final Field SYMBOL_ERRORS = Field.bytes(4, 2);
    /** LinkErrorRecoveryCounter, u8. */
    public static final Field LINK_RECOVERIES = Field.bytes(6, 1);
    /** LinkDownedCounter, u8. */
    public static final Field LINK_DOWNED = Field.bytes(7, 1);
    /** PortRcvErrors, u16. */
    public static final Field RCV_ERRORS = Field.bytes(8, 2);
    /** PortRcvRemotePhysicalErrors, u16. */
    public static final Field RCV_REMOTE_PHYSICAL_ERRORS = Field.bytes(10, 2);
    /** PortRcvSwitchRelayErrors, u16. */
    public static final Field RCV_SWITCH_RELAY_ERRORS = Field.bytes(12, 2);
    /** PortXmitDiscards, u16. */
    public static final Field XMIT_DISCARDS = Field.bytes(14, 2);
    /** PortXmitConstraintErrors, u8. */
    public static final Field XMIT_CONSTRAINT_ERRORS = Field.bytes(16, 1);
    /** PortRcvConstraintErrors, u8. */
    public static final Field RCV_CONSTRAINT_ERRORS = Field.bytes(17, 1);
    /** CounterSelect2: bit 0 clears {@link #XMIT_WAIT}; u8. */
    public static final Field COUNTER_SELECT_2 = Field.bytes(18, 1);
    /** LocalLinkIntegrityErrors, 4 bits. */
    public static final Field LINK_INTEGRITY_ERRORS = Field.bits(19, 0xF0);
    /** ExcessiveBufferOverrunErrors, 4 bits. */
    public static final Field BUFFER_OVERRUN_ERRORS = Field.bits(19, 0x0F);
    /** QP1Dropped, u16. */
    public static final Field QP1_DROPPED = Field.bytes(20, 2);
    /** VL15Dropped, u16. */
    public static final Field VL15_DROPPED = Field.bytes(22, 2);
    /** PortXmitData in units of 4 bytes, u32. */
    public static final Field XMIT_DATA = Field.bytes(24, 4);
    /** PortRcvData in units of 4 bytes, u32. */
    public static final Field RCV_DATA = Field.bytes(28, 4);
    /** PortXmitPkts, u32. */
    public static final Field XMIT_PACKETS = Field.bytes(32, 4);
    /** PortRcvPkts, u32. */
    public static final Field RCV_PACKETS = Field.bytes(36, 4);
    /** PortXmitWait, u32. */
    public static final Field XMIT_WAIT = Field.bytes(40, 4);

    /** Counters in the order of CounterSelect's bits. */
    public static final List<Field> SELECTABLE = List.of(SYMBOL_ERRORS, LINK_RECOVERIES, LINK_DOWNED, RCV_ERRORS,
        RCV_REMOTE_PHYSICAL_ERRORS, RCV_SWITCH_RELAY_ERRORS, XMIT_DISCARDS, XMIT_CONSTRAINT_ERRORS, RCV_CONSTRAINT_ERRORS,
        LINK_INTEGRITY_ERRORS, BUFFER_OVERRUN_ERRORS, VL15_DROPPED, XMIT_DATA, RCV_DATA, XMIT_PACKETS, RCV_PACKETS);

    private PortCounters() {
    }
}
