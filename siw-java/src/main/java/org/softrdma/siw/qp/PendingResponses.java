// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.nio.ByteBuffer;
import org.softrdma.device.memory.Region;
import org.softrdma.device.queue.ReusedRing;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.wire.iwarp.AtomicRequest;
import org.softrdma.wire.iwarp.AtomicResponse;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.ReadRequest;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.TerminateCode;
import org.softrdma.wire.iwarp.UlpduCheck;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * The inbound read queue (IRQ): the peer's READs and atomics, answered in the order received. It holds IRD requests; one more is a protocol
 * violation and ends the connection. An atomic is executed when its response is written, after those of the READs before it.
 */
public final class PendingResponses {
    /** A READ or an atomic. Fields that its kind does not have keep what an earlier request left there. */
    private static final class Request {
        boolean atomic;
        int msn;
        int stag;
        long to;

        int sinkStag;
        long sinkTo;
        /** Bytes that a READ requests. */
        long size;

        int requestId;
        int operation;
        long addSwap;
        long addSwapMask;
        long compare;
        long compareMask;
    }

    private final RemoteAccess access;
    private final int limit;
    private final ReusedRing<Request> ring;
    private final long[] original = new long[1];
    /** Bytes sent of the oldest READ's response. */
    private long sent;
    private int atomicMsn = 1;

    /** @param limit IRD */
    PendingResponses(RemoteAccess access, int limit) {
        this.access = access;
        this.limit = limit;
        ring = new ReusedRing<>(Math.max(1, limit), Request::new);
    }

    int limit() {
        return limit;
    }

    boolean isFull() {
        return ring.size() >= limit;
    }

    boolean isEmpty() {
        return ring.isEmpty();
    }

    /** Whether a response was begun and has more segments. */
    boolean isMidMessage() {
        return sent > 0;
    }

    /** Adds a READ whose key and range were checked. */
    void addRead(int msn, int sinkStag, long sinkTo, long size, int stag, long to) {
        Request read = add(msn, false, stag, to);
        read.sinkStag = sinkStag;
        read.sinkTo = sinkTo;
        read.size = size;
    }

    /** Adds an atomic whose key, range and operation were checked. */
    void addAtomic(int msn, ByteBuffer b, int at) {
        Request atomic = add(msn, true, AtomicRequest.stag(b, at), AtomicRequest.to(b, at));
        atomic.requestId = AtomicRequest.requestId(b, at);
        atomic.operation = AtomicRequest.operation(b, at);
        atomic.addSwap = AtomicRequest.addSwap(b, at);
        atomic.addSwapMask = AtomicRequest.addSwapMask(b, at);
        atomic.compare = AtomicRequest.compare(b, at);
        atomic.compareMask = AtomicRequest.compareMask(b, at);
    }

    private Request add(int msn, boolean atomic, int stag, long to) {
        Request added = ring.add();
        added.msn = msn;
        added.atomic = atomic;
        added.stag = stag;
        added.to = to;
        return added;
    }

    /** Writes the oldest request again, for the Terminate that refuses it: RFC 5040 §4.8. */
    ByteBuffer oldestRequest() {
        Request oldest = ring.oldest();
        int body = UntaggedHeader.LENGTH;
        ByteBuffer b = ByteBuffer.allocate(body + (oldest.atomic ? AtomicRequest.LENGTH : ReadRequest.LENGTH));
        int opcode = oldest.atomic ? RdmapOpcode.ATOMIC_REQUEST : RdmapOpcode.RDMA_READ_REQUEST;
        UntaggedHeader.put(b, 0, true, opcode, 0, RdmapOpcode.QN_REQUEST, oldest.msn, 0);
        if (oldest.atomic) {
            AtomicRequest.put(b, body, oldest.operation, oldest.requestId, oldest.stag, oldest.to, oldest.addSwap, oldest.addSwapMask,
                oldest.compare, oldest.compareMask);
        } else {
            ReadRequest.put(b, body, oldest.sinkStag, oldest.sinkTo, oldest.size, oldest.stag, oldest.to);
        }
        return b;
    }

    /** Length of the next ULPDU in bytes. */
    int nextLength(int maxUlpdu) {
        Request oldest = ring.oldest();
        if (oldest.atomic) {
            return UntaggedHeader.LENGTH + AtomicResponse.LENGTH;
        }
        return TaggedHeader.LENGTH + Requester.payloadOf(oldest.size - sent, maxUlpdu - TaggedHeader.LENGTH);
    }

