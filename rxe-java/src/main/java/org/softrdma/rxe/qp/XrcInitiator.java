// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.wire.roce.Opcode;

/** Requester's half of an XRC connection: like RC, with a shared receive queue of the peer named in each request. Drops requests. */
public final class XrcInitiator extends RcMachine {
    public XrcInitiator(int qpn, WorkQueues queues, MemoryTable memory, Counters<RxeCounter> counters, FlightBudget flight) {
        super(qpn, queues, memory, counters, flight, Opcode.TRANSPORT_XRC,
            new QpAttributes().accessFlags(0).pkeyIndex(0).port(0).destQpn(0).maxRdAtomic(0).timeout(0).retryCount(0).rnrRetry(0)
                .sqdAsyncNotify(false),
            new RequestContext(queues.pdNumber(), queues.receives(), null));
    }

    @Override
    public QpType type() {
        return QpType.XRC_SEND;
    }

    @Override
    void onRequest(InboundPacket packet) {
        drop(RxeCounter.DROP_WRONG_SERVICE, packet.opcode(), 0);
    }

    @Override
    public LingeringQueuePairs.Entry lingering(long untilNs) {
        return null;
    }
}
