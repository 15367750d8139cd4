// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvCqEx;
import org.softrdma.libibverbs.layout.IbvPollCqAttr;
import org.softrdma.libibverbs.layout.Pointer;

/** Functions of one {@code struct ibv_cq_ex}. Those of fields that the queue was not made for are null pointers. */
final class ExtendedPolling {
    final MemorySegment startPoll;
    final MemorySegment nextPoll;
    final MemorySegment endPoll;
    final MemorySegment readOpcode;
    final MemorySegment readVendorErr;
    final MemorySegment readByteLen;
    final MemorySegment readImmData;
    final MemorySegment readQpNum;
    final MemorySegment readSrcQp;
    final MemorySegment readWcFlags;
    final MemorySegment readCompletionTs;
    /** {@code struct ibv_poll_cq_attr}, always empty. */
    final MemorySegment attributes = Arena.ofAuto().allocate(IbvPollCqAttr.BYTES, 8);

    ExtendedPolling(long cq) {
        startPoll = function(cq, IbvCqEx.START_POLL);
        nextPoll = function(cq, IbvCqEx.NEXT_POLL);
        endPoll = function(cq, IbvCqEx.END_POLL);
        readOpcode = function(cq, IbvCqEx.READ_OPCODE);
        readVendorErr = function(cq, IbvCqEx.READ_VENDOR_ERR);
        readByteLen = function(cq, IbvCqEx.READ_BYTE_LEN);
        readImmData = function(cq, IbvCqEx.READ_IMM_DATA);
        readQpNum = function(cq, IbvCqEx.READ_QP_NUM);
        readSrcQp = function(cq, IbvCqEx.READ_SRC_QP);
        readWcFlags = function(cq, IbvCqEx.READ_WC_FLAGS);
        readCompletionTs = function(cq, IbvCqEx.READ_COMPLETION_TS);
    }

    private static MemorySegment function(long cq, Pointer field) {
        return MemorySegment.ofAddress(field.get(ALL, cq));
    }
}
