// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.ReceiveCompletions;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.reason.Failure;

/** Queue pair of a service without acknowledgements: it waits for nothing, repeats nothing and answers nothing. */
abstract class UnreliableMachine extends QpMachine {
    private final ReceiveCompletions receiveCompletions;

    UnreliableMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<RxeCounter> counters, QpAttributes attributes) {
        super(qpn, queues, memory, counters, attributes);
        receiveCompletions = newReceiveCompletions();
    }

    abstract UnreliableRequester requester();

    final ReceiveCompletions receiveCompletions() {
        return receiveCompletions;
    }

    @Override
    final int transmitFreely(long nowNs, PacketWriter out, int budget) {
        return requester().transmit(out, budget);
    }

    @Override
    final int transmitData(long nowNs, PacketWriter out, int budget) {
        return requester().transmit(out, budget);
    }

    @Override
    final boolean hasData() {
        return requester().hasMore();
    }

    @Override
    final int transmitAnswer(PacketWriter out, int budget) {
        return 0;
    }

    @Override
    public final void settle(PacketWriter out, int budget) {
    }

    @Override
    public final int sendPosted(long nowNs, PacketWriter out, int budget) {
        return requester().transmit(out, budget);
    }

    @Override
    public final LingeringQueuePairs.Entry lingering(long untilNs) {
        return null;
    }

    @Override
    final void onServiceTimer(long nowNs) {
    }

    @Override
    final long serviceDeadlineNs() {
        return Deadline.NEVER;
    }

    @Override
    final void onReadyToSend() {
        requester().reset(attributes().sqPsn());
    }

    @Override
    void onServiceReset() {
        requester().reset(0);
    }

    @Override
    protected final void flushSends() {
        requester().flush();
    }

    @Override
    protected final void flushReceives() {
        receiveCompletions.flush();
    }

    @Override
    protected final long drainEnd() {
        return requester().begun();
    }

    /** Fails the current receive for a local fault, after which the queue pair cannot continue. IBA vol 1 §9.9.3 */
    final void failReceive(Failure why) {
        receiveCompletions.fail(why);
        enterError();
    }

    @Override
    public QpAttributes query() {
        return super.query().sqPsn(requester().nextPsn());
    }
}
