// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.verbs.WorkCompletion;

/** SENDs without pause, until the time is over or the number of messages is reached. */
final class SendStream implements Traffic {
    private final WorkCompletion[] completions = WorkCompletion.array(RdmaEnd.DEPTH);

    @Override
    public int sendDepth() {
        return RdmaEnd.DEPTH;
    }

    @Override
    public int receiveDepth() {
        return 0;
    }

    @Override
    public void run(RdmaEnd end) {
        long limit = Integer.toUnsignedLong(end.session().request().number(Parameter.NO_MSGS));
        long left = limit == 0 ? Long.MAX_VALUE : limit;
        long completed = 0;
        int room = RdmaEnd.DEPTH;
        while (!end.isFinished() && (limit == 0 || completed < limit)) {
            int next = (int) Math.min(room, left);
            end.postSends(next);
            left -= next;
            room = end.poll(completions);
            end.statistics().completions(room);
            for (int i = 0; i < room; i++) {
                end.check(completions[i], end.statistics().sent);
            }
            completed += room;
        }
    }
}
