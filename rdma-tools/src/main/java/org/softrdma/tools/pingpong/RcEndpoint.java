// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;

/** One end of {@code ibv_rc_pingpong}. */
class RcEndpoint extends Endpoint {
    RcEndpoint(PingPongParameters parameters) {
        super(parameters, 0);
    }

    /** Refuses features that no soft device has, with the original's messages for devices without them. */
    @Override
    void checkFeatures(Context opened) {
        if (parameters.onDemandPaging) {
            throw new ToolFailure("The device isn't ODP capable or does not support RC send and receive with ODP");
        }
        if (parameters.timestamps) {
            throw new ToolFailure("The device isn't completion timestamp capable");
        }
        if (parameters.deviceMemory) {
            throw new ToolFailure("Device doesn't support dm allocation");
        }
    }

    @Override
    final QpAttributes initAttributes() {
        return new QpAttributes().accessFlags(0);
    }

    @Override
    final void connect(QueuePair qp, String name, int ownPsn, Destination peer, AddressVector vector) {
        attemptToReach(vector, "Failed to modify " + name + " to RTR", () -> qp.modify(new QpAttributes().state(QpState.RTR)
            .pathMtu(parameters.mtu).destQpn(peer.qpn()).rqPsn(peer.psn()).maxDestRdAtomic(1).minRnrTimer(12).addressVector(vector)));
        attempt("Failed to modify " + name + " to RTS", () -> qp.modify(
            new QpAttributes().state(QpState.RTS).timeout(14).retryCount(7).rnrRetry(7).sqPsn(ownPsn).maxRdAtomic(1)));
    }
}
