// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;

/** The way of a queue pair to RTS without a connection manager. Source: IBA vol 1 §10.3.1. */
final class QueuePairSteps {
    private QueuePairSteps() {
    }

    static void toInit(End end) {
        end.qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
    }

    static void toRtr(SimulatedWorld world, End end, Scene.Connection connection) {
        end.qp.modify(new QpAttributes().state(QpState.RTR)
            .addressVector(AddressVector.to(world.fabric().gid(end.peer.device).gid(), world.fabric().gid(end.device).index()))
            .pathMtu(end.context.queryPort(1).activeMtu()).destQpn(end.peer.qp.qpNum()).rqPsn(end.peer.firstPsn)
            .maxDestRdAtomic(connection.reads()).minRnrTimer(12));
    }

    static void toRts(End end, Scene.Connection connection) {
        end.qp.modify(new QpAttributes().state(QpState.RTS).timeout(connection.timeout()).retryCount(connection.retryCount())
            .rnrRetry(connection.rnrRetry()).sqPsn(end.firstPsn).maxRdAtomic(connection.reads()));
    }
}
