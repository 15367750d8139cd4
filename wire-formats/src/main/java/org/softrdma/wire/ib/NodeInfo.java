// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import org.softrdma.wire.mad.Field;

/** NodeInfo: what a node is. Read only. Source: IBA vol 1 §14.2.5.3. */
public final class NodeInfo {
    /** Bytes. */
    public static final int LENGTH = 40;
    /** {@link #TYPE}: channel adapter. */
    public static final int TYPE_CA = 1;
    /** {@link #TYPE}: switch. */
    public static final int TYPE_SWITCH = 2;
    /** {@link #TYPE}: router. */
    public static final int TYPE_ROUTER = 3;

    /** BaseVersion, u8. */
    public static final Field BASE_VERSION = Field.bytes(0, 1);
    /** ClassVersion, u8. */
    public static final Field CLASS_VERSION = Field.bytes(1, 1);
    /** NodeType, u8. */
    public static final Field TYPE = Field.bytes(2, 1);
    /** NumPorts: physical ports, without port 0 of a switch, u8. */
    public static final Field PORTS = Field.bytes(3, 1);
    /** SystemImageGUID, u64. */
    public static final Field SYSTEM_GUID = Field.bytes(4, 8);
    /** NodeGUID, u64. */
    public static final Field NODE_GUID = Field.bytes(12, 8);
    /** PortGUID of the port that received the request, u64; the node's, on a switch. */
    public static final Field PORT_GUID = Field.bytes(20, 8);
    /** PartitionCap: entries of the P_Key tables of adapter ports and of a switch's port 0, u16. */
    public static final Field PARTITION_CAP = Field.bytes(28, 2);
    /** DeviceID, u16. */
    public static final Field DEVICE_ID = Field.bytes(30, 2);
    /** Revision, u32. */
    public static final Field REVISION = Field.bytes(32, 4);
    /** LocalPortNum: number of the port that received the request, u8. */
    public static final Field LOCAL_PORT = Field.bytes(36, 1);
    /** VendorID, u24. */
    public static final Field VENDOR_ID = Field.bytes(37, 3);

    private NodeInfo() {
    }
}
