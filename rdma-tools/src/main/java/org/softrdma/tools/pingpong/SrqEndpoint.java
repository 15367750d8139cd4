// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.SharedReceiveQueue;

/** One end of {@code ibv_srq_pingpong}: reliable connections that share one receive queue. */
final class SrqEndpoint extends RcEndpoint {
    private SharedReceiveQueue srq;

    SrqEndpoint(PingPongParameters parameters) {
        super(parameters);
    }

    @Override
    void checkFeatures(Context opened) {
        if (parameters.onDemandPaging) {
            throw new ToolFailure("The device isn't ODP capable or does not support RC send, receive and srq with ODP");
        }
    }

    @Override
    SharedReceiveQueue openSharedReceives() {
        attempt("Couldn't create SRQ", () -> srq = pd.createSrq(parameters.rxDepth, 1, 0));
        closeFirst("Couldn't destroy SRQ", srq::close);
        return srq;
    }

    @Override
    int fill() {
        return 0;
    }

    @Override
    String nameOf(int index) {
        return "QP[" + index + "]";
    }

    @Override
    String gidComplaint() {
        return "Could not get local gid for gid index ";
    }

    @Override
    void postReceive() {
        srq.postReceive(receive);
    }
}
