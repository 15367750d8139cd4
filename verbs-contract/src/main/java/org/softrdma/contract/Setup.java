// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;

/** Parameters of the queue pairs under test; a test changes those it is about before it opens or connects anything. */
public final class Setup {
    public QpType type = QpType.RC;
    public int qkey = 0x11111111;
    public Mtu mtu = Mtu.MTU_1024;
    public int psnA = 0xfffff0;
    public int psnB = 0x654321;
    /** Code 18: 1.07 s. With all retries, longer than a busy machine delays the answer of a peer. */
    public int timeout = 18;
    public int retryCount = 7;
    public int rnrRetry = 7;
    /** Code 12: 0.64 ms. */
    public int minRnrTimer = 12;
    public int rdAtomic = 4;
    public int destRdAtomic = 4;
    /** Access rights of the peer at A's end, and at B's end. */
    public int accessA = AccessFlags.REMOTE_ANY;
    public int accessB = AccessFlags.REMOTE_ANY;
    public int queueDepth = 64;
    public int maxSge = 4;
    public int maxInline = 64;
    public boolean signalAll;
    public int cqe = 1024;
    /** Receives of a shared queue that the queue pair uses; 0 for a receive queue of its own. */
    public int srqDepth;

    /** Moves a queue pair from RESET to RTS, as its type requires: the ends of an XRC connection have different types. */
    public void connect(QueuePair qp, AddressVector way, int peersQpn, int access, int sqPsn, int rqPsn) {
        qp.modify(init(qp.type(), access));
        qp.modify(rtr(qp.type(), way, peersQpn, rqPsn));
        qp.modify(rts(qp.type(), sqPsn));
    }

    /** Attributes for RESET to INIT. */
    public QpAttributes init(int access) {
        return init(type, access);
    }

    private QpAttributes init(QpType type, int access) {
        QpAttributes attributes = new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1);
        return type == QpType.UD ? attributes.qkey(qkey) : attributes.accessFlags(access);
    }

    /** Attributes for INIT to RTR. */
    public QpAttributes rtr(AddressVector way, int peersQpn, int rqPsn) {
        return rtr(type, way, peersQpn, rqPsn);
    }

    private QpAttributes rtr(QpType type, AddressVector way, int peersQpn, int rqPsn) {
        QpAttributes attributes = new QpAttributes().state(QpState.RTR);
        if (type == QpType.UD) {
            return attributes;
        }
        attributes.addressVector(way).pathMtu(mtu).destQpn(peersQpn).rqPsn(rqPsn);
        return type == QpType.UC || type == QpType.XRC_SEND ? attributes
            : attributes.maxDestRdAtomic(destRdAtomic).minRnrTimer(minRnrTimer);
    }

    /** Attributes for RTR to RTS. */
    public QpAttributes rts(int sqPsn) {
        return rts(type, sqPsn);
    }

    private QpAttributes rts(QpType type, int sqPsn) {
        QpAttributes attributes = new QpAttributes().state(QpState.RTS).sqPsn(sqPsn);
        return switch (type) {
            case UD, UC -> attributes;
            case XRC_RECV -> attributes.timeout(timeout);
            case RC, XRC_SEND -> attributes.timeout(timeout).retryCount(retryCount).rnrRetry(rnrRetry).maxRdAtomic(rdAtomic);
        };
    }
}
