// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Address of an end's queue pair and buffer, sent to the peer of an RDMA test: 40 bytes, integers little-endian. With the connection
 * manager LID, queue pair and PSN are 0. The last four bytes mean nothing to the original; between ends of ours, a mark in them says that a
 * GID can follow. Source: observed of qperf 0.4.11.
 *
 * @param address  of the buffer, u64
 * @param lid      u32; 0 on Ethernet
 * @param qpn      24 bits
 * @param psn      24 bits
 * @param rkey     of the buffer
 * @param rdAtomic READs and atomics this end takes at once, u32
 * @param hasGid   this end can send its GID
 */
record Node(long address, int lid, int qpn, int psn, int rkey, int rdAtomic, boolean hasGid) {
    static final int BYTES = 40;

    private static final int ADDRESS_AT = 0;
    private static final int LID_AT = 8;
    private static final int QPN_AT = 12;
    private static final int PSN_AT = 16;
    private static final int RKEY_AT = 24;
    private static final int RD_ATOMIC_AT = 32;
    private static final int MARK_AT = 36;
    /** "+GID" on the wire. */
    private static final int GID_MARK = 0x4449472b;

    /** @param bytes {@link #BYTES} of them */
    static Node parse(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return new Node(buffer.getLong(ADDRESS_AT), buffer.getInt(LID_AT), buffer.getInt(QPN_AT), buffer.getInt(PSN_AT),
            buffer.getInt(RKEY_AT), buffer.getInt(RD_ATOMIC_AT), buffer.getInt(MARK_AT) == GID_MARK);
    }

    byte[] toMessage() {
        return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(ADDRESS_AT, address).putInt(LID_AT, lid)
            .putInt(QPN_AT, qpn).putInt(PSN_AT, psn).putInt(RKEY_AT, rkey).putInt(RD_ATOMIC_AT, rdAtomic)
            .putInt(MARK_AT, hasGid ? GID_MARK : 0).array();
    }
}
