// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** ClassPortInfo: abilities of a manager or agent of a management class, and redirection. Source: IBA vol 1 §13.4.8.1. */
public final class ClassPortInfo {
    /** AttributeID. */
    public static final int ATTRIBUTE = 0x0001;
    /** Bytes. */
    public static final int LENGTH = 72;

    /** BaseVersion, u8. */
    public static final Field BASE_VERSION = Field.bytes(0, 1);
    /** ClassVersion, u8. */
    public static final Field CLASS_VERSION = Field.bytes(1, 1);
    /** CapabilityMask, u16. */
    public static final Field CAPABILITY_MASK = Field.bytes(2, 2);
    /** CapabilityMask2, 27 bits. */
    public static final Field CAPABILITY_MASK_2 = Field.bits(4, 4, 0xFFFFFFE0L);
    /** RespTimeValue, 5 bits. */
    public static final Field RESPONSE_TIME = Field.bits(7, 0x1F);
    /** RedirectQP, u24. */
    public static final Field REDIRECT_QPN = Field.bytes(33, 3);
    /** RedirectQ_Key, u32. */
    public static final Field REDIRECT_QKEY = Field.bytes(36, 4);
    /** TrapQ_Key, u32. */
    public static final Field TRAP_QKEY = Field.bytes(68, 4);

    private ClassPortInfo() {
    }
}
