// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.util.Arrays;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WorkCompletion;

/**
 * SENDs on many queue pairs at once, all between the same two devices, into one shared receive queue or into a queue of each: what sharing
 * costs or saves. Every queue pair always has its few requests posted, and there is always a receive for each of them.
 */
final class SharedReceives {
    private static final int DEPTH = 2;
    private static final int LAST = 1;

    private final Settings settings;
    private final int count;
    private final int size;
    private final boolean shared;
    private final WorkCompletion[] completions = WorkCompletion.array(64);

    SharedReceives(Settings settings) {
        this.settings = settings;
        count = settings.number("count", 1000);
        size = settings.number("size", 64);
        shared = settings.text("receives", "shared").equals("shared");
    }

    private End end() {
        return new End(settings, Math.max(size, 4096), 2 * DEPTH * count, 2 * DEPTH * count, false);
    }

    void client(Control control) throws IOException {
        End end = end();
        QueuePair[] queuePairs = end.queuePairs(count, 2 * DEPTH, 1);
        end.connect(queuePairs, control);
        control.in.readInt();
        run(end, queuePairs, settings.seconds("firstWarm", 2), settings.seconds("seconds", 2));
        control.send(0);
        end.reportTrouble("client.");
    }

    private void run(End end, QueuePair[] queuePairs, long warmNs, long measureNs) {
        long[] done = new long[count];
        SendRequest request = new SendRequest().send().element(end.region, 0, size).signaled();
        for (int round = 0; round < DEPTH; round++) {
            for (int i = 0; i < count; i++) {
                queuePairs[i].postSend(request.wrId(i));
            }
        }
        long startNs = System.nanoTime() + warmNs;
        boolean measuring = false;
        long total = 0;
        while (!measuring || System.nanoTime() - startNs < measureNs) {
            int polled = end.await(end.sendCq, completions);
            for (int i = 0; i < polled; i++) {
                int index = (int) completions[i].wrId();
                done[index]++;
                queuePairs[index].postSend(request.wrId(index));
            }
            total += polled;
            if (!measuring && System.nanoTime() - startNs >= 0) {
                measuring = true;
                Arrays.fill(done, 0);
                total = 0;
                startNs = System.nanoTime();
            }
        }
        double seconds = (System.nanoTime() - startNs) / 1e9;
        Report.value("kmsgps." + count, total / seconds / 1e3);
        Report.value("fairness." + count, Arrays.stream(done).min().orElse(0) / ((double) total / count));
        for (long outstanding = (long) DEPTH * count; outstanding > 0; ) {
            outstanding -= end.await(end.sendCq, completions);
        }
        queuePairs[0].postSend(new SendRequest().sendWithImmediate(LAST).element(end.region, 0, size).signaled());
        end.await(end.sendCq, completions);
    }

    void server(Control control) throws IOException {
        End end = end();
        int receives = 2 * DEPTH * count;
        SharedReceiveQueue queue = shared ? end.pd.createSrq(receives, 1, 0) : null;
        QueuePair[] queuePairs = shared ? sharing(end, queue) : end.queuePairs(count, 1, 2 * DEPTH);
        end.connect(queuePairs, control);
        ReceiveRequest receive = new ReceiveRequest();
        for (int i = 0; i < receives; i++) {
            // A queue pair's own completions must say whose receive is to be posted again.
            post(queue, queuePairs, receive.begin(i % count).element(end.region, 0, size));
        }
        control.send(0);
        for (boolean last = false; !last; ) {
            int polled = end.await(end.recvCq, completions);
            for (int i = 0; i < polled; i++) {
                last |= (completions[i].flags() & WcFlags.WITH_IMM) != 0;
                post(queue, queuePairs, receive.begin(completions[i].wrId()).element(end.region, 0, size));
            }
        }
        // The last message still has to be acknowledged.
        control.in.readInt();
        end.reportTrouble("peer.");
    }

    private static void post(SharedReceiveQueue queue, QueuePair[] queuePairs, ReceiveRequest receive) {
        if (queue != null) {
            queue.postReceive(receive);
        } else {
            queuePairs[(int) receive.wrId()].postReceive(receive);
        }
    }

    private QueuePair[] sharing(End end, SharedReceiveQueue queue) {
        QueuePair[] made = new QueuePair[count];
        for (int i = 0; i < count; i++) {
            made[i] = end.pd.createQp(new QpInitAttributes(QpType.RC, end.sendCq, end.recvCq, queue, new QpCapabilities(1, 0, 1, 0, 0),
                false));
            made[i].modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
        }
        return made;
    }
}
