// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.softrdma.verbs.WorkCompletion;

/**
 * One RDMA WRITE there and one back, noticed by looking at memory: each end has a mark of its own, and waits until the first and the last
 * byte of its buffer are the other's. The client begins.
 */
final class WritePolling implements Traffic {
    private static final byte CLIENT = 0x55;
    private static final byte SERVER = (byte) 0xaa;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final WorkCompletion[] completions = WorkCompletion.array(2);

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
        if (end.messageBytes() == 0) {
            throw new QPerfFailure("message size must be at least 1");
        }
        mark(end);
    }

    @Override
    public void run(RdmaEnd end) {
        byte peers = end.session().isClient() ? SERVER : CLIENT;
        if (end.session().isClient()) {
            end.postWrite();
        }
        while (!end.isFinished()) {
            // Looking for completions also moves the device, which writes the mark.
            int count = end.look(completions);
            for (int i = 0; i < count; i++) {
                end.check(completions[i], end.statistics().sent);
            }
            if (isMarked(end, peers)) {
                end.received();
                mark(end);
                end.postWrite();
            }
        }
    }

    private static void mark(RdmaEnd end) {
        byte own = end.session().isClient() ? CLIENT : SERVER;
        BYTE.setRelease(end.buffer(), 0L, own);
        BYTE.setRelease(end.buffer(), end.messageBytes() - 1L, own);
    }

    private static boolean isMarked(RdmaEnd end, byte mark) {
        MemorySegment buffer = end.buffer();
        return (byte) BYTE.getAcquire(buffer, 0L) == mark && (byte) BYTE.getAcquire(buffer, end.messageBytes() - 1L) == mark;
    }
}
