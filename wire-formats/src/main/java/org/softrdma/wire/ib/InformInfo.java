// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** InformInfo: a subscription to notices. Source: IBA vol 1 §13.4.8.3. */
public final class InformInfo {
    /** Bytes. */
    public static final int LENGTH = 36;
    /** {@link #LID_FIRST} for all LIDs, {@link #TRAP} for all traps. */
    public static final int ALL = 0xFFFF;
    /** {@link #PRODUCER} for all producers. */
    public static final int ALL_PRODUCERS = 0xFFFFFF;

    /** GID of the ports, first 64 bits; zero if the range of LIDs counts. */
    public static final Field GID_HIGH = Field.bytes(0, 8);
    /** GID of the ports, last 64 bits. */
    public static final Field GID_LOW = Field.bytes(8, 8);
    /** LIDRangeBegin, u16. */
    public static final Field LID_FIRST = Field.bytes(16, 2);
    /** LIDRangeEnd, u16. */
    public static final Field LID_LAST = Field.bytes(18, 2);
    /** IsGeneric, u8. */
    public static final Field GENERIC = Field.bytes(22, 1);
    /** Subscribe, u8: 1 begins and 0 ends the subscription. */
    public static final Field SUBSCRIBE = Field.bytes(23, 1);
    /** Type, u16; {@link #ALL} for all. */
    public static final Field TYPE = Field.bytes(24, 2);
    /** TrapNumber or DeviceID, u16. */
    public static final Field TRAP = Field.bytes(26, 2);
    /** QPN to send reports to, u24. */
    public static final Field QPN = Field.bytes(28, 3);
    /** RespTimeValue, 5 bits. */
    public static final Field RESPONSE_TIME = Field.bits(31, 0x1F);
    /** ProducerType or VendorID, u24. */
    public static final Field PRODUCER = Field.bytes(33, 3);

    private InformInfo() {
    }
}
