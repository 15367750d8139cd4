// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WorkCompletion;

/**
 * One SEND each way at a time; half the round trip. {@code mode=poll} polls in a loop, {@code mode=event} sleeps on the completion channel.
 * Completions of the sends themselves are taken out now and then. An empty SEND is the last one.
 */
final class PingPong {
    private static final int RECEIVES = 64;
    private static final int SENDS = 256;
    private static final int SIGNAL_EVERY = 64;
    private static final int ACK_EVERY = 64;
    private static final long PATIENCE_NS = 15_000_000_000L;

    private final Settings settings;
    private final boolean events;
    private final int size;
    private final WorkCompletion[] completions = WorkCompletion.array(16);
    private End end;
    private QueuePair qp;
    private ReceiveRequest receive;
    private SendRequest silent;
    private SendRequest signaled;
    private SendRequest last;
    private int unacknowledged;
    private long sent;
    private long reaped;
    private boolean lastReceived;

    PingPong(Settings settings) {
        this.settings = settings;
        events = settings.text("mode", "poll").equals("event");
        size = settings.number("size", 64);
    }

    private void open(Control control) throws IOException {
        end = new End(settings, Math.max(size, 4096), 2 * SENDS, 2 * RECEIVES, events);
        QueuePair[] made = end.queuePairs(1, 2 * SENDS, 2 * RECEIVES);
        qp = made[0];
        receive = new ReceiveRequest().begin(0).element(end.region, 0, size);
        silent = new SendRequest().send().element(end.region, 0, size);
        signaled = new SendRequest().send().element(end.region, 0, size).signaled();
        last = new SendRequest().send().signaled();
        for (int i = 0; i < RECEIVES; i++) {
            qp.postReceive(receive);
        }
        if (events) {
            end.recvCq.requestNotify();
        }
        end.connect(made, control);
    }

    void client(Control control) throws IOException {
        open(control);
        RoundTrips trips = new RoundTrips();
        trips.run(settings, () -> {
            post(false);
            receive();
        });
        post(true);
        receive();
        trips.reportLatency();
        trips.reportAllocation();
        end.reportTrouble("client.");
        acknowledge();
        control.send(0);
    }

    void server(Control control) throws IOException {
        open(control);
        while (!lastReceived) {
            receive();
            post(lastReceived);
        }
        acknowledge();
        control.in.readInt();
    }

    private void post(boolean isLast) {
        sent++;
        qp.postSend(isLast ? last : sent % SIGNAL_EVERY == 0 ? signaled : silent);
        if (sent - reaped >= SENDS - SIGNAL_EVERY) {
            reaped += (long) SIGNAL_EVERY * end.await(end.sendCq, completions);
        }
    }

    private void receive() {
        int count = 0;
        while (count == 0) {
            count = events ? sleepAndPoll() : end.await(end.recvCq, completions);
        }
        for (int i = 0; i < count; i++) {
            lastReceived |= completions[i].byteLength() == 0;
            qp.postReceive(receive);
        }
    }

    /** Waits for the event of an armed queue, arms it again, and only then looks. */
    private int sleepAndPoll() {
        CompletionQueue queue = end.channel.getEvent(PATIENCE_NS);
        if (queue == null) {
            throw new IllegalStateException("no event for 15 s; counters " + end.context.counters());
        }
        if (++unacknowledged == ACK_EVERY) {
            acknowledge();
        }
        queue.requestNotify();
        return queue.poll(completions);
    }

    private void acknowledge() {
        if (unacknowledged > 0) {
            end.recvCq.ackEvents(unacknowledged);
            unacknowledged = 0;
        }
    }
}
