// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.ReceiveSource;

/**
 * Objects that a peer's requests are executed against: the protection domain that their keys must belong to, the receives that messages
 * consume, and the completion queue of those. All three belong to the queue pair and never change; those of an XRC target change with the
 * request, see {@link XrcRequestContext}.
 */
class RequestContext {
    private final ReceiveSource receives;
    private int pd;
    private final CompletionSink cq;

    /**
     * Makes the context of a queue pair.
     *
     * @param cq may be null for a queue pair that receives nothing
     */
    RequestContext(int pd, ReceiveSource receives, CompletionSink cq) {
        this.pd = pd;
        this.receives = receives;
        this.cq = cq;
    }

    /**
     * Selects the objects that a new request names. The request belongs to the queue pair's service and to its place in the message.
     *
     * @return false if it must be refused because it names none that it may use
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

    /** Completion queue of the receives; always the same object. */
    CompletionSink cq() {
        return cq;
    }
}
