// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.mad;

import java.nio.ByteBuffer;

/**
 * Management datagram: 256 bytes, sent as one UD packet to queue pair 1, the general services interface (GSI). Its common header:
 *
 * <pre>
 *  0 | BaseVersion (1) = 1 | MgmtClass (1) | ClassVersion (1) | Method (1) |
 *  4 | Status (2)          | ClassSpecific (2)                             |
 *  8 | TransactionID (8)                                                   |
 * 16 | AttributeID (2)     | reserved (2)                                  |
 * 20 | AttributeModifier (4)                                               |
 * </pre>
 *
 * Source: IBA vol 1 §13.4.
 */
public final class Mad {
    /** Bytes of every MAD, whatever it says. */
    public static final int LENGTH = 256;
    /** Bytes of the common header. */
    public static final int HEADER_LENGTH = 24;
    /** Queue pair every GSI is. */
    public static final int GSI_QPN = 1;
    /** Q_Key every GSI has. */
    public static final int GSI_QKEY = 0x80010000;

    /** u8. */
    public static final int BASE_VERSION_OFFSET = 0;
    /** u8. */
    public static final int CLASS_OFFSET = 1;
    /** u8. */
    public static final int CLASS_VERSION_OFFSET = 2;
    /** u8: response in bit 7. */
    public static final int METHOD_OFFSET = 3;
    /** u16. */
    public static final int STATUS_OFFSET = 4;
    /** u64. */
    public static final int TRANSACTION_ID_OFFSET = 8;
    /** u16. */
    public static final int ATTRIBUTE_OFFSET = 16;
    /** u32. */
    public static final int MODIFIER_OFFSET = 20;

    /** BaseVersion. */
    public static final int BASE_VERSION = 1;
    /** MgmtClass of communication management. */
    public static final int CLASS_CM = 0x07;
    /** ClassVersion of communication management. */
    public static final int CM_CLASS_VERSION = 2;
    /** Method Send: a datagram that is no request for a response of its own method. */
    public static final int METHOD_SEND = 0x03;

    private Mad() {
    }

    /**
     * {@return {@link #BASE_VERSION} in a valid header}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int baseVersion(ByteBuffer b, int at) {
        return b.get(at + BASE_VERSION_OFFSET) & 0xFF;
    }

    /**
     * {@return MgmtClass, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int managementClass(ByteBuffer b, int at) {
        return b.get(at + CLASS_OFFSET) & 0xFF;
    }

    /**
     * {@return ClassVersion, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int classVersion(ByteBuffer b, int at) {
        return b.get(at + CLASS_VERSION_OFFSET) & 0xFF;
    }

    /**
     * {@return method, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int method(ByteBuffer b, int at) {
        return b.get(at + METHOD_OFFSET) & 0xFF;
    }

    /**
     * {@return status, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int status(ByteBuffer b, int at) {
        return b.getShort(at + STATUS_OFFSET) & 0xFFFF;
    }

    /**
     * {@return TransactionID, raw 64 bits: an answer has the one of what it answers}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static long transactionId(ByteBuffer b, int at) {
        return b.getLong(at + TRANSACTION_ID_OFFSET);
    }

    /**
     * {@return AttributeID, u16}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int attribute(ByteBuffer b, int at) {
        return b.getShort(at + ATTRIBUTE_OFFSET) & 0xFFFF;
    }

    /**
     * {@return AttributeModifier, raw 32 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int modifier(ByteBuffer b, int at) {
        return b.getInt(at + MODIFIER_OFFSET);
    }

    /**
     * Writes all 24 bytes of the header; status, class specific field, modifier and reserved bytes become zero.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param managementClass MgmtClass, u8
     * @param classVersion ClassVersion, u8
     * @param method method, u8
     * @param transactionId TransactionID, raw 64 bits
     * @param attribute AttributeID, u16
     */
    public static void put(ByteBuffer b, int at, int managementClass, int classVersion, int method, long transactionId, int attribute) {
        b.putInt(at + BASE_VERSION_OFFSET,
            BASE_VERSION << 24 | (managementClass & 0xFF) << 16 | (classVersion & 0xFF) << 8 | method & 0xFF);
        b.putInt(at + STATUS_OFFSET, 0);
        b.putLong(at + TRANSACTION_ID_OFFSET, transactionId);
        b.putInt(at + ATTRIBUTE_OFFSET, attribute << 16);
        b.putInt(at + MODIFIER_OFFSET, 0);
    }
}
