// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** SMInfoRecord: {@link SmInfo} of a subnet manager. Source: IBA vol 1 §15.2.5.10. */
public final class SmInfoRecord {
    /** Bytes. */
    public static final int LENGTH = 25;
    /** Offset of the {@link SmInfo}. */
    public static final int SM_INFO_OFFSET = 4;

    /** LID of the port, u16. */
    public static final Field LID = Field.bytes(0, 2);

    /** Bits of ComponentMask. */
    public static final Components COMPONENTS = Components.builder().next(LID).reserved(1)
        .each(SmInfo.GUID.within(SM_INFO_OFFSET), SmInfo.SM_KEY.within(SM_INFO_OFFSET), SmInfo.ACTIVITY_COUNT.within(SM_INFO_OFFSET),
            SmInfo.PRIORITY.within(SM_INFO_OFFSET), SmInfo.STATE.within(SM_INFO_OFFSET)).build();

    private SmInfoRecord() {
    }
}
