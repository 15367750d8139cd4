// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** PathRecord: how packets from one port reach another one. Source: IBA vol 1 §15.2.5.16. */
public final class PathRecord {
    /** Bytes. */
    public static final int LENGTH = 64;

    /** Selector of a query: greater than the value. */
    public static final int GREATER_THAN = 0;
    /** Selector of a query: less than the value. */
    public static final int LESS_THAN = 1;
    /** Selector of a query, and of every record: the value. */
    public static final int EXACTLY = 2;
    /** Selector of a query: the greatest possible; of the packet life time, the least. */
    public static final int BEST = 3;

    /** ServiceID, u64. */
    public static final Field SERVICE_ID = Field.bytes(0, 8);
    /** DGID, first 64 bits. */
    public static final Field DGID_HIGH = Field.bytes(8, 8);
    /** DGID, last 64 bits. */
    public static final Field DGID_LOW = Field.bytes(16, 8);
    /** SGID, first 64 bits. */
    public static final Field SGID_HIGH = Field.bytes(24, 8);
    /** SGID, last 64 bits. */
    public static final Field SGID_LOW = Field.bytes(32, 8);
    /** DLID, u16. */
    public static final Field DLID = Field.bytes(40, 2);
    /** SLID, u16. */
    public static final Field SLID = Field.bytes(42, 2);
    /** RawTraffic, 1 bit. */
    public static final Field RAW_TRAFFIC = Field.bits(44, 0x80);
    /** FlowLabel, 20 bits. */
    public static final Field FLOW_LABEL = Field.bits(44, 4, 0x0FFFFF00L);
    /** HopLimit, u8: 0 within the subnet. */
    public static final Field HOP_LIMIT = Field.bytes(47, 1);
    /** TClass, u8. */
    public static final Field TRAFFIC_CLASS = Field.bytes(48, 1);
    /** Reversible, 1 bit: the same path serves the other direction. */
    public static final Field REVERSIBLE = Field.bits(49, 0x80);
    /** NumbPath: paths that a query asks for at most, 7 bits. */
    public static final Field NUMBER_OF_PATHS = Field.bits(49, 0x7F);
    /** P_Key, u16. */
    public static final Field PKEY = Field.bytes(50, 2);
    /** QoSClass, 12 bits. */
    public static final Field QOS_CLASS = Field.bits(52, 2, 0xFFF0);
    /** SL, 4 bits. */
    public static final Field SERVICE_LEVEL = Field.bits(53, 0x0F);
    /** MTUSelector, 2 bits. */
    public static final Field MTU_SELECTOR = Field.bits(54, 0xC0);
    /** MTU, 6 bits: 1..5 for 256..4096. */
    public static final Field MTU = Field.bits(54, 0x3F);
    /** RateSelector, 2 bits. */
    public static final Field RATE_SELECTOR = Field.bits(55, 0xC0);
    /** Rate, 6 bits: {@link IbRate}. */
    public static final Field RATE = Field.bits(55, 0x3F);
    /** PacketLifeTimeSelector, 2 bits. */
    public static final Field LIFE_TIME_SELECTOR = Field.bits(56, 0xC0);
    /** PacketLifeTime, 6 bits: 4.096 µs · 2^value. */
    public static final Field LIFE_TIME = Field.bits(56, 0x3F);
    /** Preference, u8: 0 is preferred. */
    public static final Field PREFERENCE = Field.bytes(57, 1);

    /** Bits of ComponentMask for the ServiceID: its first byte is a component, and the other bytes are one. */
    public static final long SERVICE_ID_COMPONENTS = 0b11;
    /** Bits of ComponentMask. */
    public static final Components COMPONENTS = Components.builder().each(Field.bytes(0, 1), Field.bytes(1, 7)).next(DGID_HIGH, DGID_LOW)
        .next(SGID_HIGH, SGID_LOW).each(DLID, SLID, RAW_TRAFFIC).reserved(1).each(FLOW_LABEL, HOP_LIMIT, TRAFFIC_CLASS, REVERSIBLE,
            NUMBER_OF_PATHS, PKEY, QOS_CLASS, SERVICE_LEVEL, MTU_SELECTOR, MTU, RATE_SELECTOR, RATE, LIFE_TIME_SELECTOR, LIFE_TIME).build();

    private PathRecord() {
    }
}
