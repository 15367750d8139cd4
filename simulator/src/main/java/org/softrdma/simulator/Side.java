// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;

/** One device of a simulated workload: its memory, one completion queue for each direction, and as many queue pairs as the seed wants. */
final class Side {
    private static final int CQE = 4096;
    static final int MAX_INLINE = 256;

    final Context context;
    final Gid gid;
    final ProtectionDomain pd;
    final CompletionQueue sendCq;
    final CompletionQueue recvCq;
    final ShadowedMemory memory;
    final List<QueuePair> queuePairs = new ArrayList<>();

    Side(Context context, Gid gid, SplittableRandom random) {
        this.context = context;
        this.gid = gid;
        pd = context.allocatePd();
        sendCq = context.createCq(CQE);
        recvCq = context.createCq(CQE);
        memory = new ShadowedMemory(random);
    }

    QueuePair addQueuePair(Scenario scenario) {
        QpCapabilities cap = new QpCapabilities(scenario.sendDepth(), scenario.receiveDepth(), scenario.maxSge(), scenario.maxSge(),
            MAX_INLINE);
        QueuePair qp = pd.createQp(new QpInitAttributes(QpType.RC, sendCq, recvCq, null, cap, false));
        queuePairs.add(qp);
        return qp;
    }

    MemoryWindow allocateWindow() {
        return pd.allocateMw(MemoryWindow.Type.TYPE_2);
    }

    /** @return the first asynchronous event, or null */
    String event() {
        AsyncEvent event = context.getAsyncEvent(0);
        if (event == null) {
            return null;
        }
        event.ack();
        return event.type() + " of " + event.element();
    }
}
