// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** InformInfoRecord: a subscription and its subscriber. Source: IBA vol 1 §15.2.5.12. */
public final class InformInfoRecord {
    /** Bytes. */
    public static final int LENGTH = 60;
    /** Offset of the {@link InformInfo}. */
    public static final int INFORM_INFO_OFFSET = 24;

    /** SubscriberGID, first 64 bits. */
    public static final Field SUBSCRIBER_GID_HIGH = Field.bytes(0, 8);
    /** SubscriberGID, last 64 bits. */
    public static final Field SUBSCRIBER_GID_LOW = Field.bytes(8, 8);
    /** Enum: number of the subscription among those of the subscriber, u16. */
    public static final Field NUMBER = Field.bytes(16, 2);

    /** Bits of ComponentMask. */
    public static final Components COMPONENTS = Components.builder().next(SUBSCRIBER_GID_HIGH, SUBSCRIBER_GID_LOW).next(NUMBER).build();

    private InformInfoRecord() {
    }
}
