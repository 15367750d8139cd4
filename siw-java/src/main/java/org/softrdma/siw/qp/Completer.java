// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.iwarp.AtomicRequest;
import org.softrdma.wire.iwarp.AtomicResponse;
import org.softrdma.wire.iwarp.Ddp;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.ReadRequest;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.Terminate;
import org.softrdma.wire.iwarp.TerminateCode;
import org.softrdma.wire.iwarp.UlpduCheck;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * Executes the peer's responses to our READs and atomics, and its Terminate. A response must belong to the oldest outstanding request;
 * any other ends the connection with a Terminate that names it. Every method returns {@link UlpduCheck#OK}, or the {@link TerminateCode}
 * with which the connection must end. Sources: RFC 5040 §5, §7; RFC 7306 §5.
 */
final class Completer {
    private static final int OK = UlpduCheck.OK;

    private final SiwMachine qp;
    private final Requester requester;
    private final OutstandingRequests outstanding;
    private int atomicResponseMsn = 1;

    Completer(SiwMachine qp, Requester requester, OutstandingRequests outstanding) {
        this.qp = qp;
        this.requester = requester;
        this.outstanding = outstanding;
    }

    // ---- tagged: READ responses ----

    /** Places one segment of a READ response, which must be the next one of the oldest READ. RFC 5040 §5.3 */
    int onReadResponse(ByteBuffer b, MemorySegment bytes, int at, int length) {
        if (outstanding.isEmpty() || outstanding.isOldestAtomic()) {
            return TerminateCode.OPERATION_UNEXPECTED_OPCODE;
        }
        int payload = length - TaggedHeader.LENGTH;
        boolean last = Ddp.isLast(b, at);
        long wqe = outstanding.oldestWqe();
        int verdict = checkPlace(b, at, payload);
        if (verdict != OK) {
            failForResponse(wqe, payload);
            return verdict;
        }
        if (payload > 0 && !requester.scatter(outstanding.received(), payload, bytes, at + TaggedHeader.LENGTH)) {
            // That of a work request: the READ without one asks for no bytes.
            requester.failOutstanding(wqe, requester.explainScatter());
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        outstanding.onReceived(payload);
        if (payload > 0) {
            qp.onResponse();
        }
        if (last) {
            endOldest();
        }
        return OK;
    }

    /** Checks the sink's key, the offset and the length. */
    private int checkPlace(ByteBuffer b, int at, int payload) {
        long missing = outstanding.missing();
        if (TaggedHeader.stag(b, at) != outstanding.sinkStag()) {
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        boolean fits = TaggedHeader.to(b, at) == outstanding.nextTo() && payload <= missing && Ddp.isLast(b, at) == (payload == missing);
        return fits ? OK : TerminateCode.TAGGED_BASE_BOUNDS;
    }

    // ---- queue 3: atomic responses ----

    int onAtomicResponse(ByteBuffer b, int at) {
        int body = at + UntaggedHeader.LENGTH;
        if (UntaggedHeader.msn(b, at) != atomicResponseMsn) {
            return TerminateCode.UNTAGGED_MSN_RANGE;
        }
        if (outstanding.isEmpty() || !outstanding.isOldestAtomic()) {
            return TerminateCode.OPERATION_UNEXPECTED_OPCODE;
        }
        long wqe = outstanding.oldestWqe();
        if (AtomicResponse.requestId(b, body) != outstanding.oldestId()) {
            failForResponse(wqe, Long.BYTES);
            return TerminateCode.OPERATION_CATASTROPHIC_STREAM;
        }
        atomicResponseMsn++;
        if (!requester.scatterOriginal(AtomicResponse.original(b, body))) {
            requester.failOutstanding(wqe, requester.explainScatter());
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        endOldest();
        return OK;
    }

    private void endOldest() {
        outstanding.removeOldest();
        qp.onResponse();
        requester.complete();
    }

    /** Fails a READ or atomic, if it is one of a work request, for a response of so many bytes. */
    private void failForResponse(long wqe, int bytes) {
        if (wqe != OutstandingRequests.NO_WORK_REQUEST) {
            requester.failOutstanding(wqe, Failure.of(Reason.RESPONSE_DOES_NOT_FIT, bytes, requester.operation(wqe)));
        }
    }

    // ---- queue 2: Terminate ----

    /**
     * Ends the connection as the peer did. If the Terminate contains the refused request, that one fails; all others are flushed. There is
     * one Terminate in a stream, so its MSN is 1 (RFC 5041 §5, RFC 5040 §4.8).
     */
    int onTerminate(ByteBuffer b, int at, int length) {
        if (UntaggedHeader.msn(b, at) != 1) {
            return TerminateCode.UNTAGGED_MSN_RANGE;
        }
        int body = at + UntaggedHeader.LENGTH;
        int code = Terminate.code(b, body);
        int header = body + Terminate.ddpHeaderOffset();
        if (Terminate.isComplete(b, body, length - UntaggedHeader.LENGTH)
            && (Terminate.flags(b, body) & Terminate.RDMAP_HEADER) != 0) {
            long wqe = findRequest(b, header);
            if (wqe != OutstandingRequests.NO_WORK_REQUEST) {
                requester.failOutstanding(wqe, TerminateCode.isProtection(code)
                    ? Failure.of(Reason.TERMINATED_ACCESS, code, requester.operation(wqe)) : Failure.of(Reason.TERMINATED, code));
            }
        }
        qp.onTerminated(code);
        return OK;
    }

    /** Finds the work request of a request that a Terminate contains, or {@link OutstandingRequests#NO_WORK_REQUEST}. */
    private long findRequest(ByteBuffer b, int header) {
        int request = header + UntaggedHeader.LENGTH;
        return switch (Ddp.opcode(b, header)) {
            case RdmapOpcode.RDMA_READ_REQUEST ->
                outstanding.findRead(ReadRequest.sinkStag(b, request), ReadRequest.sinkTo(b, request), ReadRequest.size(b, request));
            case RdmapOpcode.ATOMIC_REQUEST -> outstanding.findAtomic(AtomicRequest.requestId(b, request));
            default -> OutstandingRequests.NO_WORK_REQUEST;
        };
    }
}
