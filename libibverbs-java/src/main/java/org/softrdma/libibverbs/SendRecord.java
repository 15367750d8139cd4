// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvMwBindInfo;
import org.softrdma.libibverbs.layout.IbvSendWr;
import org.softrdma.libibverbs.layout.IbvSge;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WrOpcode;

/** Memory of one send work request, reused for each that a queue pair posts. */
final class SendRecord {
    private static final int QPN_BITS = 24;
    private static final long BAD = IbvSendWr.BYTES;
    private static final long ELEMENTS = BAD + Long.BYTES;
    private static final long INLINE = ELEMENTS + (long) SendRequest.MAX_ELEMENTS * IbvSge.BYTES;

    private final NativeProtectionDomain pd;
    private final QpType type;
    private final int maxInline;
    private final MemorySegment memory;
    /** Bytes of inline data that were copied here: memory on the heap has no address. */
    private int copied;

    SendRecord(NativeProtectionDomain pd, QpType type, int maxInline) {
        this.pd = pd;
        this.type = type;
        this.maxInline = maxInline;
        memory = Arena.ofAuto().allocate(INLINE + maxInline, 8);
    }

    /**
     * Posts a request.
     *
     * @return 0 or an errno value
     */
    int post(MemorySegment post, long qp, SendRequest request) {
        if (!isOfService(request.opcode())) {
            throw new VerbsException(Errno.EINVAL, "post_send", request.opcode() + " is not an operation of " + type);
        }
        IbvSendWr.WR_ID.set(memory, 0, request.wrId());
        IbvSendWr.NEXT.set(memory, 0, 0);
        IbvSendWr.SG_LIST.set(memory, 0, memory.address() + ELEMENTS);
        IbvSendWr.NUM_SGE.set(memory, 0, request.elements());
        IbvSendWr.OPCODE.set(memory, 0, request.opcode().value());
        IbvSendWr.SEND_FLAGS.set(memory, 0, request.flags());
        if ((request.flags() & SendFlags.INLINE) != 0) {
            checkInline(request);
        }
        setOperation(request);
        setElements(request);
        return DataPath.post(post, qp, memory.address(), memory.address() + BAD);
    }

    /** Drivers do not check this, and take what belongs to other operations for pointers. */
    private boolean isOfService(WrOpcode opcode) {
        return switch (type) {
            case UD -> opcode == WrOpcode.SEND || opcode == WrOpcode.SEND_WITH_IMM;
            case UC -> opcode != WrOpcode.RDMA_READ && opcode != WrOpcode.ATOMIC_CMP_AND_SWP && opcode != WrOpcode.ATOMIC_FETCH_AND_ADD;
            default -> true;
        };
    }

