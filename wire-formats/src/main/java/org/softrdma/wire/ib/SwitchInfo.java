// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** SwitchInfo: forwarding tables and their limits. Source: IBA vol 1 §14.2.5.4. */
public final class SwitchInfo {
    /** Bytes. */
    public static final int LENGTH = 20;

    /** LinearFDBCap: LIDs that fit the linear forwarding table, u16. Read only. */
    public static final Field LINEAR_CAP = Field.bytes(0, 2);
    /** RandomFDBCap, u16. Read only. */
    public static final Field RANDOM_CAP = Field.bytes(2, 2);
    /** MulticastFDBCap: groups that fit the multicast forwarding table, u16. Read only. */
    public static final Field MULTICAST_CAP = Field.bytes(4, 2);
    /** LinearFDBTop: greatest LID that the linear forwarding table is used for, u16. */
    public static final Field LINEAR_TOP = Field.bytes(6, 2);
    /** DefaultPort, u8. */
    public static final Field DEFAULT_PORT = Field.bytes(8, 1);
    /** DefaultMulticastPrimaryPort, u8. */
    public static final Field DEFAULT_MULTICAST_PRIMARY_PORT = Field.bytes(9, 1);
    /** DefaultMulticastNotPrimaryPort, u8. */
    public static final Field DEFAULT_MULTICAST_NOT_PRIMARY_PORT = Field.bytes(10, 1);
    /** LifeTimeValue: time that a packet can spend in the switch, 4.096 µs · 2^value, 5 bits; above 19: infinite. */
    public static final Field LIFE_TIME = Field.bits(11, 0xF8);
    /** PortStateChange, 1 bit: set by a change of any port's state; written as 1 to clear it. */
    public static final Field PORT_STATE_CHANGE = Field.bits(11, 0x04);
    /** OptimizedSLtoVLMappingProgramming, 2 bits. Read only. */
    public static final Field OPTIMIZED_SL_TO_VL = Field.bits(11, 0x03);
    /** LIDsPerPort, u16; of random forwarding tables. */
    public static final Field LIDS_PER_PORT = Field.bytes(12, 2);
    /** PartitionEnforcementCap: entries of the P_Key tables of external ports, u16. Read only. */
    public static final Field PARTITION_ENFORCEMENT_CAP = Field.bytes(14, 2);
    /** InboundEnforcementCap, 1 bit. Read only. */
    public static final Field INBOUND_ENFORCEMENT_CAP = Field.bits(16, 0x80);
    /** OutboundEnforcementCap, 1 bit. Read only. */
    public static final Field OUTBOUND_ENFORCEMENT_CAP = Field.bits(16, 0x40);
    /** FilterRawInboundCap, 1 bit. Read only. */
    public static final Field FILTER_RAW_INBOUND_CAP = Field.bits(16, 0x20);
    /** FilterRawOutboundCap, 1 bit. Read only. */
    public static final Field FILTER_RAW_OUTBOUND_CAP = Field.bits(16, 0x10);
    /** EnhancedPort0, 1 bit: port 0 is like an adapter's. Read only. */
    public static final Field ENHANCED_PORT_0 = Field.bits(16, 0x08);
    /** MulticastFDBTop: greatest LID that the multicast forwarding table is used for, u16. */
    public static final Field MULTICAST_TOP = Field.bytes(18, 2);

    private SwitchInfo() {
    }
}
