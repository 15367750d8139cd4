// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvQpAttr;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;

/** Attributes of queue pairs as {@code struct ibv_qp_attr}. */
final class QueuePairAttributes {
    private QueuePairAttributes() {
    }

    /** Writes the attributes that are set. */
    static void set(MemorySegment m, QpAttributes attributes) {
        if (attributes.has(QpAttributeMask.STATE)) {
            IbvQpAttr.QP_STATE.set(m, 0, attributes.state().value());
        }
        if (attributes.has(QpAttributeMask.CUR_STATE)) {
            IbvQpAttr.CUR_QP_STATE.set(m, 0, attributes.curState().value());
        }
        if (attributes.has(QpAttributeMask.PATH_MTU)) {
            IbvQpAttr.PATH_MTU.set(m, 0, attributes.pathMtu().value());
        }
        if (attributes.has(QpAttributeMask.AV)) {
            AddressVectors.set(m, IbvQpAttr.AH_ATTR.offset(), attributes.addressVector());
        }
        IbvQpAttr.EN_SQD_ASYNC_NOTIFY.set(m, 0, attributes.sqdAsyncNotify() ? 1 : 0);
        IbvQpAttr.QKEY.set(m, 0, attributes.qkey());
        IbvQpAttr.RQ_PSN.set(m, 0, attributes.rqPsn());
        IbvQpAttr.SQ_PSN.set(m, 0, attributes.sqPsn());
        IbvQpAttr.DEST_QP_NUM.set(m, 0, attributes.destQpn());
        IbvQpAttr.QP_ACCESS_FLAGS.set(m, 0, attributes.accessFlags());
        IbvQpAttr.PKEY_INDEX.set(m, 0, attributes.pkeyIndex());
        IbvQpAttr.MAX_RD_ATOMIC.set(m, 0, attributes.maxRdAtomic());
        IbvQpAttr.MAX_DEST_RD_ATOMIC.set(m, 0, attributes.maxDestRdAtomic());
        IbvQpAttr.MIN_RNR_TIMER.set(m, 0, attributes.minRnrTimer());
        IbvQpAttr.PORT_NUM.set(m, 0, attributes.port());
        IbvQpAttr.TIMEOUT.set(m, 0, attributes.timeout());
        IbvQpAttr.RETRY_CNT.set(m, 0, attributes.retryCount());
        IbvQpAttr.RNR_RETRY.set(m, 0, attributes.rnrRetry());
    }

    /** Bits of {@link QpAttributeMask}: attributes that have a meaning for a service. */
    static int queried(QpType type) {
        int all = QpAttributeMask.STATE | QpAttributeMask.CUR_STATE | QpAttributeMask.PKEY_INDEX | QpAttributeMask.PORT
            | QpAttributeMask.SQ_PSN | QpAttributeMask.CAP;
        if (type == QpType.UD) {
            return all | QpAttributeMask.QKEY;
        }
        all |= QpAttributeMask.ACCESS_FLAGS | QpAttributeMask.AV | QpAttributeMask.PATH_MTU | QpAttributeMask.DEST_QPN
            | QpAttributeMask.RQ_PSN;
        return type == QpType.UC ? all : all | QpAttributeMask.TIMEOUT | QpAttributeMask.RETRY_CNT | QpAttributeMask.RNR_RETRY
            | QpAttributeMask.MAX_QP_RD_ATOMIC | QpAttributeMask.MIN_RNR_TIMER | QpAttributeMask.MAX_DEST_RD_ATOMIC;
    }

    /** Reads the attributes of a mask. */
    static QpAttributes get(MemorySegment m, int mask) {
        QpAttributes read = new QpAttributes();
        set(mask, QpAttributeMask.STATE, () -> read.state(QpState.of(IbvQpAttr.QP_STATE.get(m, 0))));
        set(mask, QpAttributeMask.CUR_STATE, () -> read.curState(QpState.of(IbvQpAttr.CUR_QP_STATE.get(m, 0))));
        set(mask, QpAttributeMask.PKEY_INDEX, () -> read.pkeyIndex(IbvQpAttr.PKEY_INDEX.get(m, 0)));
        set(mask, QpAttributeMask.PORT, () -> read.port(IbvQpAttr.PORT_NUM.get(m, 0)));
        set(mask, QpAttributeMask.QKEY, () -> read.qkey(IbvQpAttr.QKEY.get(m, 0)));
        set(mask, QpAttributeMask.ACCESS_FLAGS, () -> read.accessFlags(IbvQpAttr.QP_ACCESS_FLAGS.get(m, 0)));
        set(mask, QpAttributeMask.AV, () -> read.addressVector(AddressVectors.get(m, IbvQpAttr.AH_ATTR.offset())));
        set(mask, QpAttributeMask.PATH_MTU, () -> read.pathMtu(Mtu.of(IbvQpAttr.PATH_MTU.get(m, 0))));
        set(mask, QpAttributeMask.DEST_QPN, () -> read.destQpn(IbvQpAttr.DEST_QP_NUM.get(m, 0)));
        set(mask, QpAttributeMask.RQ_PSN, () -> read.rqPsn(IbvQpAttr.RQ_PSN.get(m, 0)));
        set(mask, QpAttributeMask.SQ_PSN, () -> read.sqPsn(IbvQpAttr.SQ_PSN.get(m, 0)));
        set(mask, QpAttributeMask.TIMEOUT, () -> read.timeout(IbvQpAttr.TIMEOUT.get(m, 0)));
        set(mask, QpAttributeMask.RETRY_CNT, () -> read.retryCount(IbvQpAttr.RETRY_CNT.get(m, 0)));
        set(mask, QpAttributeMask.RNR_RETRY, () -> read.rnrRetry(IbvQpAttr.RNR_RETRY.get(m, 0)));
        set(mask, QpAttributeMask.MAX_QP_RD_ATOMIC, () -> read.maxRdAtomic(IbvQpAttr.MAX_RD_ATOMIC.get(m, 0)));
        set(mask, QpAttributeMask.MAX_DEST_RD_ATOMIC, () -> read.maxDestRdAtomic(IbvQpAttr.MAX_DEST_RD_ATOMIC.get(m, 0)));
        set(mask, QpAttributeMask.MIN_RNR_TIMER, () -> read.minRnrTimer(IbvQpAttr.MIN_RNR_TIMER.get(m, 0)));
        return read;
    }

    private static void set(int mask, int bit, Runnable setter) {
        if ((mask & bit) != 0) {
            setter.run();
        }
    }
}
