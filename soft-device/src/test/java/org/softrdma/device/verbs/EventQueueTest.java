// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.VerbsException;

class EventQueueTest {
    @Test
    void shouldHandOutInOrderAndCountEachDelivery() {
        List<String> delivered = new ArrayList<>();
        EventQueue<String> queue = new EventQueue<>(delivered::add, () -> null);
        queue.put("a");
        queue.put("b");
        queue.put("c");
        assertEquals(1, queue.removeIf("b"::equals));
        assertEquals("a", queue.take("get", 0));
        assertEquals("c", queue.take("get", -1));
        assertNull(queue.take("get", 0));
        assertEquals(List.of("a", "c"), delivered);
    }

    @Test
    void shouldDropTheOldestBeyondItsCapacity() {
        List<String> delivered = new ArrayList<>();
        EventQueue<String> queue = new EventQueue<>(delivered::add, 2, () -> null);
        assertTrue(queue.put("a"));
        assertTrue(queue.put("b"));
        assertFalse(queue.put("c"));
        assertEquals("b", queue.take("get", 0));
        assertTrue(queue.put("d"));
        assertEquals("c", queue.take("get", 0));
        assertEquals("d", queue.take("get", 0));
        assertTrue(queue.isEmpty());
        assertEquals(List.of("b", "c", "d"), delivered, "dropped events are not delivered");
    }

    /** Both a waiting thread and every later call. */
    @Test
    void shouldRefuseToWaitOnceItIsClosed() throws InterruptedException {
        EventQueue<String> queue = new EventQueue<>(event -> { }, () -> null);
        Waiting taker = Waiting.start(() -> assertClosed(queue, -1)).assertWaits();
        queue.close("the thing");
        taker.assertReturns();
        assertClosed(queue, 0);
        assertClosed(queue, 1_000_000);
    }

    private static void assertClosed(EventQueue<String> queue, long timeoutNs) {
        VerbsException refused = assertThrows(VerbsException.class, () -> queue.take("get", timeoutNs));
        assertEquals("get: Invalid argument (EINVAL): the thing is closed", refused.getMessage());
    }

    /** Taking an event and counting it as delivered is atomic: a destroy call sees either both or neither. */
    @Test
    void shouldNotRemoveBetweenTakingAndCounting() throws InterruptedException {
        CountDownLatch taking = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EventQueue<String> queue = new EventQueue<>(event -> {
            taking.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, () -> null);
        queue.put("a");
        Waiting taker = Waiting.start(() -> assertEquals("a", queue.take("get", 0)));
        taking.await();
        AtomicInteger removed = new AtomicInteger(-1);
        Waiting destroyer = Waiting.start(() -> removed.set(queue.removeIf("a"::equals))).assertWaits();
        goOn.countDown();
        taker.assertReturns();
        destroyer.assertReturns();
        assertEquals(0, removed.get());
    }
}
