// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * Datagrams from one queue pair to another, as fast as they go. Nobody slows the sender down, so what counts is what was received in a
 * second; what was sent, and how much of that was lost, stands beside it.
 */
final class Datagrams {
    private static final int DEPTH = 128;
    private static final int EVERY = DEPTH / 4;
    private static final int RECEIVES = 4096;
    private static final int GRH_BYTES = 40;
    private static final int QKEY = 0x11111111;
    /** Empty polls after which the receiver looks whether the sender is done. */
    private static final int LOOK_EVERY = 0x1000;

    private final Settings settings;
    private final int[] sizes;
    private final long firstWarmNs;
    private final long warmNs;
    private final long measureNs;
    private final WorkCompletion[] completions = WorkCompletion.array(64);

    Datagrams(Settings settings) {
        this.settings = settings;
        sizes = settings.numbers("sizes", "64,1024");
        firstWarmNs = settings.seconds("firstWarm", 2);
        warmNs = settings.seconds("warm", 0.3);
        measureNs = settings.seconds("seconds", 1);
    }

    private static GidEntry gid(End end) {
        for (GidEntry each : end.context.queryGidTable()) {
            if (each.gid().isIpv4Mapped()) {
                return each;
            }
        }
        throw new IllegalStateException("no IPv4 address");
    }

    private static QueuePair queuePair(End end, int sendDepth, int receiveDepth) {
        QueuePair qp = end.pd.createQp(new QpInitAttributes(QpType.UD, end.sendCq, end.recvCq, null,
            new QpCapabilities(sendDepth, receiveDepth, 1, 1, 0), false));
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
        qp.modify(new QpAttributes().state(QpState.RTR));
        qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(ThreadLocalRandom.current().nextInt(1 << 24)));
        return qp;
    }

    void client(Control control) throws IOException {
        End end = new End(settings, 4096, 2 * DEPTH, 16, false);
        QueuePair qp = queuePair(end, 2 * DEPTH, 1);
        Gid peer = new Gid(control.in.readLong(), control.in.readLong());
        int peerQpn = control.in.readInt();
        try (AddressHandle handle = end.pd.createAh(AddressVector.to(peer, gid(end).index()))) {
            long warm = firstWarmNs;
            for (int size : sizes) {
                control.send(size);
                control.in.readInt();
                SendRequest silent = new SendRequest().send().element(end.region, 0, size).to(handle, peerQpn, QKEY);
                SendRequest signaled = new SendRequest().send().element(end.region, 0, size).to(handle, peerQpn, QKEY).signaled();
                control.out.writeLong(run(end, qp, silent, signaled, size, warm));
                control.out.flush();
                warm = warmNs;
            }
        }
        control.send(0);
        end.reportTrouble("client.");
    }

    /** @return datagrams sent */
    private long run(End end, QueuePair qp, SendRequest silent, SendRequest signaled, int size, long warm) {
        long posted = 0;
        long completed = 0;
        long startCount = 0;
        long startNs = System.nanoTime() + warm;
        boolean measuring = false;
        // The receiver's time begins with the first datagram that arrives, a little later than ours.
        while (System.nanoTime() - startNs < measureNs + measureNs / 4) {
            while (posted - completed < DEPTH) {
                posted++;
                qp.postSend(posted % EVERY == 0 ? signaled : silent);
            }
            completed += (long) EVERY * end.await(end.sendCq, completions);
            if (!measuring && System.nanoTime() - startNs >= 0) {
                measuring = true;
                startNs = System.nanoTime();
                startCount = completed;
            }
        }
        Report.value("sent_kmsgps." + size, (completed - startCount) / ((System.nanoTime() - startNs) / 1e9) / 1e3);
        while (posted % EVERY != 0) {
            posted++;
            qp.postSend(posted % EVERY == 0 ? signaled : silent);
        }
        while (completed < posted) {
            completed += (long) EVERY * end.await(end.sendCq, completions);
        }
        return posted;
    }

    void server(Control control) throws IOException {
        End end = new End(settings, GRH_BYTES + 4096, 16, 2 * RECEIVES, false);
        QueuePair qp = queuePair(end, 1, 2 * RECEIVES);
        ReceiveRequest receive = new ReceiveRequest().begin(0).element(end.region, 0, (int) end.region.length());
        for (int i = 0; i < RECEIVES; i++) {
            qp.postReceive(receive);
        }
        Gid own = gid(end).gid();
        control.out.writeLong(own.high());
        control.out.writeLong(own.low());
        control.send(qp.qpNum());
        long warm = firstWarmNs;
        for (int size = control.in.readInt(); size > 0; size = control.in.readInt()) {
            control.send(0);
            long received = receive(end, qp, receive, control, size, warm);
            Report.value("lost." + size, 1 - (double) received / control.in.readLong());
            warm = warmNs;
        }
        end.reportTrouble("peer.");
    }

    /** @return datagrams received when the sender is done and nothing comes any more */
    private long receive(End end, QueuePair qp, ReceiveRequest receive, Control control, int size, long warm) throws IOException {
        long received = 0;
        long startCount = 0;
        long startNs = 0;
        boolean measured = false;
        for (int empty = 0; ; ) {
            int polled = end.recvCq.poll(completions);
            if (polled == 0) {
                Thread.onSpinWait();
                if ((++empty & LOOK_EVERY - 1) == 0 && control.in.available() >= Long.BYTES) {
                    if (!measured) {
                        throw new IllegalStateException("the sender was done before the time was over; counters " + end.context.counters());
                    }
                    return received;
                }
                continue;
            }
            for (int i = 0; i < polled; i++) {
                qp.postReceive(receive);
            }
            long nowNs = System.nanoTime();
            if (received == 0) {
                startNs = nowNs + warm;
            }
            received += polled;
            if (!measured && startCount == 0 && nowNs - startNs >= 0) {
                startNs = nowNs;
                startCount = received;
            } else if (!measured && startCount > 0 && nowNs - startNs >= measureNs) {
                double seconds = (nowNs - startNs) / 1e9;
                Report.value("kmsgps." + size, (received - startCount) / seconds / 1e3);
                Report.value("GBps." + size, (double) (received - startCount) * size / seconds / 1e9);
                measured = true;
            }
        }
    }
}
