// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.cm.CmPathOptions;
import org.softrdma.cm.CmService;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.SidrQuery;
import org.softrdma.rxe.cm.SidrQueryListener;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.wire.cm.CmSidrRep;

/** Requesting side of a SIDR exchange: finds the queue pair of a datagram service. */
final class SidrQueryRole implements CmRole, SidrQueryListener {
    private final RxeCmConnection end;
    /** Destination of datagrams, made at the beginning because the local address may be gone when the answer is received. */
    private final AddressVector target;
    private final SidrQuery query;

    /**
     * Sends the query.
     *
     * @param privateData with the header of rdma_cm
     */
    SidrQueryRole(RxeCmConnection end, long nowNs, CmService service, GidPair gids, CmPathOptions options, byte[] privateData) {
        this.end = end;
        target = options.route() instanceof SubnetRoute route ? AddressVector.toLid(route.dlid()).withSl(route.serviceLevel())
            : AddressVector.to(gids.remote(), end.cm().gidIndex(gids.type(), gids.local())).withTrafficClass(options.typeOfService());
        query = end.cm().manager().query(nowNs, gids, service.serviceId(), QpMachine.PKEY, privateData, this);
    }

    @Override
    public String describe() {
        return "a datagram look-up";
    }

    @Override
    public void abandon(long nowNs) {
        query.abandon();
    }

    @Override
    public void onAnswer(SidrQuery answered, int status, int qpn, int qkey, byte[] privateData) {
        if (status == CmSidrRep.VALID) {
            end.handler().onDatagramTarget(new DatagramParameters(privateData, target, qpn, qkey));
        } else {
            end.handler().onUnreachable(status, privateData);
        }
    }

    @Override
    public void onUnreachable(SidrQuery unanswered) {
        end.handler().onUnreachable(-Errno.ETIMEDOUT.value(), RxeCmConnection.NO_DATA);
    }
}
