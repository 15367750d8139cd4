// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.ReceiveSource;

/**
 * What a peer's requests are executed against: the protection domain that their keys must belong to, the receives that messages take, and
 * the queue where those complete. All three are the queue pair's own, for life; those of an XRC target change with the request, see
 * {@link XrcRequestContext}.
 */
class RequestContext {
    private final ReceiveSource receives;
    private int pd;
    private final CompletionSink cq;

    /** @param cq may be null where nothing is ever received */
    RequestContext(int pd, ReceiveSource receives, CompletionSink cq) {
        this.pd = pd;
        this.receives = receives;
        this.cq = cq;
    }

    /**
     * Aims this context at what a new request names. The request is of the queue pair's service and in its place in the message.
     *
     * @return false if it must be refused because it names nothing that it may use
     */
    boolean accepts(InboundPacket packet) {
        return true;
    }

    final void moveTo(int otherPd) {
        pd = otherPd;
    }

    final int pd() {
        return pd;
    }

    final ReceiveSource receives() {
        return receives;
    }

    /** Completion queue of the receives; the same one for life. */
    CompletionSink cq() {
        return cq;
    }
}
