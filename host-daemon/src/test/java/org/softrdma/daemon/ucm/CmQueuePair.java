// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import static org.softrdma.abi.AbiLayout.BE64;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.AhAttributes;
import org.softrdma.abi.uverbs.QpAttributesRecord;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;

/** A queue pair of a played program, which modifies it with INIT_QP_ATTR's answers, as librdmacm does. */
final class CmQueuePair implements AutoCloseable {
    static final int DEPTH = 16;

    private final Context context;
    private final ProtectionDomain pd;
    private final Arena arena = Arena.ofShared();
    final CompletionQueue cq;
    final QueuePair qp;
    final MemorySegment memory = arena.allocate(4096, 8);
    final MemoryRegion region;

    CmQueuePair(CmPrograms programs, CmProgram owner, QpType type) {
        context = programs.rdma.open();
        pd = context.allocatePd();
        cq = context.createCq(2 * DEPTH);
        qp = pd.createQp(new QpInitAttributes(type, cq, cq, null, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0), true));
        region = pd.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
        programs.created(qp.qpNum(), owner.process);
    }

    int number() {
        return qp.qpNum();
    }

    /** Modifies the queue pair with exactly the attributes in the mask. */
    void modify(MemorySegment m) {
        int mask = QpAttributesRecord.qpAttrMask(m, 0);
        QpAttributes a = new QpAttributes();
        set(mask, QpAttributeMask.STATE, () -> a.state(QpState.of(QpAttributesRecord.qpState(m, 0))));
        set(mask, QpAttributeMask.ACCESS_FLAGS, () -> a.accessFlags(QpAttributesRecord.qpAccessFlags(m, 0)));
        set(mask, QpAttributeMask.PKEY_INDEX, () -> a.pkeyIndex(QpAttributesRecord.pkeyIndex(m, 0)));
        set(mask, QpAttributeMask.PORT, () -> a.port(QpAttributesRecord.portNum(m, 0)));
        set(mask, QpAttributeMask.QKEY, () -> a.qkey(QpAttributesRecord.qkey(m, 0)));
        set(mask, QpAttributeMask.AV, () -> a.addressVector(vector(m, QpAttributesRecord.AH_ATTR_OFFSET)));
        set(mask, QpAttributeMask.PATH_MTU, () -> a.pathMtu(Mtu.of(QpAttributesRecord.pathMtu(m, 0))));
        set(mask, QpAttributeMask.TIMEOUT, () -> a.timeout(QpAttributesRecord.timeout(m, 0)));
        set(mask, QpAttributeMask.RETRY_CNT, () -> a.retryCount(QpAttributesRecord.retryCnt(m, 0)));
        set(mask, QpAttributeMask.RNR_RETRY, () -> a.rnrRetry(QpAttributesRecord.rnrRetry(m, 0)));
        set(mask, QpAttributeMask.RQ_PSN, () -> a.rqPsn(QpAttributesRecord.rqPsn(m, 0)));
        set(mask, QpAttributeMask.MAX_QP_RD_ATOMIC, () -> a.maxRdAtomic(QpAttributesRecord.maxRdAtomic(m, 0)));
        set(mask, QpAttributeMask.MIN_RNR_TIMER, () -> a.minRnrTimer(QpAttributesRecord.minRnrTimer(m, 0)));
        set(mask, QpAttributeMask.SQ_PSN, () -> a.sqPsn(QpAttributesRecord.sqPsn(m, 0)));
        set(mask, QpAttributeMask.MAX_DEST_RD_ATOMIC, () -> a.maxDestRdAtomic(QpAttributesRecord.maxDestRdAtomic(m, 0)));
        set(mask, QpAttributeMask.DEST_QPN, () -> a.destQpn(QpAttributesRecord.destQpNum(m, 0)));
        qp.modify(a);
    }

    private static void set(int mask, int bit, Runnable setter) {
        if ((mask & bit) != 0) {
            setter.run();
        }
    }

    static AddressVector vector(MemorySegment m, long at) {
        Gid gid = new Gid(m.get(BE64, at), m.get(BE64, at + 8));
        return new AddressVector(gid, AhAttributes.sgidIndex(m, at), AhAttributes.flowLabel(m, at), AhAttributes.hopLimit(m, at),
            AhAttributes.trafficClass(m, at), AhAttributes.sl(m, at), AhAttributes.portNum(m, at));
    }

    @Override
    public void close() {
        qp.close();
        region.close();
        cq.close();
        pd.close();
        context.close();
        arena.close();
    }
}
