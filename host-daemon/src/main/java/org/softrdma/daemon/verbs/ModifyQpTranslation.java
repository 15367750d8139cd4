// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.softrdma.verbs.QpAttributeMask.ACCESS_FLAGS;
import static org.softrdma.verbs.QpAttributeMask.ALT_PATH;
import static org.softrdma.verbs.QpAttributeMask.AV;
import static org.softrdma.verbs.QpAttributeMask.CAP;
import static org.softrdma.verbs.QpAttributeMask.CUR_STATE;
import static org.softrdma.verbs.QpAttributeMask.DEST_QPN;
import static org.softrdma.verbs.QpAttributeMask.EN_SQD_ASYNC_NOTIFY;
import static org.softrdma.verbs.QpAttributeMask.MAX_DEST_RD_ATOMIC;
import static org.softrdma.verbs.QpAttributeMask.MAX_QP_RD_ATOMIC;
import static org.softrdma.verbs.QpAttributeMask.MIN_RNR_TIMER;
import static org.softrdma.verbs.QpAttributeMask.PATH_MIG_STATE;
import static org.softrdma.verbs.QpAttributeMask.PATH_MTU;
import static org.softrdma.verbs.QpAttributeMask.PKEY_INDEX;
import static org.softrdma.verbs.QpAttributeMask.PORT;
import static org.softrdma.verbs.QpAttributeMask.QKEY;
import static org.softrdma.verbs.QpAttributeMask.RETRY_CNT;
import static org.softrdma.verbs.QpAttributeMask.RNR_RETRY;
import static org.softrdma.verbs.QpAttributeMask.RQ_PSN;
import static org.softrdma.verbs.QpAttributeMask.SQ_PSN;
import static org.softrdma.verbs.QpAttributeMask.STATE;
import static org.softrdma.verbs.QpAttributeMask.TIMEOUT;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.QpDestination;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;

/** Translation of MODIFY_QP. */
final class ModifyQpTranslation {
    /** Bits of {@code IB_QP_ATTR_STANDARD_BITS}: all that the verbs define without extensions. */
    static final int STANDARD = (1 << 21) - 1;

    /** PSNs and queue pair numbers: upper bits are ignored, as in the kernel. */
    private static final int U24 = 0xFFFFFF;

    private ModifyQpTranslation() {
    }

    /**
     * Reads the attributes that the mask names.
     *
     * @param in      {@link ModifyQpCommand}
     * @param ignored bits of attributes that are left out
     * @throws org.softrdma.verbs.VerbsException EINVAL: a value that no queue pair has
     */
    static QpAttributes of(MemorySegment in, int ignored) {
        int mask = ModifyQpCommand.attrMask(in, 0) & ~ignored;
        if ((mask & (ALT_PATH | PATH_MIG_STATE | CAP)) != 0) {
            throw Refusals.invalid("path migration and changes of sizes are not supported");
        }
        QpAttributes change = new QpAttributes();
        setStates(change, mask, in);
        setPath(change, mask, in);
        setReliability(change, mask, in);
        return change;
    }

    private static void setStates(QpAttributes change, int mask, MemorySegment in) {
        if ((mask & STATE) != 0) {
            change.state(state(ModifyQpCommand.qpState(in, 0)));
        }
        if ((mask & CUR_STATE) != 0) {
            change.curState(state(ModifyQpCommand.curQpState(in, 0)));
        }
        if ((mask & EN_SQD_ASYNC_NOTIFY) != 0) {
            change.sqdAsyncNotify(ModifyQpCommand.enSqdAsyncNotify(in, 0) != 0);
        }
        if ((mask & ACCESS_FLAGS) != 0) {
            change.accessFlags(ModifyQpCommand.qpAccessFlags(in, 0));
        }
    }

    private static QpState state(int value) {
        QpState state = QpState.of(value);
        if (state == null) {
            throw Refusals.invalid("state " + value);
        }
        return state;
    }

    private static void setPath(QpAttributes change, int mask, MemorySegment in) {
        if ((mask & PKEY_INDEX) != 0) {
            change.pkeyIndex(ModifyQpCommand.pkeyIndex(in, 0));
        }
        if ((mask & PORT) != 0) {
            change.port(ModifyQpCommand.portNum(in, 0));
        }
        if ((mask & QKEY) != 0) {
            change.qkey(ModifyQpCommand.qkey(in, 0));
        }
        if ((mask & AV) != 0) {
            change.addressVector(vector(in, ModifyQpCommand.DEST_OFFSET));
        }
        if ((mask & PATH_MTU) != 0) {
            change.pathMtu(mtu(ModifyQpCommand.pathMtu(in, 0)));
        }
        if ((mask & DEST_QPN) != 0) {
            change.destQpn(ModifyQpCommand.destQpNum(in, 0) & U24);
        }
    }

    private static AddressVector vector(MemorySegment in, long at) {
        if (QpDestination.isGlobal(in, at) == 0) {
            throw Refusals.invalid("a path without a GRH; RoCE needs one");
        }
        return VectorRecords.readDestination(in, at);
    }

    private static Mtu mtu(int value) {
        Mtu mtu = Mtu.of(value);
        if (mtu == null) {
            throw Refusals.invalid("path_mtu " + value);
        }
        return mtu;
    }

    private static void setReliability(QpAttributes change, int mask, MemorySegment in) {
        if ((mask & RQ_PSN) != 0) {
            change.rqPsn(ModifyQpCommand.rqPsn(in, 0) & U24);
        }
        if ((mask & SQ_PSN) != 0) {
            change.sqPsn(ModifyQpCommand.sqPsn(in, 0) & U24);
        }
        if ((mask & TIMEOUT) != 0) {
            change.timeout(ModifyQpCommand.timeout(in, 0));
        }
        if ((mask & RETRY_CNT) != 0) {
            change.retryCount(ModifyQpCommand.retryCnt(in, 0));
        }
        if ((mask & RNR_RETRY) != 0) {
            change.rnrRetry(ModifyQpCommand.rnrRetry(in, 0));
        }
        if ((mask & MAX_QP_RD_ATOMIC) != 0) {
            change.maxRdAtomic(ModifyQpCommand.maxRdAtomic(in, 0));
        }
        if ((mask & MAX_DEST_RD_ATOMIC) != 0) {
            change.maxDestRdAtomic(ModifyQpCommand.maxDestRdAtomic(in, 0));
        }
        if ((mask & MIN_RNR_TIMER) != 0) {
            change.minRnrTimer(ModifyQpCommand.minRnrTimer(in, 0));
        }
    }
}
