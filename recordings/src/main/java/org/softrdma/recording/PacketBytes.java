// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.iwarp.Ddp;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.UntaggedHeader;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Syndrome;

/**
 * Reads the recorded headers of a packet. Headers that are shorter than their opcode says are read as if zeros followed: those of a file
 * may be anything.
 */
final class PacketBytes {
    /** Longest recorded headers: BTH, DETH and a MAD. */
    static final int MAX_HEADERS = 512;
    private static final int MAD_AT = Opcode.headerLength(Opcode.UD_SEND_ONLY);

    private final ByteBuffer bytes;
    private final boolean iwarp;
    private final boolean management;

    PacketBytes(Track.Head head, byte[] headers) {
        bytes = ByteBuffer.wrap(Arrays.copyOf(headers, MAX_HEADERS));
        iwarp = head.protocol() == Track.Protocol.IWARP;
        management = head.kind() == Track.Kind.CONNECTION && !iwarp;
    }

    /** Name of the opcode, or of the message of connection management. */
    String opcodeName() {
        if (iwarp) {
            return RdmapOpcode.name(Ddp.opcode(bytes, 0));
        }
        return management ? "CM " + CmMessage.name(Mad.attribute(bytes, MAD_AT)) : Opcode.name(opcode());
    }

    /** BTH opcode. */
    int opcode() {
        return Bth.opcode(bytes, 0);
    }

    /** BTH PSN; MSN of an untagged segment; -1 for a tagged one, which has none. */
    int psn() {
        if (!iwarp) {
            return Bth.psn(bytes, 0);
        }
        return Ddp.isTagged(bytes, 0) ? -1 : UntaggedHeader.msn(bytes, 0);
    }

    boolean isResponse() {
        if (iwarp) {
            int opcode = Ddp.opcode(bytes, 0);
            return opcode == RdmapOpcode.RDMA_READ_RESPONSE || opcode == RdmapOpcode.ATOMIC_RESPONSE;
        }
        return !management && Opcode.has(opcode(), Opcode.RESPONSE);
    }

    /** Meaning of a packet that belongs to no work request of its sender. */
    String role() {
        if (management) {
            return opcodeName();
        }
        if (iwarp) {
            return isResponse() ? "answers a request" : opcodeName();
        }
        if (opcode() == Opcode.CNP) {
            return "congestion notification";
        }
        if (Opcode.has(opcode(), Opcode.ACK)) {
            int syndrome = Aeth.syndrome(bytes, Opcode.aethOffset(opcode()));
            return Syndrome.isAck(syndrome) ? "acknowledges PSN " + psn() : Syndrome.name(syndrome) + ", PSN " + psn();
        }
        return isResponse() ? "answers a request, PSN " + psn() : "request, PSN " + psn();
    }
}
