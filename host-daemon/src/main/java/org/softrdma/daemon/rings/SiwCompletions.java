// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.rings.SiwCompletion;
import org.softrdma.abi.rings.SiwCqControl;
import org.softrdma.abi.rings.SiwFlags;
import org.softrdma.abi.rings.SiwOpcode;
import org.softrdma.abi.rings.SiwStatus;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** A completion queue of libsiw. The program arms it in shared memory. Immediate data has no place that the library reads. */
final class SiwCompletions extends RingCompletions {
    private final RingSpace.Extent extent;
    private final MemorySegment memory;
    private final int slots;
    /** Sequence number of the next completion. */
    private long next;

    SiwCompletions(RingSpace space, int slots, CompletionEvents events) {
        super(events);
        this.slots = slots;
        extent = space.allocate((long) slots * SiwCompletion.BYTES + SiwCqControl.BYTES);
        memory = extent.memory();
    }

    @Override
    public RingSpace.Extent extent() {
        return extent;
    }

    @Override
    public int capacity() {
        return slots;
    }

    @Override
    public int size() {
        int held = 0;
        while (held < slots && (SiwCompletion.flags(memory, slot(next - 1 - held)) & SiwFlags.VALID) != 0) {
            held++;
        }
        return held;
    }

    private long slot(long sequence) {
        return (sequence & slots - 1) * SiwCompletion.BYTES;
    }

    @Override
    public RingSpace.Extent resize(RingSpace space, int cqe) {
        throw new VerbsException(Errno.EOPNOTSUPP, "resize_cq", "libsiw cannot map a ring again");
    }

    @Override
    public void arm(boolean solicitedOnly) {
        SiwCqControl.flags(memory, control(), solicitedOnly ? SiwCqControl.NOTIFY_SOLICITED : SiwCqControl.NOTIFY_NEXT_COMPLETION);
    }

    private long control() {
        return (long) slots * SiwCompletion.BYTES;
    }

    /** Armed for the next completion, a program may have left the bit for solicited ones set as well. */
    @Override
    boolean takeArmed(boolean solicited) {
        int armed = SiwCqControl.flags(memory, control());
        boolean awaited = (armed & SiwCqControl.NOTIFY_NEXT_COMPLETION) != 0
            || (armed & SiwCqControl.NOTIFY_SOLICITED) != 0 && solicited;
        return awaited && SiwCqControl.disarm(memory, control()) != SiwCqControl.NOTIFY_NOT;
    }

    @Override
    boolean write(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int byteLength, int immediate, int qpNum, int sourceQp,
                  int flags) {
        long at = slot(next);
        if ((SiwCompletion.flags(memory, at) & SiwFlags.VALID) != 0) {
            return false;
        }
        boolean invalidated = (flags & WcFlags.WITH_INV) != 0;
        SiwCompletion.id(memory, at, wrId);
        SiwCompletion.opcode(memory, at, operation(opcode));
        SiwCompletion.status(memory, at, outcome(status));
        SiwCompletion.bytes(memory, at, byteLength);
        SiwCompletion.invalStag(memory, at, invalidated ? immediate : 0);
        SiwCompletion.qpId(memory, at, Integer.toUnsignedLong(qpNum));
        SiwCompletion.flags(memory, at, invalidated ? SiwFlags.VALID | SiwFlags.REM_INVAL : SiwFlags.VALID);
        next++;
        return true;
    }

    private static int operation(WcOpcode opcode) {
        return switch (opcode) {
            case SEND -> SiwOpcode.SEND;
            case RDMA_WRITE -> SiwOpcode.WRITE;
            case RDMA_READ -> SiwOpcode.READ;
            case COMP_SWAP -> SiwOpcode.COMP_AND_SWAP;
            case FETCH_ADD -> SiwOpcode.FETCH_AND_ADD;
            case BIND_MW -> SiwOpcode.REG_MR;
            case LOCAL_INV -> SiwOpcode.INVAL_STAG;
            case RECV, RECV_RDMA_WITH_IMM -> SiwOpcode.RECEIVE;
            case FLUSH, ATOMIC_WRITE -> throw new AssertionError(opcode + " is no operation of iWARP");
        };
    }

    private static int outcome(WcStatus status) {
        return switch (status) {
            case SUCCESS -> SiwStatus.SUCCESS;
            case LOC_LEN_ERR -> SiwStatus.LOC_LEN_ERR;
            case LOC_PROT_ERR -> SiwStatus.LOC_PROT_ERR;
            case LOC_QP_OP_ERR -> SiwStatus.LOC_QP_OP_ERR;
            case WR_FLUSH_ERR -> SiwStatus.WR_FLUSH_ERR;
            case BAD_RESP_ERR -> SiwStatus.BAD_RESP_ERR;
            case LOC_ACCESS_ERR -> SiwStatus.LOC_ACCESS_ERR;
            case REM_ACCESS_ERR -> SiwStatus.REM_ACCESS_ERR;
            case REM_INV_REQ_ERR -> SiwStatus.REM_INV_REQ_ERR;
            default -> SiwStatus.GENERAL_ERR;
        };
    }
}
