// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.device.qp.ReceiveCompletions;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.wire.iwarp.AtomicRequest;
import org.softrdma.wire.iwarp.AtomicResponse;
import org.softrdma.wire.iwarp.Ddp;
import org.softrdma.wire.iwarp.ImmediateData;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.ReadRequest;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.Terminate;
import org.softrdma.wire.iwarp.TerminateCode;
import org.softrdma.wire.iwarp.UlpduCheck;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * Executes what the peer sends, segment by segment. Each climbs the same ladder: headers, sequence, buffer or key, length, place, complete.
 * TCP brings everything once and in order, so whatever is out of place is a fault of the peer's and ends the connection with a Terminate
 * that names it. Sources: RFC 5041 §5, §6, §7; RFC 5040 §5, §7; RFC 7306 §5, §6.
 */
final class Receiver {
    private static final int OK = UlpduCheck.OK;

    private final SiwMachine qp;
    private final MemoryTable memory;
    private final RemoteAccess access;
    private final ReceiveSource receives;
    private final ReceiveCompletions completions;
    private final OutstandingRequests outstanding;
    private final PendingResponses responses;
    private final Sender requester;
    private final MemorySegment scratch = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

    private int sendMsn = 1;
    private int requestMsn = 1;
    private int atomicResponseMsn = 1;
    /** A SEND of several segments has begun. */
    private boolean sendOpen;
    private int sendOpcode;
    private int sendStag;
    private long sendBytes;
    private boolean writeOpen;
    /** Bytes of the WRITE that is going on, or was the last one. */
    private long writeBytes;
    /** The segment before was the last one of a WRITE. */
    private boolean writeJustEnded;

    Receiver(SiwMachine qp, RemoteAccess access, ReceiveSource receives, ReceiveCompletions completions, Sender requester,
            OutstandingRequests outstanding, PendingResponses responses) {
        this.qp = qp;
        this.access = access;
        this.receives = receives;
        this.completions = completions;
        this.requester = requester;
        this.outstanding = outstanding;
        this.responses = responses;
        memory = qp.memory();
    }

    /** @return {@link UlpduCheck#OK}, or the {@link TerminateCode} of why the connection must end */
    int execute(ByteBuffer b, MemorySegment bytes, int at, int length) {
        int verdict = UlpduCheck.verdict(b, at, length);
        if (verdict != OK) {
            return verdict;
        }
        int opcode = Ddp.opcode(b, at);
        long writtenBytes = writeJustEnded ? writeBytes : 0;
        writeJustEnded = false;
        return switch (opcode) {
            case RdmapOpcode.RDMA_WRITE -> onWrite(b, bytes, at, length);
            case RdmapOpcode.RDMA_READ_REQUEST -> onReadRequest(b, at);
            case RdmapOpcode.RDMA_READ_RESPONSE -> onReadResponse(b, bytes, at, length);
            case RdmapOpcode.TERMINATE -> onTerminate(b, at, length);
            case RdmapOpcode.IMMEDIATE, RdmapOpcode.IMMEDIATE_SOLICITED -> onImmediate(b, at, opcode, writtenBytes);
            case RdmapOpcode.ATOMIC_REQUEST -> onAtomicRequest(b, at);
            case RdmapOpcode.ATOMIC_RESPONSE -> onAtomicResponse(b, at);
            default -> onSend(b, bytes, at, length, opcode);
        };
    }

    // ---- queue 0 ----

    private int onSend(ByteBuffer b, MemorySegment bytes, int at, int length, int opcode) {
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
            completions.fail(WcStatus.LOC_LEN_ERR);
            return TerminateCode.UNTAGGED_TOO_LONG;
        }
        if (!receives.scatter(sendBytes, payload, bytes, at + UntaggedHeader.LENGTH)) {
            completions.fail(WcStatus.LOC_PROT_ERR);
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        sendBytes += payload;
        return Ddp.isLast(b, at) ? endSend() : OK;
    }

    private int endSend() {
        boolean invalidates = RdmapOpcode.isInvalidating(sendOpcode);
        if (invalidates && !memory.invalidate(sendStag, qp.pd(), qp.qpn())) {
            completions.fail(WcStatus.LOC_ACCESS_ERR);
            return whyNotInvalidated(sendStag);
        }
        sendOpen = false;
        sendMsn++;
        completions.complete(WcOpcode.RECV, (int) sendBytes, invalidates ? sendStag : 0, 0, invalidates ? WcFlags.WITH_INV : 0,
            RdmapOpcode.isSolicited(sendOpcode));
        return OK;
    }

    /** Windows that this queue pair may use can be closed by the peer; regions cannot. */
    private int whyNotInvalidated(int stag) {
        Region region = memory.lookup(stag);
        return region == null ? TerminateCode.PROTECTION_INVALID_STAG
            : region.grants(qp.pd(), qp.qpn(), 0) ? TerminateCode.PROTECTION_CANNOT_INVALIDATE : TerminateCode.PROTECTION_NOT_ASSOCIATED;
    }

