// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WorkCompletion;

/** The traffic of one test with one size of message, from the first message to the last. */
abstract class Measurement {
    /** Limit for silence: the original documents 120 seconds and checks every 60. */
    static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(120);

    private static final int POLL_BATCH = 16;

    final Parameters parameters;
    final Endpoint endpoint;
    final WorkCompletion[] completions = WorkCompletion.array(POLL_BATCH);
    final Idle idle;
    /** Flow control; null where it is not needed. */
    final Credits credits;

    Measurement(Endpoint endpoint, long required) {
        this.parameters = endpoint.parameters;
        this.endpoint = endpoint;
        credits = endpoint.credits();
        idle = new Idle(endpoint, PATIENCE_NS, required);
    }

    /**
     * Runs the traffic.
     *
     * @throws ToolFailure for a failed work request, in the original's words
     */
    abstract void run();

    /** Messages so far, for display by another thread. */
    abstract LongSupplier progress();

    /**
     * Polls completions of sends.
     *
     * @param done messages so far, for errors
     */
    final int pollSends(long posted, long done) {
        int polled = poll(endpoint.sendCq(), done);
        for (int i = 0; i < polled; i++) {
            if (!completions[i].isSuccess()) {
                throw failure("client", completions[i], "scnt=" + posted + ", ccnt=" + done);
            }
        }
        return polled;
    }

    /**
     * Polls completions of receives.
     *
     * @param done messages so far, for errors
     */
    final int pollReceives(long done) {
        int polled = poll(endpoint.receiveCq(), done);
        for (int i = 0; i < polled; i++) {
            if (!completions[i].isSuccess()) {
                throw failure("server", completions[i], " rcnt=" + done);
            }
        }
        return polled;
    }

    /**
     * Waits until the last count of receives has reached the peer.
     *
     * @param done messages so far, for errors
     */
    final void finishTelling(long done) {
        while (credits != null && credits.isTelling()) {
            if (takeTold(done) == 0) {
                idle.nothingCame(done);
            }
        }
    }

    /**
     * Polls completions of the WRITEs that report counts; left-over sends of a timed test are ignored.
     *
     * @return number of completed WRITEs
     */
    final int takeTold(long done) {
        int polled = pollSends(0, done);
        for (int i = 0; i < polled; i++) {
            if (completions[i].opcode() == WcOpcode.RDMA_WRITE) {
                credits.onTold((int) completions[i].wrId());
            }
        }
        return polled;
    }

    private int poll(CompletionQueue cq, long done) {
        int polled = cq.poll(completions);
        if (polled > 0) {
            idle.somethingCame();
        }
        return polled;
    }

    private static ToolFailure failure(String side, WorkCompletion completion, String counts) {
        return new ToolFailure(" Completion with error at " + side + "\n Failed status " + completion.status().value() + ": wr_id "
            + (int) completion.wrId() + " syndrom 0x" + Integer.toHexString(completion.vendorError()) + "\n" + counts + "\n "
            + completion.status().text());
    }
}
