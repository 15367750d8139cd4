// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpType;

/** A UC queue pair: {@link UcRequester} sends, {@link UcResponder} executes the peer's requests, and neither ever answers. */
public final class UcMachine extends UnreliableMachine {
    private final UcRequester requester;
    private final UcResponder responder;

    public UcMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<RxeCounter> counters) {
        super(qpn, queues, memory, counters, new QpAttributes().accessFlags(0).pkeyIndex(0).port(0).destQpn(0).sqdAsyncNotify(false));
        requester = new UcRequester(this, queues.sends());
        responder = new UcResponder(this);
    }

    @Override
    public RxeCounter checkOrigin(InboundPacket packet) {
        if (path() == null) {
            return RxeCounter.DROP_QP_STATE;
        }
        return path().connects(packet.frame()) ? null : RxeCounter.DROP_WRONG_ADDRESS;
    }

    @Override
    public QpType type() {
        return QpType.UC;
    }

    @Override
    public void onPacket(long nowNs, InboundPacket packet) {
        if (!mayReceive()) {
            drop(RxeCounter.DROP_QP_STATE, qpn(), state().value());
            return;
        }
        responder.onRequest(packet);
    }

    @Override
    UnreliableRequester requester() {
        return requester;
    }

    @Override
    void onReadyToReceive() {
        responder.start(attributes().rqPsn());
    }

    @Override
    public QpAttributes query() {
        return super.query().rqPsn(responder.expectedPsn());
    }
}
