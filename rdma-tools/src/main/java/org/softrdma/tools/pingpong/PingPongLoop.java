// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/**
 * The traffic: one message in flight, the next one sent when the previous send has completed <em>and</em> an answer has arrived,
 * in whichever order. The client begins; the server has only a message to wait for.
 */
final class PingPongLoop {
    /** Bits of {@link #pending}, which are also the work requests' ids. */
    private static final int RECEIVE = (int) Endpoint.RECEIVE_WR_ID;
    private static final int SEND = (int) Endpoint.SEND_WR_ID;
    private static final int POLLS_BEFORE_YIELD = 100;

    private final Endpoint endpoint;
    private final PingPongParameters parameters;
    private final WorkCompletion[] completions = WorkCompletion.array(2);
    private int receivesPosted;
    private int pending = RECEIVE;
    private int received;
    private int sent;
    private int events;

    /** @param receivesPosted receives that are posted already */
    PingPongLoop(Endpoint endpoint, PingPongParameters parameters, int receivesPosted) {
        this.endpoint = endpoint;
        this.parameters = parameters;
        this.receivesPosted = receivesPosted;
    }

    /** @return how long it took, in nanoseconds */
    long run() {
        try {
            if (parameters.isClient()) {
                endpoint.postSend();
                pending |= SEND;
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
     * Polling also drives the device. After an event one look is enough: the other completion, if due, raises the next event.
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

    /** Waits, then arms for the next event before polling; no more than two completions can be there, and the poll takes two. */
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
                + (int) completion.wrId() + "\nparse WC failed " + count);
        }
        int wrId = (int) completion.wrId();
        if (wrId == SEND) {
            sent++;
        } else if (wrId == RECEIVE) {
            refill(count);
            received++;
        } else {
            throw new ToolFailure("Completion for unknown wr_id " + wrId + "\nparse WC failed " + count);
        }
        pending &= ~wrId;
        if (isBelowIterations(sent) && pending == 0) {
            endpoint.postSend();
            pending = RECEIVE | SEND;
        }
    }

    private void refill(int count) {
        if (--receivesPosted > 1) {
            return;
        }
        receivesPosted += endpoint.postReceives(parameters.rxDepth() - receivesPosted);
        if (receivesPosted < parameters.rxDepth()) {
            throw new ToolFailure("Couldn't post receive (" + receivesPosted + ")\nparse WC failed " + count);
        }
    }

    private boolean isBelowIterations(int count) {
        return Integer.compareUnsigned(count, parameters.iterations()) < 0;
    }
}
