// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.util.Arrays;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * WRITEs on 1, 10, 100, 1000 queue pairs at once, all between the same two devices: how much they do together, and whether each gets its
 * share. Every queue pair always has its few requests posted; each completion posts the next.
 */
final class QueuePairs {
    private static final int ALL_REQUESTS = 256;
    private static final int MIN_DEPTH = 2;
    private static final int MAX_DEPTH = 128;

    private final Settings settings;
    private final int[] counts;
    private final int size;
    private final WorkCompletion[] completions = WorkCompletion.array(64);

    QueuePairs(Settings settings) {
        this.settings = settings;
        counts = settings.numbers("counts", "1,10,100,1000");
        size = settings.number("size", 64);
    }

    private static int depth(int count) {
        return Math.clamp(ALL_REQUESTS / count, MIN_DEPTH, MAX_DEPTH);
    }

    private End end() {
        return new End(settings, Math.max(size, 4096), 8192, 16, false);
    }

    void client(Control control) throws IOException {
        End end = end();
        long warmNs = settings.seconds("firstWarm", 2);
        for (int count : counts) {
            QueuePair[] queuePairs = end.queuePairs(count, 2 * depth(count), 1);
            end.connect(queuePairs, control);
            run(end, queuePairs, warmNs, settings.seconds("seconds", 2));
            warmNs = settings.seconds("warm", 0.5);
            control.send(0);
        }
        end.reportTrouble("client.");
    }

    void server(Control control) throws IOException {
        End end = end();
        for (int count : counts) {
            end.connect(end.queuePairs(count, 1, 1), control);
            control.in.readInt();
        }
        end.reportTrouble("peer.");
    }

    private void run(End end, QueuePair[] queuePairs, long warmNs, long measureNs) {
        int count = queuePairs.length;
        long[] done = new long[count];
        SendRequest request = new SendRequest().write(end.peerAddress, end.peerRkey).element(end.region, 0, size).signaled();
        long outstanding = 0;
        for (int round = 0; round < depth(count); round++) {
            for (int i = 0; i < count; i++) {
                queuePairs[i].postSend(request.wrId(i));
                outstanding++;
            }
        }
        long measureFromNs = System.nanoTime() + warmNs;
        boolean measuring = false;
        long startNs = 0;
        long total = 0;
        while (true) {
            int polled = end.await(end.sendCq, completions);
            for (int i = 0; i < polled; i++) {
                int index = (int) completions[i].wrId();
                done[index]++;
                queuePairs[index].postSend(request.wrId(index));
            }
            total += polled;
            long nowNs = System.nanoTime();
            if (!measuring && nowNs - measureFromNs >= 0) {
                measuring = true;
                Arrays.fill(done, 0);
                total = 0;
                startNs = nowNs;
            } else if (measuring && nowNs - startNs >= measureNs) {
                double seconds = (nowNs - startNs) / 1e9;
                Report.value("kmsgps." + count, total / seconds / 1e3);
                Report.value("GBps." + count, (double) total * size / seconds / 1e9);
                Report.value("fairness." + count, Arrays.stream(done).min().orElse(0) / ((double) total / count));
                break;
            }
        }
        while (outstanding > 0) {
            outstanding -= end.await(end.sendCq, completions);
        }
    }
}
