// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** PortInfo: address, state and properties of a port. Source: IBA vol 1 §14.2.5.6. */
public final class PortInfo {
    /** Bytes. */
    public static final int LENGTH = 64;

    /** {@link #STATE}, in a Set: no change. */
    public static final int STATE_NO_CHANGE = 0;
    /** {@link #STATE}. */
    public static final int STATE_DOWN = 1;
    /** {@link #STATE}: the link is up, and carries subnet management packets only. */
    public static final int STATE_INIT = 2;
    /** {@link #STATE}: also receives data, and sends none. */
    public static final int STATE_ARMED = 3;
    /** {@link #STATE}. */
    public static final int STATE_ACTIVE = 4;

    /** {@link #PHYSICAL_STATE}. */
    public static final int PHYSICAL_SLEEP = 1;
    /** {@link #PHYSICAL_STATE}: looks for a peer. */
    public static final int PHYSICAL_POLLING = 2;
    /** {@link #PHYSICAL_STATE}. */
    public static final int PHYSICAL_DISABLED = 3;
    /** {@link #PHYSICAL_STATE}. */
    public static final int PHYSICAL_TRAINING = 4;
    /** {@link #PHYSICAL_STATE}. */
    public static final int PHYSICAL_LINK_UP = 5;

    /** {@link #CAPABILITY_MASK}: a subnet manager runs at this port. */
    public static final int CAP_SM = 1 << 1;
    /** {@link #CAPABILITY_MASK}. */
    public static final int CAP_NOTICE = 1 << 2;
    /** {@link #CAPABILITY_MASK}. */
    public static final int CAP_TRAP = 1 << 3;
    /** {@link #CAPABILITY_MASK}. */
    public static final int CAP_SL_MAPPING = 1 << 6;
    /** {@link #CAPABILITY_MASK}: the subnet manager at this port is disabled. */
    public static final int CAP_SM_DISABLED = 1 << 10;
    /** {@link #CAPABILITY_MASK}. */
    public static final int CAP_SYSTEM_IMAGE_GUID = 1 << 11;
    /** {@link #CAPABILITY_MASK}. */
    public static final int CAP_EXTENDED_SPEEDS = 1 << 14;
    /** {@link #CAPABILITY_MASK}. */
    public static final int CAP_COMMUNICATION_MANAGEMENT = 1 << 16;
    /** {@link #CAPABILITY_MASK}. */
    public static final int CAP_DEVICE_MANAGEMENT = 1 << 19;
    /** {@link #CAPABILITY_MASK}. */
    public static final int CAP_VENDOR_CLASS = 1 << 20;
    /** {@link #CAPABILITY_MASK}: notices are sent when the capability mask changes. */
    public static final int CAP_CAPABILITY_MASK_NOTICE = 1 << 22;
    /** {@link #CAPABILITY_MASK}. */
    public static final int CAP_CLIENT_REREGISTRATION = 1 << 25;

    /** Width and speed fields, in a Set: no change. */
    public static final int LINK_NO_CHANGE = 0;
    /** Width and speed enabled fields, in a Set: whatever is supported. */
    public static final int LINK_ALL_SUPPORTED = 0xFF;

