// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.util.function.IntFunction;
import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.SharedQueue;
import org.softrdma.device.queue.SharedReceives;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Xrceth;

/**
 * Request context of an XRC target. Every request names a shared receive queue, which must be an XRC queue of the target's domain; the
 * protection domain and the completion queue are that queue's. The target has neither. All packets of a message name the same queue.
 * Source: IBA vol 1 annex A14; the patch series that proposed XRC for kernel rxe takes all three from the named queue, too, but answers
 * requests that name none with an access error.
 */
final class XrcRequestContext extends RequestContext implements CompletionSink {
    private static final int NO_PD = 0;

    private final IntFunction<? extends SharedQueue> queues;
    private final int domain;
    private final SharedReceives receives;
    private SharedQueue queue;

    /**
     * Makes the context of one target.
     *
     * @param queues   shared receive queues by number
     * @param domain   number of the target's XRC domain
     * @param receives not aimed at any queue yet
     */
    XrcRequestContext(IntFunction<? extends SharedQueue> queues, int domain, SharedReceives receives) {
        super(NO_PD, receives, null);
        this.queues = queues;
        this.domain = domain;
        this.receives = receives;
    }

    @Override
    boolean accepts(InboundPacket packet) {
        SharedQueue named = queues.apply(Xrceth.srqn(packet.buffer(), packet.xrcethAt()));
        if (named == null || !named.isOf(domain)) {
            return false;
        }
        if (!packet.has(Opcode.START)) {
            return named == queue;
        }
        queue = named;
        receives.aim(named);
        moveTo(named.pdNumber());
        return true;
    }

    @Override
    CompletionSink cq() {
        return this;
    }

    /** Forwards to the completion queue of the shared receive queue that the current message names. */
    @Override
    public boolean push(long wrId, WcStatus status, WcOpcode opcode, int byteLength, int immediate, int qpNum, int sourceQp, int flags,
                        boolean solicited) {
        return queue.cq().push(wrId, status, opcode, byteLength, immediate, qpNum, sourceQp, flags, solicited);
    }
}
