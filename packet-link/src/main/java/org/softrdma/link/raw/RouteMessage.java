// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;

/**
 * Messages of Linux's routing socket: writes requests, reads answers and notices.
 *
 * <pre>
 *   nlmsghdr, 16 bytes:  0 length  4 type  6 flags  8 sequence  12 port
 *   rtmsg, 12 bytes:     0 family  1 destination bits  2 source bits  7 type  8 flags
 *   ndmsg, 12 bytes:     0 family  4 interface  8 state  10 flags
 *   then attributes:     0 length  2 type  4 value, each padded to 4 bytes
 * </pre>
 *
 * In host byte order, addresses as on the wire. Source: rtnetlink(7).
 */
final class RouteMessage {
    static final int ERROR = 2;
    static final int ROUTE = 24;
    static final int NEIGHBOUR = 28;
    static final int NO_NEIGHBOUR = 29;
    /** Types of a route. */
    static final int UNICAST = 1;
    static final int LOCAL = 2;
    /** States of a neighbour: MAC address usable; not confirmed for a while; resolution failed. */
    static final int USABLE = 0xde;
    static final int STALE = 0x04;
    static final int FAILED = 0x20;
    /** Buffer size; answers are far shorter. */
    static final int BYTES = 4096;

    private static final int GET_NEIGHBOUR = 30;
    private static final int GET_ROUTE = 26;
    private static final int REQUEST = 1;
    private static final int HEADER = 16;
    private static final int FAMILY_HEADER = 12;
    private static final int ROUTE_DESTINATION = 1;
    private static final int ROUTE_INTERFACE = 4;
    private static final int ROUTE_GATEWAY = 5;
    private static final int ROUTE_SOURCE = 2;
    private static final int ROUTE_VIA = 18;
    private static final int NEIGHBOUR_DESTINATION = 1;
    private static final int NEIGHBOUR_LINK_ADDRESS = 2;
    private static final int MAC_BYTES = 6;

    private final ByteBuffer buffer;
    private int length;
    private int at;
    private int next;

    /**
     * Wraps a buffer.
     *
     * @param buffer of at least {@link #BYTES}
     */
    RouteMessage(ByteBuffer buffer) {
        this.buffer = buffer.order(ByteOrder.nativeOrder());
    }

    // ---- requests ----

    /**
     * Writes a request for the route between two addresses by that interface.
     *
     * @return bytes of the message
     */
    int putRouteRequest(Gid local, Gid remote, int interfaceIndex) {
        begin(GET_ROUTE, remote);
        int bits = remote.isIpv4Mapped() ? Integer.SIZE : 2 * Long.SIZE;
        buffer.put(HEADER + 1, (byte) bits);
        putAddress(ROUTE_DESTINATION, remote);
        if (local.isIpv4Mapped() == remote.isIpv4Mapped()) {
            buffer.put(HEADER + 2, (byte) bits);
            putAddress(ROUTE_SOURCE, local);
        }
        putAttribute(ROUTE_INTERFACE, Integer.BYTES);
        buffer.putInt(length - Integer.BYTES, interfaceIndex);
        return end();
    }

    /**
     * Writes a request for a neighbour.
     *
     * @return bytes of the message
     */
    int putNeighbourRequest(Gid address, int interfaceIndex) {
        begin(GET_NEIGHBOUR, address);
        buffer.putInt(HEADER + 4, interfaceIndex);
        putAddress(NEIGHBOUR_DESTINATION, address);
        return end();
    }

    private void begin(int type, Gid address) {
        for (int i = 0; i < HEADER + FAMILY_HEADER; i++) {
            buffer.put(i, (byte) 0);
        }
        buffer.putShort(4, (short) type);
        buffer.putShort(6, (short) REQUEST);
        buffer.put(HEADER, (byte) (address.isIpv4Mapped() ? LinuxSockets.AF_INET : LinuxSockets.AF_INET6));
        length = HEADER + FAMILY_HEADER;
    }

    private void putAddress(int type, Gid address) {
        putAttribute(type, address.isIpv4Mapped() ? Integer.BYTES : 2 * Long.BYTES);
        ByteBuffer wire = buffer.duplicate().order(ByteOrder.BIG_ENDIAN);
        if (address.isIpv4Mapped()) {
            wire.putInt(length - Integer.BYTES, address.ipv4());
        } else {
            wire.putLong(length - 2 * Long.BYTES, address.high());
            wire.putLong(length - Long.BYTES, address.low());
        }
    }

