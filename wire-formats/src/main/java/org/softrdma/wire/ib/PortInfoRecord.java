// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** PortInfoRecord: {@link PortInfo} of a port. Source: IBA vol 1 §15.2.5.3. */
public final class PortInfoRecord {
    /** Bytes. */
    public static final int LENGTH = 68;
    /** Offset of the {@link PortInfo}. */
    public static final int PORT_INFO_OFFSET = 4;

    /** LID of the port; of port 0, for all ports of a switch; u16. */
    public static final Field LID = Field.bytes(0, 2);
    /** PortNum, u8. */
    public static final Field PORT = Field.bytes(2, 1);
    /** Options, u8. */
    public static final Field OPTIONS = Field.bytes(3, 1);
    /** CapabilityMask of the {@link PortInfo}. */
    public static final Field CAPABILITY_MASK = info(PortInfo.CAPABILITY_MASK);

    /** Bits of ComponentMask. */
    public static final Components COMPONENTS = Components.builder().each(LID, PORT, OPTIONS)
        .each(info(PortInfo.MKEY), info(PortInfo.GID_PREFIX), info(PortInfo.LID), info(PortInfo.SM_LID), CAPABILITY_MASK,
            info(PortInfo.DIAG_CODE), info(PortInfo.MKEY_LEASE_PERIOD), info(PortInfo.LOCAL_PORT), info(PortInfo.LINK_WIDTH_ENABLED),
            info(PortInfo.LINK_WIDTH_SUPPORTED), info(PortInfo.LINK_WIDTH_ACTIVE), info(PortInfo.LINK_SPEED_SUPPORTED),
            info(PortInfo.STATE), info(PortInfo.PHYSICAL_STATE), info(PortInfo.LINK_DOWN_DEFAULT_STATE), info(PortInfo.MKEY_PROTECT))
        .reserved(1)
        .each(info(PortInfo.LMC), info(PortInfo.LINK_SPEED_ACTIVE), info(PortInfo.LINK_SPEED_ENABLED), info(PortInfo.NEIGHBOR_MTU),
            info(PortInfo.SM_SL), info(PortInfo.VL_CAP), info(PortInfo.INIT_TYPE), info(PortInfo.VL_HIGH_LIMIT),
            info(PortInfo.VL_ARBITRATION_HIGH_CAP), info(PortInfo.VL_ARBITRATION_LOW_CAP), info(PortInfo.INIT_TYPE_REPLY),
            info(PortInfo.MTU_CAP), info(PortInfo.VL_STALL_COUNT), info(PortInfo.HOQ_LIFE), info(PortInfo.OPERATIONAL_VLS),
            info(PortInfo.PARTITION_ENFORCEMENT_INBOUND), info(PortInfo.PARTITION_ENFORCEMENT_OUTBOUND),
            info(PortInfo.FILTER_RAW_INBOUND), info(PortInfo.FILTER_RAW_OUTBOUND), info(PortInfo.MKEY_VIOLATIONS),
            info(PortInfo.PKEY_VIOLATIONS), info(PortInfo.QKEY_VIOLATIONS), info(PortInfo.GUID_CAP), info(PortInfo.CLIENT_REREGISTER))
        .reserved(1).next(info(PortInfo.SUBNET_TIMEOUT)).reserved(1)
        .each(info(PortInfo.RESPONSE_TIME), info(PortInfo.LOCAL_PHY_ERRORS), info(PortInfo.OVERRUN_ERRORS),
            info(PortInfo.MAX_CREDIT_HINT))
        .reserved(1)
        .each(info(PortInfo.LINK_ROUND_TRIP_LATENCY), info(PortInfo.CAPABILITY_MASK_2), info(PortInfo.LINK_SPEED_EXT_ACTIVE),
            info(PortInfo.LINK_SPEED_EXT_SUPPORTED))
        .reserved(1).next(info(PortInfo.LINK_SPEED_EXT_ENABLED)).build();

    private PortInfoRecord() {
    }

    private static Field info(Field field) {
        return field.within(PORT_INFO_OFFSET);
    }
}
