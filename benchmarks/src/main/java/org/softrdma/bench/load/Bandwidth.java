// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.util.Arrays;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * One queue pair kept full with WRITEs, READs or SENDs of one size after the other. Like perftest, every message uses the same buffer,
 * and the passive end of WRITE and READ leaves its device alone. Counted from a completion to a completion, after the warm-up; the longest
 * time without one is the stall.
 */
final class Bandwidth {
    private static final int MAX_DEPTH = 128;
    private static final int RECEIVES = 512;
    private static final long BYTES_IN_FLIGHT = 8 << 20;

    private final Settings settings;
    private final int[] sizes;
    private final int largest;
    private final String operation;
    /** Of SENDs by iWARP; null otherwise, where the receiver says that it is not ready. */
    private ReceiveCredits credits;
    private final WorkCompletion[] completions = WorkCompletion.array(64);

    Bandwidth(Settings settings) {
        this.settings = settings;
        sizes = settings.numbers("sizes", "64,4096,1048576");
        largest = Arrays.stream(sizes).max().orElseThrow();
        operation = settings.text("op", "write");
    }

    private End end() {
        return new End(settings, largest + ReceiveCredits.BYTES, 2 * MAX_DEPTH, 2 * RECEIVES, false);
    }

    void client(Control control) throws IOException {
        End end = end();
        QueuePair[] qp = end.queuePairs(1, 2 * MAX_DEPTH, 1);
        end.connect(qp, control);
        makeCredits(end, qp[0]);
        long warmNs = settings.seconds("firstWarm", 2);
        for (int size : sizes) {
            control.send(size);
            control.in.readInt();
            long messages = run(end, qp[0], size, warmNs, settings.seconds("seconds", 1));
            warmNs = settings.seconds("warm", 0.3);
            control.out.writeLong(messages);
            control.out.flush();
        }
        control.send(0);
        end.reportTrouble("client.");
    }

    private void makeCredits(End end, QueuePair qp) {
        if (operation.equals("send") && !end.saysNotReady()) {
            credits = new ReceiveCredits(end, qp, RECEIVES);
        }
    }

    private void post(QueuePair qp, SendRequest request) {
        if (credits != null) {
            credits.beforeSend();
        }
        qp.postSend(request);
    }

    private SendRequest request(End end, int size, boolean signaled) {
        SendRequest request = new SendRequest();
        switch (operation) {
            case "write" -> request.write(end.peerAddress, end.peerRkey);
            case "read" -> request.read(end.peerAddress, end.peerRkey);
            default -> request.send();
        }
        request.element(end.region, 0, size);
        return signaled ? request.signaled() : request;
    }

    private long run(End end, QueuePair qp, int size, long warmNs, long measureNs) {
        int depth = Math.clamp(BYTES_IN_FLIGHT / size, 4, MAX_DEPTH);
        int every = depth / 4;
        SendRequest silent = request(end, size, false);
        SendRequest signaled = request(end, size, true);
        long posted = 0;
        long completed = 0;
        long warmUntilNs = System.nanoTime() + warmNs;
        boolean measuring = false;
        long startNs = 0;
        long startCount = 0;
        long startAllocated = 0;
        long startCpuNs = 0;
        long lastNs = 0;
        long stallNs = 0;
        while (true) {
            while (posted - completed < depth) {
                posted++;
                post(qp, posted % every == 0 ? signaled : silent);
            }
            completed += (long) every * end.await(end.sendCq, completions);
            long nowNs = System.nanoTime();
            if (!measuring && nowNs - warmUntilNs >= 0) {
                measuring = true;
                startAllocated = Report.allocatedBytes();
                startCpuNs = Report.cpuNs();
                startCount = completed;
                startNs = nowNs;
                lastNs = nowNs;
                continue;
            }
            if (measuring) {
                stallNs = Math.max(stallNs, nowNs - lastNs);
                lastNs = nowNs;
            }
            if (measuring && nowNs - startNs >= measureNs) {
                double seconds = (nowNs - startNs) / 1e9;
                long messages = completed - startCount;
                Report.value("cores." + size, (Report.cpuNs() - startCpuNs) / 1e9 / seconds);
                Report.value("alloc." + size, (double) (Report.allocatedBytes() - startAllocated) / messages);
                Report.value("GBps." + size, (double) messages * size / seconds / 1e9);
                Report.value("kmsgps." + size, messages / seconds / 1e3);
                Report.value("stall_ms." + size, stallNs / 1e6);
                break;
            }
        }
        while (completed < posted) {
            completed += (long) every * end.await(end.sendCq, completions);
        }
        if (operation.equals("send")) {
            post(qp, new SendRequest().send().signaled());
            end.await(end.sendCq, completions);
        }
        return posted;
    }

    void server(Control control) throws IOException {
        End end = end();
        QueuePair[] qp = end.queuePairs(1, 2, 2 * RECEIVES);
        end.connect(qp, control);
        if (settings.number("victim", 0) != 0) {
            end.announceVictim(qp[0]);
        }
        makeCredits(end, qp[0]);
        boolean receives = operation.equals("send");
        ReceiveRequest receive = new ReceiveRequest().begin(0).element(end.region, 0, largest);
        if (receives) {
            for (int i = 0; i < RECEIVES; i++) {
                qp[0].postReceive(receive);
            }
        }
        for (int size = control.in.readInt(); size > 0; size = control.in.readInt()) {
            control.send(0);
            long startNs = System.nanoTime();
            long startCpuNs = Report.cpuNs();
            long startAllocated = Report.allocatedBytes();
            if (receives) {
                receiveUntilLast(end, qp[0], receive);
            }
            long messages = control.in.readLong();
            double seconds = (System.nanoTime() - startNs) / 1e9;
            Report.value("peer.cores." + size, (Report.cpuNs() - startCpuNs) / 1e9 / seconds);
            Report.value("peer.alloc." + size, (double) (Report.allocatedBytes() - startAllocated) / messages);
        }
        end.reportTrouble("peer.");
    }

    private void receiveUntilLast(End end, QueuePair qp, ReceiveRequest receive) {
        boolean last = false;
        while (!last) {
            int count = end.await(end.recvCq, completions);
            for (int i = 0; i < count; i++) {
                last |= completions[i].byteLength() == 0;
                qp.postReceive(receive);
                if (credits != null) {
                    credits.afterReceive();
                }
            }
        }
    }
}
