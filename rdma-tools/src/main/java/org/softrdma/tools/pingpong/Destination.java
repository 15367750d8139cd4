// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.softrdma.verbs.Gid;

/**
 * Address of one end, sent to the other end before any RDMA.
 *
 * @param lid 16 bits, 0 on Ethernet
 * @param qpn 24 bits
 * @param psn 24 bits: first PSN that this end sends
 * @param gid all zero if none was chosen
 */
record Destination(int lid, int qpn, int psn, Gid gid) {
    /** Length of a message: 51 characters and a NUL. The original reads exactly as many, in one read. */
    static final int MESSAGE_BYTES = 52;

    private static final int HIGHEST_24_BITS = 0xffffff;

    byte[] toMessage() {
        return (String.format("%04x:%06x:%06x:", lid, qpn, psn) + gid.wireText() + '\0').getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Parses a message. Leading zeros are optional, as in the original's {@code sscanf}.
     *
     * @throws IllegalArgumentException the bytes are not a message; describes the cause
     */
    static Destination ofMessage(byte[] message) {
        String text = new String(message, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('\0');
        String[] fields = (end < 0 ? text : text.substring(0, end)).strip().split(":", 4);
        if (fields.length != 4) {
            throw new IllegalArgumentException("it has " + fields.length + " fields instead of 4");
        }
        return new Destination(number("LID", fields[0], 0xffff), number("QPN", fields[1], HIGHEST_24_BITS),
            number("PSN", fields[2], HIGHEST_24_BITS), Gid.parseWireText(fields[3]));
    }

    static int number(String what, String digits, int highest) {
        long value = Long.parseLong(digits, 16);
        if (value < 0 || value > highest) {
            throw new IllegalArgumentException(what + " " + digits + " is beyond " + Integer.toHexString(highest));
        }
        return (int) value;
    }

    /** @return the text that the tools print */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", lid, qpn, psn, gid);
    }
}
