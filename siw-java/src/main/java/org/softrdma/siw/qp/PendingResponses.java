// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.nio.ByteBuffer;
import org.softrdma.device.memory.Region;
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
    private final RemoteAccess access;
    private final int limit;
    private final boolean[] atomics;
    private final int[] msns;
    private final int[] stags;
    private final long[] tos;
    private final int[] sinkStags;
    private final long[] sinkTos;
    private final long[] sizes;
    private final long[] operands;
    private final long[] masks;
    private final long[] compares;
    private final long[] compareMasks;
    private final long[] original = new long[1];
    private int head;
    private int count;
    /** Bytes sent of the oldest READ's response. */
    private long sent;
    private int atomicMsn = 1;

    /** @param limit IRD */
    PendingResponses(RemoteAccess access, int limit) {
        this.access = access;
        this.limit = limit;
        int slots = Math.max(1, limit);
        atomics = new boolean[slots];
        msns = new int[slots];
        stags = new int[slots];
        tos = new long[slots];
        sinkStags = new int[slots];
        sinkTos = new long[slots];
        sizes = new long[slots];
        operands = new long[slots];
        masks = new long[slots];
        compares = new long[slots];
        compareMasks = new long[slots];
    }

    int limit() {
        return limit;
    }

    boolean isFull() {
        return count >= limit;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Whether a response was begun and has more segments. */
    boolean isMidMessage() {
        return sent > 0;
    }

    /** Adds a READ whose key and range were checked. */
    void addRead(int msn, int sinkStag, long sinkTo, long size, int stag, long to) {
        int slot = add(msn, false, stag, to);
        sinkStags[slot] = sinkStag;
        sinkTos[slot] = sinkTo;
        sizes[slot] = size;
    }

    /** Adds an atomic whose key, range and operation were checked. */
    void addAtomic(int msn, ByteBuffer b, int at) {
        int slot = add(msn, true, AtomicRequest.stag(b, at), AtomicRequest.to(b, at));
        sinkStags[slot] = AtomicRequest.requestId(b, at);
        sizes[slot] = AtomicRequest.operation(b, at);
        operands[slot] = AtomicRequest.addSwap(b, at);
        masks[slot] = AtomicRequest.addSwapMask(b, at);
        compares[slot] = AtomicRequest.compare(b, at);
        compareMasks[slot] = AtomicRequest.compareMask(b, at);
    }

    private int add(int msn, boolean atomic, int stag, long to) {
        int slot = (head + count++) % stags.length;
        msns[slot] = msn;
        atomics[slot] = atomic;
        stags[slot] = stag;
        tos[slot] = to;
        return slot;
    }

    /** Writes the oldest request again, for the Terminate that refuses it: RFC 5040 §4.8. */
    ByteBuffer oldestRequest() {
        boolean atomic = atomics[head];
        int body = UntaggedHeader.LENGTH;
        ByteBuffer b = ByteBuffer.allocate(body + (atomic ? AtomicRequest.LENGTH : ReadRequest.LENGTH));
        UntaggedHeader.put(b, 0, true, atomic ? RdmapOpcode.ATOMIC_REQUEST : RdmapOpcode.RDMA_READ_REQUEST, 0, RdmapOpcode.QN_REQUEST,
            msns[head], 0);
        if (atomic) {
            AtomicRequest.put(b, body, (int) sizes[head], sinkStags[head], stags[head], tos[head], operands[head], masks[head],
                compares[head], compareMasks[head]);
        } else {
            ReadRequest.put(b, body, sinkStags[head], sinkTos[head], sizes[head], stags[head], tos[head]);
        }
        return b;
    }

    /** Length of the next ULPDU in bytes. */
    int nextLength(int maxUlpdu) {
        if (atomics[head]) {
            return UntaggedHeader.LENGTH + AtomicResponse.LENGTH;
        }
        return TaggedHeader.LENGTH + Requester.payloadOf(sizes[head] - sent, maxUlpdu - TaggedHeader.LENGTH);
    }

    /**
     * Writes the next ULPDU.
     *
     * @param length the result of {@link #nextLength}
     * @return {@link UlpduCheck#OK}, or the {@link TerminateCode} that says why the key does not allow the access any more; nothing must be
     *     sent then, as the buffer has old bytes
     */
    int write(StreamBuffer out, int at, int length) {
        return atomics[head] ? writeAtomic(out.bytes(), at) : writeRead(out, at, length - TaggedHeader.LENGTH);
    }

    /** Explains why {@link #write} refused the oldest request. */
    Failure explainRefusal() {
        if (!atomics[head]) {
            return access.explain(stags[head], AccessFlags.REMOTE_READ, tos[head] + sent, sizes[head] - sent, WrOpcode.RDMA_READ);
        }
        return access.explain(stags[head], AccessFlags.REMOTE_ATOMIC, tos[head], Long.BYTES,
            sizes[head] == AtomicRequest.FETCH_ADD ? WrOpcode.ATOMIC_FETCH_AND_ADD : WrOpcode.ATOMIC_CMP_AND_SWP);
    }

    private int writeRead(StreamBuffer out, int at, int payload) {
        long from = tos[head] + sent;
        if (payload > 0) {
            Region region = access.find(stags[head], AccessFlags.REMOTE_READ, from, payload);
            if (region == null) {
                return access.refusal();
            }
            if (!region.copyOut(from, out.memory(), at + TaggedHeader.LENGTH, payload)) {
                return TerminateCode.PROTECTION_INVALID_STAG;
            }
        }
        boolean last = sent + payload == sizes[head];
        TaggedHeader.put(out.bytes(), at, last, RdmapOpcode.RDMA_READ_RESPONSE, sinkStags[head], sinkTos[head] + sent);
        sent += payload;
        if (last) {
            removeOldest();
        }
        return UlpduCheck.OK;
    }

    private int writeAtomic(ByteBuffer b, int at) {
        Region region = access.find(stags[head], AccessFlags.REMOTE_ATOMIC, tos[head], Long.BYTES);
        if (region == null) {
            return access.refusal();
        }
        if (!execute(region)) {
            return TerminateCode.PROTECTION_INVALID_STAG;
        }
        UntaggedHeader.put(b, at, true, RdmapOpcode.ATOMIC_RESPONSE, 0, RdmapOpcode.QN_ATOMIC_RESPONSE, atomicMsn++, 0);
        AtomicResponse.put(b, at + UntaggedHeader.LENGTH, sinkStags[head], original[0]);
        removeOldest();
        return UlpduCheck.OK;
    }

    private boolean execute(Region region) {
        if (sizes[head] == AtomicRequest.FETCH_ADD && masks[head] == 0) {
            return region.fetchAndAdd(tos[head], operands[head], original);
        }
        // The first compare-and-swap, of 0 for 0, also reads the value.
        long value = 0;
        long next = 0;
        while (true) {
            if (!region.compareAndSwap(tos[head], value, next, original)) {
                return false;
            }
            if (original[0] == value && next == resultOf(value)) {
                return true;
            }
            value = original[0];
            next = resultOf(value);
        }
    }

    /** Returns the value that replaces {@code value}. RFC 7306 §5.1 */
    private long resultOf(long value) {
        if (sizes[head] == AtomicRequest.FETCH_ADD) {
            return addByFields(value, operands[head], masks[head]);
        }
        boolean equal = ((value ^ compares[head]) & compareMasks[head]) == 0;
        return equal ? value & ~masks[head] | operands[head] & masks[head] : value;
    }

    /** Adds fields without a carry between them; {@code tops} has the highest bit of each field. RFC 7306 §5.1.1 */
    public static long addByFields(long a, long b, long tops) {
        // All but the highest bits of the fields: these carry no further than into the highest ones.
        long low = (a & ~tops) + (b & ~tops);
        return low ^ (a ^ b) & tops;
    }

    private void removeOldest() {
        head = (head + 1) % stags.length;
        count--;
        sent = 0;
    }
}
