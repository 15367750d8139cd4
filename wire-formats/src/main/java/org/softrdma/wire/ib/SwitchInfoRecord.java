// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** SwitchInfoRecord: {@link SwitchInfo} of a switch. Source: IBA vol 1 §15.2.5.5. */
public final class SwitchInfoRecord {
    /** Bytes. */
    public static final int LENGTH = 24;
    /** Offset of the {@link SwitchInfo}. */
    public static final int SWITCH_INFO_OFFSET = 4;

    /** LID of port 0, u16. */
    public static final Field LID = Field.bytes(0, 2);

    /** Bits of ComponentMask as far as they are used: no client searches by the properties of a switch. */
    public static final Components COMPONENTS = Components.builder().next(LID).reserved(1).build();

    private SwitchInfoRecord() {
    }
}
