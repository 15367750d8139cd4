// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.Arrays;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * The traffic: on each queue pair one message in flight, the next one sent when the previous send has completed <em>and</em> an answer has
 * arrived, in whichever order. The client begins; the server has only messages to wait for. What is counted is counted over all queue
 * pairs, so that at the end some may have a message under way that nobody waits for.
 */
final class PingPongLoop {
    /** Bits of {@link #pending}'s elements, which are also the work requests' ids. */
    private static final int RECEIVE = (int) Endpoint.RECEIVE_WR_ID;
    private static final int SEND = (int) Endpoint.SEND_WR_ID;
    private static final int POLLS_BEFORE_YIELD = 100;

    private final Endpoint endpoint;
    private final PingPongParameters parameters;
    private final WorkCompletion[] completions;
    /** What each queue pair waits for. */
    private final int[] pending;
    private int receivesPosted;
    private int received;
    private int sent;
    private int events;

    /** @param receivesPosted receives that are posted already */
    PingPongLoop(Endpoint endpoint, PingPongParameters parameters, int receivesPosted) {
        this.endpoint = endpoint;
        this.parameters = parameters;
        this.receivesPosted = receivesPosted;
        pending = new int[parameters.queuePairs()];
        Arrays.fill(pending, RECEIVE);
        completions = WorkCompletion.array(2 * pending.length);
    }

    /** @return how long it took, in nanoseconds */
    long run() {
        try {
            if (parameters.isClient()) {
                for (int i = 0; i < pending.length; i++) {
                    send(i);
                }
            }
            long startNs = System.nanoTime();
            while (isBelowIterations(received) || isBelowIterations(sent)) {
                if (parameters.events()) {
                    awaitEvent();
                }
                int count = poll();
                for (int i = 0; i < count; i++) {
                    complete(completions[i], count);
                }
            }
            return System.nanoTime() - startNs;
        } finally {
            if (events > 0) {
                endpoint.cq().ackEvents(events);        // closing the queue waits for them
            }
        }
    }

    /**
     * Polling also drives the device. After an event one look is enough: other completions, when due, raise the next event.
     * Where both ends share too few processors, a poll that finds nothing for a while must let the other end run: unlike the original's
     * peer, ours is not served by interrupts.
     */
    private int poll() {
        int count = endpoint.cq().poll(completions);
        for (int empty = 0; count == 0 && !parameters.events(); empty++) {
            if (empty < POLLS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
            count = endpoint.cq().poll(completions);
        }
        return count;
    }

    /** Waits, then arms for the next event before polling: which takes all that can be there, two of each queue pair. */
    private void awaitEvent() {
        try {
            endpoint.channel().getEvent(-1);
        } catch (VerbsException refused) {
            throw new ToolFailure("Failed to get cq_event", refused);
        }
        events++;
        endpoint.cq().requestNotify();
    }

    private void complete(WorkCompletion completion, int count) {
        if (!completion.isSuccess()) {
            throw new ToolFailure("Failed status " + completion.status().text() + " (" + completion.status().value() + ") for wr_id "
                + (int) completion.wrId() + andCount(count));
        }
        int index = endpoint.indexOf(completion.qpNum());
        if (index < 0) {
            throw new ToolFailure("Couldn't find QPN " + String.format("%06x", completion.qpNum()));
        }
        int wrId = (int) completion.wrId();
        if (wrId == SEND) {
            sent++;
        } else if (wrId == RECEIVE) {
            refill(count);
            received++;
        } else {
            throw new ToolFailure("Completion for unknown wr_id " + wrId + andCount(count));
        }
        pending[index] &= ~wrId;
        if (isBelowIterations(sent) && pending[index] == 0) {
            send(index);
        }
    }

    private void send(int index) {
        endpoint.postSend(index);
        pending[index] = RECEIVE | SEND;
    }

    private void refill(int count) {
        if (--receivesPosted > pending.length) {
            return;
        }
        receivesPosted += endpoint.postReceives(parameters.rxDepth() - receivesPosted);
        if (receivesPosted < parameters.rxDepth()) {
            throw new ToolFailure("Couldn't post receive (" + receivesPosted + ")" + andCount(count));
        }
    }

    /** The second line of a failure, which only the original for RC has. */
    private String andCount(int count) {
        return parameters.service() == Service.RC ? "\nparse WC failed " + count : "";
    }

    private boolean isBelowIterations(int count) {
        return Integer.compareUnsigned(count, parameters.iterations()) < 0;
    }
}
