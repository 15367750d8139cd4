// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.Counters;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.qp.WorkQueues;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.verbs.QpAttributes;

/**
 * A UD queue pair: each message is one packet, to wherever its address handle leads and from whoever knows the Q_Key.
 * {@link UdRequester} sends, {@link UdResponder} receives.
 */
public final class UdMachine extends UnreliableMachine {
    private final UdRequester requester;
    private final UdResponder responder;

    /** @param portMtu payload bytes a packet may have on this port */
    public UdMachine(int qpn, WorkQueues queues, MemoryTable memory, Counters<RxeCounter> counters, int portMtu) {
        super(qpn, queues, memory, counters, new QpAttributes().pkeyIndex(0).port(0).qkey(0).sqdAsyncNotify(false));
        requester = new UdRequester(this, queues.sends(), portMtu);
        responder = new UdResponder(this);
    }

    /** Anybody may send to a UD queue pair; but what is for a group names no queue pair. */
    @Override
    public RxeCounter checkOrigin(InboundPacket packet) {
        return packet.frame().local().isMulticast() ? RxeCounter.DROP_WRONG_ADDRESS : null;
    }

    @Override
    public void onPacket(long nowNs, InboundPacket packet) {
        if (!mayReceive()) {
            counters().count(RxeCounter.DROP_QP_STATE);
            return;
        }
        responder.onRequest(packet);
    }

    @Override
    UnreliableRequester requester() {
        return requester;
    }

    /**
     * Datagrams take no part: whoever sent a marked one is known by its address only, and a CNP would need a path to it; and they are sent
     * as packets that may not be marked.
     */
    @Override
    public void control(CongestionControl settings) {
    }

    /** Datagrams have no order. */
    @Override
    void onReadyToReceive() {
    }
}
