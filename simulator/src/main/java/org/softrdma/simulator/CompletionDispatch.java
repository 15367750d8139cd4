// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.List;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.WorkCompletion;

/** Takes completions and asynchronous events from a side's queues and hands each to the stream, pool or queue pair that it belongs to. */
final class CompletionDispatch {
    /** Work request id of the binding that opens a window before everything else. */
    static final long BIND_ID = 1L << 61;

    private final WireChecker wire;
    private final List<RequestStream> streams;
    private final List<RequestStream> allStreams;
    private final LooseWorkload looseWorkload;
    private final WorkCompletion[] polled = WorkCompletion.array(4);
    private int unfinishedBindings;
    private int overruns;

    /**
     * @param streams    those of RC
     * @param allStreams those of all services
     */
    CompletionDispatch(WireChecker wire, List<RequestStream> streams, List<RequestStream> allStreams, LooseWorkload looseWorkload) {
        this.wire = wire;
        this.streams = streams;
        this.allStreams = allStreams;
        this.looseWorkload = looseWorkload;
    }

    /** Counts a binding that was posted with {@link #BIND_ID}. */
    void expectBinding() {
        unfinishedBindings++;
    }

    /** Bindings posted with {@link #BIND_ID} that have not completed. */
    int unfinishedBindings() {
        return unfinishedBindings;
    }

    /** Completion queues that have overrun. */
    int overruns() {
        return overruns;
    }

    /**
     * Takes the asynchronous events and the completions of a side, until none is left.
     *
     * @return completions taken from the queues that its queue pairs share
     */
    int takeAll(Side side) {
        takeEvents(side);
        if (side.shared != null) {
            side.shared.expectLimitTold();
        }
        int taken = takeFrom(side.recvCq, side) + takeFrom(side.sendCq, side);
        for (Endpoint each : side.endpoints) {
            if (each.narrow != null && !each.asleep) {
                takeFrom(each.narrow, side);
            }
        }
        return taken;
    }

    private void takeEvents(Side side) {
        for (AsyncEvent event = side.context.getAsyncEvent(0); event != null; event = side.context.getAsyncEvent(0)) {
            event.ack();
            if (event.element() instanceof QueuePair qp) {
                Endpoint endpoint = side.endpointOf(qp.qpNum());
                endpoint.onEvent(event.type());
                if (event.type() == AsyncEventType.SQ_DRAINED) {
                    wire.expectDrained(side.gid, qp.qpNum(), true);
                }
            } else if (event.type() == AsyncEventType.SRQ_LIMIT_REACHED && side.shared != null
                && event.element() == side.shared.queue()) {
                side.shared.onLimit();
            } else if (event.type() == AsyncEventType.CQ_ERR) {
                onOverrun(side, event.element());
            } else {
                throw new AssertionError("asynchronous event " + event.type() + " of " + event.element());
            }
        }
    }

    /**
     * The queue holds as many completions as it has room for, and the queue pair whose completion was lost has failed. IBA vol 1 §10.8.2.2,
     * §11.6.3.2
     */
    private void onOverrun(Side side, Object queue) {
        Endpoint victim = side.endpoints.stream().filter(each -> each.narrow == queue && each.tooNarrow && !each.overrun).findFirst()
            .orElseThrow(() -> new AssertionError("CQ_ERR of a completion queue that has room, or a second one"));
        victim.overrun = true;
        victim.asleep = false;
        overruns++;
        if (victim.sharesReceives()) {
            victim.pool.onGone();
        }
        if (victim.qp.state() != QpState.ERR) {
            throw new AssertionError("a completion of qp 0x" + Integer.toHexString(victim.qp.qpNum()) + " was lost, and it is in "
                + victim.qp.state());
        }
        wire.expectSilence(side.gid, victim.qp.qpNum(), false);
        int held = takeFrom(victim.narrow, side);
        if (held != victim.narrow.cqe()) {
            throw new AssertionError("CQ_ERR of a completion queue that holds " + held + " completions of " + victim.narrow.cqe());
        }
    }

    private int takeFrom(CompletionQueue queue, Side side) {
        int taken = 0;
        for (int count = queue.poll(polled); count > 0; count = queue.poll(polled)) {
            taken += count;
            for (int i = 0; i < count; i++) {
                if (polled[i].wrId() == BIND_ID && polled[i].isSuccess()) {
                    unfinishedBindings--;
                } else if (ReceivePool.isReceive(polled[i])) {
                    onReceive(endpointOf(polled[i], side), polled[i]);
                } else {
                    streamFrom(endpointOf(polled[i], side)).onSendCompletion(polled[i]);
                }
            }
        }
        return taken;
    }

    private void onReceive(Endpoint endpoint, WorkCompletion wc) {
        if (endpoint.pool == null) {
            streamTo(endpoint).onReceiveCompletion(wc);
            return;
        }
        List<Slot> slots = endpoint.pool.finish(endpoint, wc);
        if (wc.isSuccess()) {
            if (endpoint.service == QpType.RC) {
                streamTo(endpoint).onPooledReceive(wc, slots);
            } else {
                looseWorkload.onReceive(endpoint, wc, slots);
            }
        }
        endpoint.pool.takeBack(slots);
    }

    private static Endpoint endpointOf(WorkCompletion wc, Side side) {
        Endpoint endpoint = side.endpointOf(wc.qpNum());
        if (endpoint.closed) {
            throw new AssertionError("completion of a queue pair that was destroyed: " + wc);
        }
        return endpoint;
    }

    private RequestStream streamFrom(Endpoint endpoint) {
        return allStreams.stream().filter(stream -> stream.initiator == endpoint).findFirst().orElseThrow();
    }

    private RequestStream streamTo(Endpoint endpoint) {
        return streams.stream().filter(stream -> stream.target == endpoint).findFirst().orElseThrow();
    }
}
