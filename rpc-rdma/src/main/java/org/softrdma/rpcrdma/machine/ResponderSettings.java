// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

/**
 * Sizes of the server's end of a connection.
 *
 * @param grant         credits of the client: calls in work
 * @param receives      receives that are posted, more than {@code grant}: messages of the procedure ERROR and replies to reverse calls
 *     take no credit
 * @param inlineSend    longest SEND of this end that the client receives
 * @param invalidation  whether the client takes SENDs that invalidate
 * @param workBuffers   buffers for calls and replies that are not inline
 * @param workBytes     size of each of them
 * @param maxCall       longest call, at most {@code workBytes}
 * @param reverseCalls  calls in the reverse direction under way
 * @param sendQueue     places of the send queue, more than {@link SendQueue#LONGEST_RUN}
 */
public record ResponderSettings(int grant, int receives, int inlineSend, boolean invalidation, int workBuffers, int workBytes,
                                int maxCall, int reverseCalls, int sendQueue) {
    public ResponderSettings {
        if (grant < 1 || receives <= grant || maxCall > workBytes || sendQueue <= SendQueue.LONGEST_RUN) {
            throw new IllegalArgumentException("grant " + grant + ", receives " + receives + ", longest call " + maxCall + " of "
                + workBytes + ", send queue " + sendQueue);
        }
    }
}
