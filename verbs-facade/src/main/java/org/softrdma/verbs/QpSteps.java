// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * The steps of a queue pair to RTS, with values that suit most programs: an ACK timeout of a second and seven retries, so that a machine
 * that stands still for a while ends no connection, and no limit to the wait for a receive of the peer. The peer has all rights at the
 * queue pair; those of the memory regions limit it.
 */
final class QpSteps {
    private static final int PORT = 1;
    /** Code 18: 1.07 s, as the kernel's connection manager assumes for RoCE, and UCX for all. */
    private static final int ACK_TIMEOUT = 18;
    private static final int RETRIES = 7;
    private static final int RNR_RETRIES_WITHOUT_LIMIT = 7;
    /** Code 12: 0.64 ms. */
    private static final int MIN_RNR_TIMER = 12;

    private QpSteps() {
    }

    /** Moves an RC or UC queue pair to INIT on the GID that most programs mean: of RoCE v2, and IPv4, if there is one. */
    static QpAddress init(QueuePair qp) {
        requireConnectable(qp);
        GidEntry best = null;
        for (GidEntry each : qp.pd().context().queryGidTable()) {
            if (best == null || rank(each) > rank(best)) {
                best = each;
            }
        }
        if (best == null) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "modify_qp", "the device has no GID; give its network interface an address");
        }
        return init(qp, best);
    }

    private static int rank(GidEntry entry) {
        int version = entry.type() == GidType.ROCE_V2 ? 4 : 0;
        return version + (entry.gid().isIpv4Mapped() ? 2 : entry.gid().isLinkLocal() ? 0 : 1);
    }

    /** Moves an RC or UC queue pair to INIT, unless it is there already. */
    static QpAddress init(QueuePair qp, GidEntry gid) {
        requireConnectable(qp);
        if (qp.state() != QpState.INIT) {
            qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(gid.port()).accessFlags(AccessFlags.REMOTE_ANY));
        }
        return QpAddress.of(qp, gid);
    }

    private static void requireConnectable(QueuePair qp) {
        if (qp.type() != QpType.RC && qp.type() != QpType.UC) {
            throw new VerbsException(Errno.EINVAL, "modify_qp", "init and connect are for RC and UC queue pairs, this one is " + qp.type()
                + (qp.type() == QpType.UD ? "; call activate" : "; call modify for each state"));
        }
        if (qp.pd().context().device().transport() == Transport.IWARP) {
            throw new VerbsException(Errno.EOPNOTSUPP, "modify_qp", "iWARP connects by address only; use a CmId of the ConnectionManager");
        }
    }

    /** Moves an RC or UC queue pair from INIT to RTS. */
    static void connect(QueuePair qp, QpAddress own, QpAddress peer) {
        requireConnectable(qp);
        if (own.type() != peer.type()) {
            throw new VerbsException(Errno.EINVAL, "modify_qp", "this end is on a GID of " + own.type().text() + ", the peer on one of "
                + peer.type().text() + "; choose one kind with init(GidEntry)");
        }
        Context context = qp.pd().context();
        boolean reliable = qp.type() == QpType.RC;
        GidEntry gid = entry(context, own);
        AddressVector vector = AddressVector.to(peer.gid(), gid.index()).withPort(gid.port());
        Mtu mtu = own.mtu().compareTo(peer.mtu()) < 0 ? own.mtu() : peer.mtu();

        QpAttributes receive = new QpAttributes().state(QpState.RTR).addressVector(vector).pathMtu(mtu).destQpn(peer.qpn())
            .rqPsn(peer.psn());
        qp.modify(reliable ? receive.maxDestRdAtomic(own.reads()).minRnrTimer(MIN_RNR_TIMER) : receive);

        QpAttributes send = new QpAttributes().state(QpState.RTS).sqPsn(own.psn());
        int reads = Math.min(peer.reads(), context.queryDevice().maxQpInitRdAtom());
        qp.modify(reliable ? send.timeout(ACK_TIMEOUT).retryCount(RETRIES).rnrRetry(RNR_RETRIES_WITHOUT_LIMIT).maxRdAtomic(reads) : send);
    }

    /** Returns the entry of the device's table that an own address is on. */
    private static GidEntry entry(Context context, QpAddress own) {
        for (GidEntry each : context.queryGidTable()) {
            if (each.gid().equals(own.gid()) && each.type() == own.type()) {
                return each;
            }
        }
        throw new VerbsException(Errno.EADDRNOTAVAIL, "modify_qp", "the device has no " + own.type().text() + " GID " + own.gid()
            + "; the first argument of connect is the own address, the second the peer's");
    }

    /** Moves a UD queue pair from RESET to RTS. */
    static void activate(QueuePair qp, int qkey) {
        if (qp.type() != QpType.UD) {
            throw new VerbsException(Errno.EINVAL, "modify_qp", "activate is for UD queue pairs, this one is " + qp.type()
                + "; call init and connect");
        }
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(PORT).qkey(qkey));
        qp.modify(new QpAttributes().state(QpState.RTR));
        qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
    }
}
