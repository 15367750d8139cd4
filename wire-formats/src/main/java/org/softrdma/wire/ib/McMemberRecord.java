// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** MCMemberRecord: a multicast group and the membership of a port. Source: IBA vol 1 §15.2.5.17. */
public final class McMemberRecord {
    /** Bytes. */
    public static final int LENGTH = 52;

    /** {@link #JOIN_STATE}: sends and receives. */
    public static final int FULL_MEMBER = 1;
    /** {@link #JOIN_STATE}: receives; the group is deleted with its last full member. */
    public static final int NON_MEMBER = 2;
    /** {@link #JOIN_STATE}: sends only. */
    public static final int SEND_ONLY_NON_MEMBER = 4;
    /** {@link #JOIN_STATE}: sends only; the group stays. */
    public static final int SEND_ONLY_FULL_MEMBER = 8;

    /** MGID, first 64 bits. */
    public static final Field MGID_HIGH = Field.bytes(0, 8);
    /** MGID, last 64 bits. */
    public static final Field MGID_LOW = Field.bytes(8, 8);
    /** PortGID, first 64 bits. */
    public static final Field PORT_GID_HIGH = Field.bytes(16, 8);
    /** PortGID, last 64 bits. */
    public static final Field PORT_GID_LOW = Field.bytes(24, 8);
    /** Q_Key, u32. */
    public static final Field QKEY = Field.bytes(32, 4);
    /** MLID, u16. */
    public static final Field MLID = Field.bytes(36, 2);
    /** MTUSelector, 2 bits. */
    public static final Field MTU_SELECTOR = Field.bits(38, 0xC0);
    /** MTU, 6 bits. */
    public static final Field MTU = Field.bits(38, 0x3F);
    /** TClass, u8. */
    public static final Field TRAFFIC_CLASS = Field.bytes(39, 1);
    /** P_Key, u16. */
    public static final Field PKEY = Field.bytes(40, 2);
    /** RateSelector, 2 bits. */
    public static final Field RATE_SELECTOR = Field.bits(42, 0xC0);
    /** Rate, 6 bits. */
    public static final Field RATE = Field.bits(42, 0x3F);
    /** PacketLifeTimeSelector, 2 bits. */
    public static final Field LIFE_TIME_SELECTOR = Field.bits(43, 0xC0);
    /** PacketLifeTime, 6 bits. */
    public static final Field LIFE_TIME = Field.bits(43, 0x3F);
    /** SL, 4 bits. */
    public static final Field SERVICE_LEVEL = Field.bits(44, 0xF0);
    /** FlowLabel, 20 bits. */
    public static final Field FLOW_LABEL = Field.bits(44, 4, 0x0FFFFF00L);
    /** HopLimit, u8. */
    public static final Field HOP_LIMIT = Field.bytes(47, 1);
    /** Scope, 4 bits. */
    public static final Field SCOPE = Field.bits(48, 0xF0);
    /** JoinState, 4 bits. */
    public static final Field JOIN_STATE = Field.bits(48, 0x0F);
    /** ProxyJoin, 1 bit. */
    public static final Field PROXY_JOIN = Field.bits(49, 0x80);

    /** Bits of ComponentMask. */
    public static final Components COMPONENTS = Components.builder().next(MGID_HIGH, MGID_LOW).next(PORT_GID_HIGH, PORT_GID_LOW)
        .each(QKEY, MLID, MTU_SELECTOR, MTU, TRAFFIC_CLASS, PKEY, RATE_SELECTOR, RATE, LIFE_TIME_SELECTOR, LIFE_TIME, SERVICE_LEVEL,
            FLOW_LABEL, HOP_LIMIT, SCOPE, JOIN_STATE, PROXY_JOIN).build();

    private McMemberRecord() {
    }
}
