// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.QueryQpResponse;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpState;

/** Translation of QUERY_QP's answer. All attributes are answered, whatever the mask names, as by rxe. */
final class QueryQpTranslation {
    /** IB_MIG_MIGRATED: there is one path only. */
    private static final int MIGRATED = 0;

    private QueryQpTranslation() {
    }

    static void write(MemorySegment to, HeldQp held) {
        QpAttributes now = held.qp().query();
        QpState state = held.qp().state();
        AddressVector vector = now.addressVector();
        if (vector != null) {
            VectorRecords.writeDestination(to, QueryQpResponse.DEST_OFFSET, vector);
        }
        write(to, held.granted());
        QueryQpResponse.qkey(to, 0, now.qkey());
        QueryQpResponse.rqPsn(to, 0, now.rqPsn());
        QueryQpResponse.sqPsn(to, 0, now.sqPsn());
        QueryQpResponse.destQpNum(to, 0, now.destQpn());
        QueryQpResponse.qpAccessFlags(to, 0, now.accessFlags());
        QueryQpResponse.pkeyIndex(to, 0, now.pkeyIndex());
        QueryQpResponse.qpState(to, 0, state.value());
        QueryQpResponse.curQpState(to, 0, state.value());
        QueryQpResponse.pathMtu(to, 0, now.pathMtu() == null ? 0 : now.pathMtu().value());
        QueryQpResponse.pathMigState(to, 0, MIGRATED);
        QueryQpResponse.maxRdAtomic(to, 0, now.maxRdAtomic());
        QueryQpResponse.maxDestRdAtomic(to, 0, now.maxDestRdAtomic());
        QueryQpResponse.minRnrTimer(to, 0, now.minRnrTimer());
        QueryQpResponse.portNum(to, 0, now.port());
        QueryQpResponse.timeout(to, 0, now.timeout());
        QueryQpResponse.retryCnt(to, 0, now.retryCount());
        QueryQpResponse.rnrRetry(to, 0, now.rnrRetry());
        QueryQpResponse.sqSigAll(to, 0, held.qp().signalAll() ? 1 : 0);
    }

    private static void write(MemorySegment to, QpCapabilities granted) {
        QueryQpResponse.maxSendWr(to, 0, granted.maxSendWr());
        QueryQpResponse.maxRecvWr(to, 0, granted.maxRecvWr());
        QueryQpResponse.maxSendSge(to, 0, granted.maxSendSge());
        QueryQpResponse.maxRecvSge(to, 0, granted.maxRecvSge());
        QueryQpResponse.maxInlineData(to, 0, granted.maxInlineData());
    }
}
