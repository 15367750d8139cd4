// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.umad;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Mad;

/**
 * Facts about management classes, which decide how long headers are, what is a response, and who may receive. Source: IBA vol 1 §13.4, §16;
 * {@code include/rdma/ib_mad.h} of Linux 6.1.
 */
final class ManagementClass {
    /** Subnet management, by LID and along a directed route: queue pair 0 only. */
    static final int SUBNET_BY_LID = 0x01;
    static final int SUBNET_DIRECTED = 0x81;
    static final int SUBNET_ADMINISTRATION = 0x03;
    static final int BASEBOARD = 0x05;
    static final int DEVICE_MANAGEMENT = 0x06;
    static final int DEVICE_ADMINISTRATION = 0x10;
    static final int BOOT = 0x12;
    /** Vendors' classes whose datagrams name the organisation. */
    static final int VENDOR_FIRST = 0x30;
    static final int VENDOR_LAST = 0x4f;

    /** The first 36 bytes of every datagram that is written: the common header, and that of RMPP. */
    static final int RMPP_HEADER_BYTES = 36;
    /** u24 in datagrams of {@link #VENDOR_FIRST} to {@link #VENDOR_LAST}. */
    static final int OUI_OFFSET = 37;
    static final int OUI_BYTES = 3;

    private static final int RMPP_FLAGS_OFFSET = 26;
    private static final int RMPP_ACTIVE = 1;
    private static final int METHOD_RESPONSE = 0x80;
    private static final int METHOD_TRAP_REPRESS = 0x07;
    private static final int BASEBOARD_RESPONSE = 1;

    private ManagementClass() {
    }

    static boolean isSubnet(int managementClass) {
        return managementClass == SUBNET_BY_LID || managementClass == SUBNET_DIRECTED;
    }

    static boolean hasOui(int managementClass) {
        return managementClass >= VENDOR_FIRST && managementClass <= VENDOR_LAST;
    }

    /** Whether messages of the class may be longer than a datagram. */
    static boolean hasRmpp(int managementClass) {
        return switch (managementClass) {
            case SUBNET_ADMINISTRATION, DEVICE_MANAGEMENT, DEVICE_ADMINISTRATION, BOOT -> true;
            default -> hasOui(managementClass);
        };
    }

    /** Bytes before the data of the class. */
    static int headerBytes(int managementClass) {
        return switch (managementClass) {
            case SUBNET_ADMINISTRATION -> 56;
            case DEVICE_MANAGEMENT, DEVICE_ADMINISTRATION, BOOT -> 64;
            default -> hasOui(managementClass) ? 40 : Mad.HEADER_LENGTH;
        };
    }

    /** Whether a datagram is a part of a long message, or controls its transfer. */
    static boolean isRmppActive(ByteBuffer mad) {
        return hasRmpp(Mad.managementClass(mad, 0)) && (mad.get(RMPP_FLAGS_OFFSET) & RMPP_ACTIVE) != 0;
    }

    /** Whether a datagram answers another one, which had the same transaction id. */
    static boolean isResponse(ByteBuffer mad) {
        int method = Mad.method(mad, 0);
        return (method & METHOD_RESPONSE) != 0 || method == METHOD_TRAP_REPRESS
            || Mad.managementClass(mad, 0) == BASEBOARD && (Mad.modifier(mad, 0) & BASEBOARD_RESPONSE) != 0;
    }

    /** The organisation that a datagram names, u24; 0 in classes without one. */
    static int oui(ByteBuffer mad) {
        return hasOui(Mad.managementClass(mad, 0)) ? mad.getInt(OUI_OFFSET - 1) & 0xFFFFFF : 0;
    }
}
