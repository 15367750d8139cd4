// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InterruptionTest {
    private final AtomicInteger ended = new AtomicInteger();
    private final Interruption interruption = new Interruption(ended::incrementAndGet);

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    private static void interruptFromAnotherThread() throws InterruptedException {
        Thread waiting = Thread.currentThread();
        Thread other = Thread.ofPlatform().start(waiting::interrupt);
        while (other.isAlive()) {
            Thread.onSpinWait();
        }
        assertTrue(waiting.isInterrupted());
    }

    @Test
    void shouldEndAWaitAsOftenAsItIsInterrupted() throws InterruptedException {
        for (int i = 1; i <= 3; i++) {
            interruption.beginWait();
            assertEquals(i - 1, ended.get());
            interruptFromAnotherThread();
            assertEquals(i, ended.get());
            interruption.endWait();
            assertTrue(Thread.interrupted(), "the thread still is");
        }
    }

    @Test
    void shouldEndTheWaitOfAThreadThatWasInterruptedBefore() throws InterruptedException {
        interruptFromAnotherThread();
        interruption.beginWait();
        assertEquals(1, ended.get());
        interruption.endWait();
    }

    @Test
    void shouldLeaveAThreadAloneThatDoesNotWait() throws InterruptedException {
        interruption.beginWait();
        interruption.endWait();
        interruptFromAnotherThread();
        assertEquals(0, ended.get());
    }
}
