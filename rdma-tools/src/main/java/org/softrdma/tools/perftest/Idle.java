// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.concurrent.TimeUnit;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.CompletionQueue;

/**
 * Strategy for polls without completions: spin for a while, then yield the processor, possibly to the peer; with events, sleep. Fails if
 * the peer is silent for too long.
 */
final class Idle {
    private static final int SPINS = 100;
    /** Polls between two readings of the clock. */
    private static final int LOOKS = 1 << 14;
    private static final long EVENT_WAIT_NS = TimeUnit.SECONDS.toNanos(1);

    private final Endpoint endpoint;
    private final long patienceNs;
    private final long required;
    private boolean armed;
    private int looks;
    private long seen = -1;
    private long seenNs;

    /**
     * Creates a strategy.
     *
     * @param patienceNs maximum time without a completion
     * @param required   expected messages, for the error
     */
    Idle(Endpoint endpoint, long patienceNs, long required) {
        this.endpoint = endpoint;
        this.patienceNs = patienceNs;
        this.required = required;
    }

    void somethingCame() {
        looks = 0;
    }

    /**
     * Waits a little; the caller polls again afterwards. With events, the first call arms the queues and the next one sleeps.
     *
     * @param done messages so far
     * @throws ToolFailure when the maximum time has passed
     */
    void nothingCame(long done) {
        nothingCame(done, false);
    }

    /** @param silently whether what is waited for may come without an event */
    void nothingCame(long done, boolean silently) {
        if (endpoint.channel() != null && !silently) {
            armOrSleep(done);
        } else if (++looks < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
            if (looks % LOOKS == 0) {
                requireProgress(done);
            }
        }
    }

    private void armOrSleep(long done) {
        if (!armed) {
            endpoint.sendCq().requestNotify();
            if (endpoint.receiveCq() != null) {
                endpoint.receiveCq().requestNotify();
            }
            armed = true;
            return;
        }
        CompletionQueue woken = endpoint.channel().getEvent(EVENT_WAIT_NS);
        if (woken == null) {
            requireProgress(done);
        } else {
            woken.ackEvents(1);
            armed = false;
        }
    }

    private void requireProgress(long done) {
        long nowNs = System.nanoTime();
        if (done != seen) {
            seen = done;
            seenNs = nowNs;
        } else if (nowNs - seenNs > patienceNs) {
            throw new ToolFailure(" Did not get Message for " + TimeUnit.NANOSECONDS.toSeconds(patienceNs)
                + " Seconds, exiting..\n Total Received=" + done + ", Total Iters Required=" + required);
        }
    }
}
