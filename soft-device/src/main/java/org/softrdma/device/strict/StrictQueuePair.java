// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import java.util.function.IntSupplier;
import org.softrdma.device.queue.CompletionSink;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;

/** The queues of a queue pair with the rules of adapters. */
public final class StrictQueuePair {
    private final StrictContext context;
    private final IntSupplier number;
    private final StrictSendRing sends;
    private final StrictReceivePosts receives;

    /**
     * Creates the rules of a queue pair.
     *
     * @param number   of the queue pair; read when there is a finding
     * @param pd       number of its protection domain
     * @param sendCq   of its sends
     * @param recvCq   of its receives; null if it has none of its own
     * @param shared   the shared queue that it takes receives from, or null
     */
    public StrictQueuePair(StrictContext context, IntSupplier number, QpInitAttributes init, int pd, StrictCompletions sendCq,
            StrictCompletions recvCq, StrictReceivePosts shared) {
        this.context = context;
        this.number = number;
        sends = new StrictSendRing(this, sendCq, pd, init.cap(), init.signalAll());
        receives = shared != null ? shared : new StrictReceivePosts(context, "post_recv", this::name, pd, recvCq, init.type() == QpType.UD);
        context.add(this);
    }

    StrictContext context() {
        return context;
    }

    String name() {
        return "qp 0x" + Integer.toHexString(number.getAsInt());
    }

    public SendRing sends() {
        return sends;
    }

    /** Creates the queue pair's own receive queue. */
    public ReceiveRing receiveRing(int maxWr, int maxElements) {
        return receives.ring(maxWr, maxElements);
    }

    /** Returns a source of receives that notes when there is none. */
    public ReceiveSource watch(ReceiveSource source) {
        return new StrictReceives(source, this, receives);
    }

    /** Returns a destination of send completions that notes them. */
    public CompletionSink watch(CompletionSink sink) {
        return new StrictSink(sink, sends);
    }

    void onReceiveSettled(int count) {
        if (receives.completions() != null) {
            receives.completions().onSettled(count);
        }
    }

    void onReset(int lostReceives) {
        sends.onReset();
        onReceiveSettled(lostReceives);
    }

    /**
     * Ends the rules of a destroyed queue pair.
     *
     * @param lostReceives receives that will never complete
     */
    public void close(int lostReceives) {
        sends.onClosed();
        onReceiveSettled(lostReceives);
        context.remove(this);
    }

    String outstanding(int lkey) {
        return sends.outstanding(lkey);
    }
}
