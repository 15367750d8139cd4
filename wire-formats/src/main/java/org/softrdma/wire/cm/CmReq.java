// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/**
 * REQ: asks for a connection. It has one communication id, {@link CmMessage#LOCAL_COMM_ID}. "Local" is the sender of the message, "remote"
 * its receiver. Source: IBA vol 1 §12.6.5.
 */
public final class CmReq {
    /** Bytes of private data. */
    public static final int PRIVATE_DATA_LENGTH = 92;
    /** {@link #TRANSPORT}: reliable connection. */
    public static final int TRANSPORT_RC = 0;
    /** {@link #TRANSPORT}: unreliable connection. */
    public static final int TRANSPORT_UC = 1;

    /** Vendor of enhanced connection establishment, u24; 0 for none. */
    public static final Field VENDOR_ID = MadField.bytes(5, 3);
    /** Service id, u64: {@link ServiceId}. */
    public static final Field SERVICE_ID = MadField.bytes(8, 8);
    /** The sender's channel adapter, u64: with the communication id it names the connection in the whole fabric. */
    public static final Field CA_GUID = MadField.bytes(16, 8);
    /** u32, 0 for connections. */
    public static final Field QKEY = MadField.bytes(28, 4);
    /** The sender's queue pair, u24. */
    public static final Field QPN = MadField.bytes(32, 3);
    /** READs and atomics the sender can have outstanding against itself, u8. */
    public static final Field RESPONDER_RESOURCES = MadField.bytes(35, 1);
    /** u24, for reliable datagrams only. */
    public static final Field EECN = MadField.bytes(36, 3);
    /** READs and atomics the sender wants to have outstanding, u8. */
    public static final Field INITIATOR_DEPTH = MadField.bytes(39, 1);
    /** u24, for reliable datagrams only. */
    public static final Field REMOTE_EECN = MadField.bytes(40, 3);
    /** How long the receiver may take to answer: 4.096 µs · 2^value, 5 bits. */
    public static final Field REMOTE_RESPONSE_TIMEOUT = MadField.bits(43, 0xF8);
    /** Service of the connection, 2 bits: {@link #TRANSPORT_RC}, {@link #TRANSPORT_UC}, 2 RD, 3 see {@link #EXTENDED_TRANSPORT}. */
    public static final Field TRANSPORT = MadField.bits(43, 0x06);
    /** 1: the sender's queue pair does end-to-end flow control. */
    public static final Field FLOW_CONTROL = MadField.bits(43, 0x01);
    /** PSN that the sender expects first, u24. */
    public static final Field STARTING_PSN = MadField.bytes(44, 3);
    /** How long the sender takes to answer: 4.096 µs · 2^value, 5 bits. */
    public static final Field LOCAL_RESPONSE_TIMEOUT = MadField.bits(47, 0xF8);
    /** ACK timeouts the receiver shall endure, 0..7. */
    public static final Field RETRY_COUNT = MadField.bits(47, 0x07);
    /** u16. */
    public static final Field PKEY = MadField.bytes(48, 2);
    /** Path MTU: 1..5 for 256..4096; 4 bits. */
    public static final Field MTU = MadField.bits(50, 0xF0);
    /** 1: a reliable datagram channel exists. */
    public static final Field RDC_EXISTS = MadField.bits(50, 0x08);
    /** RNR NAKs the receiver shall endure, 0..7; 7 is without end. */
    public static final Field RNR_RETRY_COUNT = MadField.bits(50, 0x07);
    /** How often each side repeats a message of this connection at most, 4 bits. */
    public static final Field MAX_CM_RETRIES = MadField.bits(51, 0xF0);
    /** 1: the sender's queue pair takes its receives from a shared queue. */
    public static final Field SRQ = MadField.bits(51, 0x08);
    /** 3 bits: 1 is XRC. */
    public static final Field EXTENDED_TRANSPORT = MadField.bits(51, 0x07);
    /** u16. */
    public static final Field LOCAL_LID = MadField.bytes(52, 2);
    /** u16. */
    public static final Field REMOTE_LID = MadField.bytes(54, 2);
    /** The sender's address, first 64 bits. */
    public static final Field LOCAL_GID_HIGH = MadField.bytes(56, 8);
    /** The sender's address, last 64 bits. */
    public static final Field LOCAL_GID_LOW = MadField.bytes(64, 8);
    /** The receiver's address, first 64 bits. */
    public static final Field REMOTE_GID_HIGH = MadField.bytes(72, 8);
    /** The receiver's address, last 64 bits. */
    public static final Field REMOTE_GID_LOW = MadField.bytes(80, 8);
    /** 20 bits. */
    public static final Field FLOW_LABEL = MadField.bits(88, 4, 0xFFFFF000L);
    /** Static rate, 6 bits; 0 is the port's own. */
    public static final Field PACKET_RATE = MadField.bits(91, 0x3F);
    /** u8. */
    public static final Field TRAFFIC_CLASS = MadField.bytes(92, 1);
    /** u8. */
    public static final Field HOP_LIMIT = MadField.bytes(93, 1);
    /** 4 bits. */
    public static final Field SERVICE_LEVEL = MadField.bits(94, 0xF0);
    /** 1: both ends are in one subnet. */
    public static final Field SUBNET_LOCAL = MadField.bits(94, 0x08);
    /** The sender's ACK timeout: 4.096 µs · 2^value, 5 bits. */
    public static final Field ACK_TIMEOUT = MadField.bits(95, 0xF8);
    /** u16; not 0 if there is an alternate path. */
    public static final Field ALTERNATE_LOCAL_LID = MadField.bytes(96, 2);
    /** u16. */
    public static final Field ALTERNATE_REMOTE_LID = MadField.bytes(98, 2);
    /** First 64 bits. */
    public static final Field ALTERNATE_LOCAL_GID_HIGH = MadField.bytes(100, 8);
    /** Last 64 bits. */
    public static final Field ALTERNATE_LOCAL_GID_LOW = MadField.bytes(108, 8);
    /** First 64 bits. */
    public static final Field ALTERNATE_REMOTE_GID_HIGH = MadField.bytes(116, 8);
    /** Last 64 bits. */
    public static final Field ALTERNATE_REMOTE_GID_LOW = MadField.bytes(124, 8);
    /** 20 bits. */
    public static final Field ALTERNATE_FLOW_LABEL = MadField.bits(132, 4, 0xFFFFF000L);
    /** 6 bits. */
    public static final Field ALTERNATE_PACKET_RATE = MadField.bits(135, 0x3F);
    /** u8. */
    public static final Field ALTERNATE_TRAFFIC_CLASS = MadField.bytes(136, 1);
    /** u8. */
    public static final Field ALTERNATE_HOP_LIMIT = MadField.bytes(137, 1);
    /** 4 bits. */
    public static final Field ALTERNATE_SERVICE_LEVEL = MadField.bits(138, 0xF0);
    /** 1 bit. */
    public static final Field ALTERNATE_SUBNET_LOCAL = MadField.bits(138, 0x08);
    /** 5 bits. */
    public static final Field ALTERNATE_ACK_TIMEOUT = MadField.bits(139, 0xF8);

    private CmReq() {
    }
}
