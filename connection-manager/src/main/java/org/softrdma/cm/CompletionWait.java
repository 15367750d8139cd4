// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/** Waits at the completion queues that an identifier made with its queue pair ({@code rdma_get_send_comp}, {@code rdma_get_recv_comp}). */
public final class CompletionWait {
    private CompletionWait() {
    }

    /**
     * Waits for a completion.
     *
     * @param channel   of the queue; null if the queue is the program's own
     * @param one       receives the completion
     * @param timeoutNs time after which the caller looks at something else; negative for no limit
     * @return false if there may be none yet
     * @throws VerbsException EINVAL: the queue is the program's own
     */
    public static boolean await(String verb, CompletionQueue cq, CompletionChannel channel, WorkCompletion[] one, long timeoutNs) {
        if (channel == null) {
            throw new VerbsException(Errno.EINVAL, verb, "the completion queue is the program's own; wait for it there");
        }
        if (cq.poll(one) == 1) {
            return true;
        }
        cq.requestNotify();
        if (cq.poll(one) == 1) {
            return true;
        }
        if (channel.getEvent(timeoutNs) != null) {
            cq.ackEvents(1);
        }
        return cq.poll(one) == 1;
    }
}
