// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import java.util.Arrays;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * Traffic of a ping-pong: one message in flight on each queue pair. The next one is sent when the previous send has completed <em>and</em>
 * an answer was received, in any order. The client starts. Messages are counted over all queue pairs, so that at the end some queue pairs
 * may have a message in flight that is not awaited.
 */
final class PingPongLoop {
    /** Bits of the elements of {@link #pending}, which are also work request IDs. */
    private static final int RECEIVE = (int) Endpoint.RECEIVE_WR_ID;
    private static final int SEND = (int) Endpoint.SEND_WR_ID;
    private static final int POLLS_BEFORE_YIELD = 100;

    private final Endpoint endpoint;
    private final PingPongParameters parameters;
    private final WorkCompletion[] completions;
    /** Completions that each queue pair waits for: {@link #RECEIVE}, {@link #SEND} or both. */
    private final int[] pending;
    private int receivesPosted;
    private int received;
    private int sent;
    private int events;

    /** @param receivesPosted number of receives posted before */
    PingPongLoop(Endpoint endpoint, PingPongParameters parameters, int receivesPosted) {
        this.endpoint = endpoint;
        this.parameters = parameters;
        this.receivesPosted = receivesPosted;
        pending = new int[parameters.queuePairs];
        Arrays.fill(pending, RECEIVE);
        completions = WorkCompletion.array(2 * pending.length);
    }

    /**
     * Exchanges all messages.
     *
     * @return elapsed time in nanoseconds
     */
    long run() {
        try {
            if (parameters.isClient()) {
                for (int i = 0; i < pending.length; i++) {
                    send(i);
                }
            }
            long startNs = System.nanoTime();
            while (isBelowIterations(received) || isBelowIterations(sent)) {
                if (parameters.events) {
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
                // Closing the queue waits for the acknowledgement of its events.
                endpoint.cq().ackEvents(events);
            }
        }
    }

    /**
     * Polls until there are completions, which also drives the device. After an event one poll is enough, since later completions raise
     * the next event. If both ends share too few processors, this end yields after some empty polls: without interrupts, the other end
     * needs a processor to answer.
     */
    private int poll() {
        int count = endpoint.cq().poll(completions);
        for (int empty = 0; count == 0 && !parameters.events; empty++) {
            if (empty < POLLS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
            count = endpoint.cq().poll(completions);
        }
        return count;
    }

    /** Waits for an event and arms the next one. The poll that follows takes all completions: at most two for each queue pair. */
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
        receivesPosted += endpoint.postReceives(parameters.rxDepth - receivesPosted);
        if (receivesPosted < parameters.rxDepth) {
            throw new ToolFailure("Couldn't post receive (" + receivesPosted + ")" + andCount(count));
        }
    }

    /** @return second line of a failure, which only the original for RC has */
    private String andCount(int count) {
        return parameters.service == Service.RC ? "\nparse WC failed " + count : "";
    }

    private boolean isBelowIterations(int count) {
        return Integer.compareUnsigned(count, parameters.iterations) < 0;
    }
}
