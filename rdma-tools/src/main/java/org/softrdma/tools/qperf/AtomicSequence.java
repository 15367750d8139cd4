// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.lang.foreign.ValueLayout;
import org.softrdma.verbs.WorkCompletion;

/** Atomics whose results are known, all on the peer's first eight bytes; each result is compared. */
final class AtomicSequence implements Traffic {
    private final Atomic operation;
    private final WorkCompletion[] completions = WorkCompletion.array(RdmaEnd.DEPTH);
    private int slots;

    AtomicSequence(Atomic operation) {
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
    public void prepare(RdmaEnd end) {
        slots = Math.min(end.messageBytes() / Long.BYTES, RdmaEnd.DEPTH);
        if (slots == 0) {
            throw new QPerfFailure("message size must be at least " + Long.BYTES);
        }
    }

    @Override
    public void run(RdmaEnd end) {
        long head = 0;
        long tail = 0;
        for (int slot = 0; slot < slots; slot++) {
            operation.postNext(end, slot, head++);
        }
        while (!end.isFinished()) {
            int count = end.poll(completions);
            if (end.isFinished()) {
                break;
            }
            end.statistics().completions(count);
            for (int i = 0; i < count; i++) {
                end.check(completions[i], end.statistics().sent);
                end.statistics().remoteReceived.message(Long.BYTES);
                int slot = (int) completions[i].wrId();
                compare(end, slot, tail++);
                operation.postNext(end, slot, head++);
            }
        }
    }

    private void compare(RdmaEnd end, int slot, long index) {
        long seen = end.buffer().getAtIndex(ValueLayout.JAVA_LONG, slot);
        if (seen != operation.result(index)) {
            throw new QPerfFailure("mismatch, sequence " + (index + 1) + ", expected " + Long.toHexString(operation.result(index))
                + ", got " + Long.toHexString(seen));
        }
    }
}
