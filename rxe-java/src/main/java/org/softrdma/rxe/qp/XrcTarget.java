// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.softrdma.device.Counters;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.device.queue.SharedQueue;
import org.softrdma.device.queue.SharedReceives;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.wire.roce.Opcode;

/**
 * Responder's half of an XRC connection: like RC, with each request executed in the context that it names ({@link XrcRequestContext}). It
 * belongs to an XRC domain and can be opened by every process that has the domain open; it is destroyed when the last one closes it.
 */
public final class XrcTarget extends RcMachine {
    private final int domain;
    private final List<WorkQueues> holders = new ArrayList<>();

    /**
     * @param receives the maker's receives, not aimed at any queue yet
     * @param domain   number of its XRC domain
     * @param queues   finds the device's shared receive queues by number; null for a number that none has
     */
    public XrcTarget(int qpn, WorkQueues maker, SharedReceives receives, int domain, MemoryTable memory,
              Counters<RxeCounter> counters, FlightBudget flight, IntFunction<? extends SharedQueue> queues) {
        super(qpn, maker, memory, counters, flight, Opcode.TRANSPORT_XRC,
            new QpAttributes().accessFlags(0).pkeyIndex(0).port(0).destQpn(0).maxDestRdAtomic(0).minRnrTimer(0).timeout(0)
                .sqdAsyncNotify(false),
            new XrcRequestContext(queues, domain, receives));
        this.domain = domain;
        holders.add(maker);
    }

    @Override
    public QpType type() {
        return QpType.XRC_RECV;
    }

    /** Number of its XRC domain. */
    public int domain() {
        return domain;
    }

    /** Adds one more opener. */
    public void hold(WorkQueues holder) {
        holders.add(holder);
    }

    @Override
    public boolean release(WorkQueues holder) {
        holders.remove(holder);
        return holders.isEmpty();
    }

    /** Raises the event on every opener's queue pair. */
    @Override
    public void raise(AsyncEventType type) {
        observer().raised(type);
        for (int i = 0; i < holders.size(); i++) {
            holders.get(i).raise(type);
        }
    }

    @Override
    void onResponse(long nowNs, InboundPacket packet) {
        drop(RxeCounter.DROP_WRONG_SERVICE, packet.opcode(), 0);
    }
}
