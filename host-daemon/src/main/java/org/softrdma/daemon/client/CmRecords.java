// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.ucm.UcmConnectionParameters;
import org.softrdma.abi.uverbs.QpAttributesRecord;
import org.softrdma.daemon.verbs.VectorRecords;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;

/** Structures of the connection manager's commands. */
final class CmRecords {
    private static final int MAX_PRIVATE_DATA = 255;

    private CmRecords() {
    }

    /**
     * Writes connection parameters.
     *
     * @throws VerbsException EINVAL: more private data than the field holds
     */
    static void set(MemorySegment m, long at, String verb, ConnectionParameters from) {
        byte[] data = from.privateData();
        requireFits(verb, data);
        UcmConnectionParameters.qpNum(m, at, from.qpNum());
        MemorySegment.copy(data, 0, m, JAVA_BYTE, at + UcmConnectionParameters.PRIVATE_DATA_OFFSET, data.length);
        UcmConnectionParameters.privateDataLen(m, at, data.length);
        UcmConnectionParameters.srq(m, at, from.srq() ? 1 : 0);
        UcmConnectionParameters.responderResources(m, at, from.responderResources());
        UcmConnectionParameters.initiatorDepth(m, at, from.initiatorDepth());
        UcmConnectionParameters.flowControl(m, at, from.flowControl() ? 1 : 0);
        UcmConnectionParameters.retryCount(m, at, from.retryCount());
        UcmConnectionParameters.rnrRetryCount(m, at, from.rnrRetryCount());
        UcmConnectionParameters.valid(m, at, 1);
    }

    /** Requires that private data fits into a command. */
    static void requireFits(String verb, byte[] data) {
        if (data.length > MAX_PRIVATE_DATA) {
            throw new VerbsException(Errno.EINVAL, verb, data.length + " bytes of private data; no transport carries so many");
        }
    }

    /** Reads the attributes of INIT_QP_ATTR's answer. */
    static QpAttributes attributes(MemorySegment m) {
        int mask = QpAttributesRecord.qpAttrMask(m, 0);
        QpAttributes read = new QpAttributes();
        set(mask, QpAttributeMask.STATE, () -> read.state(QpState.of(QpAttributesRecord.qpState(m, 0))));
        set(mask, QpAttributeMask.PATH_MTU, () -> read.pathMtu(Mtu.of(QpAttributesRecord.pathMtu(m, 0))));
        set(mask, QpAttributeMask.QKEY, () -> read.qkey(QpAttributesRecord.qkey(m, 0)));
        set(mask, QpAttributeMask.RQ_PSN, () -> read.rqPsn(QpAttributesRecord.rqPsn(m, 0)));
        set(mask, QpAttributeMask.SQ_PSN, () -> read.sqPsn(QpAttributesRecord.sqPsn(m, 0)));
        set(mask, QpAttributeMask.DEST_QPN, () -> read.destQpn(QpAttributesRecord.destQpNum(m, 0)));
        set(mask, QpAttributeMask.ACCESS_FLAGS, () -> read.accessFlags(QpAttributesRecord.qpAccessFlags(m, 0)));
        set(mask, QpAttributeMask.PKEY_INDEX, () -> read.pkeyIndex(QpAttributesRecord.pkeyIndex(m, 0)));
        set(mask, QpAttributeMask.MAX_QP_RD_ATOMIC, () -> read.maxRdAtomic(QpAttributesRecord.maxRdAtomic(m, 0)));
        set(mask, QpAttributeMask.MAX_DEST_RD_ATOMIC, () -> read.maxDestRdAtomic(QpAttributesRecord.maxDestRdAtomic(m, 0)));
        set(mask, QpAttributeMask.MIN_RNR_TIMER, () -> read.minRnrTimer(QpAttributesRecord.minRnrTimer(m, 0)));
        set(mask, QpAttributeMask.PORT, () -> read.port(QpAttributesRecord.portNum(m, 0)));
        set(mask, QpAttributeMask.TIMEOUT, () -> read.timeout(QpAttributesRecord.timeout(m, 0)));
        set(mask, QpAttributeMask.RETRY_CNT, () -> read.retryCount(QpAttributesRecord.retryCnt(m, 0)));
        set(mask, QpAttributeMask.RNR_RETRY, () -> read.rnrRetry(QpAttributesRecord.rnrRetry(m, 0)));
        set(mask, QpAttributeMask.AV, () -> read.addressVector(VectorRecords.readAh(m, QpAttributesRecord.AH_ATTR_OFFSET)));
        return read;
    }

    private static void set(int mask, int bit, Runnable setter) {
        if ((mask & bit) != 0) {
            setter.run();
        }
    }
}
