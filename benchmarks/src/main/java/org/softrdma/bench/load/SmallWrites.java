// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/** 64 B WRITEs on one queue pair, 128 deep, from and to memory of the caller's choice. */
final class SmallWrites {
    static final int SIZE = 64;
    private static final int DEPTH = 128;
    private static final int EVERY = 32;

    /** Where the next request reads and writes. */
    interface Target {
        void fill(SendRequest request, long number);
    }

    private final End end;
    private final QueuePair qp;
    private final WorkCompletion[] completions = WorkCompletion.array(16);
    private final SendRequest request = new SendRequest();

    SmallWrites(End end, QueuePair qp) {
        this.end = end;
        this.qp = qp;
    }

    /** @return thousand messages per second */
    double run(long forNs) {
        return run(forNs, (each, number) -> each.write(end.peerAddress, end.peerRkey).element(end.region, 0, SIZE));
    }

    /** @return thousand messages per second */
    double run(long forNs, Target target) {
        long posted = 0;
        long completed = 0;
        long startNs = System.nanoTime();
        long nowNs = startNs;
        while (nowNs - startNs < forNs || posted % EVERY != 0) {
            while (posted - completed < DEPTH) {
                target.fill(request, posted);
                posted++;
                qp.postSend(posted % EVERY == 0 ? request.signaled() : request);
            }
            completed += (long) EVERY * end.await(end.sendCq, completions);
            nowNs = System.nanoTime();
        }
        double rate = completed / ((nowNs - startNs) / 1e9) / 1e3;
        while (completed < posted) {
            completed += (long) EVERY * end.await(end.sendCq, completions);
        }
        return rate;
    }
}
