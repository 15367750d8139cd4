// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.nio.ByteBuffer;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.mad.Mad;

/**
 * Messages between a fabric and a subnet manager at one of its ports.
 *
 * <pre>
 *  0 | type (1) | SL (1) | P_Key (2) | SLID (2) | DLID (2) | source QPN (4) | destination QPN (4) |
 * 16 | MAD (256) |
 * </pre>
 */
final class ManagementFrame {
    /** Bytes. */
    static final int LENGTH = 16 + Mad.LENGTH;

    /** A management datagram, both ways. */
    static final int DATAGRAM = 1;
    /** To the fabric: a subnet manager runs at the port, if the SL is not 0. */
    static final int MANAGER = 2;
    /** To the manager: the port, its PortInfo in the place of the MAD, when the session begins and when it changes. */
    static final int PORT = 3;
    /** To the manager: the datagram that it sent was not received by anything. */
    static final int UNDELIVERED = 4;

    private static final int MAD_OFFSET = 16;

    private ManagementFrame() {
    }

    static int type(ByteBuffer b, int at) {
        return b.get(at);
    }

    static boolean isManager(ByteBuffer b, int at) {
        return b.get(at + 1) != 0;
    }

    static ManagementPacket packet(ByteBuffer b, int at) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        mad.put(0, b, at + MAD_OFFSET, Mad.LENGTH);
        return new ManagementPacket(b.getShort(at + 4) & 0xFFFF, b.getShort(at + 6) & 0xFFFF, b.getInt(at + 8), b.getInt(at + 12),
            b.getShort(at + 2) & 0xFFFF, b.get(at + 1) & 0xF, mad);
    }

    static void put(ByteBuffer b, int at, int type, ManagementPacket packet) {
        b.put(at, (byte) type);
        b.put(at + 1, (byte) packet.sl());
        b.putShort(at + 2, (short) packet.pkey());
        b.putShort(at + 4, (short) packet.slid());
        b.putShort(at + 6, (short) packet.dlid());
        b.putInt(at + 8, packet.sourceQpn());
        b.putInt(at + 12, packet.destQpn());
        b.put(at + MAD_OFFSET, packet.mad(), 0, Mad.LENGTH);
    }

    static void putManager(ByteBuffer b, int at, boolean running) {
        clear(b, at);
        b.put(at, (byte) MANAGER);
        b.put(at + 1, (byte) (running ? 1 : 0));
    }

    static void putPort(ByteBuffer b, int at, ByteBuffer info) {
        clear(b, at);
        b.put(at, (byte) PORT);
        b.put(at + MAD_OFFSET, info, 0, info.capacity());
    }

    private static void clear(ByteBuffer b, int at) {
        for (int i = 0; i < LENGTH; i += Long.BYTES) {
            b.putLong(at + i, 0);
        }
    }
}
