// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.verbs.WorkCompletion;

/** One message there and one back; the next one when the last was both sent and answered. */
final class PingPong implements Traffic {
    private static final int SENT = 1;
    private static final int RECEIVED = 2;

    private final boolean writing;
    private final WorkCompletion[] completions = WorkCompletion.array(2);

    private PingPong(boolean writing) {
        this.writing = writing;
    }

    static PingPong bySending() {
        return new PingPong(false);
    }

    /** By RDMA WRITEs with immediate. */
    static PingPong byWriting() {
        return new PingPong(true);
    }

    @Override
    public int sendDepth() {
        return 1;
    }

    @Override
    public int receiveDepth() {
        return 1;
    }

    @Override
    public void prepare(RdmaEnd end) {
        end.postReceives(1);
    }

    @Override
    public void run(RdmaEnd end) {
        int done = SENT;
        if (end.session().isClient()) {
            post(end);
            done = 0;
        }
        while (!end.isFinished()) {
            int count = end.poll(completions);
            if (end.isFinished()) {
                break;
            }
            for (int i = 0; i < count; i++) {
                done |= complete(end, completions[i]);
            }
            if (done == (SENT | RECEIVED)) {
                post(end);
                done = 0;
            }
        }
    }

    private int complete(RdmaEnd end, WorkCompletion completion) {
        if (completion.wrId() != RdmaEnd.RECEIVE_ID) {
            end.check(completion, end.statistics().sent);
            return SENT;
        }
        end.check(completion, end.statistics().received);
        end.received();
        end.postReceives(1);
        return RECEIVED;
    }

    private void post(RdmaEnd end) {
        if (writing) {
            end.postNoticedWrites(1);
        } else {
            end.postSends(1);
        }
    }
}
