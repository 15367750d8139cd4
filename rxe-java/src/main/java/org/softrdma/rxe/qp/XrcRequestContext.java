// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.verbs.SharedReceives;
import org.softrdma.device.verbs.SoftSharedReceiveQueue;
import org.softrdma.device.verbs.SrqTable;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Xrceth;

/**
 * Where requests to an XRC target land: every one names a shared receive queue, which must be an XRC queue of the target's domain, and the
 * protection domain and the completion queue are that queue's. The target has neither. All packets of a message name the same queue.
 * Source: IBA vol 1 annex A14; the series that was to bring XRC to kernel rxe takes all three from the named queue, too, but answers
 * requests that name none with an access error.
 */
final class XrcRequestContext extends RequestContext {
    private static final int NO_PD = 0;

    private final SrqTable queues;
    private final int domain;
    private final SharedReceives receives;
    private SoftSharedReceiveQueue queue;

    /** @param receives not aimed at any queue yet */
    XrcRequestContext(SrqTable queues, int domain, SharedReceives receives) {
        super(NO_PD, receives, null);
        this.queues = queues;
        this.domain = domain;
        this.receives = receives;
    }

    @Override
    boolean accepts(InboundPacket packet) {
        SoftSharedReceiveQueue named = queues.find(Xrceth.srqn(packet.buffer(), packet.xrcethAt()));
        if (named == null || !named.isOf(domain)) {
            return false;
        }
        if (!packet.has(Opcode.START)) {
            return named == queue;
        }
        queue = named;
        receives.aim(named);
        move(named.pdNumber(), named.cq());
        return true;
    }
}
