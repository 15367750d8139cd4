// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;

/** The fields of a packet that ports and switches look at. One object, refilled for each packet. */
final class Crossing {
    /** Bytes of a management datagram, LRH to ICRC. */
    static final int MANAGEMENT_BYTES = Lrh.LENGTH + Bth.LENGTH + Deth.LENGTH + Mad.LENGTH + Icrc.LENGTH;
    /** Headers that are read of a packet: up to the BTH. */
    private static final int HEADERS = Lrh.LENGTH + Bth.LENGTH;

    private int dlid;
    private int slid;
    private int sl;
    private int pkey;
    private int bytes;
    private boolean managementLane;

    /**
     * Reads the headers of a packet.
     *
     * @return false if they are malformed
     */
    boolean set(ByteBuffer packet, int at, int length) {
        if (length < HEADERS || !Lrh.isValid(packet, at, length) || Lrh.packetBytes(packet, at) != length) {
            return false;
        }
        boolean global = Lrh.nextHeader(packet, at) == Lrh.NEXT_GRH;
        if (global && length < HEADERS + Grh.LENGTH) {
            return false;
        }
        dlid = Lrh.dlid(packet, at);
        slid = Lrh.slid(packet, at);
        sl = Lrh.sl(packet, at);
        pkey = Bth.pkey(packet, at + Lrh.LENGTH + (global ? Grh.LENGTH : 0));
        bytes = length;
        managementLane = false;
        return true;
    }

    /** Reads the addresses of a management datagram. */
    void set(ManagementPacket packet) {
        dlid = packet.dlid();
        slid = packet.slid();
        sl = packet.sl();
        pkey = packet.pkey();
        bytes = MANAGEMENT_BYTES;
        managementLane = packet.isSubnetManagement();
    }

    int dlid() {
        return dlid;
    }

    int slid() {
        return slid;
    }

    int sl() {
        return sl;
    }

    int pkey() {
        return pkey;
    }

    /** Bytes, LRH to ICRC. */
    int bytes() {
        return bytes;
    }

    /** Whether it is a subnet management packet, on the virtual lane of these. */
    boolean isManagementLane() {
        return managementLane;
    }

    boolean isMulticast() {
        return Lrh.isMulticast(dlid);
    }
}
