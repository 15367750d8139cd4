// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.nio.ByteBuffer;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.device.verbs.SoftCompletionQueue;

/**
 * What a peer's requests are executed against: the protection domain that their keys must belong to, the receives that messages take, and
 * the queue where those complete. All three are the queue pair's own, for life; those of an XRC target change with the request, see
 * {@link XrcRequestContext}.
 */
class RequestContext {
    private final ReceiveSource receives;
    private int pd;
    private SoftCompletionQueue cq;

    /** @param cq may be null where nothing is ever received */
    RequestContext(int pd, ReceiveSource receives, SoftCompletionQueue cq) {
        this.pd = pd;
        this.receives = receives;
        this.cq = cq;
    }

    /**
     * A new request of the right service, in its place in the message, is about to be executed: from now on this is where it lands.
     *
     * @return false if it names no place that it may land at: it must be refused
     */
    boolean accepts(ByteBuffer buffer, int at, int opcode) {
        return true;
    }

    final void move(int toPd, SoftCompletionQueue toCq) {
        pd = toPd;
        cq = toCq;
    }

    final int pd() {
        return pd;
    }

    final ReceiveSource receives() {
        return receives;
    }

    final SoftCompletionQueue cq() {
        return cq;
    }
}
