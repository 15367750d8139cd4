// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** NodeRecord: {@link NodeInfo} and NodeDescription of a port. Source: IBA vol 1 §15.2.5.2. */
public final class NodeRecord {
    /** Bytes. */
    public static final int LENGTH = 108;
    /** Offset of the {@link NodeInfo}. */
    public static final int NODE_INFO_OFFSET = 4;
    /** Offset of the NodeDescription. */
    public static final int DESCRIPTION_OFFSET = 44;
    /** Bytes of the NodeDescription. */
    public static final int DESCRIPTION_LENGTH = 64;

    /** LID of the port, u16. */
    public static final Field LID = Field.bytes(0, 2);

    /** Bits of ComponentMask. */
    public static final Components COMPONENTS = Components.builder().next(LID).reserved(1)
        .each(info(NodeInfo.BASE_VERSION), info(NodeInfo.CLASS_VERSION), info(NodeInfo.TYPE), info(NodeInfo.PORTS),
            info(NodeInfo.SYSTEM_GUID), info(NodeInfo.NODE_GUID), info(NodeInfo.PORT_GUID), info(NodeInfo.PARTITION_CAP),
            info(NodeInfo.DEVICE_ID), info(NodeInfo.REVISION), info(NodeInfo.LOCAL_PORT), info(NodeInfo.VENDOR_ID))
        .array(DESCRIPTION_OFFSET, DESCRIPTION_LENGTH, 1).build();

    private NodeRecord() {
    }

    private static Field info(Field field) {
        return field.within(NODE_INFO_OFFSET);
    }
}
