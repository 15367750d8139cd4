// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.attach;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.link.SubnetPort;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;

/**
 * Messages between a fabric and a process at one of its ports. Each begins with a big-endian word: kind (8 bits) and bytes behind the word
 * (24 bits).
 *
 * <pre>
 *  PACKET  both ways        | LRH … ICRC |
 *  PORT    from the fabric  | NodeInfo (40) | PortInfo (64) | reregistrations (4) | 64 P_Keys (128) | 32 GUIDs (256) |
 * </pre>
 *
 * A PORT message follows the answer to the attachment and every change of the registers; several changes may be one message.
 */
public final class PortMessages {
    /** Bytes of the word before each message. */
    public static final int HEAD = 4;
    /** Kind of a message with a packet. */
    public static final int PACKET = 1;
    /** Kind of a message with the registers of the port. */
    public static final int PORT = 2;
    /** Entries of the P_Key table. */
    public static final int PKEYS = 64;
    /** Entries of the GUID table. */
    public static final int GUIDS = 32;
    /** Longest packet: an MTU of 4096, all headers and the ICRC. IBA vol 1 §7.7.8 */
    public static final int MAX_PACKET = 4096 + 124;

    private static final int MIN_PACKET = Lrh.LENGTH + Bth.LENGTH + Icrc.LENGTH;
    private static final int KIND_SHIFT = 24;
    private static final int LENGTH_MASK = 0xFFFFFF;
    private static final int PORT_INFO_AT = NodeInfo.LENGTH;
    private static final int REREGISTRATIONS_AT = PORT_INFO_AT + PortInfo.LENGTH;
    private static final int PKEYS_AT = REREGISTRATIONS_AT + Integer.BYTES;
    private static final int GUIDS_AT = PKEYS_AT + PKEYS * Short.BYTES;
    /** Bytes of a message with registers, behind its head. */
    public static final int PORT_LENGTH = GUIDS_AT + GUIDS * Long.BYTES;

    private PortMessages() {
    }

    /** The word before a message. */
    public static int head(int kind, int length) {
        return kind << KIND_SHIFT | length;
    }

    public static int kind(int head) {
        return head >>> KIND_SHIFT;
    }

    /** Bytes behind the word. */
    public static int length(int head) {
        return head & LENGTH_MASK;
    }

    /** Whether a message of this kind can have this length; nothing of a message that cannot is read. */
    public static boolean isPossible(int head) {
        int length = length(head);
        return switch (kind(head)) {
            case PACKET -> length >= MIN_PACKET && length <= MAX_PACKET;
            case PORT -> length == PORT_LENGTH;
            default -> false;
        };
    }

    /**
     * Finds the BTH of a packet.
     *
     * @return its offset, or -1: the local or the global route header is malformed, or another length than the packet's
     */
    public static int bthAt(ByteBuffer packet, int at, int length) {
        if (length < MIN_PACKET || !Lrh.isValid(packet, at, length) || Lrh.packetBytes(packet, at) != length) {
            return -1;
        }
        if (Lrh.nextHeader(packet, at) == Lrh.NEXT_BTH) {
            return at + Lrh.LENGTH;
        }
        int grh = at + Lrh.LENGTH;
        boolean valid = length >= MIN_PACKET + Grh.LENGTH && Grh.isValid(packet, grh, length - Lrh.LENGTH)
            && Grh.payloadLength(packet, grh) == length - Lrh.LENGTH - Grh.LENGTH;
        return valid ? grh + Grh.LENGTH : -1;
    }

    /**
     * Writes the registers of a port, {@link #PORT_LENGTH} bytes.
     *
     * @param pkeys 64 P_Keys
     * @param guids 32 GUIDs
     */
    public static void putPort(ByteBuffer to, int at, ByteBuffer nodeInfo, ByteBuffer portInfo, int reregistrations, ByteBuffer pkeys,
            ByteBuffer guids) {
        to.put(at, nodeInfo, 0, NodeInfo.LENGTH);
        to.put(at + PORT_INFO_AT, portInfo, 0, PortInfo.LENGTH);
        to.putInt(at + REREGISTRATIONS_AT, reregistrations);
        to.put(at + PKEYS_AT, pkeys, 0, PKEYS * Short.BYTES);
        to.put(at + GUIDS_AT, guids, 0, GUIDS * Long.BYTES);
    }

    /**
     * Reads the registers of a port.
     *
     * @param name for people
     */
    public static SubnetPort readPort(String name, ByteBuffer from, int at) {
        ByteBuffer node = from.slice(at, NodeInfo.LENGTH);
        ByteBuffer info = from.slice(at + PORT_INFO_AT, PortInfo.LENGTH);
        List<Integer> pkeys = new ArrayList<>();
        for (int i = 0; i < PKEYS; i++) {
            pkeys.add(PKeyBlock.get(from, at + PKEYS_AT, i));
        }
        List<Long> guids = new ArrayList<>();
        for (int i = 0; i < GUIDS; i++) {
            guids.add(from.getLong(at + GUIDS_AT + i * Long.BYTES));
        }
        return new SubnetPort(name, node, info, pkeys, guids, from.getInt(at + REREGISTRATIONS_AT));
    }
}
