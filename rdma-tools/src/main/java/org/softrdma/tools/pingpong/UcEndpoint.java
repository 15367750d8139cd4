// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;

/** One end of {@code ibv_uc_pingpong}. */
final class UcEndpoint extends Endpoint {
    UcEndpoint(PingPongParameters parameters) {
        super(parameters, 0);
    }

    @Override
    void checkFeatures(Context opened) {
    }

    @Override
    QpAttributes initAttributes() {
        return new QpAttributes().accessFlags(0);
    }

    @Override
    void connect(QueuePair qp, String name, int ownPsn, Destination peer, AddressVector vector) {
        attemptToReach(vector, "Failed to modify " + name + " to RTR", () -> qp.modify(new QpAttributes().state(QpState.RTR)
            .pathMtu(parameters.mtu).destQpn(peer.qpn()).rqPsn(peer.psn()).addressVector(vector)));
        attempt("Failed to modify " + name + " to RTS", () -> qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(ownPsn)));
    }
}
