// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.lang.foreign.Arena;
import org.softrdma.contract.AllocatedBytes;
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

/**
 * Messages between queue pairs of one RoCE device, with receives of a queue pair and of a shared queue. Prints how many bytes of the Java
 * heap a round allocates.
 */
final class SteadyTraffic {
    private static final int ROUNDS = 3000;
    private static final int BYTES = 64;
    private static final int DEPTH = 16;
    private static final int COMPLETIONS = 4;

    private final QueuePair own;
    private final QueuePair ownPeer;
    private final QueuePair shared;
    private final SharedReceiveQueue srq;
    private final CompletionQueue cq;
    private final MemoryRegion region;
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final WorkCompletion[] done = WorkCompletion.array(COMPLETIONS);

    private SteadyTraffic(QueuePair own, QueuePair ownPeer, QueuePair shared, SharedReceiveQueue srq, CompletionQueue cq,
            MemoryRegion region) {
        this.own = own;
        this.ownPeer = ownPeer;
        this.shared = shared;
        this.srq = srq;
        this.cq = cq;
        this.region = region;
    }

    /** @param arguments name of the device */
    public static void main(String[] arguments) throws Throwable {
        QpCapabilities capabilities = QpCapabilities.ofDepth(DEPTH);
        try (Context context = Verbs.open(arguments[0]);
            ProtectionDomain pd = context.allocatePd();
            CompletionQueue cq = context.createCq(DEPTH);
            SharedReceiveQueue srq = pd.createSrq(DEPTH, 1, 0);
            MemoryRegion region = pd.register(Arena.ofAuto().allocate(BYTES, BYTES), AccessFlags.LOCAL_WRITE);
            QueuePair own = pd.createQp(QpInitAttributes.rc(cq, capabilities));
            QueuePair ownPeer = pd.createQp(QpInitAttributes.rc(cq, capabilities));
            QueuePair shared = pd.createQp(QpInitAttributes.rc(cq, capabilities));
            QueuePair sharedPeer = pd.createQp(QpInitAttributes.rc(cq, capabilities).withSrq(srq))) {
            QueuePair.connect(own, ownPeer);
            QueuePair.connect(shared, sharedPeer);
            SteadyTraffic traffic = new SteadyTraffic(own, ownPeer, shared, srq, cq, region);
            System.out.println(AllocatedBytes.leastOf(traffic::run) / ROUNDS + " bytes allocated");
        }
    }

    private void run() {
        for (int i = 0; i < ROUNDS; i++) {
            ownPeer.postReceive(receive.begin(i).element(region, 0, BYTES));
            srq.postReceive(receive.begin(i).element(region, 0, BYTES));
            own.postSend(send.send().wrId(i).element(region, 0, BYTES).signaled());
            shared.postSend(send.send().wrId(i).element(region, 0, BYTES).signaled());
            take();
        }
    }

    private void take() {
        int taken = 0;
        while (taken < COMPLETIONS) {
            int found = cq.poll(done);
            for (int i = 0; i < found; i++) {
                if (!done[i].isSuccess()) {
                    throw new IllegalStateException(done[i].toString());
                }
            }
            taken += found;
        }
    }
}
