// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.WorkCompletion;

/** Costs of calls of the data path through the system's libibverbs; {@code c-programs/crossing.c} measures the same in C. */
public final class Crossing {
    private static final int WARM = 15;
    private static final int COUNT = 31;
    private static final int POLLS = 100_000;
    private static final int RECEIVES = 1000;
    private static final int ROUNDS = 20;
    private static final int WRITES = 64;
    private static final int ROUNDS_OF_WRITES = 100;
    private static final int BYTES = 64;

    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final MemoryRegion region;
    private final QueuePair qp;
    private final SendRequest write = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion[] completions = WorkCompletion.array(16);

    private Crossing(ProtectionDomain pd, CompletionQueue cq, MemoryRegion region, QueuePair qp) {
        this.pd = pd;
        this.cq = cq;
        this.region = region;
        this.qp = qp;
    }

    /** @param arguments name of the device */
    public static void main(String[] arguments) {
        try (Context context = Verbs.open(arguments[0]);
            ProtectionDomain pd = context.allocatePd();
            CompletionQueue cq = context.createCq(4 * WRITES);
            MemoryRegion region = pd.register(Arena.ofAuto().allocate(4096, 4096), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
            QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.MINIMAL.withMaxSendWr(2 * WRITES)));
            QueuePair peer = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.MINIMAL.withMaxSendWr(2 * WRITES)))) {
            QueuePair.connect(qp, peer);
            Crossing crossing = new Crossing(pd, cq, region, qp);
            report("poll", crossing::pollEmpty);
            report("receive", crossing::postReceives);
            report("post", crossing::postOnly);
            report("write", crossing::postAndPoll);
        }
    }

    private static void report(String kind, DoubleSupplier measure) {
        double[] ns = new double[COUNT];
        for (int i = -WARM; i < COUNT; i++) {
            double each = measure.getAsDouble();
            if (i >= 0) {
                ns[i] = each;
            }
        }
        Arrays.sort(ns);
        System.out.printf(Locale.ROOT, "@ ns.%s %.2f%n", kind, ns[COUNT / 2]);
    }

    private double pollEmpty() {
        long startNs = System.nanoTime();
        for (int i = 0; i < POLLS; i++) {
            if (cq.poll(completions) != 0) {
                throw new IllegalStateException("a completion");
            }
        }
        return (double) (System.nanoTime() - startNs) / POLLS;
    }

    private double postReceives() {
        long takenNs = 0;
        for (int round = 0; round < ROUNDS; round++) {
            try (SharedReceiveQueue srq = pd.createSrq(RECEIVES, 1, 0)) {
                long startNs = System.nanoTime();
                for (int i = 0; i < RECEIVES; i++) {
                    srq.postReceive(receive.begin(i).element(region, 0, BYTES));
                }
                takenNs += System.nanoTime() - startNs;
            }
        }
        return (double) takenNs / (ROUNDS * RECEIVES);
    }

    private void postWrites() {
        for (int i = 0; i < WRITES; i++) {
            qp.postSend(write.write(region.address() + BYTES, region.rkey()).wrId(i).element(region, 0, BYTES).signaled());
        }
    }

    private void takeCompletions() {
        for (int taken = 0; taken < WRITES;) {
            int n = cq.poll(completions);
            for (int i = 0; i < n; i++) {
                if (!completions[i].isSuccess()) {
                    throw new IllegalStateException(completions[i].toString());
                }
            }
            taken += n;
        }
    }

    private double postOnly() {
        long takenNs = 0;
        for (int round = 0; round < ROUNDS_OF_WRITES; round++) {
            long startNs = System.nanoTime();
            postWrites();
            takenNs += System.nanoTime() - startNs;
            takeCompletions();
        }
        return (double) takenNs / (ROUNDS_OF_WRITES * WRITES);
    }

    private double postAndPoll() {
        long startNs = System.nanoTime();
        for (int round = 0; round < ROUNDS_OF_WRITES; round++) {
            postWrites();
            takeCompletions();
        }
        return (double) (System.nanoTime() - startNs) / (ROUNDS_OF_WRITES * WRITES);
    }
}
