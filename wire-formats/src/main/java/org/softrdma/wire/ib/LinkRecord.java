// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** LinkRecord: one direction of a cable. Source: IBA vol 1 §15.2.5.13. */
public final class LinkRecord {
    /** Bytes. */
    public static final int LENGTH = 6;

    /** FromLID, u16. */
    public static final Field FROM_LID = Field.bytes(0, 2);
    /** FromPort, u8. */
    public static final Field FROM_PORT = Field.bytes(2, 1);
    /** ToPort, u8. */
    public static final Field TO_PORT = Field.bytes(3, 1);
    /** ToLID, u16. */
    public static final Field TO_LID = Field.bytes(4, 2);

    /** Bits of ComponentMask. */
    public static final Components COMPONENTS = Components.builder().each(FROM_LID, FROM_PORT, TO_PORT, TO_LID).build();

    private LinkRecord() {
    }
}
