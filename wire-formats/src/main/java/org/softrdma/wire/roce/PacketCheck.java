// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;

/**
 * Whether a packet's headers can be read at all: run once per received packet, before any accessor. Throws nothing, allocates nothing.
 *
 * <p>It asks what lies in the packet alone. ICRC, P_Key, queue pair, payload against MTU and pad against payload (rxe answers
 * those with a NAK, not with silence) belong to others.
 */
public final class PacketCheck {
    /** Headers, pad and ICRC fit; every accessor of {@link Opcode}'s headers stays inside. */
    public static final int OK = 0;
    /** Less than a BTH and an ICRC. */
    public static final int TOO_SHORT = 1;
    /** TVer is not 0. */
    public static final int BAD_TRANSPORT_VERSION = 2;
    /** {@link Opcode} does not know it. */
    public static final int UNKNOWN_OPCODE = 3;
    /** Headers, pad and ICRC need more bytes than there are; or the opcode carries no payload, and there are more bytes or a pad. */
    public static final int BAD_LENGTH = 4;

    private static final String[] NAMES = {"ok", "too short", "bad transport version", "unknown opcode", "bad length"};

    private PacketCheck() {
    }

    /**
     * Judges one packet.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param length bytes from the BTH to the end of the ICRC inclusive; the buffer has them
     * @return {@link #OK} or the first complaint
     */
    public static int verdict(ByteBuffer b, int bthAt, int length) {
        if (length < Bth.LENGTH + Icrc.LENGTH) {
            return TOO_SHORT;
        }
        if (Bth.transportVersion(b, bthAt) != 0) {
            return BAD_TRANSPORT_VERSION;
        }
        int opcode = Bth.opcode(b, bthAt);
        if (!Opcode.isKnown(opcode)) {
            return UNKNOWN_OPCODE;
        }
        int payload = length - Opcode.headerLength(opcode) - Bth.padCount(b, bthAt) - Icrc.LENGTH;
        if (Opcode.has(opcode, Opcode.PAYLOAD)) {
            return payload >= 0 ? OK : BAD_LENGTH;
        }
        return payload == 0 && Bth.padCount(b, bthAt) == 0 ? OK : BAD_LENGTH;
    }

    /**
     * {@return payload bytes, without headers, pad and ICRC} Only for packets with verdict {@link #OK}.
     *
     * @param b buffer, big-endian
     * @param bthAt offset of the BTH
     * @param length as for {@link #verdict}
     */
    public static int payloadLength(ByteBuffer b, int bthAt, int length) {
        return length - Opcode.headerLength(Bth.opcode(b, bthAt)) - Bth.padCount(b, bthAt) - Icrc.LENGTH;
    }

    /**
     * {@return text for messages and counters, such as "unknown opcode"}
     *
     * @param verdict as {@link #verdict} returns it
     */
    public static String name(int verdict) {
        return verdict >= 0 && verdict < NAMES.length ? NAMES[verdict] : "verdict " + verdict;
    }
}
