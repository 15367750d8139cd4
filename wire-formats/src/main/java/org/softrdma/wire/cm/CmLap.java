// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/** LAP: offers an alternate path for a connection. Source: IBA vol 1 §12.8.1. */
public final class CmLap {
    /** The receiver's queue pair, u24. */
    public static final Field REMOTE_QPN = MadField.bytes(12, 3);
    /** How long the receiver may take to answer: 4.096 µs · 2^value, 5 bits. */
    public static final Field REMOTE_RESPONSE_TIMEOUT = MadField.bits(15, 0xF8);
    /** u16. */
    public static final Field LOCAL_LID = MadField.bytes(20, 2);
    /** u16. */
    public static final Field REMOTE_LID = MadField.bytes(22, 2);
    /** First 64 bits. */
    public static final Field LOCAL_GID_HIGH = MadField.bytes(24, 8);
    /** Last 64 bits. */
    public static final Field LOCAL_GID_LOW = MadField.bytes(32, 8);
    /** First 64 bits. */
    public static final Field REMOTE_GID_HIGH = MadField.bytes(40, 8);
    /** Last 64 bits. */
    public static final Field REMOTE_GID_LOW = MadField.bytes(48, 8);
    /** 20 bits. */
    public static final Field FLOW_LABEL = MadField.bits(56, 3, 0xFFFFF0L);
    /** u8. */
    public static final Field TRAFFIC_CLASS = MadField.bytes(59, 1);
    /** u8. */
    public static final Field HOP_LIMIT = MadField.bytes(60, 1);
    /** 6 bits. */
    public static final Field PACKET_RATE = MadField.bits(61, 0x3F);
    /** 4 bits. */
    public static final Field SERVICE_LEVEL = MadField.bits(62, 0xF0);
    /** 1 bit. */
    public static final Field SUBNET_LOCAL = MadField.bits(62, 0x08);
    /** 5 bits. */
    public static final Field ACK_TIMEOUT = MadField.bits(63, 0xF8);

    private CmLap() {
    }
}
