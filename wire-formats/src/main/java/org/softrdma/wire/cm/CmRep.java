// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/** REP: accepts a connection. "Local" is the sender of the message. Source: IBA vol 1 §12.6.8. */
public final class CmRep {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 196;

    /** u32, 0 for connections. */
    public static final Field QKEY = MadField.bytes(8, 4);
    /** The sender's queue pair, u24. */
    public static final Field QPN = MadField.bytes(12, 3);
    /** Vendor of enhanced connection establishment, bits 23:16. */
    public static final Field VENDOR_ID_HIGH = MadField.bytes(15, 1);
    /** u24, for reliable datagrams only. */
    public static final Field EECN = MadField.bytes(16, 3);
    /** Vendor of enhanced connection establishment, bits 15:8. */
    public static final Field VENDOR_ID_MIDDLE = MadField.bytes(19, 1);
    /** PSN that the sender expects first, u24. */
    public static final Field STARTING_PSN = MadField.bytes(20, 3);
    /** Vendor of enhanced connection establishment, bits 7:0. */
    public static final Field VENDOR_ID_LOW = MadField.bytes(23, 1);
    /** READs and atomics the sender can have outstanding against itself, u8. */
    public static final Field RESPONDER_RESOURCES = MadField.bytes(24, 1);
    /** READs and atomics the sender will have outstanding, u8. */
    public static final Field INITIATOR_DEPTH = MadField.bytes(25, 1);
    /** How long the sender may take to acknowledge: 4.096 µs · 2^value, 5 bits. */
    public static final Field TARGET_ACK_DELAY = MadField.bits(26, 0xF8);
    /** Result for the alternate path, 2 bits; 0 accepted, 1 not supported, 2 rejected. */
    public static final Field FAILOVER = MadField.bits(26, 0x06);
    /** 1: the sender's queue pair does end-to-end flow control. */
    public static final Field FLOW_CONTROL = MadField.bits(26, 0x01);
    /** RNR NAKs the receiver shall endure, 0..7; 7 is without end. */
    public static final Field RNR_RETRY_COUNT = MadField.bits(27, 0xE0);
    /** 1: the sender's queue pair takes its receives from a shared queue. */
    public static final Field SRQ = MadField.bits(27, 0x10);
    /** The sender's channel adapter, u64. */
    public static final Field CA_GUID = MadField.bytes(28, 8);

    private CmRep() {
    }
}
