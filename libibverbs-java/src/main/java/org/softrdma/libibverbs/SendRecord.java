// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvMwBindInfo;
import org.softrdma.libibverbs.layout.IbvSendWr;
import org.softrdma.libibverbs.layout.IbvSge;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WrOpcode;

/** Memory of one send work request, reused for each that a queue pair posts. */
final class SendRecord {
    private static final long BAD = IbvSendWr.BYTES;
    private static final long ELEMENTS = BAD + Long.BYTES;
    private static final long INLINE = ELEMENTS + (long) SendRequest.MAX_ELEMENTS * IbvSge.BYTES;

    private final SendChecks checks;
    private final QpType type;
    private final MemorySegment memory;

    SendRecord(SendChecks checks, QpType type, int maxInline) {
        this.checks = checks;
        this.type = type;
        memory = Arena.ofAuto().allocate(INLINE + maxInline, 8);
    }

    /**
     * Posts a request that {@link SendChecks#check} accepts.
     *
     * @return 0 or an errno value
     */
    int post(MemorySegment post, long qp, SendRequest request) {
        IbvSendWr.WR_ID.set(memory, 0, request.wrId());
        IbvSendWr.NEXT.set(memory, 0, 0);
        IbvSendWr.SG_LIST.set(memory, 0, memory.address() + ELEMENTS);
        IbvSendWr.OPCODE.set(memory, 0, request.opcode().value());
        IbvSendWr.SEND_FLAGS.set(memory, 0, request.flags());
        setElements(request);
        setOperation(request);
        int refused = DataPath.postSend(post, qp, memory.address(), memory.address() + BAD);
        if (request.opcode() == WrOpcode.BIND_MW && refused == 0) {
            checks.window(request).bindingTo(request.rkey());
        }
        return refused;
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
                request.opcode() + ": the driver does not have it");
        }
        switch (request.opcode()) {
            case SEND_WITH_INV, LOCAL_INV -> IbvSendWr.INVALIDATE_RKEY.set(memory, 0, request.invalidateRkey());
            default -> IbvSendWr.IMM_DATA.set(memory, 0, request.immediate());
        }
        if (type == QpType.XRC_SEND) {
            IbvSendWr.REMOTE_SRQN.set(memory, 0, request.remoteSrqn());
        }
    }

    private void setDestination(SendRequest request) {
        if (type == QpType.UD) {
            IbvSendWr.AH.set(memory, 0, checks.destination(request).address("post_send"));
            IbvSendWr.REMOTE_QPN.set(memory, 0, request.remoteQpn());
            IbvSendWr.REMOTE_QKEY.set(memory, 0, request.remoteQkey());
        }
    }

    private void setBinding(SendRequest request) {
        long info = IbvSendWr.BIND_INFO.offset();
        IbvSendWr.NUM_SGE.set(memory, 0, 0);
        IbvSendWr.MW.set(memory, 0, checks.window(request).address("post_send"));
        IbvSendWr.MW_RKEY.set(memory, 0, request.rkey());
        IbvMwBindInfo.MR.set(memory, info, checks.region(request).address("post_send"));
        IbvMwBindInfo.ADDR.set(memory, info, request.address(0));
        IbvMwBindInfo.LENGTH.set(memory, info, request.bindLength());
        IbvMwBindInfo.MW_ACCESS_FLAGS.set(memory, info, request.bindAccess());
    }

    private void setElements(SendRequest request) {
        if (SendChecks.isInline(request)) {
            int bytes = checks.gather(request, memory, INLINE);
            IbvSendWr.NUM_SGE.set(memory, 0, bytes == 0 ? 0 : 1);
            set(0, memory.address() + INLINE, bytes, 0);
            return;
        }
        IbvSendWr.NUM_SGE.set(memory, 0, request.elements());
        for (int i = 0; i < request.elements(); i++) {
            set(i, request.address(i), request.length(i), request.lkey(i));
        }
    }

    private void set(int element, long address, int bytes, int lkey) {
        long at = ELEMENTS + (long) element * IbvSge.BYTES;
        IbvSge.ADDR.set(memory, at, address);
        IbvSge.LENGTH.set(memory, at, bytes);
        IbvSge.LKEY.set(memory, at, lkey);
    }
}
