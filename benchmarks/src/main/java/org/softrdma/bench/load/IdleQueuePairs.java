// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import org.softrdma.verbs.QueuePair;

/**
 * Cost of 10,000 connected queue pairs that do nothing: heap and native memory of each, and the speed of one active among them compared
 * with one alone.
 */
final class IdleQueuePairs {
    private final Settings settings;
    private final int count;
    private final int depth;

    IdleQueuePairs(Settings settings) {
        this.settings = settings;
        count = settings.number("count", 10_000);
        depth = settings.number("depth", 16);
    }

    void client(Control control) throws IOException {
        End end = new End(settings, 4096, 512, 16, false);
        QueuePair[] active = end.queuePairs(1, 256, 1);
        end.connect(active, control);
        SmallWrites writes = new SmallWrites(end, active[0]);
        writes.run(settings.seconds("firstWarm", 2));
        double alone = writes.run(settings.seconds("seconds", 2));
        // The first of them load classes and fill caches that all share.
        end.connect(end.queuePairs(100, depth, depth), control);
        ProcessMemory before = ProcessMemory.now();
        long startNs = System.nanoTime();
        QueuePair[] idle = end.queuePairs(count, depth, depth);
        long createdNs = System.nanoTime();
        end.connect(idle, control);
        long connectedNs = System.nanoTime();
        ProcessMemory after = ProcessMemory.now();
        after.reportSince(before, count);
        Report.value("create_us", (createdNs - startNs) / 1e3 / count);
        Report.value("connect_us", (connectedNs - createdNs) / 1e3 / count);
        writes.run(settings.seconds("warm", 0.5));
        double among = writes.run(settings.seconds("seconds", 2));
        Report.value("kmsgps.alone", alone);
        Report.value("kmsgps.among", among);
        Report.value("active_ratio", among / alone);
        control.send(0);
        if (idle[count - 1].qpNum() == 0) {
            throw new IllegalStateException("they must live until here");
        }
    }

    void server(Control control) throws IOException {
        End end = new End(settings, 4096, 512, 16, false);
        QueuePair[] active = end.queuePairs(1, 256, 1);
        end.connect(active, control);
        end.connect(end.queuePairs(100, depth, depth), control);
        QueuePair[] idle = end.queuePairs(count, depth, depth);
        end.connect(idle, control);
        control.in.readInt();
        if (idle[count - 1].qpNum() == 0) {
            throw new IllegalStateException("they must live until here");
        }
    }
}
