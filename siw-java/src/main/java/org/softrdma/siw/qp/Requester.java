// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.queue.LocalOperations;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.iwarp.AtomicRequest;
import org.softrdma.wire.iwarp.ImmediateData;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.ReadRequest;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * Processes the send queue, segment by segment. Two positions in it matter: everything before {@link #next} is sent, everything before the
 * ring's head has completed. SENDs and WRITEs complete when their last byte was handed to the stream, READs and atomics when their response
 * was received, and all of them in the order of posting.
 */
final class Requester {
    /** Result of {@link #nextLength}: nothing may be sent now. */
    static final int NOTHING = -1;

    /** Lengths and offsets of messages are u32 on the wire. */
    private static final long MAX_MESSAGE_BYTES = 0xFFFF_FFFFL;
    private static final int RDMA_WRITE = WrOpcode.RDMA_WRITE.value();
    private static final int RDMA_WRITE_WITH_IMM = WrOpcode.RDMA_WRITE_WITH_IMM.value();
    private static final int RDMA_READ = WrOpcode.RDMA_READ.value();
    private static final int SEND_WITH_INV = WrOpcode.SEND_WITH_INV.value();
    private static final int COMPARE_SWAP = WrOpcode.ATOMIC_CMP_AND_SWP.value();
    private static final int FETCH_ADD = WrOpcode.ATOMIC_FETCH_AND_ADD.value();

    private final SiwMachine qp;
    private final SendRing ring;
    private final ScatterGather data;
    private final SendCompletions completions;
    private final LocalOperations localOperations;
    private final OutstandingRequests outstanding;
    /** Sequence number of the first work request whose last segment was not sent. */
    private long next;
    /** Bytes of its payload that were sent. */
    private long offset;
    /** Its segments with payload that were sent. */
    private int segment;
    /** It was checked, and its first segment may be sent. */
    private boolean begun;
    /** Its payload was sent; the immediate data is next. */
    private boolean immediateDue;
    /** Next MSN of SENDs and immediate data. */
    private int sendMsn = 1;
    /** Next MSN of READ and atomic requests. */
    private int requestMsn = 1;

    Requester(SiwMachine qp, SendRing ring, ScatterGather data, LocalOperations localOperations, OutstandingRequests outstanding) {
        this.qp = qp;
        this.ring = ring;
        this.data = data;
        this.localOperations = localOperations;
        this.outstanding = outstanding;
        completions = qp.newSendCompletions();
        next = ring.head();
    }

    /**
     * Returns the payload length of the next segment of a message: what fits, and in all but the last one a multiple of 4, which needs no
     * pad.
     *
     * @param left bytes of the message that are not sent
     * @param room bytes of payload a segment can have
     */
    static int payloadOf(long left, int room) {
        return left <= room ? (int) left : room & ~3;
    }

    /** Whether a message was begun and has more segments. */
    boolean isMidMessage() {
        return offset > 0 || immediateDue;
    }

    /** Sequence number of the first work request that was not begun. */
    long firstNotBegun() {
        return begun ? next + 1 : next;
    }

    /**
     * Finds the next segment to send, and executes local operations before it.
     *
     * @return length of the next ULPDU in bytes, or {@link #NOTHING}
     */
    int nextLength(int maxUlpdu) {
        while (!begun) {
            if (next >= ring.tail() || !qp.mayStart(next) || !mayBegin()) {
                return NOTHING;
            }
            Failure why = begin();
            if (why != null) {
                fail(why);
                return NOTHING;
            }
            if (LocalOperations.isLocal(ring.opcode(next))) {
                finish();
            }
        }
        int opcode = ring.opcode(next);
        if (immediateDue) {
            return UntaggedHeader.LENGTH + ImmediateData.LENGTH;
        }
        if (opcode == RDMA_READ) {
            return UntaggedHeader.LENGTH + ReadRequest.LENGTH;
        }
        if (isAtomic(opcode)) {
            return UntaggedHeader.LENGTH + AtomicRequest.LENGTH;
        }
        int header = isWrite(opcode) ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        return header + payloadOf(ring.length(next) - offset, maxUlpdu - header);
    }

    /** Whether the next work request may begin: fences and full queues make it wait, with all behind it. */
    private boolean mayBegin() {
        int opcode = ring.opcode(next);
        if ((ring.flags(next) & SendFlags.FENCE) != 0 && !outstanding.isEmpty()) {
            return false;
        }
        return !hasResponse(opcode) || outstanding.limit() == 0 || !outstanding.isFull();
    }

    /** @return null, or why the work request cannot be executed */
    private Failure begin() {
        int opcode = ring.opcode(next);
        if (LocalOperations.isLocal(opcode)) {
            begun = true;
            return localOperations.run(next);
        }
        long length = ring.length(next);
        if (length > MAX_MESSAGE_BYTES) {
            return Failure.of(Reason.MESSAGE_TOO_LONG, length, MAX_MESSAGE_BYTES);
        }
        if (isAtomic(opcode) && length != Long.BYTES) {
            return Failure.of(Reason.OPERAND_NOT_EIGHT_BYTES, opcode, length);
        }
        if (hasResponse(opcode) && outstanding.limit() == 0) {
            // The peers agreed on an ORD of 0: the request would wait without end.
            return Failure.of(Reason.NO_READ_DEPTH, opcode);
        }
        int rights = hasResponse(opcode) ? AccessFlags.LOCAL_WRITE : 0;
        if (!isInline() && !data.check(ring, next, rights)) {
            return data.explain(ring, next, rights);
        }
        begun = true;
        return null;
    }

    private boolean isInline() {
        return (ring.flags(next) & SendFlags.INLINE) != 0;
    }

    /**
     * Writes the next ULPDU.
     *
     * @param length the result of {@link #nextLength}
     * @return false if its memory is gone; the queue pair is in ERR then
     */
    boolean write(StreamBuffer out, int at, int length) {
        int opcode = ring.opcode(next);
        ByteBuffer b = out.bytes();
        if (immediateDue) {
            writeImmediate(b, at);
        } else if (opcode == RDMA_READ) {
            writeRead(b, at);
        } else if (isAtomic(opcode)) {
            writeAtomic(b, at, opcode);
        } else {
            return writePayload(out, at, length, opcode);
        }
        report(b, at, length);
        finish();
        return true;
    }

    private boolean writePayload(StreamBuffer out, int at, int length, int opcode) {
        boolean tagged = isWrite(opcode);
        int header = tagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        int payload = length - header;
        if (!copy(out.memory(), at + header, payload)) {
            fail(data.explain(ring, next, 0));
            return false;
        }
        boolean last = offset + payload == ring.length(next);
        if (tagged) {
            TaggedHeader.put(out.bytes(), at, last, RdmapOpcode.RDMA_WRITE, ring.rkey(next), ring.remoteAddress(next) + offset);
        } else {
            boolean invalidate = opcode == SEND_WITH_INV;
            int rdmapOpcode = RdmapOpcode.send((ring.flags(next) & SendFlags.SOLICITED) != 0, invalidate);
            UntaggedHeader.put(out.bytes(), at, last, rdmapOpcode, invalidate ? ring.immediate(next) : 0, RdmapOpcode.QN_SEND, sendMsn,
                offset);
        }
        report(out.bytes(), at, length);
        offset += payload;
        segment++;
        if (last) {
            sendMsn += tagged ? 0 : 1;
            if (opcode == RDMA_WRITE_WITH_IMM) {
                immediateDue = true;
            } else {
                finish();
            }
        }
        return true;
    }

    /** Reports the segment that was written; how many the message has is not reported. */
    private void report(ByteBuffer b, int at, int length) {
        SegmentEvents.report(qp.observer(), true, b, at, length, ring.wrId(next), segment + 1L << 32);
    }

    private boolean copy(MemorySegment to, long toOffset, int bytes) {
        if (isInline()) {
            MemorySegment.copy(ring.memory(), ring.inlineOffset(next) + offset, to, toOffset, bytes);
            return true;
        }
        return data.gather(ring, next, offset, bytes, to, toOffset);
    }

    /** Writes immediate data: four bytes of the application, then four zero bytes. RFC 7306 §6.1 has eight bytes, the verbs have four. */
    private void writeImmediate(ByteBuffer b, int at) {
        int opcode = (ring.flags(next) & SendFlags.SOLICITED) != 0 ? RdmapOpcode.IMMEDIATE_SOLICITED : RdmapOpcode.IMMEDIATE;
        UntaggedHeader.put(b, at, true, opcode, 0, RdmapOpcode.QN_SEND, sendMsn++, 0);
        ImmediateData.put(b, at + UntaggedHeader.LENGTH, (long) ring.immediate(next) << 32);
    }

    /** Writes a READ request. Its sink only identifies the response; the bytes are placed in the elements. */
    private void writeRead(ByteBuffer b, int at) {
        boolean empty = ring.elements(next) == 0;
        int sinkStag = empty ? 0 : ring.elementLkey(next, 0);
        long sinkTo = empty ? 0 : ring.elementAddress(next, 0);
        long size = ring.length(next);
        outstanding.addRead(next, requestMsn, sinkStag, sinkTo, size);
        putRequestHeader(b, at, RdmapOpcode.RDMA_READ_REQUEST);
        ReadRequest.put(b, at + UntaggedHeader.LENGTH, sinkStag, sinkTo, size, ring.rkey(next), ring.remoteAddress(next));
    }

    private void writeAtomic(ByteBuffer b, int at, int opcode) {
        int id = requestMsn;
        int body = at + UntaggedHeader.LENGTH;
        outstanding.addAtomic(next, id);
        putRequestHeader(b, at, RdmapOpcode.ATOMIC_REQUEST);
        if (opcode == COMPARE_SWAP) {
            AtomicRequest.putCompareSwap(b, body, id, ring.rkey(next), ring.remoteAddress(next), ring.compareAdd(next), ring.swap(next));
        } else {
            AtomicRequest.putFetchAdd(b, body, id, ring.rkey(next), ring.remoteAddress(next), ring.compareAdd(next));
        }
    }

    private void putRequestHeader(ByteBuffer b, int at, int opcode) {
        UntaggedHeader.put(b, at, true, opcode, 0, RdmapOpcode.QN_REQUEST, requestMsn++, 0);
    }

    /** Writes the zero-length READ by which the initiator of a peer-to-peer connection reports that it is ready. RFC 6581 §9.2 */
    void writeReadyToReceiveRead(ByteBuffer b, int at) {
        outstanding.addRead(OutstandingRequests.NO_WORK_REQUEST, requestMsn, 0, 0, 0);
        putRequestHeader(b, at, RdmapOpcode.RDMA_READ_REQUEST);
        ReadRequest.put(b, at + UntaggedHeader.LENGTH, 0, 0, 0, 0, 0);
    }

    /** Advances behind the current work request, which was sent or executed. */
    private void finish() {
        next++;
        offset = 0;
        segment = 0;
        begun = false;
        immediateDue = false;
        complete();
    }

    /** Completes all work requests that are done, up to the first one that awaits its response. */
    void complete() {
        while (ring.head() < next && !isAwaited(ring.head()) && qp.isLive()) {
            completions.completeHead();
        }
    }

    private boolean isAwaited(long wqe) {
        return outstanding.oldestPosted() <= wqe;
    }

    /**
     * Places a piece of the oldest READ's response in its elements.
     *
     * @return false on a protection error
     */
    boolean scatter(long from, int bytes, MemorySegment memory, long at) {
        return data.scatter(ring, outstanding.oldestWqe(), from, bytes, memory, at);
    }

    /**
     * Places the old value of the oldest atomic in its element, in host order.
     *
     * @return false on a protection error
     */
    boolean scatterOriginal(long value) {
        return data.scatterOriginal(ring, outstanding.oldestWqe(), value);
    }

    /** Fails the current work request, which cannot be sent, after those before it, and ends the connection. */
    private void fail(Failure why) {
        completions.fail(next, why);
        qp.failLocally();
    }

    /** Fails a work request that the peer refused or answered wrongly, when the queue is flushed at the end of the connection. */
    void failOutstanding(long wqe, Failure why) {
        completions.fail(wqe, why);
    }

    /** Explains why {@link #scatter} or {@link #scatterOriginal} refused the elements of the oldest READ or atomic. */
    Failure explainScatter() {
        return data.explain(ring, outstanding.oldestWqe(), AccessFlags.LOCAL_WRITE);
    }

    /** Operation of a work request, as a {@link WrOpcode} value. */
    int operation(long wqe) {
        return ring.opcode(wqe);
    }

    /** Completes everything posted with WR_FLUSH_ERR. */
    void flush() {
        completions.flush();
        next = ring.head();
        offset = 0;
        segment = 0;
        begun = false;
        immediateDue = false;
    }

    private static boolean isAtomic(int opcode) {
        return opcode == COMPARE_SWAP || opcode == FETCH_ADD;
    }

    private static boolean hasResponse(int opcode) {
        return opcode == RDMA_READ || isAtomic(opcode);
    }

    private static boolean isWrite(int opcode) {
        return opcode == RDMA_WRITE || opcode == RDMA_WRITE_WITH_IMM;
    }
}
