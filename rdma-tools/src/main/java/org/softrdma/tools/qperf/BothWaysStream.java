// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.verbs.WorkCompletion;

/** Sends and receives without pause, both at once. */
final class BothWaysStream implements Traffic {
    private final WorkCompletion[] completions = WorkCompletion.array(2 * RdmaEnd.DEPTH);

    @Override
    public int sendDepth() {
        return RdmaEnd.DEPTH;
    }

    @Override
    public int receiveDepth() {
        return RdmaEnd.DEPTH;
    }

    @Override
    public void prepare(RdmaEnd end) {
        end.postReceives(RdmaEnd.DEPTH);
    }

    @Override
    public void run(RdmaEnd end) {
        end.postSends(RdmaEnd.DEPTH);
        while (!end.isFinished()) {
            int count = end.poll(completions);
            if (end.isFinished()) {
                break;
            }
            end.statistics().completions(count);
            int sent = 0;
            for (int i = 0; i < count; i++) {
                if (completions[i].wrId() == RdmaEnd.SEND_ID) {
                    end.check(completions[i], end.statistics().sent);
                    sent++;
                } else {
                    end.check(completions[i], end.statistics().received);
                    end.received();
                }
            }
            end.postReceives(count - sent);
            end.postSends(sent);
        }
    }
}
