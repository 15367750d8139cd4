// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

import java.nio.ByteBuffer;

/**
 * Whether the headers of a ULPDU can be read at all: run once per received FPDU, before any accessor. Throws nothing, allocates nothing.
 *
 * <p>It asks what lies in the segment alone: versions, opcode, T, queue, lengths. Sequence numbers, keys and what the other segments of the
 * message were belong to others. Reserved bits are not looked at (RFC 5041 §4.1).
 */
public final class UlpduCheck {
    /** Every accessor of the opcode's headers stays inside. No {@link TerminateCode} has this number. */
    public static final int OK = -1;

    private UlpduCheck() {
    }

    /**
     * Judges one ULPDU.
     *
     * @param b buffer, big-endian
     * @param at offset of the ULPDU
     * @param length bytes of the ULPDU; the buffer has them
     * @return {@link #OK} or the {@link TerminateCode} of the first complaint
     */
    public static int verdict(ByteBuffer b, int at, int length) {
        if (length < Ddp.CONTROL_LENGTH) {
            return TerminateCode.MPA_MARKER_OR_LENGTH;
        }
        boolean tagged = Ddp.isTagged(b, at);
        if (Ddp.version(b, at) != Ddp.VERSION) {
            return tagged ? TerminateCode.TAGGED_DDP_VERSION : TerminateCode.UNTAGGED_DDP_VERSION;
        }
        if (Ddp.rdmapVersion(b, at) != Ddp.RDMAP_VERSION) {
            return TerminateCode.OPERATION_RDMAP_VERSION;
        }
        int opcode = Ddp.opcode(b, at);
        if (!RdmapOpcode.isKnown(opcode) || RdmapOpcode.isTagged(opcode) != tagged) {
            return TerminateCode.OPERATION_UNEXPECTED_OPCODE;
        }
        int body = length - Ddp.headerLength(b, at);
        if (body < RdmapOpcode.bodyLength(opcode)) {
            return TerminateCode.MPA_MARKER_OR_LENGTH;
        }
        if (!tagged && UntaggedHeader.qn(b, at) != RdmapOpcode.queue(opcode)) {
            return TerminateCode.UNTAGGED_INVALID_QN;
        }
        if (RdmapOpcode.isSingleSegment(opcode)) {
            if (UntaggedHeader.mo(b, at) != 0) {
                return TerminateCode.UNTAGGED_INVALID_MO;
            }
            boolean exact = body == RdmapOpcode.bodyLength(opcode) || opcode == RdmapOpcode.TERMINATE && body <= Terminate.MAX_LENGTH;
            if (!exact || !Ddp.isLast(b, at)) {
                return TerminateCode.UNTAGGED_TOO_LONG;
            }
        }
        return OK;
    }

    /**
     * {@return whether the headers are those of a segment, so that a Terminate can show them}
     *
     * @param b buffer, big-endian
     * @param at offset of the ULPDU
     * @param length bytes of the ULPDU
     */
    public static boolean hasHeaders(ByteBuffer b, int at, int length) {
        if (length < Ddp.CONTROL_LENGTH || Ddp.version(b, at) != Ddp.VERSION || Ddp.rdmapVersion(b, at) != Ddp.RDMAP_VERSION) {
            return false;
        }
        int opcode = Ddp.opcode(b, at);
        return RdmapOpcode.isKnown(opcode) && RdmapOpcode.isTagged(opcode) == Ddp.isTagged(b, at)
            && length >= Ddp.headerLength(b, at) + RdmapOpcode.bodyLength(opcode);
    }
}
