// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.softrdma.libibverbs.layout.IbvMwBindInfo;
import org.softrdma.libibverbs.layout.IbvQpEx;
import org.softrdma.libibverbs.layout.IbvSge;
import org.softrdma.libibverbs.layout.Pointer;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;

/**
 * Builds and posts requests by the functions of one {@code struct ibv_qp_ex}. From {@link #start} to {@link #complete} or {@link #abort}
 * the driver holds its lock of the send queue: the caller excludes everything else that posts to it.
 *
 * <p>Inline data is always given as one piece, because librxe up to release 63 forgets the length of a list. For the same reason it must
 * not be given elements of different lengths. Source: rdma-core, the history of {@code providers/rxe/rxe.c}.
 */
final class ExtendedSends {
    private static final boolean SWAP = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final long BIND_INFO = (long) SendRequest.MAX_ELEMENTS * IbvSge.BYTES;
    private static final long INLINE = BIND_INFO + IbvMwBindInfo.BYTES;

    private final SendChecks checks;
    private final QpType type;
    private final long qp;
    private final int operations;
    private final boolean needsEqualElements;
    private final MemorySegment memory;
    private final MemorySegment start;
    private final MemorySegment complete;
    private final MemorySegment abort;
    private final MemorySegment send;
    private final MemorySegment sendImm;
    private final MemorySegment sendInv;
    private final MemorySegment rdmaWrite;
    private final MemorySegment rdmaWriteImm;
    private final MemorySegment rdmaRead;
    private final MemorySegment atomicCmpSwp;
    private final MemorySegment atomicFetchAdd;
    private final MemorySegment atomicWrite;
    private final MemorySegment flush;
    private final MemorySegment localInv;
    private final MemorySegment bindMw;
    private final MemorySegment setUdAddr;
    private final MemorySegment setXrcSrqn;
    private final MemorySegment setInlineData;
    private final MemorySegment setSge;
    private final MemorySegment setSgeList;

    /**
     * @param qp         address of {@code struct ibv_qp_ex}
     * @param operations bits of {@link SendOps} that the driver has made it for; functions of others may be beyond its end
     */
    ExtendedSends(SendChecks checks, QpType type, int maxInline, long qp, int operations, boolean needsEqualElements) {
        this.checks = checks;
        this.type = type;
        this.qp = qp;
        this.operations = operations;
        this.needsEqualElements = needsEqualElements;
        memory = Arena.ofAuto().allocate(INLINE + Math.max(maxInline, Long.BYTES), 8);
        start = function(IbvQpEx.WR_START);
        complete = function(IbvQpEx.WR_COMPLETE);
        abort = function(IbvQpEx.WR_ABORT);
        send = function(SendOps.SEND, IbvQpEx.WR_SEND);
        sendImm = function(SendOps.SEND_WITH_IMM, IbvQpEx.WR_SEND_IMM);
        sendInv = function(SendOps.SEND_WITH_INV, IbvQpEx.WR_SEND_INV);
        rdmaWrite = function(SendOps.RDMA_WRITE, IbvQpEx.WR_RDMA_WRITE);
        rdmaWriteImm = function(SendOps.RDMA_WRITE_WITH_IMM, IbvQpEx.WR_RDMA_WRITE_IMM);
        rdmaRead = function(SendOps.RDMA_READ, IbvQpEx.WR_RDMA_READ);
        atomicCmpSwp = function(SendOps.ATOMIC_CMP_AND_SWP, IbvQpEx.WR_ATOMIC_CMP_SWP);
        atomicFetchAdd = function(SendOps.ATOMIC_FETCH_AND_ADD, IbvQpEx.WR_ATOMIC_FETCH_ADD);
        atomicWrite = function(SendOps.ATOMIC_WRITE, IbvQpEx.WR_ATOMIC_WRITE);
        flush = function(SendOps.FLUSH, new Pointer(IbvQpEx.WR_FLUSH_OFFSET));
        localInv = function(SendOps.LOCAL_INV, IbvQpEx.WR_LOCAL_INV);
        bindMw = function(SendOps.BIND_MW, IbvQpEx.WR_BIND_MW);
        setUdAddr = function(IbvQpEx.WR_SET_UD_ADDR);
        setXrcSrqn = function(IbvQpEx.WR_SET_XRC_SRQN);
        setInlineData = function(IbvQpEx.WR_SET_INLINE_DATA);
        setSge = function(IbvQpEx.WR_SET_SGE);
        setSgeList = function(IbvQpEx.WR_SET_SGE_LIST);
    }

    private MemorySegment function(Pointer field) {
        return MemorySegment.ofAddress(field.get(ALL, qp));
    }

    private MemorySegment function(int operation, Pointer field) {
        return (operations & operation) == 0 ? MemorySegment.NULL : function(field);
    }

    /** Bits of {@link SendOps} that the queue pair was made for. */
    int operations() {
        return operations;
    }

    void start() {
        DataPath.call(start, qp);
    }

    /** Ends without posting anything. */
    void abort() {
        DataPath.call(abort, qp);
    }

    /** Posts everything that was built, or nothing. Returns 0 or a positive errno value: ENOMEM if the queue is full. */
    int complete() {
        int refused = Math.abs(DataPath.complete(complete, qp));
        // librxe has another word for a full queue; other errors for which it uses it are found before.
        return refused == Errno.ENOSPC.value() ? Errno.ENOMEM.value() : refused;
    }

