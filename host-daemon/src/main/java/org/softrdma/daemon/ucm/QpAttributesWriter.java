// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.QpAttributesRecord;
import org.softrdma.daemon.verbs.VectorRecords;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;

/** Writes attributes of queue pairs and address vectors in the kernel's layout. */
final class QpAttributesWriter {
    private static final int PORT = 1;
    private static final int LONGEST_RNR_TIMER = 0;

    private QpAttributesWriter() {
    }

    /**
     * Writes the answer to INIT_QP_ATTR for iWARP. The transport moves the queue pair to RTR and RTS: there are only access rights to be
     * set, and for RTS nothing. (The kernel's iw_cm asks for RTR, too, which siw then does not enter.) The connecting side has its rights
     * before it connects: librdmacm does not modify it again, and the kernel's siw checks the rights of memory only.
     *
     * @param m zeroed
     */
    static void writeIwarp(MemorySegment m, QpState state) {
        int mask = (state == QpState.INIT ? QpAttributeMask.STATE : 0) | (state == QpState.RTS ? 0 : QpAttributeMask.ACCESS_FLAGS);
        QpAttributesRecord.qpState(m, 0, state.value());
        QpAttributesRecord.portNum(m, 0, PORT);
        QpAttributesRecord.qpAttrMask(m, 0, mask | QpAttributeMask.PORT);
        QpAttributesRecord.qpAccessFlags(m, 0, state == QpState.RTS ? 0 : AccessFlags.REMOTE_ANY);
    }

    /**
     * Writes the answer to INIT_QP_ATTR.
     *
     * @param m zeroed
     */
    static void write(MemorySegment m, QpState state, QpAttributes known) {
        QpAttributesRecord.qpState(m, 0, state.value());
        QpAttributesRecord.portNum(m, 0, PORT);
        QpAttributesRecord.qpAttrMask(m, 0, known.mask());
        QpAttributesRecord.pathMtu(m, 0, known.pathMtu() == null ? 0 : known.pathMtu().value());
        QpAttributesRecord.qkey(m, 0, known.qkey());
        QpAttributesRecord.rqPsn(m, 0, known.rqPsn());
        QpAttributesRecord.sqPsn(m, 0, known.sqPsn());
        QpAttributesRecord.destQpNum(m, 0, known.destQpn());
        QpAttributesRecord.qpAccessFlags(m, 0, known.accessFlags());
        QpAttributesRecord.pkeyIndex(m, 0, known.pkeyIndex());
        QpAttributesRecord.maxRdAtomic(m, 0, known.maxRdAtomic());
        QpAttributesRecord.maxDestRdAtomic(m, 0, known.maxDestRdAtomic());
        // 655 ms, as the kernel answers: programs with a small rnr_retry_count rely on such long waits.
        QpAttributesRecord.minRnrTimer(m, 0, LONGEST_RNR_TIMER);
        QpAttributesRecord.timeout(m, 0, known.timeout());
        QpAttributesRecord.retryCnt(m, 0, known.retryCount());
        QpAttributesRecord.rnrRetry(m, 0, known.rnrRetry());
        if (known.addressVector() != null) {
            VectorRecords.writeAh(m, QpAttributesRecord.AH_ATTR_OFFSET, known.addressVector());
        }
    }
}
