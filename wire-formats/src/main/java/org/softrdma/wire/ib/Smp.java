// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Mad;

/**
 * Subnet management packet: a MAD of class 0x01, routed by LID, or 0x81, which follows a list of ports instead. Behind the common header,
 * where a directed packet has hop pointer and hop count in the class specific field and its direction in the first bit of the status:
 *
 * <pre>
 *  24 | M_Key (8) |
 *  32 | DrSLID (2) | DrDLID (2) | reserved (28); directed only, otherwise reserved |
 *  64 | attribute (64) |
 * 128 | initial path (64); directed only |
 * 192 | return path (64); directed only |
 * </pre>
 *
 * Source: IBA vol 1 §14.2.1.
 */
public final class Smp {
    /** MgmtClass of packets routed by LID. */
    public static final int CLASS_LID_ROUTED = 0x01;
    /** MgmtClass of directed packets. */
    public static final int CLASS_DIRECTED = 0x81;
    /** ClassVersion. */
    public static final int CLASS_VERSION = 1;
    /** Queue pair of subnet management. */
    public static final int QPN = 0;

    /** u16: direction in bit 15, status in the others. */
    public static final int STATUS_OFFSET = Mad.STATUS_OFFSET;
    /** u8. */
    public static final int HOP_POINTER_OFFSET = 6;
    /** u8. */
    public static final int HOP_COUNT_OFFSET = 7;
    /** u64. */
    public static final int MKEY_OFFSET = 24;
    /** u16. */
    public static final int DR_SLID_OFFSET = 32;
    /** u16. */
    public static final int DR_DLID_OFFSET = 34;
    /** Attribute. */
    public static final int DATA_OFFSET = 64;
    /** Port numbers by hop; the first is not used. */
    public static final int INITIAL_PATH_OFFSET = 128;
    /** Port numbers by hop; the first is not used. */
    public static final int RETURN_PATH_OFFSET = 192;

    /** Bytes of an attribute. */
    public static final int DATA_LENGTH = 64;
    /** Greatest hop count. */
    public static final int MAX_HOPS = 63;

    private static final int DIRECTION = 0x8000;

    private Smp() {
    }

    /**
     * {@return whether the packet follows a list of ports}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static boolean isDirected(ByteBuffer b, int at) {
        return Mad.managementClass(b, at) == CLASS_DIRECTED;
    }

    /**
     * {@return whether a management class is one of the two}
     *
     * @param managementClass MgmtClass, u8
     */
    public static boolean isSubnetManagement(int managementClass) {
        return managementClass == CLASS_LID_ROUTED || managementClass == CLASS_DIRECTED;
    }

    /**
     * {@return direction of a directed packet: whether it is on its way back}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static boolean isReturning(ByteBuffer b, int at) {
        return (Mad.status(b, at) & DIRECTION) != 0;
    }

    /**
     * {@return status without the direction}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int status(ByteBuffer b, int at) {
        int status = Mad.status(b, at);
        return isDirected(b, at) ? status & ~DIRECTION : status;
    }

    /**
     * Writes the status and keeps the direction.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param status status, 15 bits
     */
    public static void setStatus(ByteBuffer b, int at, int status) {
        int direction = isDirected(b, at) ? Mad.status(b, at) & DIRECTION : 0;
        b.putShort(at + STATUS_OFFSET, (short) (direction | status));
    }

    /**
     * Turns a directed packet round.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static void setReturning(ByteBuffer b, int at) {
        b.putShort(at + STATUS_OFFSET, (short) (Mad.status(b, at) | DIRECTION));
    }

    /**
     * {@return hop pointer, u8}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int hopPointer(ByteBuffer b, int at) {
        return b.get(at + HOP_POINTER_OFFSET) & 0xFF;
    }

    /**
     * Writes the hop pointer.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param pointer hop pointer, u8
     */
    public static void setHopPointer(ByteBuffer b, int at, int pointer) {
        b.put(at + HOP_POINTER_OFFSET, (byte) pointer);
    }

