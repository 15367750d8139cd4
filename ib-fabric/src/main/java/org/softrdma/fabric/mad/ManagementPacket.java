// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.mad;

import java.nio.ByteBuffer;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.SaAttribute;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/**
 * A management datagram with its addresses. Whoever receives it may change the bytes.
 *
 * @param slid      LID of the sender, u16; {@link Lrh#PERMISSIVE_LID} of a directed packet
 * @param dlid      LID of the receiver, u16; {@link Lrh#PERMISSIVE_LID} of a directed packet
 * @param sourceQpn queue pair of the sender: 0, 1, or another one that sends to queue pair 1
 * @param destQpn   queue pair of the receiver
 * @param pkey      P_Key, u16; without effect between queue pairs 0
 * @param sl        service level, 4 bits
 * @param mad       256 bytes at offset 0
 */
public record ManagementPacket(int slid, int dlid, int sourceQpn, int destQpn, int pkey, int sl, ByteBuffer mad) {
    /** P_Key of datagrams between queue pairs 1, unless they are answers with another one. */
    public static final int DEFAULT_PKEY = 0xFFFF;

    /**
     * Creates a datagram.
     *
     * @throws IllegalArgumentException a LID is not u16
     */
    public ManagementPacket {
        if ((slid | dlid) >>> 16 != 0) {
            throw new IllegalArgumentException("LIDs have 16 bits: " + slid + ", " + dlid);
        }
    }

    /** A subnet management packet that follows a list of ports. */
    public static ManagementPacket directed(ByteBuffer mad) {
        return new ManagementPacket(Lrh.PERMISSIVE_LID, Lrh.PERMISSIVE_LID, Smp.QPN, Smp.QPN, DEFAULT_PKEY, 0, mad);
    }

    /** A subnet management packet routed by LID. */
    public static ManagementPacket lidRouted(int slid, int dlid, ByteBuffer mad) {
        return new ManagementPacket(slid, dlid, Smp.QPN, Smp.QPN, DEFAULT_PKEY, 0, mad);
    }

    /** A datagram between queue pairs 1. */
    public static ManagementPacket general(int slid, int dlid, ByteBuffer mad) {
        return new ManagementPacket(slid, dlid, Mad.GSI_QPN, Mad.GSI_QPN, DEFAULT_PKEY, 0, mad);
    }

    /** The answer with these bytes: the same path back. */
    public ManagementPacket reply(ByteBuffer answer) {
        return new ManagementPacket(dlid, slid, destQpn, sourceQpn, pkey, sl, answer);
    }

    /** The same datagram with these bytes. */
    public ManagementPacket withMad(ByteBuffer bytes) {
        return new ManagementPacket(slid, dlid, sourceQpn, destQpn, pkey, sl, bytes);
    }

    /** The same datagram from that LID. */
    public ManagementPacket from(int lid) {
        return new ManagementPacket(lid, dlid, sourceQpn, destQpn, pkey, sl, mad);
    }

    /** A copy that shares no bytes. */
    public ManagementPacket copy() {
        return withMad(copyOf(mad));
    }

    /** A copy of the 256 bytes of a datagram. */
    public static ByteBuffer copyOf(ByteBuffer mad) {
        ByteBuffer copy = ByteBuffer.allocate(Mad.LENGTH);
        copy.put(0, mad, 0, Mad.LENGTH);
        return copy;
    }

    /** Management class, u8. */
    public int managementClass() {
        return Mad.managementClass(mad, 0);
    }

    /** Method, u8. */
    public int method() {
        return Mad.method(mad, 0);
    }

    /** Attribute, u16. */
    public int attribute() {
        return Mad.attribute(mad, 0);
    }

    /** Transaction ID, raw 64 bits. */
    public long transactionId() {
        return Mad.transactionId(mad, 0);
    }

    /** Whether it is of subnet management. */
    public boolean isSubnetManagement() {
        return Smp.isSubnetManagement(managementClass());
    }

    /** Whether it follows a list of ports. */
    public boolean isDirected() {
        return managementClass() == Smp.CLASS_DIRECTED;
    }

    /** Whether it answers another one; the end of a trap's repetition does. */
    public boolean isResponse() {
        return MadMethod.isResponse(method()) || method() == MadMethod.TRAP_REPRESS;
    }

    @Override
    public String toString() {
        String what = switch (managementClass()) {
            case Smp.CLASS_DIRECTED -> "directed " + SmAttribute.name(attribute());
            case Smp.CLASS_LID_ROUTED -> SmAttribute.name(attribute());
            case SaMad.CLASS -> SaAttribute.name(attribute());
            default -> "class 0x" + Integer.toHexString(managementClass()) + " attribute 0x" + Integer.toHexString(attribute());
        };
        return what + " method 0x" + Integer.toHexString(method()) + " modifier 0x" + Integer.toHexString(Mad.modifier(mad, 0))
            + " from LID " + slid + " to " + dlid + ", transaction 0x" + Long.toHexString(transactionId());
    }
}
