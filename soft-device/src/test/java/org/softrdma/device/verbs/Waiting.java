// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicReference;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** A blocking call on a thread of its own, with assertions about its progress and outcome. */
final class Waiting {
    static final long PATIENCE_NS = 20_000_000_000L;

    private final Thread thread;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private Waiting(Runnable call) {
        thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                call.run();
            } catch (Throwable e) {
                failure.set(e);
            }
        });
    }

    static Waiting start(Runnable call) {
        return new Waiting(call);
    }

    /** Returns once the thread is parked or blocked inside the call. */
    Waiting assertWaits() {
        long endNs = System.nanoTime() + PATIENCE_NS;
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(thread.isAlive(), "the call returned but should wait");
            assertFalse(System.nanoTime() - endNs > 0, "the call neither waits nor returns");
            Thread.onSpinWait();
        }
        return this;
    }

    void assertReturns() {
        join();
        assertNull(failure.get());
    }

    VerbsException assertThrows(Errno errno) {
        join();
        VerbsException thrown = (VerbsException) failure.get();
        assertEquals(errno, thrown.errno());
        return thrown;
    }

    Thread thread() {
        return thread;
    }

    private void join() {
        try {
            thread.join(PATIENCE_NS / 1_000_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertFalse(thread.isAlive(), "still waiting after 20 s");
    }
}
