// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class DeadlineHeapTest {
    private DeadlineHeap heap = new DeadlineHeap();
    private final List<Timer> called = new ArrayList<>();

    private final class Timer extends DeadlineHeap.Timed {
        private final String name;
        private long deadlineNs;
        private LongConsumer then = nowNs -> deadlineNs = Deadline.NEVER;

        Timer(String name, long deadlineNs) {
            this.name = name;
            this.deadlineNs = deadlineNs;
        }

        @Override
        public long deadlineNs() {
            return deadlineNs;
        }

        @Override
        public void onTimer(long nowNs) {
            called.add(this);
            then.accept(nowNs);
        }

        void set(long newDeadlineNs) {
            deadlineNs = newDeadlineNs;
            heap.update(this);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Timer timer(String name, long deadlineNs) {
        Timer timer = new Timer(name, deadlineNs);
        heap.update(timer);
        return timer;
    }

    private String expire(long nowNs) {
        called.clear();
        int count = heap.expire(nowNs);
        assertEquals(called.size(), count);
        return called.toString();
    }

    @Example
    void shouldCallInOrderOfDeadlines() {
        timer("b", 20);
        timer("c", 30);
        timer("a", 10);
        timer("never", Deadline.NEVER);
        assertEquals(10, heap.earliestNs());
        assertEquals("[]", expire(9));
        assertEquals("[a]", expire(10));
        assertEquals("[b, c]", expire(1_000));
        assertEquals(Deadline.NEVER, heap.earliestNs());
        assertEquals("[]", expire(Long.MAX_VALUE));
    }

    @Example
    void shouldTakeDeadlinesBelowZero() {
        timer("late", -5);
        timer("early", Long.MIN_VALUE + 1);
        assertEquals("[early]", expire(-6));
        assertEquals("[late]", expire(-5));
    }

    @Example
    void shouldNotCallBeforeADeadlineThatMovedLater() {
        Timer timer = timer("a", 10);
        timer.set(50);
        assertTrue(heap.earliestNs() <= 50, "the old time may be looked at once more");
        assertEquals("[]", expire(20));
        assertEquals(50, heap.earliestNs());
        assertEquals("[a]", expire(50));
    }

    @Example
    void shouldCallAtOnceWhenTheDeadlineMovedEarlier() {
        Timer timer = timer("a", 100);
        timer("b", 50);
        timer.set(10);
        assertEquals(10, heap.earliestNs());
        assertEquals("[a, b]", expire(50));
    }

    @Example
    void shouldForgetWhatWasRemovedOrStopped() {
        Timer removed = timer("removed", 10);
        Timer stopped = timer("stopped", 11);
        timer("c", 12);
        heap.remove(removed);
        heap.remove(removed);
        stopped.set(Deadline.NEVER);
        assertEquals("[c]", expire(100));
        removed.set(200);
        assertEquals("[removed]", expire(200));
    }

    @Example
    void shouldNotLetOneImpatientTimerHoldUpTheRest() {
        Timer impatient = timer("impatient", 1);
        impatient.then = nowNs -> { };
        timer("b", 2);
        timer("c", 3);
        assertEquals("[impatient, b, c]", expire(10));
        assertEquals(1, heap.earliestNs());
        assertEquals("[impatient]", expire(11));
    }

    @Example
    void shouldLetATimerRemoveItselfAndOthers() {
        Timer first = timer("first", 1);
        Timer second = timer("second", 2);
        Timer third = timer("third", 3);
        first.then = nowNs -> {
            heap.remove(first);
            heap.remove(second);
            third.set(500);
        };
        assertEquals("[first]", expire(100));
        assertEquals("[]", expire(499));
        assertEquals("[third]", expire(500));
    }

    @Example
    void shouldLetATimerUpdateItselfWhileItIsCalled() {
        Timer timer = timer("a", 1);
        timer.then = nowNs -> timer.set(nowNs);
        assertEquals("[a]", expire(10));
        timer.then = nowNs -> timer.set(30);
        assertEquals("[a]", expire(20));
        assertEquals(30, heap.earliestNs());
    }

    /** Random operations beside a plain list of the same timers. */
    @Property(tries = 300)
    void shouldAgreeWithASortedList(@ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int timers) {
        heap = new DeadlineHeap();
        Random random = new Random(seed);
        List<Timer> all = new ArrayList<>();
        Set<Timer> inside = new HashSet<>();
        for (int i = 0; i < timers; i++) {
            all.add(new Timer("t" + i, Deadline.NEVER));
        }
        long nowNs = random.nextInt(1_000) - 500;
        for (int step = 0; step < 300; step++) {
            Timer timer = all.get(random.nextInt(timers));
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    timer.set(random.nextInt(8) == 0 ? Deadline.NEVER : nowNs + random.nextInt(200) - 20);
                    inside.add(timer);
                }
                case 2 -> {
                    heap.remove(timer);
                    inside.remove(timer);
                }
                default -> {
                    nowNs += random.nextInt(100);
                    checkExpiry(nowNs, inside, random);
                }
            }
            long earliest = inside.stream().mapToLong(Timer::deadlineNs).min().orElse(Deadline.NEVER);
            assertTrue(heap.earliestNs() <= earliest, "nothing is overslept");
        }
    }

    private void checkExpiry(long nowNs, Set<Timer> inside, Random random) {
        Set<Timer> due = new HashSet<>();
        for (Timer timer : inside) {
            if (timer.deadlineNs <= nowNs) {
                due.add(timer);
            }
            long next = random.nextInt(3) == 0 ? Deadline.NEVER : nowNs + random.nextInt(100);
            timer.then = ns -> timer.deadlineNs = next;
        }
        expire(nowNs);
        assertEquals(due.size(), called.size(), "each once");
        assertEquals(due, new HashSet<>(called));
    }
}
