// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DoorbellsTest {
    private static final int THREADS = 4;
    private static final int RINGS = 5_000;
    private static final long PATIENCE_NS = 10_000_000_000L;

    private final Doorbells doorbells = new Doorbells();

    private static final class Counting extends Doorbells.Bell {
        final AtomicLong posted = new AtomicLong();
        volatile long seen;
        int answers;

        @Override
        protected void onRung() {
            answers++;
            seen = posted.get();
        }
    }

    @Test
    void shouldAnswerEachOnceHoweverOftenItWasRung() {
        Counting first = new Counting();
        Counting second = new Counting();
        assertEquals(0, doorbells.drain());
        doorbells.ring(first);
        doorbells.ring(second);
        doorbells.ring(first);
        assertEquals(2, doorbells.drain());
        assertEquals(0, doorbells.drain());
        assertEquals(1, first.answers);
        assertEquals(1, second.answers);
    }

    /** One that rings while being answered is answered again: the next time, so that nobody can hold the others up. */
    @Test
    void shouldLetABellRingItselfForTheNextTime() {
        Doorbells.Bell again = new Doorbells.Bell() {
            @Override
            protected void onRung() {
                doorbells.ring(this);
            }
        };
        doorbells.ring(again);
        assertEquals(1, doorbells.drain());
        assertEquals(1, doorbells.drain());
    }

    /** Each thread rings once and then waits: a lost ring is not healed by the next one of the same bell. */
    @Test
    void shouldLoseNothingThatWasPostedBeforeARing() throws InterruptedException {
        List<Counting> bells = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger lost = new AtomicInteger();
        for (int t = 0; t < THREADS; t++) {
            Counting own = new Counting();
            bells.add(own);
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < RINGS && lost.get() == 0; i++) {
                    long post = own.posted.incrementAndGet();
                    doorbells.ring(own);
                    long endNs = System.nanoTime() + PATIENCE_NS;
                    while (own.seen < post && lost.get() == 0) {
                        if (System.nanoTime() - endNs > 0) {
                            lost.incrementAndGet();
                        }
                        Thread.yield();
                    }
                }
            }));
        }
        while (threads.stream().anyMatch(Thread::isAlive)) {
            doorbells.drain();
        }
        assertEquals(0, lost.get(), "rings without an answer");
        for (Counting bell : bells) {
            assertEquals(RINGS, bell.seen);
            assertTrue(bell.answers <= RINGS);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
