// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** SMInfo: the state of a subnet manager; how several agree on a master. Source: IBA vol 1 §14.2.5.13, §14.4. */
public final class SmInfo {
    /** Bytes. */
    public static final int LENGTH = 21;

    /** {@link #STATE}. */
    public static final int STATE_NOT_ACTIVE = 0;
    /** {@link #STATE}. */
    public static final int STATE_DISCOVERING = 1;
    /** {@link #STATE}. */
    public static final int STATE_STANDBY = 2;
    /** {@link #STATE}. */
    public static final int STATE_MASTER = 3;

    /** Modifier of a Set: a master hands the subnet over. */
    public static final int HANDOVER = 1;
    /** Modifier of a Set: response to {@link #HANDOVER}. */
    public static final int ACKNOWLEDGE = 2;
    /** Modifier of a Set: a standby manager must become inactive. */
    public static final int DISABLE = 3;
    /** Modifier of a Set: an inactive manager must become standby. */
    public static final int STANDBY = 4;
    /** Modifier of a Set: a standby manager must discover again. */
    public static final int DISCOVER = 5;

    /** GUID of the manager's port, u64. */
    public static final Field GUID = Field.bytes(0, 8);
    /** SM_Key, u64. */
    public static final Field SM_KEY = Field.bytes(8, 8);
    /** ActCount: counts up while the manager works, u32. */
    public static final Field ACTIVITY_COUNT = Field.bytes(16, 4);
    /** Priority, 4 bits. */
    public static final Field PRIORITY = Field.bits(20, 0xF0);
    /** SMState, 4 bits. */
    public static final Field STATE = Field.bits(20, 0x0F);

    private SmInfo() {
    }
}
