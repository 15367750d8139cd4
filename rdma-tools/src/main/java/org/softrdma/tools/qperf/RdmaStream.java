// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.verbs.WorkCompletion;

/** RDMA READs or WRITEs with immediate without pause. Of READs only this end knows that they happened, and counts for both. */
final class RdmaStream implements Traffic {
    private final boolean reading;
    private final int depth;
    private final WorkCompletion[] completions;

    private RdmaStream(boolean reading, int depth) {
        this.reading = reading;
        this.depth = depth;
        completions = WorkCompletion.array(depth);
    }

    static RdmaStream ofReads() {
        return new RdmaStream(true, RdmaEnd.DEPTH);
    }

    /** The next when the last has come. */
    static RdmaStream ofSingleReads() {
        return new RdmaStream(true, 1);
    }

    static RdmaStream ofWrites() {
        return new RdmaStream(false, RdmaEnd.DEPTH);
    }

    @Override
    public int sendDepth() {
        return depth;
    }

    @Override
    public int receiveDepth() {
        return 0;
    }

    @Override
    public void run(RdmaEnd end) {
        post(end, depth);
        while (!end.isFinished()) {
            int count = end.poll(completions);
            if (end.isFinished()) {
                break;
            }
            end.statistics().completions(count);
            for (int i = 0; i < count; i++) {
                end.check(completions[i], end.statistics().sent);
                if (reading) {
                    end.received();
                    end.statistics().remoteSent.message(end.messageBytes());
                }
            }
            post(end, count);
        }
    }

    private void post(RdmaEnd end, int count) {
        if (reading) {
            end.postReads(count);
        } else {
            end.postNoticedWrites(count);
        }
    }
}
