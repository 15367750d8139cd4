// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ibsim;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Mad;

/**
 * A management datagram in ibsim's protocol: big-endian fields in the places of a C structure.
 *
 * <pre>
 *  0 | DLID (2), pad (2) | SLID (2), pad (2) |
 *  8 | destination QP (4) | source QP (4) |
 * 16 | status (4): 110 if nothing answered | pad (4) |
 * 24 | bytes of the datagram (8) |
 * 32 | MAD (256) |
 * </pre>
 *
 * Source: ibsim 0.10, observed.
 */
final class SimPacket {
    /** Bytes. */
    static final int LENGTH = 288;
    /** Offset of the MAD. */
    static final int MAD_OFFSET = 32;
    /** Status: ETIMEDOUT. */
    static final int TIMED_OUT = 110;

    private static final int DLID_OFFSET = 0;
    private static final int SLID_OFFSET = 4;
    private static final int DEST_QP_OFFSET = 8;
    private static final int SOURCE_QP_OFFSET = 12;
    private static final int STATUS_OFFSET = 16;
    private static final int BYTES_OFFSET = 24;

    private SimPacket() {
    }

    static int dlid(ByteBuffer b) {
        return b.getShort(DLID_OFFSET) & 0xFFFF;
    }

    static int destQpn(ByteBuffer b) {
        return b.getInt(DEST_QP_OFFSET) & 0xFFFFFF;
    }

    static int sourceQpn(ByteBuffer b) {
        return b.getInt(SOURCE_QP_OFFSET) & 0xFFFFFF;
    }

    static int slid(ByteBuffer b) {
        return b.getShort(SLID_OFFSET) & 0xFFFF;
    }

    static int status(ByteBuffer b) {
        return b.getInt(STATUS_OFFSET);
    }

    /** Bytes of the datagram: less than a MAD's only in short answers of several packets' protocol. */
    static int bytes(ByteBuffer b) {
        return Math.clamp(b.getLong(BYTES_OFFSET), 0, Mad.LENGTH);
    }

    /** Writes all bytes. */
    static void put(ByteBuffer b, int dlid, int slid, int destQpn, int sourceQpn, int status, int bytes, ByteBuffer mad) {
        b.putInt(DLID_OFFSET, dlid << 16);
        b.putInt(SLID_OFFSET, slid << 16);
        b.putInt(DEST_QP_OFFSET, destQpn);
        b.putInt(SOURCE_QP_OFFSET, sourceQpn);
        b.putLong(STATUS_OFFSET, (long) status << 32);
        b.putLong(BYTES_OFFSET, bytes);
        b.put(MAD_OFFSET, mad, 0, Mad.LENGTH);
    }
}
