// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.QpDestination;
import org.softrdma.abi.uverbs.QueryQpResponse;
import org.softrdma.daemon.verbs.VectorRecords;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;

/** Attributes of queue pairs in the kernel's structures. */
final class QueuePairRecords {
    private static final int U8 = 0xff;
    private static final int U16 = 0xffff;
    private static final int U24 = 0xffffff;

    private QueuePairRecords() {
    }

    /**
     * Writes MODIFY_QP.
     *
     * @throws VerbsException EINVAL: a value is wider than its field, which would cut it off
     */
    static void set(MemorySegment m, QpAttributes change) {
        requireFits(change);
        ModifyQpCommand.attrMask(m, 0, change.mask());
        if (change.has(QpAttributeMask.STATE)) {
            ModifyQpCommand.qpState(m, 0, change.state().value());
        }
        if (change.has(QpAttributeMask.CUR_STATE)) {
            ModifyQpCommand.curQpState(m, 0, change.curState().value());
        }
        if (change.has(QpAttributeMask.PATH_MTU)) {
            ModifyQpCommand.pathMtu(m, 0, change.pathMtu().value());
        }
        if (change.has(QpAttributeMask.AV)) {
            VectorRecords.writeDestination(m, ModifyQpCommand.DEST_OFFSET, change.addressVector());
        }
        ModifyQpCommand.enSqdAsyncNotify(m, 0, change.sqdAsyncNotify() ? 1 : 0);
        ModifyQpCommand.qkey(m, 0, change.qkey());
        ModifyQpCommand.rqPsn(m, 0, change.rqPsn());
        ModifyQpCommand.sqPsn(m, 0, change.sqPsn());
        ModifyQpCommand.destQpNum(m, 0, change.destQpn());
        ModifyQpCommand.qpAccessFlags(m, 0, change.accessFlags());
        ModifyQpCommand.pkeyIndex(m, 0, change.pkeyIndex());
        ModifyQpCommand.maxRdAtomic(m, 0, change.maxRdAtomic());
        ModifyQpCommand.maxDestRdAtomic(m, 0, change.maxDestRdAtomic());
        ModifyQpCommand.minRnrTimer(m, 0, change.minRnrTimer());
        ModifyQpCommand.portNum(m, 0, change.port());
        ModifyQpCommand.timeout(m, 0, change.timeout());
        ModifyQpCommand.retryCnt(m, 0, change.retryCount());
        ModifyQpCommand.rnrRetry(m, 0, change.rnrRetry());
    }

    private static void requireFits(QpAttributes change) {
        requireFits("MAX_QP_RD_ATOMIC", change.maxRdAtomic(), U8);
        requireFits("MAX_DEST_RD_ATOMIC", change.maxDestRdAtomic(), U8);
        requireFits("MIN_RNR_TIMER", change.minRnrTimer(), U8);
        requireFits("PORT", change.port(), U8);
        requireFits("TIMEOUT", change.timeout(), U8);
        requireFits("RETRY_CNT", change.retryCount(), U8);
        requireFits("RNR_RETRY", change.rnrRetry(), U8);
        requireFits("PKEY_INDEX", change.pkeyIndex(), U16);
        requireFits("RQ_PSN", change.rqPsn(), U24);
        requireFits("SQ_PSN", change.sqPsn(), U24);
        requireFits("DEST_QPN", change.destQpn(), U24);
        if (change.has(QpAttributeMask.AV)) {
            JoinedAddressHandle.requireFits("modify_qp", change.addressVector());
        }
    }

    private static void requireFits(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new VerbsException(Errno.EINVAL, "modify_qp", name + ' ' + value + " is not in 0.." + max);
        }
    }

    /** Reads the answer to QUERY_QP: the attributes that have a meaning for a service. */
    static QpAttributes get(MemorySegment m, QpType type) {
        QpAttributes read = new QpAttributes().state(QpState.of(QueryQpResponse.qpState(m, 0)))
            .curState(QpState.of(QueryQpResponse.curQpState(m, 0))).pkeyIndex(QueryQpResponse.pkeyIndex(m, 0))
            .port(QueryQpResponse.portNum(m, 0)).sqPsn(QueryQpResponse.sqPsn(m, 0));
        if (type == QpType.UD) {
            return read.qkey(QueryQpResponse.qkey(m, 0));
        }
        read.accessFlags(QueryQpResponse.qpAccessFlags(m, 0)).destQpn(QueryQpResponse.destQpNum(m, 0))
            .rqPsn(QueryQpResponse.rqPsn(m, 0));
        Mtu mtu = Mtu.of(QueryQpResponse.pathMtu(m, 0));
        if (mtu != null) {
            read.pathMtu(mtu);
        }
        if (QpDestination.isGlobal(m, QueryQpResponse.DEST_OFFSET) != 0) {
            read.addressVector(VectorRecords.readDestination(m, QueryQpResponse.DEST_OFFSET));
        }
        if (type == QpType.RC) {
            read.timeout(QueryQpResponse.timeout(m, 0)).retryCount(QueryQpResponse.retryCnt(m, 0))
                .rnrRetry(QueryQpResponse.rnrRetry(m, 0)).maxRdAtomic(QueryQpResponse.maxRdAtomic(m, 0))
                .maxDestRdAtomic(QueryQpResponse.maxDestRdAtomic(m, 0)).minRnrTimer(QueryQpResponse.minRnrTimer(m, 0));
        }
        return read;
    }
}
