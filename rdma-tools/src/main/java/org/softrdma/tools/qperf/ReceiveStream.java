// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.verbs.WorkCompletion;

/** Takes whatever comes, SENDs or RDMA WRITEs with immediate, and always has receives posted. */
final class ReceiveStream implements Traffic {
    private final WorkCompletion[] completions = WorkCompletion.array(RdmaEnd.DEPTH);

    @Override
    public int sendDepth() {
        return 0;
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
        long limit = Integer.toUnsignedLong(end.session().request().number(Parameter.NO_MSGS));
        while (!end.isFinished() && (limit == 0 || end.statistics().received.messages < limit)) {
            int count = end.poll(completions);
            if (end.isFinished()) {
                break;
            }
            end.statistics().completions(count);
            for (int i = 0; i < count; i++) {
                end.check(completions[i], end.statistics().received);
                end.received();
            }
            end.postReceives(count);
        }
    }
}