    /** Writes an attribute header; values are multiples of four bytes here. */
    private void putAttribute(int type, int bytes) {
        buffer.putShort(length, (short) (4 + bytes));
        buffer.putShort(length + 2, (short) type);
        length += 4 + bytes;
    }

    private int end() {
        buffer.putInt(0, length);
        return length;
    }

    // ---- answers and notices ----

    /** Starts to read that many bytes of messages; {@link #next} moves to the first. */
    void received(int bytes) {
        length = Math.min(bytes, buffer.capacity());
        next = 0;
    }

    /**
     * Moves to the next message.
     *
     * @return whether there is a complete one
     */
    boolean next() {
        at = next;
        if (length - at < HEADER) {
            return false;
        }
        int bytes = buffer.getInt(at);
        if (bytes < HEADER || bytes > length - at) {
            return false;
        }
        next = at + (bytes + 3 & ~3);
        return true;
    }

    int type() {
        return buffer.getShort(at + 4) & 0xffff;
    }

    /** Errno of an {@link #ERROR}, 0 for none. */
    int errno() {
        return end(at) - at < HEADER + Integer.BYTES ? 0 : -buffer.getInt(at + HEADER);
    }

    /** Whether the message has the fixed part of routes and neighbours. */
    boolean isComplete() {
        return end(at) - at >= HEADER + FAMILY_HEADER;
    }

    /** Type of a {@link #ROUTE}. */
    int routeType() {
        return buffer.get(at + HEADER + 7) & 0xff;
    }

    /** Router of a {@link #ROUTE}, or null for a destination on the link. */
    Gid gateway() {
        int direct = attribute(ROUTE_GATEWAY);
        if (direct >= 0) {
            return address(buffer.get(at + HEADER), direct, valueBytes(direct));
        }
        int via = attribute(ROUTE_VIA);
        return via < 0 || valueBytes(via) < 2 ? null : address(buffer.getShort(via), via + 2, valueBytes(via) - 2);
    }

    /** Interface index of a {@link #NEIGHBOUR}. */
    int interfaceIndex() {
        return buffer.getInt(at + HEADER + 4);
    }

    /** State of a {@link #NEIGHBOUR}: bits such as {@link #USABLE} and {@link #FAILED}. */
    int state() {
        return buffer.getShort(at + HEADER + 8) & 0xffff;
    }

    /** Address of a {@link #NEIGHBOUR}, or null if it is neither IPv4 nor IPv6. */
    Gid address() {
        int value = attribute(NEIGHBOUR_DESTINATION);
        return value < 0 ? null : address(buffer.get(at + HEADER), value, valueBytes(value));
    }

    /** MAC address of a {@link #NEIGHBOUR}, u48, or -1. */
    long mac() {
        int value = attribute(NEIGHBOUR_LINK_ADDRESS);
        if (value < 0 || valueBytes(value) != MAC_BYTES) {
            return -1;
        }
        long mac = 0;
        for (int i = 0; i < MAC_BYTES; i++) {
            mac = mac << 8 | buffer.get(value + i) & 0xff;
        }
        return mac;
    }

    private Gid address(int family, int value, int bytes) {
        ByteBuffer wire = buffer.duplicate().order(ByteOrder.BIG_ENDIAN);
        if (family == LinuxSockets.AF_INET && bytes == Integer.BYTES) {
            return Gid.ofIpv4(wire.getInt(value));
        }
        return family == LinuxSockets.AF_INET6 && bytes == 2 * Long.BYTES ? new Gid(wire.getLong(value), wire.getLong(value + Long.BYTES))
            : null;
    }

    /** Offset of an attribute's value, or -1. */
    private int attribute(int type) {
        int end = end(at);
        int attribute = at + HEADER + FAMILY_HEADER;
        while (end - attribute >= 4) {
            int bytes = buffer.getShort(attribute) & 0xffff;
            if (bytes < 4 || bytes > end - attribute) {
                return -1;
            }
            if ((buffer.getShort(attribute + 2) & 0xffff) == type) {
                return attribute + 4;
            }
            attribute += bytes + 3 & ~3;
        }
        return -1;
    }

    private int valueBytes(int value) {
        return (buffer.getShort(value - 4) & 0xffff) - 4;
    }

    private int end(int message) {
        return message + buffer.getInt(message);
    }
}
