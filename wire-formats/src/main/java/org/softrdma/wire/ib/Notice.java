// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Field;

/**
 * Notice: an event, sent as a trap to the subnet manager and forwarded by subnet administration to subscribers. A subnet management packet
 * has room for all but {@link #ISSUER_GID_HIGH} and the last six bytes of the details. Source: IBA vol 1 §13.4.8.2, §14.2.5.1.
 */
public final class Notice {
    /** Bytes in a report. */
    public static final int LENGTH = 80;
    /** Bytes of details. */
    public static final int DETAILS_LENGTH = 54;
    /** Offset of the details. */
    public static final int DETAILS_OFFSET = 10;

    /** {@link #TYPE}: fatal. */
    public static final int TYPE_FATAL = 0;
    /** {@link #TYPE}: urgent. */
    public static final int TYPE_URGENT = 1;
    /** {@link #TYPE}: security. */
    public static final int TYPE_SECURITY = 2;
    /** {@link #TYPE}: subnet management. */
    public static final int TYPE_SUBNET_MANAGEMENT = 3;
    /** {@link #TYPE}: informational. */
    public static final int TYPE_INFORMATIONAL = 4;
    /** {@link #TYPE} of a subscription: all types. */
    public static final int TYPE_ALL = 0x7F;

    /** {@link #PRODUCER} of a subnet manager's notices; others have the node type. */
    public static final int PRODUCER_CLASS_MANAGER = 4;

    /** {@link #TRAP}: a port with {@link #GID_HIGH} came into service. */
    public static final int TRAP_GID_IN_SERVICE = 64;
    /** {@link #TRAP}: a port with {@link #GID_HIGH} went out of service. */
    public static final int TRAP_GID_OUT_OF_SERVICE = 65;
    /** {@link #TRAP}: the multicast group {@link #GID_HIGH} was created. */
    public static final int TRAP_GROUP_CREATED = 66;
    /** {@link #TRAP}: the multicast group {@link #GID_HIGH} was deleted. */
    public static final int TRAP_GROUP_DELETED = 67;
    /** {@link #TRAP}: the state of at least one port of the switch {@link #LID} changed. */
    public static final int TRAP_LINK_STATE = 128;
    /** {@link #TRAP}: {@link #CAPABILITY_LID} has a new capability mask, or other local changes. */
    public static final int TRAP_CAPABILITY_MASK = 144;
    /** {@link #TRAP}: a packet with a wrong M_Key was received. */
    public static final int TRAP_BAD_MKEY = 256;
    /** {@link #TRAP}: a packet with a wrong P_Key was received. */
    public static final int TRAP_BAD_PKEY = 257;
    /** {@link #TRAP}: a packet with a wrong Q_Key was received. */
    public static final int TRAP_BAD_QKEY = 258;

    /** IsGeneric, 1 bit. */
    public static final Field GENERIC = Field.bits(0, 0x80);
    /** Type, 7 bits. */
    public static final Field TYPE = Field.bits(0, 0x7F);
    /** ProducerType or VendorID, u24. */
    public static final Field PRODUCER = Field.bytes(1, 3);
    /** TrapNumber or DeviceID, u16. */
    public static final Field TRAP = Field.bytes(4, 2);
    /** IssuerLID, u16. */
    public static final Field ISSUER_LID = Field.bytes(6, 2);
    /** NoticeToggle, 1 bit. */
    public static final Field TOGGLE = Field.bits(8, 2, 0x8000);
    /** NoticeCount, 15 bits. */
    public static final Field COUNT = Field.bits(8, 2, 0x7FFF);
    /** IssuerGID, first 64 bits; subnet administration fills it. */
    public static final Field ISSUER_GID_HIGH = Field.bytes(64, 8);
    /** IssuerGID, last 64 bits. */
    public static final Field ISSUER_GID_LOW = Field.bytes(72, 8);

    /** {@link #TRAP_LINK_STATE}: LID of the switch, u16. */
    public static final Field LID = Field.bytes(10, 2);
    /** Traps 64 to 67: first 64 bits of the GID. */
    public static final Field GID_HIGH = Field.bytes(16, 8);
    /** Traps 64 to 67: last 64 bits of the GID. */
    public static final Field GID_LOW = Field.bytes(24, 8);
    /** {@link #TRAP_CAPABILITY_MASK}: LID of the port, u16. */
    public static final Field CAPABILITY_LID = Field.bytes(12, 2);
    /** {@link #TRAP_CAPABILITY_MASK}, 1 bit: something else changed, too. */
    public static final Field OTHER_LOCAL_CHANGES = Field.bits(15, 0x01);
    /** {@link #TRAP_CAPABILITY_MASK}: new capability mask, u32. */
    public static final Field CAPABILITY_MASK = Field.bytes(16, 4);
    /** {@link #OTHER_LOCAL_CHANGES}, 1 bit: the subnet manager at the port has a new priority. */
    public static final Field SM_PRIORITY_CHANGE = Field.bits(20, 2, 0x0008);
    /** {@link #TRAP_BAD_MKEY}: LID of the requester, u16. */
    public static final Field MKEY_LID = Field.bytes(12, 2);
    /** {@link #TRAP_BAD_MKEY}: LID at which the directed part began, u16. */
    public static final Field MKEY_DR_SLID = Field.bytes(14, 2);
    /** {@link #TRAP_BAD_MKEY}: method of the request, u8. */
    public static final Field MKEY_METHOD = Field.bytes(16, 1);
    /** {@link #TRAP_BAD_MKEY}: attribute of the request, u16. */
    public static final Field MKEY_ATTRIBUTE = Field.bytes(18, 2);
    /** {@link #TRAP_BAD_MKEY}: modifier of the request, u32. */
    public static final Field MKEY_MODIFIER = Field.bytes(20, 4);
    /** {@link #TRAP_BAD_MKEY}: the wrong key, u64. */
    public static final Field MKEY = Field.bytes(24, 8);
    /** {@link #TRAP_BAD_MKEY}, 1 bit: the request was directed. */
    public static final Field MKEY_DIRECTED = Field.bits(33, 0x80);
    /** Traps 257 and 258: LID of the sender, u16. */
    public static final Field KEY_SOURCE_LID = Field.bytes(12, 2);
    /** Traps 257 and 258: LID of the receiver, u16. */
    public static final Field KEY_DESTINATION_LID = Field.bytes(14, 2);
    /** Traps 257 and 258: the wrong key, u32. */
    public static final Field KEY = Field.bytes(16, 4);
    /** Traps 257 and 258: queue pair of the sender, u24. */
    public static final Field KEY_SOURCE_QPN = Field.bytes(21, 3);
    /** Traps 257 and 258: queue pair of the receiver, u24. */
    public static final Field KEY_DESTINATION_QPN = Field.bytes(25, 3);

    private Notice() {
    }

    /**
     * Writes what every generic notice has. The details remain as they are.
     *
     * @param type      constant of {@link #TYPE}
     * @param producer  node type, or {@link #PRODUCER_CLASS_MANAGER}
     * @param trap      constant of {@link #TRAP}
     * @param issuerLid LID of the port that reports, u16
     */
    public static void putGeneric(ByteBuffer b, int at, int type, int producer, int trap, int issuerLid) {
        GENERIC.set(b, at, 1);
        TYPE.set(b, at, type);
        PRODUCER.set(b, at, producer);
        TRAP.set(b, at, trap);
        ISSUER_LID.set(b, at, issuerLid);
    }
}
