// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** ServiceRecord: a service that a port offers. Source: IBA vol 1 §15.2.5.14. */
public final class ServiceRecord {
    /** Bytes. */
    public static final int LENGTH = 176;
    /** Offset of the ServiceKey. */
    public static final int KEY_OFFSET = 32;
    /** Bytes of the ServiceKey. */
    public static final int KEY_LENGTH = 16;
    /** Offset of the ServiceName. */
    public static final int NAME_OFFSET = 48;
    /** Bytes of the ServiceName. */
    public static final int NAME_LENGTH = 64;
    /** Offset of the ServiceData. */
    public static final int DATA_OFFSET = 112;
    /** {@link #LEASE}: without end. */
    public static final int INFINITE_LEASE = 0xFFFFFFFF;

    /** ServiceID, u64. */
    public static final Field SERVICE_ID = Field.bytes(0, 8);
    /** ServiceGID, first 64 bits. */
    public static final Field GID_HIGH = Field.bytes(8, 8);
    /** ServiceGID, last 64 bits. */
    public static final Field GID_LOW = Field.bytes(16, 8);
    /** ServiceP_Key, u16. */
    public static final Field PKEY = Field.bytes(24, 2);
    /** ServiceLease in seconds, u32. */
    public static final Field LEASE = Field.bytes(28, 4);

    /** Bits of ComponentMask. */
    public static final Components COMPONENTS = Components.builder().next(SERVICE_ID).next(GID_HIGH, GID_LOW).next(PKEY).reserved(1)
        .next(LEASE).array(KEY_OFFSET, KEY_LENGTH, 1).array(NAME_OFFSET, NAME_LENGTH, 1).array(DATA_OFFSET, 1, 16)
        .array(DATA_OFFSET + 16, 2, 8).array(DATA_OFFSET + 32, 4, 4).array(DATA_OFFSET + 48, 8, 2).build();

    private ServiceRecord() {
    }
}
