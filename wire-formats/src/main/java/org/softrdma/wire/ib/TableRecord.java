// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/**
 * Records that hold a block of a port's or switch's table: LID, which block it is, and behind these 8 bytes the block as subnet management
 * has it. Source: IBA vol 1 §15.2.5.4, §15.2.5.6 to §15.2.5.8, §15.2.5.11, §15.2.5.16.
 */
public final class TableRecord {
    /** Offset of the block. */
    public static final int BLOCK_OFFSET = 8;
    /** Bytes of a record with a block of 64 bytes. */
    public static final int LENGTH = BLOCK_OFFSET + Smp.DATA_LENGTH;
    /** Bytes of a record with a {@link SlToVlMapping}. */
    public static final int SL_TO_VL_LENGTH = BLOCK_OFFSET + SlToVlMapping.LENGTH;

    /** LID of the port; of port 0, for all ports of a switch; u16. */
    public static final Field LID = Field.bytes(0, 2);
    /** Block of a linear forwarding table or P_Key table, u16. */
    public static final Field BLOCK = Field.bytes(2, 2);
    /** Position of a block of a multicast forwarding table, 4 bits. */
    public static final Field POSITION = Field.bits(2, 2, 0xF000);
    /** Block of a multicast forwarding table, 9 bits. */
    public static final Field MULTICAST_BLOCK = Field.bits(2, 2, 0x01FF);
    /** Block of a GUID table, u8. */
    public static final Field GUID_BLOCK = Field.bytes(2, 1);
    /** Port of a P_Key table, u8. */
    public static final Field PKEY_PORT = Field.bytes(4, 1);
    /** Input port of an SL-to-VL mapping, u8. */
    public static final Field INPUT_PORT = Field.bytes(2, 1);
    /** Output port of an SL-to-VL mapping or a VL arbitration table, u8. */
    public static final Field SL_TO_VL_OUTPUT_PORT = Field.bytes(3, 1);
    /** Output port of a VL arbitration table, u8. */
    public static final Field VL_ARBITRATION_PORT = Field.bytes(2, 1);
    /** Block of a VL arbitration table, u8: 1..4. */
    public static final Field VL_ARBITRATION_BLOCK = Field.bytes(3, 1);

    /** Bits of ComponentMask for a linear forwarding table. */
    public static final Components LINEAR_FORWARDING = Components.builder().each(LID, BLOCK).build();
    /** Bits of ComponentMask for a multicast forwarding table. */
    public static final Components MULTICAST_FORWARDING =
        Components.builder().each(LID, POSITION).reserved(1).next(MULTICAST_BLOCK).build();
    /** Bits of ComponentMask for a P_Key table. */
    public static final Components PKEYS = Components.builder().each(LID, BLOCK, PKEY_PORT).build();
    /** Bits of ComponentMask for a GUID table. */
    public static final Components GUID_INFO = Components.builder().each(LID, GUID_BLOCK).build();
    /** Bits of ComponentMask for an SL-to-VL mapping. */
    public static final Components SL_TO_VL = Components.builder().each(LID, INPUT_PORT, SL_TO_VL_OUTPUT_PORT).build();
    /** Bits of ComponentMask for a VL arbitration table. */
    public static final Components VL_ARBITRATION = Components.builder().each(LID, VL_ARBITRATION_PORT, VL_ARBITRATION_BLOCK).build();

    private TableRecord() {
    }
}
