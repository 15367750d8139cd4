// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.nio.ByteBuffer;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.siw.mpa.FpduWriter;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.Terminate;
import org.softrdma.wire.iwarp.TerminateCode;
import org.softrdma.wire.iwarp.UntaggedHeader;

/** The Terminate that a connection ends with after an error, from the error until it is written; and the errors' counters and events. */
final class Termination {
    /** Local catastrophic error, unspecified: the application requested a Terminate. */
    static final int REQUESTED_LOCALLY = TerminateCode.RDMAP_LOCAL_CATASTROPHIC | 0xFF;

    private final ByteBuffer message = ByteBuffer.allocate(UntaggedHeader.LENGTH + Terminate.MAX_LENGTH);
    /** Bytes of {@link #message}; 0 if no Terminate waits. */
    private int length;

    /** Prepares a Terminate that names no segment. */
    void prepare(int code) {
        putHeader();
        length = UntaggedHeader.LENGTH + Terminate.put(message, UntaggedHeader.LENGTH, code);
    }

    /** Prepares a Terminate with the headers of the segment that caused it. */
    void prepare(int code, ByteBuffer segment, int at, int segmentLength) {
        putHeader();
        length = UntaggedHeader.LENGTH + Terminate.put(message, UntaggedHeader.LENGTH, code, segment, at, segmentLength);
    }

    private void putHeader() {
        UntaggedHeader.put(message, 0, true, RdmapOpcode.TERMINATE, 0, RdmapOpcode.QN_TERMINATE, 1, 0);
    }

    /** Whether a Terminate is prepared and not written yet. */
    boolean isPending() {
        return length > 0;
    }

    /** Bytes of the pending Terminate. */
    int length() {
        return length;
    }

    /** Writes the pending Terminate as one frame; the caller has checked that the buffer has room for it. */
    void write(FpduWriter writer, StreamBuffer out, QueuePairObserver observer) {
        out.bytes().put(writer.begin(out), message, 0, length);
        SegmentEvents.report(observer, true, message, 0, length, 0, 0);
        writer.finish(out, length);
        length = 0;
    }

    /** Drops a pending Terminate: there is no peer to notify. */
    void drop() {
        length = 0;
    }

    /** Returns the counter of errors with this {@link TerminateCode}. */
    static SiwCounter counterOf(int code) {
        return switch (code) {
            case TerminateCode.MPA_CRC -> SiwCounter.BAD_CRC;
            case TerminateCode.MPA_MARKER_OR_LENGTH -> SiwCounter.BAD_FRAMING;
            case TerminateCode.UNTAGGED_NO_BUFFER -> SiwCounter.NO_BUFFER;
            case TerminateCode.UNTAGGED_TOO_LONG -> SiwCounter.TOO_LONG;
            default -> switch (code >>> 8) {
                case TerminateCode.RDMAP_LOCAL_CATASTROPHIC >>> 8, TerminateCode.DDP_LOCAL_CATASTROPHIC >>> 8 -> SiwCounter.LOCAL_ERRORS;
                case TerminateCode.PROTECTION_INVALID_STAG >>> 8 -> SiwCounter.BAD_ACCESS;
                case TerminateCode.TAGGED_INVALID_STAG >>> 8 ->
                    code == TerminateCode.TAGGED_DDP_VERSION ? SiwCounter.BAD_SEGMENT : SiwCounter.BAD_ACCESS;
                default -> SiwCounter.BAD_SEGMENT;
            };
        };
    }

    /** Returns the event for an error: access violation, invalid request, or a fault of ours. IBA vol 1 §11.6.3.2 */
    static AsyncEventType eventOf(int code) {
        return switch (code >>> 8) {
            case TerminateCode.PROTECTION_INVALID_STAG >>> 8, TerminateCode.TAGGED_INVALID_STAG >>> 8 ->
                code == TerminateCode.TAGGED_DDP_VERSION ? AsyncEventType.QP_REQ_ERR : AsyncEventType.QP_ACCESS_ERR;
            case TerminateCode.OPERATION_UNEXPECTED_OPCODE >>> 8, TerminateCode.UNTAGGED_NO_BUFFER >>> 8 -> AsyncEventType.QP_REQ_ERR;
            default -> AsyncEventType.QP_FATAL;
        };
    }
}
