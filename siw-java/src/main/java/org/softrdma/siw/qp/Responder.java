// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.device.qp.ReceiveCompletions;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.iwarp.AtomicRequest;
import org.softrdma.wire.iwarp.Ddp;
import org.softrdma.wire.iwarp.ImmediateData;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.ReadRequest;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.TerminateCode;
import org.softrdma.wire.iwarp.UlpduCheck;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * Executes the peer's requests, segment by segment. Each climbs the same ladder: sequence, buffer or key, length, place, complete. TCP
 * delivers every segment once and in order, so that a segment out of sequence is an error of the peer and ends the connection with a
 * Terminate that names it. Every method returns {@link UlpduCheck#OK}, or the {@link TerminateCode} with which the connection must end.
 * Sources: RFC 5041 §5, §6, §7; RFC 5040 §5, §7; RFC 7306 §5, §6.
 */
final class Responder {
    private static final int OK = UlpduCheck.OK;

    private final SiwMachine qp;
    private final MemoryTable memory;
    private final RemoteAccess access;
    private final ReceiveSource receives;
    private final ReceiveCompletions completions;
    private final PendingResponses responses;

    private int sendMsn = 1;
    private int requestMsn = 1;
    /** A SEND has begun whose last segment is not received yet. */
    private boolean sendOpen;
    private int sendOpcode;
    private int sendStag;
    private long sendBytes;
    private boolean writeOpen;
    /** Bytes of the current WRITE, or of the last one. */
    private long writeBytes;
    /** The last segment ended a WRITE. */
    private boolean writeJustEnded;

    Responder(SiwMachine qp, RemoteAccess access, ReceiveSource receives, ReceiveCompletions completions, PendingResponses responses) {
        this.qp = qp;
        this.access = access;
        this.receives = receives;
        this.completions = completions;
        this.responses = responses;
        memory = qp.memory();
    }

    // ---- queue 0: SEND and immediate data ----

    int onSend(ByteBuffer b, MemorySegment bytes, int at, int length, int opcode) {
        int payload = length - UntaggedHeader.LENGTH;
        if (UntaggedHeader.msn(b, at) != sendMsn) {
            return TerminateCode.UNTAGGED_MSN_RANGE;
        }
        if (!sendOpen) {
            if (!receives.take()) {
                return TerminateCode.UNTAGGED_NO_BUFFER;
            }
            sendOpen = true;
            sendOpcode = opcode;
            sendStag = UntaggedHeader.invalidateStag(b, at);
            sendBytes = 0;
        } else if (opcode != sendOpcode) {
            return TerminateCode.OPERATION_UNEXPECTED_OPCODE;
        }
        if (UntaggedHeader.mo(b, at) != sendBytes) {
            return TerminateCode.UNTAGGED_INVALID_MO;
        }
        if (sendBytes + payload > receives.length()) {
            completions.fail(Failure.of(Reason.RECEIVE_TOO_SMALL, sendBytes + payload, receives.length()));
            return TerminateCode.UNTAGGED_TOO_LONG;
        }
        if (!receives.scatter(sendBytes, payload, bytes, at + UntaggedHeader.LENGTH)) {
            completions.fail(receives.explain());
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        sendBytes += payload;
        return Ddp.isLast(b, at) ? endSend() : OK;
    }

    private int endSend() {
        boolean invalidates = RdmapOpcode.isInvalidating(sendOpcode);
        if (invalidates && !memory.invalidate(sendStag, qp.pd(), qp.qpn())) {
            completions.fail(Failure.of(Reason.PEER_CANNOT_INVALIDATE, sendStag));
            return whyNotInvalidated(sendStag);
        }
        sendOpen = false;
        sendMsn++;
        completions.complete(WcOpcode.RECV, (int) sendBytes, invalidates ? sendStag : 0, 0, invalidates ? WcFlags.WITH_INV : 0,
            RdmapOpcode.isSolicited(sendOpcode));
        return OK;
    }

    /** Returns why a key was not invalidated: the peer can invalidate windows of this queue pair, but no regions. */
    private int whyNotInvalidated(int stag) {
        Region region = memory.lookup(stag);
        if (region == null) {
            return TerminateCode.PROTECTION_INVALID_STAG;
        }
        boolean usable = region.grants(qp.pd(), qp.qpn(), 0);
        return usable ? TerminateCode.PROTECTION_CANNOT_INVALIDATE : TerminateCode.PROTECTION_NOT_ASSOCIATED;
    }

    /**
     * Consumes a receive without using its memory, as RDMA WRITE with immediate data does on InfiniBand. RFC 7306 §6
     *
     * @param writtenBytes length of the WRITE directly before, as {@link #takeWrittenBytes} returned it
     */
    int onImmediate(ByteBuffer b, int at, int opcode, long writtenBytes) {
        if (sendOpen) {
            return TerminateCode.OPERATION_UNEXPECTED_OPCODE;
        }
        if (UntaggedHeader.msn(b, at) != sendMsn) {
            return TerminateCode.UNTAGGED_MSN_RANGE;
        }
        if (!receives.take()) {
            return TerminateCode.UNTAGGED_NO_BUFFER;
        }
        sendMsn++;
        int immediate = (int) (ImmediateData.value(b, at + UntaggedHeader.LENGTH) >>> 32);
        completions.complete(WcOpcode.RECV_RDMA_WITH_IMM, (int) writtenBytes, immediate, 0, WcFlags.WITH_IMM,
            RdmapOpcode.isSolicited(opcode));
        return OK;
    }

    // ---- tagged: RDMA WRITE ----

    /** Places one segment, each with an access check of its own. The key of an empty WRITE is not checked. RFC 5040 §5.1 */
    int onWrite(ByteBuffer b, MemorySegment bytes, int at, int length) {
        int payload = length - TaggedHeader.LENGTH;
        if (payload > 0) {
            long to = TaggedHeader.to(b, at);
            Region region = access.find(TaggedHeader.stag(b, at), AccessFlags.REMOTE_WRITE, to, payload);
            if (region == null) {
                int verdict = asTagged(access.refusal());
                refuse(TaggedHeader.stag(b, at), AccessFlags.REMOTE_WRITE, to, payload, WrOpcode.RDMA_WRITE);
                return verdict;
            }
            if (!region.copyIn(to, bytes, at + TaggedHeader.LENGTH, payload)) {
                refuse(TaggedHeader.stag(b, at), AccessFlags.REMOTE_WRITE, to, payload, WrOpcode.RDMA_WRITE);
                return TerminateCode.TAGGED_INVALID_STAG;
            }
        }
        writeBytes = (writeOpen ? writeBytes : 0) + payload;
        writeJustEnded = Ddp.isLast(b, at);
        writeOpen = !writeJustEnded;
        return OK;
    }

    /**
     * Returns the length of the WRITE that ended with the last segment, 0 if none did. Called once for every segment, before it is
     * executed: immediate data belongs to a WRITE directly before it.
     */
    long takeWrittenBytes() {
        long bytes = writeJustEnded ? writeBytes : 0;
        writeJustEnded = false;
        return bytes;
    }

    /** Translates RDMAP's code to DDP's, which has codes of its own for the same errors, but none for access rights. */
    private static int asTagged(int verdict) {
        return switch (verdict) {
            case TerminateCode.PROTECTION_INVALID_STAG -> TerminateCode.TAGGED_INVALID_STAG;
            case TerminateCode.PROTECTION_BASE_BOUNDS -> TerminateCode.TAGGED_BASE_BOUNDS;
            case TerminateCode.PROTECTION_NOT_ASSOCIATED -> TerminateCode.TAGGED_NOT_ASSOCIATED;
            case TerminateCode.PROTECTION_TO_WRAP -> TerminateCode.TAGGED_TO_WRAP;
            default -> verdict;
        };
    }

    // ---- queue 1: READ and atomic requests ----

    int onReadRequest(ByteBuffer b, int at) {
        int body = at + UntaggedHeader.LENGTH;
        if (UntaggedHeader.msn(b, at) != requestMsn) {
            return TerminateCode.UNTAGGED_MSN_RANGE;
        }
        if (responses.isFull()) {
            return TerminateCode.UNTAGGED_NO_BUFFER;
        }
        int stag = ReadRequest.sourceStag(b, body);
        long to = ReadRequest.sourceTo(b, body);
        long size = ReadRequest.size(b, body);
        if (size != 0 && access.find(stag, AccessFlags.REMOTE_READ, to, size) == null) {
            refuse(stag, AccessFlags.REMOTE_READ, to, size, WrOpcode.RDMA_READ);
            return access.refusal();
        }
        responses.addRead(requestMsn++, ReadRequest.sinkStag(b, body), ReadRequest.sinkTo(b, body), size, stag, to);
        return OK;
    }

    int onAtomicRequest(ByteBuffer b, int at) {
        int body = at + UntaggedHeader.LENGTH;
        if (UntaggedHeader.msn(b, at) != requestMsn) {
            return TerminateCode.UNTAGGED_MSN_RANGE;
        }
        if (responses.isFull()) {
            return TerminateCode.UNTAGGED_NO_BUFFER;
        }
        int operation = AtomicRequest.operation(b, body);
        if (operation != AtomicRequest.FETCH_ADD && operation != AtomicRequest.COMPARE_SWAP) {
            return TerminateCode.OPERATION_UNEXPECTED_OPCODE;
        }
        long to = AtomicRequest.to(b, body);
        if ((to & 7) != 0) {
            return TerminateCode.OPERATION_CATASTROPHIC_STREAM;
        }
        if (access.find(AtomicRequest.stag(b, body), AccessFlags.REMOTE_ATOMIC, to, Long.BYTES) == null) {
            refuse(AtomicRequest.stag(b, body), AccessFlags.REMOTE_ATOMIC, to, Long.BYTES,
                operation == AtomicRequest.FETCH_ADD ? WrOpcode.ATOMIC_FETCH_AND_ADD : WrOpcode.ATOMIC_CMP_AND_SWP);
            return access.refusal();
        }
        responses.addAtomic(requestMsn++, b, body);
        return OK;
    }

    /** Takes note of why an access of the peer is refused. */
    private void refuse(int stag, int right, long to, long bytes, WrOpcode operation) {
        qp.onFailure(RecordedEvent.Effect.REFUSED, access.explain(stag, right, to, bytes, operation));
    }
}
