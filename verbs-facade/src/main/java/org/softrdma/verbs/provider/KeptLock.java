// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.provider;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A lock that a thread may keep from one call of the API to another: that of senders during a batch, that of pollers while a completion is
 * read in place. The thread that keeps it is refused, rather than let into a queue that it has changed half.
 */
public final class KeptLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final Supplier<String> whyRefused;
    private boolean kept;

    /** @param whyRefused message for the thread that keeps the lock and calls again */
    public KeptLock(Supplier<String> whyRefused) {
        this.whyRefused = whyRefused;
    }

    /**
     * Takes the lock; {@link #unlock} or {@link #keep} must follow.
     *
     * @param verb for the message
     * @throws VerbsException EINVAL: this thread keeps the lock
     */
    public void lock(String verb) {
        lock.lock();
        if (kept) {
            lock.unlock();
            throw new VerbsException(Errno.EINVAL, verb, whyRefused.get());
        }
    }

    public void unlock() {
        lock.unlock();
    }

    /** Keeps the lock, which this thread has taken, until {@link #release}. */
    public void keep() {
        kept = true;
    }

    /** Returns whether this thread keeps the lock. */
    public boolean isKept() {
        return lock.isHeldByCurrentThread() && kept;
    }

    /** Ends {@link #keep}, and unlocks. */
    public void release() {
        kept = false;
        lock.unlock();
    }
}
