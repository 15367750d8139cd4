// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps descriptors open while calls on them run: a number that is closed may be another file's at once. Any thread.
 */
final class OpenGuard {
    private static final int CLOSED = 1 << 30;

    /** Calls that run, plus {@link #CLOSED}. */
    private final AtomicInteger users = new AtomicInteger();

    /**
     * Begins a call.
     *
     * @return false if the descriptors are closed: {@link #leave} must not follow
     */
    boolean enter() {
        if (users.incrementAndGet() >= CLOSED) {
            users.decrementAndGet();
            return false;
        }
        return true;
    }

    void leave() {
        users.decrementAndGet();
    }

    /**
     * Refuses calls from now on, and waits for those that run.
     *
     * @return false if another thread closes, or has closed
     */
    boolean close() {
        if (!refuse()) {
            return false;
        }
        awaitIdle();
        return true;
    }

    /** Refuses calls from now on. The result is that of {@link #close}. */
    boolean refuse() {
        return users.getAndUpdate(count -> count < CLOSED ? count + CLOSED : count) < CLOSED;
    }

    /** Waits, after {@link #refuse}, for the calls that run. */
    void awaitIdle() {
        while (users.get() != CLOSED) {
            Thread.onSpinWait();
        }
    }
}