    /**
     * Writes the next ULPDU.
     *
     * @param length the result of {@link #nextLength}
     * @return {@link UlpduCheck#OK}, or the {@link TerminateCode} that says why the key does not allow the access any more; nothing must be
     *     sent then, as the buffer has old bytes
     */
    int write(StreamBuffer out, int at, int length) {
        Request oldest = ring.oldest();
        return oldest.atomic ? writeAtomic(oldest, out.bytes(), at) : writeRead(oldest, out, at, length - TaggedHeader.LENGTH);
    }

    /** Explains why {@link #write} refused the oldest request. */
    Failure explainRefusal() {
        Request oldest = ring.oldest();
        if (!oldest.atomic) {
            return access.explain(oldest.stag, AccessFlags.REMOTE_READ, oldest.to + sent, oldest.size - sent, WrOpcode.RDMA_READ);
        }
        return access.explain(oldest.stag, AccessFlags.REMOTE_ATOMIC, oldest.to, Long.BYTES,
            oldest.operation == AtomicRequest.FETCH_ADD ? WrOpcode.ATOMIC_FETCH_AND_ADD : WrOpcode.ATOMIC_CMP_AND_SWP);
    }

    private int writeRead(Request read, StreamBuffer out, int at, int payload) {
        long from = read.to + sent;
        if (payload > 0) {
            Region region = access.find(read.stag, AccessFlags.REMOTE_READ, from, payload);
            if (region == null) {
                return access.refusal();
            }
            if (!region.copyOut(from, out.memory(), at + TaggedHeader.LENGTH, payload)) {
                return TerminateCode.PROTECTION_INVALID_STAG;
            }
        }
        boolean last = sent + payload == read.size;
        TaggedHeader.put(out.bytes(), at, last, RdmapOpcode.RDMA_READ_RESPONSE, read.sinkStag, read.sinkTo + sent);
        sent += payload;
        if (last) {
            removeOldest();
        }
        return UlpduCheck.OK;
    }

    private int writeAtomic(Request atomic, ByteBuffer b, int at) {
        Region region = access.find(atomic.stag, AccessFlags.REMOTE_ATOMIC, atomic.to, Long.BYTES);
        if (region == null) {
            return access.refusal();
        }
        if (!execute(atomic, region)) {
            return TerminateCode.PROTECTION_INVALID_STAG;
        }
        UntaggedHeader.put(b, at, true, RdmapOpcode.ATOMIC_RESPONSE, 0, RdmapOpcode.QN_ATOMIC_RESPONSE, atomicMsn++, 0);
        AtomicResponse.put(b, at + UntaggedHeader.LENGTH, atomic.requestId, original[0]);
        removeOldest();
        return UlpduCheck.OK;
    }

    private boolean execute(Request atomic, Region region) {
        if (atomic.operation == AtomicRequest.FETCH_ADD && atomic.addSwapMask == 0) {
            return region.fetchAndAdd(atomic.to, atomic.addSwap, original);
        }
        // The first compare-and-swap, of 0 for 0, also reads the value.
        long value = 0;
        long next = 0;
        while (true) {
            if (!region.compareAndSwap(atomic.to, value, next, original)) {
                return false;
            }
            if (original[0] == value && next == resultOf(atomic, value)) {
                return true;
            }
            value = original[0];
            next = resultOf(atomic, value);
        }
    }

    /** Returns the value that replaces {@code value}. RFC 7306 §5.1 */
    private static long resultOf(Request atomic, long value) {
        long mask = atomic.addSwapMask;
        if (atomic.operation == AtomicRequest.FETCH_ADD) {
            return addByFields(value, atomic.addSwap, mask);
        }
        boolean equal = ((value ^ atomic.compare) & atomic.compareMask) == 0;
        return equal ? value & ~mask | atomic.addSwap & mask : value;
    }

    /** Adds fields without a carry between them; {@code tops} has the highest bit of each field. RFC 7306 §5.1.1 */
    public static long addByFields(long a, long b, long tops) {
        // All but the highest bits of the fields: these carry no further than into the highest ones.
        long low = (a & ~tops) + (b & ~tops);
        return low ^ (a ^ b) & tops;
    }

    private void removeOldest() {
        ring.removeOldest();
        sent = 0;
    }
}
