// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.verbs.WorkCompletion;

/** Atomics that change nothing, on eight bytes of the peer's, without pause. */
final class Atomics implements Traffic {
    private final Atomic operation;
    private final WorkCompletion[] completions = WorkCompletion.array(RdmaEnd.DEPTH);

    Atomics(Atomic operation) {
        this.operation = operation;
    }

    @Override
    public int sendDepth() {
        return RdmaEnd.DEPTH;
    }

    @Override
    public int receiveDepth() {
        return 0;
    }

    @Override
    public int bufferBytes() {
        return Long.BYTES;
    }

    @Override
    public void run(RdmaEnd end) {
        post(end, RdmaEnd.DEPTH);
        while (!end.isFinished()) {
            int count = end.poll(completions);
            if (end.isFinished()) {
                break;
            }
            end.statistics().completions(count);
            for (int i = 0; i < count; i++) {
                end.check(completions[i], end.statistics().sent);
                end.statistics().remoteReceived.message(Long.BYTES);
            }
            post(end, count);
        }
    }

    private void post(RdmaEnd end, int count) {
        for (int i = 0; i < count; i++) {
            operation.post(end, 0, 0, 0);
        }
    }
}