    /** Consumes a receive and leaves its memory alone, as RDMA WRITE with immediate data does on InfiniBand. RFC 7306 §6 */
    private int onImmediate(ByteBuffer b, int at, int opcode, long writtenBytes) {
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

    // ---- tagged ----

    /** Each segment says where it belongs, and is judged alone. Of an empty WRITE not even the key is looked at. RFC 5040 §5.1 */
    private int onWrite(ByteBuffer b, MemorySegment bytes, int at, int length) {
        int payload = length - TaggedHeader.LENGTH;
        if (payload > 0) {
            long to = TaggedHeader.to(b, at);
            Region region = access.find(TaggedHeader.stag(b, at), AccessFlags.REMOTE_WRITE, to, payload);
            if (region == null) {
                return asTagged(access.refusal());
            }
            if (!region.copyIn(to, bytes, at + TaggedHeader.LENGTH, payload)) {
                return TerminateCode.TAGGED_INVALID_STAG;
            }
        }
        writeBytes = (writeOpen ? writeBytes : 0) + payload;
        writeJustEnded = Ddp.isLast(b, at);
        writeOpen = !writeJustEnded;
        return OK;
    }

    /** DDP has names of its own for the same things, but knows no rights. */
    private static int asTagged(int verdict) {
        return switch (verdict) {
            case TerminateCode.PROTECTION_INVALID_STAG -> TerminateCode.TAGGED_INVALID_STAG;
            case TerminateCode.PROTECTION_BASE_BOUNDS -> TerminateCode.TAGGED_BASE_BOUNDS;
            case TerminateCode.PROTECTION_NOT_ASSOCIATED -> TerminateCode.TAGGED_NOT_ASSOCIATED;
            case TerminateCode.PROTECTION_TO_WRAP -> TerminateCode.TAGGED_TO_WRAP;
            default -> verdict;
        };
    }

    /** Must be the next piece of the oldest READ. RFC 5040 §5.3 */
    private int onReadResponse(ByteBuffer b, MemorySegment bytes, int at, int length) {
        if (outstanding.isEmpty() || outstanding.isOldestAtomic()) {
            return TerminateCode.OPERATION_UNEXPECTED_OPCODE;
        }
        int payload = length - TaggedHeader.LENGTH;
        long missing = outstanding.missing();
        boolean last = Ddp.isLast(b, at);
        int verdict = TaggedHeader.stag(b, at) != outstanding.sinkStag() ? TerminateCode.TAGGED_INVALID_STAG
            : TaggedHeader.to(b, at) != outstanding.nextTo() || payload > missing || last != (payload == missing)
            ? TerminateCode.TAGGED_BASE_BOUNDS : OK;
        long wqe = outstanding.oldestWqe();
        if (verdict != OK) {
            failOutstanding(wqe, WcStatus.BAD_RESP_ERR);
            return verdict;
        }
        if (payload > 0 && !requester.scatter(outstanding.received(), payload, bytes, at + TaggedHeader.LENGTH)) {
            failOutstanding(wqe, WcStatus.LOC_PROT_ERR);
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        outstanding.onReceived(payload);
        if (payload > 0) {
            qp.onAnswer();
        }
        if (last) {
            endOldest();
        }
        return OK;
    }

    private void endOldest() {
        outstanding.removeOldest();
        qp.onAnswer();
        requester.complete();
    }

    private void failOutstanding(long wqe, WcStatus status) {
        if (wqe != OutstandingRequests.NO_WORK_REQUEST) {
            requester.failOutstanding(wqe, status);
        }
    }

    // ---- queue 1 ----

    private int onReadRequest(ByteBuffer b, int at) {
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
            return access.refusal();
        }
        requestMsn++;
        responses.addRead(ReadRequest.sinkStag(b, body), ReadRequest.sinkTo(b, body), size, stag, to);
        return OK;
    }

    private int onAtomicRequest(ByteBuffer b, int at) {
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
            return access.refusal();
        }
        requestMsn++;
        responses.addAtomic(b, body);
        return OK;
    }

    // ---- queue 3 ----

    private int onAtomicResponse(ByteBuffer b, int at) {
        int body = at + UntaggedHeader.LENGTH;
        if (UntaggedHeader.msn(b, at) != atomicResponseMsn) {
            return TerminateCode.UNTAGGED_MSN_RANGE;
        }
        if (outstanding.isEmpty() || !outstanding.isOldestAtomic()) {
            return TerminateCode.OPERATION_UNEXPECTED_OPCODE;
        }
        long wqe = outstanding.oldestWqe();
        if (AtomicResponse.requestId(b, body) != outstanding.oldestId()) {
            failOutstanding(wqe, WcStatus.BAD_RESP_ERR);
            return TerminateCode.OPERATION_CATASTROPHIC_STREAM;
        }
        atomicResponseMsn++;
        if (!requester.scatterOriginal(AtomicResponse.original(b, body), scratch)) {
            failOutstanding(wqe, WcStatus.LOC_PROT_ERR);
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        endOldest();
        return OK;
    }

    // ---- queue 2 ----

    /** The peer ends the connection. If it shows the request it could not serve, that one fails; everything else is flushed. */
    private int onTerminate(ByteBuffer b, int at, int length) {
        int body = at + UntaggedHeader.LENGTH;
        int code = Terminate.code(b, body);
        int header = body + Terminate.ddpHeaderOffset();
        if (Terminate.isComplete(b, body, length - UntaggedHeader.LENGTH)
            && (Terminate.flags(b, body) & Terminate.RDMAP_HEADER) != 0) {
            int request = header + UntaggedHeader.LENGTH;
            int opcode = Ddp.opcode(b, header);
            long wqe = opcode == RdmapOpcode.RDMA_READ_REQUEST
                ? outstanding.findRead(ReadRequest.sinkStag(b, request), ReadRequest.sinkTo(b, request), ReadRequest.size(b, request))
                : opcode == RdmapOpcode.ATOMIC_REQUEST ? outstanding.findAtomic(AtomicRequest.requestId(b, request))
                : OutstandingRequests.NO_WORK_REQUEST;
            failOutstanding(wqe, TerminateCode.isProtection(code) ? WcStatus.REM_ACCESS_ERR : WcStatus.REM_OP_ERR);
        }
        qp.onTerminated(code);
        return OK;
    }
}
