// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.rxe.cm.SidrRequest;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.wire.cm.CmSidrRep;

/** Responding side of a SIDR exchange: tells a peer the queue pair of a datagram service, or refuses. */
record SidrRequestRole(SidrRequest request) implements CmRole {
    @Override
    public String describe() {
        return "a datagram look-up";
    }

    @Override
    public void accept(long nowNs, ConnectionParameters parameters, int qkey) {
        RxeCmConnection.requireFits("accept", parameters.privateData(), CmSidrRep.PRIVATE_DATA_LENGTH);
        request.answer(nowNs, CmSidrRep.VALID, parameters.qpNum(), qkey, parameters.privateData());
    }

    @Override
    public void reject(long nowNs, byte[] privateData) {
        RxeCmConnection.requireFits("reject", privateData, CmSidrRep.PRIVATE_DATA_LENGTH);
        request.answer(nowNs, CmSidrRep.REJECTED, 0, 0, privateData);
    }

    @Override
    public void abandon(long nowNs) {
        request.abandon(nowNs);
    }
}