    /**
     * {@return hop count, u8; at most {@link #MAX_HOPS} in a valid packet}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int hopCount(ByteBuffer b, int at) {
        return b.get(at + HOP_COUNT_OFFSET) & 0xFF;
    }

    /**
     * {@return M_Key, raw 64 bits}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static long mkey(ByteBuffer b, int at) {
        return b.getLong(at + MKEY_OFFSET);
    }

    /**
     * Writes the M_Key.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param mkey M_Key, raw 64 bits
     */
    public static void setMkey(ByteBuffer b, int at, long mkey) {
        b.putLong(at + MKEY_OFFSET, mkey);
    }

    /**
     * {@return LID at which the directed part begins, u16; {@link Lrh#PERMISSIVE_LID} if that is the source}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int drSlid(ByteBuffer b, int at) {
        return b.getShort(at + DR_SLID_OFFSET) & 0xFFFF;
    }

    /**
     * {@return LID of the destination behind the directed part, u16; {@link Lrh#PERMISSIVE_LID} if there is none}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     */
    public static int drDlid(ByteBuffer b, int at) {
        return b.getShort(at + DR_DLID_OFFSET) & 0xFFFF;
    }

    /**
     * {@return port by which the packet leaves at a hop, 1..{@link #MAX_HOPS}}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param hop number of the hop, from 1
     */
    public static int initialPath(ByteBuffer b, int at, int hop) {
        return b.get(at + INITIAL_PATH_OFFSET + hop) & 0xFF;
    }

    /**
     * {@return port by which the packet came in at a hop, which is where the response leaves}
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param hop number of the hop, from 1
     */
    public static int returnPath(ByteBuffer b, int at, int hop) {
        return b.get(at + RETURN_PATH_OFFSET + hop) & 0xFF;
    }

    /**
     * Writes a port of the return path.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param hop number of the hop, from 1
     * @param port port number, u8
     */
    public static void setReturnPath(ByteBuffer b, int at, int hop, int port) {
        b.put(at + RETURN_PATH_OFFSET + hop, (byte) port);
    }

    /**
     * Writes all 256 bytes of a request routed by LID; the attribute is zero.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param method method, u8
     * @param attribute AttributeID, u16
     * @param modifier AttributeModifier, raw 32 bits
     * @param transactionId TransactionID, raw 64 bits
     * @param mkey M_Key, raw 64 bits
     */
    public static void begin(ByteBuffer b, int at, int method, int attribute, int modifier, long transactionId, long mkey) {
        clear(b, at);
        Mad.put(b, at, CLASS_LID_ROUTED, CLASS_VERSION, method, transactionId, attribute);
        b.putInt(at + Mad.MODIFIER_OFFSET, modifier);
        setMkey(b, at, mkey);
    }

    /**
     * Writes all 256 bytes of a directed request; the attribute is zero.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param method method, u8
     * @param attribute AttributeID, u16
     * @param modifier AttributeModifier, raw 32 bits
     * @param transactionId TransactionID, raw 64 bits
     * @param mkey M_Key, raw 64 bits
     * @param path port numbers; the first is not used, the others are the ports to leave by
     */
    public static void beginDirected(ByteBuffer b, int at, int method, int attribute, int modifier, long transactionId, long mkey,
            byte[] path) {
        clear(b, at);
        Mad.put(b, at, CLASS_DIRECTED, CLASS_VERSION, method, transactionId, attribute);
        b.putInt(at + Mad.MODIFIER_OFFSET, modifier);
        setMkey(b, at, mkey);
        b.put(at + HOP_COUNT_OFFSET, (byte) (path.length - 1));
        b.putInt(at + DR_SLID_OFFSET, -1);
        b.put(at + INITIAL_PATH_OFFSET, path);
    }

    private static void clear(ByteBuffer b, int at) {
        for (int i = 0; i < Mad.LENGTH; i += Long.BYTES) {
            b.putLong(at + i, 0);
        }
    }
}
