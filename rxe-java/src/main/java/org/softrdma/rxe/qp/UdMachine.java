// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpType;

/**
 * A UD queue pair: each message is one packet, sent to the destination of its address handle, or received with the right Q_Key.
 * {@link UdRequester} sends, {@link UdResponder} receives.
 */
public final class UdMachine extends UnreliableMachine {
    private final UdRequester requester;
    private final UdResponder responder;

    /**
     * Makes a UD queue pair.
     *
     * @param portMtu maximum payload bytes of a packet on this port
     */
    public UdMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<RxeCounter> counters, int portMtu) {
        super(qpn, queues, memory, counters, new QpAttributes().pkeyIndex(0).port(0).qkey(0).sqdAsyncNotify(false));
        requester = new UdRequester(this, queues.sends(), portMtu);
        responder = new UdResponder(this);
    }

    /** Any host may send to a UD queue pair; but a packet to a group must not name a queue pair. */
    @Override
    public RxeCounter checkOrigin(InboundPacket packet) {
        return packet.frame().local().isMulticast() ? RxeCounter.DROP_WRONG_ADDRESS : null;
    }

    @Override
    public QpType type() {
        return QpType.UD;
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

    /**
     * Does nothing: datagrams take no part in congestion control. The sender of a marked one is known by its address only, and a CNP would
     * need a path to it; and ours are sent as packets that switches must not mark.
     */
    @Override
    public void follow(QueuePairOptions options) {
    }

    /** Datagrams have no order. */
    @Override
    void onReadyToReceive() {
    }
}
