// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.device.queue.ReceiveSource;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;

/** A shared receive queue and the queue pairs that take receives from it, without a protocol. */
class SoftSharedReceiveQueueTest {
    private final FakeContext context = new FakeContext();
    private final ProtectionDomain pd = context.allocatePd();
    private final CompletionQueue cq = context.createCq(10);
    private final ReceiveRequest receive = new ReceiveRequest();

    private ReceiveSource sourceOn(SharedReceiveQueue srq) {
        return ((SoftQueuePair) pd.createQp(new QpInitAttributes(QpType.RC, cq, cq, srq, new QpCapabilities(1, 0, 1, 0, 0), false)))
            .receives();
    }

    @Test
    void shouldHaveOneCurrentReceiveForEachQueuePair() {
        SharedReceiveQueue srq = pd.createSrq(4, 3, 0);
        ReceiveSource one = sourceOn(srq);
        ReceiveSource two = sourceOn(srq);
        assertFalse(one.take());
        srq.postReceive(receive.begin(10).element(1, 100, 0).element(2, 50, 0).element(3, 7, 0));
        srq.postReceive(receive.begin(11));
        assertFalse(one.takeToFlush(), "posted, not taken");
        assertTrue(one.take() && one.take() && one.takeToFlush());
        assertTrue(two.take());
        assertEquals(157, one.length());
        assertEquals(0, two.length());
        assertEquals(11, two.finish());
        assertFalse(two.take(), "a receive taken by another queue pair is not available");
        assertEquals(10, one.finish());
        assertFalse(one.takeToFlush());
    }

    /** Posters, a taker and a thread that keeps changing the size run concurrently. */
    @Test
    void shouldLoseAndDoubleNothingWithManyPosters() throws InterruptedException {
        int each = 5000;
        SharedReceiveQueue srq = pd.createSrq(64, 1, 0);
        ReceiveSource source = sourceOn(srq);
        List<Thread> posters = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            long base = (long) p * each;
            posters.add(Thread.ofPlatform().start(() -> {
                ReceiveRequest own = new ReceiveRequest();
                for (long i = base; i < base + each; ) {
                    try {
                        srq.postReceive(own.begin(i).element(i, (int) i, 0));
                        i++;
                    } catch (VerbsException full) {
                        Thread.onSpinWait();
                    }
                }
            }));
        }
        BitSet seen = new BitSet();
        long[] last = {-1, -1, -1, -1};
        for (int taken = 0; taken < 4 * each; ) {
            context.agent().lock().lock();
            try {
                if (source.take()) {
                    long length = source.length();
                    long wrId = source.finish();
                    assertEquals(wrId, length, "fields of one record belong together");
                    assertFalse(seen.get((int) wrId));
                    assertTrue(wrId > last[(int) (wrId / each)], "receives of one poster are taken in order");
                    last[(int) (wrId / each)] = wrId;
                    seen.set((int) wrId);
                    taken++;
                }
            } finally {
                context.agent().lock().unlock();
            }
            if (taken % 100 == 0) {
                // Only grow: a smaller queue might not hold the receives posted meanwhile.
                srq.resize(taken < 2 * each ? 64 : 100);
            }
        }
        for (Thread poster : posters) {
            poster.join();
        }
        assertEquals(4 * each, seen.cardinality());
    }

    @Test
    void shouldWaitForItsEventsWhenClosed() {
        SharedReceiveQueue srq = pd.createSrq(4, 1, 1);
        SoftQueuePair qp = (SoftQueuePair) pd.createQp(new QpInitAttributes(QpType.RC, cq, cq, srq, new QpCapabilities(1, 0, 1, 0, 0),
            false));
        srq.postReceive(receive.begin(1));
        assertTrue(qp.receives().take());
        AsyncEvent event = context.getAsyncEvent(0);
        assertEquals(AsyncEventType.SRQ_LIMIT_REACHED, event.type());
        assertEquals(srq, event.element());
        qp.close();
        assertEquals(1, context.sharedReceiveQueues);
        Waiting closer = Waiting.start(srq::close).assertWaits();
        event.ack();
        closer.assertReturns();
        assertEquals(0, context.sharedReceiveQueues);
        pd.close();
    }
}
