// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.softrdma.device.qp.SendCompletions;
import org.softrdma.device.queue.LocalOperations;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.wire.iwarp.AtomicRequest;
import org.softrdma.wire.iwarp.ImmediateData;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.ReadRequest;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * Works the send queue off, segment by segment. Two places in it matter: everything before {@link #next} is on its way, everything before
 * the ring's head has completed. SENDs and WRITEs complete when their last byte was handed to the stream, READs and atomics when they were
 * answered, and all of them in the order of posting.
 */
final class Sender {
    /** {@link #nextLength}: nothing may be sent now. */
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
    /** The first work request whose last segment was not sent. */
    private long next;
    /** Its payload that was sent. */
    private long offset;
    /** It was checked, and its first segment may go out. */
    private boolean begun;
    /** Its payload was sent; the immediate data comes next. */
    private boolean immediateDue;
    /** Of SENDs and immediate data. */
    private int sendMsn = 1;
    /** Of READ and atomic requests. */
    private int requestMsn = 1;

    Sender(SiwMachine qp, SendRing ring, ScatterGather data, LocalOperations localOperations, OutstandingRequests outstanding) {
        this.qp = qp;
        this.ring = ring;
        this.data = data;
        this.localOperations = localOperations;
        this.outstanding = outstanding;
        completions = qp.newSendCompletions();
        next = ring.head();
    }

    /**
     * Payload of the next segment of a message: what fits, and unless it is the last one a multiple of 4, so that nothing need be padded.
     *
     * @param room bytes of payload a segment can have
     */
    static int payloadOf(long left, int room) {
        return left <= room ? (int) left : room & ~3;
    }

    /** A message was begun and has more segments to come. */
    boolean isMidMessage() {
        return offset > 0 || immediateDue;
    }

    /** Sequence number of the first work request that was not begun. */
    long firstNotBegun() {
        return begun ? next + 1 : next;
    }

    /**
     * Looks for something to send; on the way, executes what needs no segment.
     *
     * @return bytes of the ULPDU that comes next, or {@link #NOTHING}
     */
    int nextLength(int maxUlpdu) {
        while (!begun) {
            if (next >= ring.tail() || !qp.mayStart(next) || !mayBegin()) {
                return NOTHING;
            }
            WcStatus verdict = begin();
            if (verdict != WcStatus.SUCCESS) {
                fail(verdict);
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

    /** Fences and full queues make a work request wait, and those behind it. */
    private boolean mayBegin() {
        int opcode = ring.opcode(next);
        if ((ring.flags(next) & SendFlags.FENCE) != 0 && !outstanding.isEmpty()) {
            return false;
        }
        return !isAnswered(opcode) || outstanding.limit() == 0 || !outstanding.isFull();
    }

    private WcStatus begin() {
        int opcode = ring.opcode(next);
        if (LocalOperations.isLocal(opcode)) {
            begun = true;
            return localOperations.run(next);
        }
        long length = ring.length(next);
        if (length > MAX_MESSAGE_BYTES || isAtomic(opcode) && length != Long.BYTES) {
            return WcStatus.LOC_LEN_ERR;
        }
        if (isAnswered(opcode) && outstanding.limit() == 0) {
            // The peers agreed on no READs at all: it would wait for ever.
            return WcStatus.LOC_QP_OP_ERR;
        }
        boolean usable = isInline() || data.check(ring, next, isAnswered(opcode) ? AccessFlags.LOCAL_WRITE : 0);
        if (!usable) {
            return WcStatus.LOC_PROT_ERR;
        }
        begun = true;
        return WcStatus.SUCCESS;
    }

    private boolean isInline() {
        return (ring.flags(next) & SendFlags.INLINE) != 0;
    }

    /**
     * Writes the ULPDU that comes next.
     *
     * @param length as {@link #nextLength} said
     * @return false: its memory is gone, and the queue pair in ERR
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
        finish();
        return true;
    }

    private boolean writePayload(StreamBuffer out, int at, int length, int opcode) {
        boolean tagged = isWrite(opcode);
        int header = tagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        int payload = length - header;
        if (!copy(out.memory(), at + header, payload)) {
            fail(WcStatus.LOC_PROT_ERR);
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
        offset += payload;
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

    private boolean copy(MemorySegment to, long toOffset, int bytes) {
        if (isInline()) {
            MemorySegment.copy(ring.memory(), ring.inlineOffset(next) + offset, to, toOffset, bytes);
            return true;
        }
        return data.gather(ring, next, offset, bytes, to, toOffset);
    }

    /** Four bytes of the application's, then four of zero: RFC 7306 §6.1 has eight, the verbs have four. */
    private void writeImmediate(ByteBuffer b, int at) {
        int opcode = (ring.flags(next) & SendFlags.SOLICITED) != 0 ? RdmapOpcode.IMMEDIATE_SOLICITED : RdmapOpcode.IMMEDIATE;
        UntaggedHeader.put(b, at, true, opcode, 0, RdmapOpcode.QN_SEND, sendMsn++, 0);
        ImmediateData.put(b, at + UntaggedHeader.LENGTH, (long) ring.immediate(next) << 32);
    }

    /** The sink is a name that the response must bear, and no more: the bytes go where the elements say. */
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

    /** The zero-length READ that says, on a peer-to-peer connection, that the initiator is ready. RFC 6581 §9.2 */
    void writeReadyToReceiveRead(ByteBuffer b, int at) {
        outstanding.addRead(OutstandingRequests.NO_WORK_REQUEST, requestMsn, 0, 0, 0);
        putRequestHeader(b, at, RdmapOpcode.RDMA_READ_REQUEST);
        ReadRequest.put(b, at + UntaggedHeader.LENGTH, 0, 0, 0, 0, 0);
    }

    /** The present work request is on its way, or done. */
    private void finish() {
        next++;
        offset = 0;
        begun = false;
        immediateDue = false;
        complete();
    }

    /** Completes what is done and waits for nothing before it. */
    void complete() {
        while (ring.head() < next && !isWaitedFor(ring.head()) && qp.isLive()) {
            completions.completeHead();
        }
    }

    private boolean isWaitedFor(long wqe) {
        return outstanding.oldestPosted() <= wqe;
    }

    /** A piece of the oldest READ's response goes to its elements. @return false on a protection error */
    boolean scatter(long from, int bytes, MemorySegment memory, long at) {
        return data.scatter(ring, outstanding.oldestWqe(), from, bytes, memory, at);
    }

    /** The old value of the oldest atomic goes to its element, in host order. @return false on a protection error */
    boolean scatterOriginal(long value, MemorySegment scratch) {
        scratch.set(ValueLayout.JAVA_LONG, 0, value);
        return data.scatter(ring, outstanding.oldestWqe(), 0, Long.BYTES, scratch, 0);
    }

    /** The work request that cannot go out fails, once those before it are over; the connection goes down with it. */
    private void fail(WcStatus status) {
        completions.fail(next, status);
        qp.failLocally();
    }

    /** The peer refused this work request, or answered it wrongly: it fails when the queue is flushed, which the connection's end does. */
    void failOutstanding(long wqe, WcStatus status) {
        completions.fail(wqe, status);
    }

    /** Completes whatever is posted with WR_FLUSH_ERR. */
    void flush() {
        completions.flush();
        next = ring.head();
        offset = 0;
        begun = false;
        immediateDue = false;
    }

    private static boolean isAtomic(int opcode) {
        return opcode == COMPARE_SWAP || opcode == FETCH_ADD;
    }

    private static boolean isAnswered(int opcode) {
        return opcode == RDMA_READ || isAtomic(opcode);
    }

    private static boolean isWrite(int opcode) {
        return opcode == RDMA_WRITE || opcode == RDMA_WRITE_WITH_IMM;
    }
}