    private void setOperation(SendRequest request) {
        switch (request.opcode()) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV -> setDestination(request);
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ -> {
                IbvSendWr.REMOTE_ADDR.set(memory, 0, request.remoteAddress());
                IbvSendWr.RKEY.set(memory, 0, request.rkey());
            }
            case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
                IbvSendWr.REMOTE_ADDR.set(memory, 0, request.remoteAddress());
                IbvSendWr.COMPARE_ADD.set(memory, 0, request.compareAdd());
                IbvSendWr.SWAP.set(memory, 0, request.swap());
                IbvSendWr.ATOMIC_RKEY.set(memory, 0, request.rkey());
            }
            case BIND_MW -> setBinding(request);
            case LOCAL_INV -> {
            }
            case FLUSH, ATOMIC_WRITE -> throw new VerbsException(Errno.EOPNOTSUPP, "post_send",
                request.opcode() + ": libibverbs has it in ibv_wr_* calls only, which this provider does not use");
        }
        switch (request.opcode()) {
            case SEND_WITH_INV, LOCAL_INV -> IbvSendWr.INVALIDATE_RKEY.set(memory, 0, request.invalidateRkey());
            default -> IbvSendWr.IMM_DATA.set(memory, 0, request.immediate());
        }
    }

    /** A datagram has one; drivers do not check that it is there. */
    private void setDestination(SendRequest request) {
        if (type == QpType.UD) {
            checkDestination(request);
            NativeAddressHandle handle =
                NativeObject.own(NativeAddressHandle.class, request.addressHandle(), pd.nativeContext(), "post_send", "the address handle");
            IbvSendWr.AH.set(memory, 0, handle.address("post_send"));
            IbvSendWr.REMOTE_QPN.set(memory, 0, request.remoteQpn());
            IbvSendWr.REMOTE_QKEY.set(memory, 0, request.remoteQkey());
        }
    }

    private void checkDestination(SendRequest request) {
        if (request.addressHandle() == null) {
            throw new VerbsException(Errno.EINVAL, "post_send", "a datagram needs a destination: SendRequest.to");
        }
        if (request.addressHandle().pd() != pd) {
            throw new VerbsException(Errno.EINVAL, "post_send", "the address handle belongs to another protection domain");
        }
        if (request.remoteQpn() >>> QPN_BITS != 0) {
            throw new VerbsException(Errno.EINVAL, "post_send",
                "remote_qpn 0x" + Integer.toHexString(request.remoteQpn()) + " has more than 24 bits");
        }
    }

    /** The request has the keys of region and window; the library wants the objects. */
    private void setBinding(SendRequest request) {
        NativeMemoryWindow window = pd.window(request.rkey());
        NativeMemoryRegion region = pd.region(request.lkey(0));
        if (window == null || region == null) {
            throw new VerbsException(Errno.EINVAL, "post_send",
                request + ": no " + (window == null ? "window" : "region") + " of this protection domain has that key");
        }
        if (window.type() != MemoryWindow.Type.TYPE_2) {
            throw new VerbsException(Errno.EINVAL, "post_send", "a window of type 1 is bound with QueuePair.bind()");
        }
        long info = IbvSendWr.BIND_INFO.offset();
        IbvSendWr.NUM_SGE.set(memory, 0, 0);
        IbvSendWr.MW.set(memory, 0, window.address("post_send"));
        IbvSendWr.MW_RKEY.set(memory, 0, request.rkey());
        IbvMwBindInfo.MR.set(memory, info, region.address("post_send"));
        IbvMwBindInfo.ADDR.set(memory, info, request.address(0));
        IbvMwBindInfo.LENGTH.set(memory, info, request.bindLength());
        IbvMwBindInfo.MW_ACCESS_FLAGS.set(memory, info, request.bindAccess());
    }

    private void setElements(SendRequest request) {
        copied = 0;
        for (int i = 0; i < request.elements(); i++) {
            long at = ELEMENTS + (long) i * IbvSge.BYTES;
            MemorySegment unregistered = request.inlineData(i);
            IbvSge.ADDR.set(memory, at, unregistered == null ? request.address(i) : inline(request, i, unregistered));
            IbvSge.LENGTH.set(memory, at, request.length(i));
            IbvSge.LKEY.set(memory, at, request.lkey(i));
        }
    }

    private void checkInline(SendRequest request) {
        switch (request.opcode()) {
            case RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
                throw new VerbsException(Errno.EINVAL, "post_send", request.opcode() + " carries no data: not INLINE");
            default -> {
                long bytes = 0;
                for (int i = 0; i < request.elements(); i++) {
                    bytes += Integer.toUnsignedLong(request.length(i));
                }
                if (bytes > maxInline) {
                    throw new VerbsException(Errno.EINVAL, "post_send", bytes + " bytes inline; max_inline_data is " + maxInline);
                }
            }
        }
    }

    private long inline(SendRequest request, int element, MemorySegment data) {
        int length = request.length(element);
        if (data.isNative()) {
            return data.address() + request.address(element);
        }
        MemorySegment.copy(data, request.address(element), memory, INLINE + copied, length);
        copied += length;
        return memory.address() + INLINE + copied - length;
    }
}
