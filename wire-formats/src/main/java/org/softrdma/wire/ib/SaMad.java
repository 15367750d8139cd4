// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.Mad;

/**
 * MAD of subnet administration. Behind common header and {@link Rmpp} header:
 *
 * <pre>
 * 36 | SM_Key (8) |
 * 44 | AttributeOffset (2): distance of records in units of 8 bytes | reserved (2) |
 * 48 | ComponentMask (8) |
 * 56 | records (200) |
 * </pre>
 *
 * Source: IBA vol 1 §15.2.1.
 */
public final class SaMad {
    /** MgmtClass. */
    public static final int CLASS = 0x03;
    /** ClassVersion. */
    public static final int CLASS_VERSION = 2;
    /** Offset of the first record. */
    public static final int DATA_OFFSET = 56;
    /** Bytes of records in one MAD. */
    public static final int DATA_LENGTH = Mad.LENGTH - DATA_OFFSET;
    /** Bytes of the class header, from SM_Key on, which each segment of a transfer repeats. */
    public static final int CLASS_HEADER_LENGTH = DATA_OFFSET - Rmpp.HEADER_END;
    /** Unit of AttributeOffset, bytes. */
    public static final int OFFSET_UNIT = 8;

    /** SM_Key, u64. */
    public static final Field SM_KEY = Field.bytes(36, 8);
    /** AttributeOffset, u16. */
    public static final Field ATTRIBUTE_OFFSET = Field.bytes(44, 2);
    /** ComponentMask, u64. */
    public static final Field COMPONENT_MASK = Field.bytes(48, 8);

    private SaMad() {
    }

    /**
     * Writes all 256 bytes: a request without record.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param method method, u8
     * @param attribute AttributeID, u16
     * @param transactionId TransactionID, raw 64 bits
     * @param componentMask ComponentMask, raw 64 bits
     */
    public static void begin(ByteBuffer b, int at, int method, int attribute, long transactionId, long componentMask) {
        for (int i = 0; i < Mad.LENGTH; i += Long.BYTES) {
            b.putLong(at + i, 0);
        }
        Mad.put(b, at, CLASS, CLASS_VERSION, method, transactionId, attribute);
        COMPONENT_MASK.set(b, at, componentMask);
    }

    /**
     * {@return bytes from one record to the next, for records of {@code length} bytes}
     *
     * @param length bytes of one record
     */
    public static int stride(int length) {
        return (length + OFFSET_UNIT - 1) / OFFSET_UNIT * OFFSET_UNIT;
    }
}