    /**
     * Builds the next request.
     *
     * @param request one that {@link SendChecks#check} accepts
     * @throws VerbsException the request cannot be posted; then all that was built must be aborted
     */
    void build(SendRequest request) {
        if ((operations & SendOps.of(request.opcode())) == 0) {
            throw new VerbsException(Errno.EOPNOTSUPP, "post_send", request.opcode() + ": the driver does not have it");
        }
        // Checks come first: a request that the driver has begun cannot be taken back alone.
        boolean inline = SendChecks.isInline(request);
        int inlineBytes = inline ? checks.gather(request, memory, INLINE) : 0;
        long handle = type == QpType.UD ? checks.destination(request).address("post_send") : 0;
        requireEqualElements(request, inline);
        IbvQpEx.WR_ID.set(ALL, qp, request.wrId());
        IbvQpEx.WR_FLAGS.set(ALL, qp, request.flags());
        switch (request.opcode()) {
            case BIND_MW -> bind(request);
            case LOCAL_INV -> DataPath.call(localInv, qp, request.invalidateRkey());
            case FLUSH -> DataPath.flush(flush, qp, request.rkey(), request.remoteAddress(), request.flushLength(),
                (byte) request.flushPlacement(), (byte) request.flushSelectivity());
            case ATOMIC_WRITE -> writeWord(request);
            default -> {
                begin(request);
                if (type == QpType.UD) {
                    DataPath.call(setUdAddr, qp, handle, request.remoteQpn(), request.remoteQkey());
                } else if (type == QpType.XRC_SEND) {
                    DataPath.call(setXrcSrqn, qp, request.remoteSrqn());
                }
                if (inline) {
                    DataPath.call(setInlineData, qp, memory.address() + INLINE, (long) inlineBytes);
                } else {
                    setElements(request);
                }
            }
        }
    }

    private void requireEqualElements(SendRequest request, boolean inline) {
        for (int i = 1; needsEqualElements && !inline && i < request.elements(); i++) {
            if (request.length(i) != request.length(0)) {
                throw new VerbsException(Errno.EOPNOTSUPP, "post_send", request
                    + ": librxe before release 64 does not add up elements of different lengths in a batch; post it alone");
            }
        }
    }

    private void begin(SendRequest request) {
        switch (request.opcode()) {
            case SEND -> DataPath.call(send, qp);
            case SEND_WITH_IMM -> DataPath.call(sendImm, qp, bigEndian(request.immediate()));
            case SEND_WITH_INV -> DataPath.call(sendInv, qp, request.invalidateRkey());
            case RDMA_WRITE -> DataPath.call(rdmaWrite, qp, request.rkey(), request.remoteAddress());
            case RDMA_WRITE_WITH_IMM ->
                DataPath.call(rdmaWriteImm, qp, request.rkey(), request.remoteAddress(), bigEndian(request.immediate()));
            case RDMA_READ -> DataPath.call(rdmaRead, qp, request.rkey(), request.remoteAddress());
            case ATOMIC_CMP_AND_SWP ->
                DataPath.call(atomicCmpSwp, qp, request.rkey(), request.remoteAddress(), request.compareAdd(), request.swap());
            case ATOMIC_FETCH_AND_ADD ->
                DataPath.call(atomicFetchAdd, qp, request.rkey(), request.remoteAddress(), request.compareAdd());
            default -> throw new IllegalStateException(request.opcode() + " has no elements");
        }
    }

    private static int bigEndian(int value) {
        return SWAP ? Integer.reverseBytes(value) : value;
    }

    private void bind(SendRequest request) {
        NativeMemoryWindow window = checks.window(request);
        IbvMwBindInfo.MR.set(memory, BIND_INFO, checks.region(request).address("post_send"));
        IbvMwBindInfo.ADDR.set(memory, BIND_INFO, request.address(0));
        IbvMwBindInfo.LENGTH.set(memory, BIND_INFO, request.bindLength());
        IbvMwBindInfo.MW_ACCESS_FLAGS.set(memory, BIND_INFO, request.bindAccess());
        DataPath.call(bindMw, qp, window.address("post_send"), request.rkey(), memory.address() + BIND_INFO);
        window.bindingTo(request.rkey());
    }

    private void writeWord(SendRequest request) {
        checks.gatherWord(request, memory, INLINE);
        DataPath.call(atomicWrite, qp, request.rkey(), request.remoteAddress(), memory.address() + INLINE);
    }

    /** Sets the elements, also if there are none: a driver may wait for this before it completes the request. */
    private void setElements(SendRequest request) {
        if (request.elements() == 0) {
            DataPath.call(setSge, qp, 0, 0L, 0);
            return;
        }
        if (request.elements() == 1) {
            DataPath.call(setSge, qp, request.lkey(0), request.address(0), request.length(0));
            return;
        }
        for (int i = 0; i < request.elements(); i++) {
            long at = (long) i * IbvSge.BYTES;
            IbvSge.ADDR.set(memory, at, request.address(i));
            IbvSge.LENGTH.set(memory, at, request.length(i));
            IbvSge.LKEY.set(memory, at, request.lkey(i));
        }
        DataPath.call(setSgeList, qp, (long) request.elements(), memory.address());
    }
}
