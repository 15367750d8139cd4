// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.softrdma.verbs.Gid;

/**
 * Address of one end of {@code ibv_xsrq_pingpong}, sent to the other end before any RDMA.
 *
 * @param lid        16 bits, 0 on Ethernet
 * @param receiveQpn 24 bits: the XRC target
 * @param sendQpn    24 bits: the XRC initiator
 * @param psn        24 bits: first PSN that the initiator sends
 * @param srqn       24 bits: the shared receive queue for messages to this end
 * @param gid        all zero if none was chosen
 */
record XsrqDestination(int lid, int receiveQpn, int sendQpn, int psn, int srqn, Gid gid) {
    /** Length of a message: 65 characters and a NUL. */
    static final int MESSAGE_BYTES = 66;

    private static final int FIELDS = 6;
    private static final int HIGHEST_24_BITS = 0xffffff;

    byte[] toMessage() {
        return (String.format("%04x:%06x:%06x:%06x:%06x:", lid, receiveQpn, sendQpn, psn, srqn) + gid.wireText() + '\0')
            .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Parses a message. Leading zeros are optional, as in the original's {@code sscanf}.
     *
     * @throws IllegalArgumentException the bytes are not a message; describes the cause
     */
    static XsrqDestination ofMessage(byte[] message) {
        String text = new String(message, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('\0');
        String[] fields = (end < 0 ? text : text.substring(0, end)).strip().split(":", FIELDS);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("it has " + fields.length + " fields instead of " + FIELDS);
        }
        return new XsrqDestination(Destination.number("LID", fields[0], 0xffff), Destination.number("QPN", fields[1], HIGHEST_24_BITS),
            Destination.number("QPN", fields[2], HIGHEST_24_BITS), Destination.number("PSN", fields[3], HIGHEST_24_BITS),
            Destination.number("SRQN", fields[4], HIGHEST_24_BITS), Gid.parseWireText(fields[5]));
    }

    /**
     * Formats the line that the tool prints.
     *
     * @param end {@code local} or {@code remote}
     */
    String line(String end) {
        return String.format(Locale.ROOT, "%8s: LID %04x, QPN RECV %06x SEND %06x, PSN %06x, SRQN %06x, GID %s", end, lid, receiveQpn,
            sendQpn, psn, srqn, gid);
    }
}