    /** M_Key, u64. */
    public static final Field MKEY = Field.bytes(0, 8);
    /** GidPrefix, u64. */
    public static final Field GID_PREFIX = Field.bytes(8, 8);
    /** LID: base of the port's LIDs, u16. */
    public static final Field LID = Field.bytes(16, 2);
    /** MasterSMLID, u16. */
    public static final Field SM_LID = Field.bytes(18, 2);
    /** CapabilityMask, u32. Read only. */
    public static final Field CAPABILITY_MASK = Field.bytes(20, 4);
    /** DiagCode, u16. Read only. */
    public static final Field DIAG_CODE = Field.bytes(24, 2);
    /** M_KeyLeasePeriod in seconds, u16; 0 is infinite. */
    public static final Field MKEY_LEASE_PERIOD = Field.bytes(26, 2);
    /** LocalPortNum: number of the port that received the request, u8. Read only. */
    public static final Field LOCAL_PORT = Field.bytes(28, 1);
    /** LinkWidthEnabled, u8: 1 for 1x, 2 for 4x, 4 for 8x, 8 for 12x, 16 for 2x, or a sum. */
    public static final Field LINK_WIDTH_ENABLED = Field.bytes(29, 1);
    /** LinkWidthSupported, u8. Read only. */
    public static final Field LINK_WIDTH_SUPPORTED = Field.bytes(30, 1);
    /** LinkWidthActive, u8. Read only. */
    public static final Field LINK_WIDTH_ACTIVE = Field.bytes(31, 1);
    /** LinkSpeedSupported, 4 bits: 1 for 2.5, 2 for 5, 4 for 10 Gbit/s, or a sum. Read only. */
    public static final Field LINK_SPEED_SUPPORTED = Field.bits(32, 0xF0);
    /** PortState, 4 bits. */
    public static final Field STATE = Field.bits(32, 0x0F);
    /** PortPhysicalState, 4 bits. */
    public static final Field PHYSICAL_STATE = Field.bits(33, 0xF0);
    /** LinkDownDefaultState, 4 bits. */
    public static final Field LINK_DOWN_DEFAULT_STATE = Field.bits(33, 0x0F);
    /** M_KeyProtectBits, 2 bits. */
    public static final Field MKEY_PROTECT = Field.bits(34, 0xC0);
    /** LMC: the port has 2^LMC LIDs, 3 bits. */
    public static final Field LMC = Field.bits(34, 0x07);
    /** LinkSpeedActive, 4 bits. Read only. */
    public static final Field LINK_SPEED_ACTIVE = Field.bits(35, 0xF0);
    /** LinkSpeedEnabled, 4 bits. */
    public static final Field LINK_SPEED_ENABLED = Field.bits(35, 0x0F);
    /** NeighborMTU: greatest MTU of packets sent, 1..5 for 256..4096; 4 bits. */
    public static final Field NEIGHBOR_MTU = Field.bits(36, 0xF0);
    /** MasterSMSL, 4 bits. */
    public static final Field SM_SL = Field.bits(36, 0x0F);
    /** VLCap, 4 bits: 1 for VL0, 2 for VL0-1, 3 for VL0-3, 4 for VL0-7, 5 for VL0-14. Read only. */
    public static final Field VL_CAP = Field.bits(37, 0xF0);
    /** InitType, 4 bits. */
    public static final Field INIT_TYPE = Field.bits(37, 0x0F);
    /** VLHighLimit, u8. */
    public static final Field VL_HIGH_LIMIT = Field.bytes(38, 1);
    /** VLArbitrationHighCap, u8. Read only. */
    public static final Field VL_ARBITRATION_HIGH_CAP = Field.bytes(39, 1);
    /** VLArbitrationLowCap, u8. Read only. */
    public static final Field VL_ARBITRATION_LOW_CAP = Field.bytes(40, 1);
    /** InitTypeReply, 4 bits. */
    public static final Field INIT_TYPE_REPLY = Field.bits(41, 0xF0);
    /** MTUCap, 4 bits. Read only. */
    public static final Field MTU_CAP = Field.bits(41, 0x0F);
    /** VLStallCount, 3 bits. */
    public static final Field VL_STALL_COUNT = Field.bits(42, 0xE0);
    /** HOQLife, 5 bits. */
    public static final Field HOQ_LIFE = Field.bits(42, 0x1F);
    /** OperationalVLs, 4 bits, as {@link #VL_CAP}. */
    public static final Field OPERATIONAL_VLS = Field.bits(43, 0xF0);
    /** PartitionEnforcementInbound, 1 bit. */
    public static final Field PARTITION_ENFORCEMENT_INBOUND = Field.bits(43, 0x08);
    /** PartitionEnforcementOutbound, 1 bit. */
    public static final Field PARTITION_ENFORCEMENT_OUTBOUND = Field.bits(43, 0x04);
    /** FilterRawInbound, 1 bit. */
    public static final Field FILTER_RAW_INBOUND = Field.bits(43, 0x02);
    /** FilterRawOutbound, 1 bit. */
    public static final Field FILTER_RAW_OUTBOUND = Field.bits(43, 0x01);
    /** M_KeyViolations, u16; written as 0 to clear it. */
    public static final Field MKEY_VIOLATIONS = Field.bytes(44, 2);
    /** P_KeyViolations, u16; written as 0 to clear it. */
    public static final Field PKEY_VIOLATIONS = Field.bytes(46, 2);
    /** Q_KeyViolations, u16; written as 0 to clear it. */
    public static final Field QKEY_VIOLATIONS = Field.bytes(48, 2);
    /** GUIDCap: entries of the port's GUID table, u8. Read only. */
    public static final Field GUID_CAP = Field.bytes(50, 1);
    /** ClientReregister, 1 bit: clients of subnet administration shall register again. */
    public static final Field CLIENT_REREGISTER = Field.bits(51, 0x80);
    /** MulticastPKeyTrapSuppressionEnabled, 2 bits. */
    public static final Field MULTICAST_PKEY_TRAP_SUPPRESSION = Field.bits(51, 0x60);
    /** SubnetTimeOut: interval between traps at least, and time of a path at most, 4.096 µs · 2^value, 5 bits. */
    public static final Field SUBNET_TIMEOUT = Field.bits(51, 0x1F);
    /** RespTimeValue: time for a response, 4.096 µs · 2^value, 5 bits. Read only. */
    public static final Field RESPONSE_TIME = Field.bits(52, 0x1F);
    /** LocalPhyErrors, 4 bits. */
    public static final Field LOCAL_PHY_ERRORS = Field.bits(53, 0xF0);
    /** OverrunErrors, 4 bits. */
    public static final Field OVERRUN_ERRORS = Field.bits(53, 0x0F);
    /** MaxCreditHint, u16. */
    public static final Field MAX_CREDIT_HINT = Field.bytes(54, 2);
    /** LinkRoundTripLatency, u24. */
    public static final Field LINK_ROUND_TRIP_LATENCY = Field.bytes(57, 3);
    /** CapabilityMask2, u16. Read only. */
    public static final Field CAPABILITY_MASK_2 = Field.bytes(60, 2);
    /** LinkSpeedExtActive, 4 bits: 1 for FDR, 2 for EDR, 4 for HDR, 8 for NDR. Read only. */
    public static final Field LINK_SPEED_EXT_ACTIVE = Field.bits(62, 0xF0);
    /** LinkSpeedExtSupported, 4 bits. Read only. */
    public static final Field LINK_SPEED_EXT_SUPPORTED = Field.bits(62, 0x0F);
    /** LinkSpeedExtEnabled, 5 bits. */
    public static final Field LINK_SPEED_EXT_ENABLED = Field.bits(63, 0x1F);

    private PortInfo() {
    }

    /**
     * {@return the specification's name of a port state}
     *
     * @param state port state, as in the attribute
     */
    public static String stateName(int state) {
        return switch (state) {
            case STATE_DOWN -> "Down";
            case STATE_INIT -> "Initialize";
            case STATE_ARMED -> "Armed";
            case STATE_ACTIVE -> "Active";
            default -> "state " + state;
        };
    }
}
