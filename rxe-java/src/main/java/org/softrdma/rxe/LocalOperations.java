// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WrOpcode;

/** Send work requests that send nothing: binding a memory window, invalidating a key. */
final class LocalOperations {
    private final QpMachine qp;
    private final SendRing ring;
    private final MemoryTable memory;

    LocalOperations(QpMachine qp, SendRing ring) {
        this.qp = qp;
        this.ring = ring;
        memory = qp.memory();
    }

    /** @param wrOpcode a {@link WrOpcode} value */
    static boolean isLocal(int wrOpcode) {
        return wrOpcode == WrOpcode.LOCAL_INV.value() || wrOpcode == WrOpcode.BIND_MW.value();
    }

    WcStatus run(long wqe) {
        if (ring.opcode(wqe) == WrOpcode.BIND_MW.value()) {
            return bind(wqe) ? WcStatus.SUCCESS : WcStatus.MW_BIND_ERR;
        }
        return memory.invalidate(ring.immediate(wqe), qp.pd(), qp.qpn()) ? WcStatus.SUCCESS : WcStatus.LOC_QP_OP_ERR;
    }

    /**
     * Binds a type 2 window: rkey names window and new key byte, the one element the region and range, compareAdd the rights.
     * Source: IBA vol 1 §10.6.7.2; kernel rxe refuses the same cases.
     */
    private boolean bind(long wqe) {
        Region region = memory.lookup(ring.elementLkey(wqe, 0));
        int access = (int) ring.compareAdd(wqe);
        long start = ring.elementAddress(wqe, 0);
        long length = ring.elementLength(wqe, 0);
        boolean writes = (access & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0;
        return region != null && length > 0 && region.covers(start, length)
            && region.grants(qp.pd(), qp.qpn(), AccessFlags.MW_BIND | (writes ? AccessFlags.LOCAL_WRITE : 0))
            && memory.bindWindow(ring.rkey(wqe), region, start, length, access, qp.qpn());
    }
}
