// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.host;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.model.Fabric;

/**
 * A fabric in real time: one lock, and a thread for its timers. Everything that uses the fabric does so with {@link #call}, and code that
 * the fabric calls runs with the lock held.
 */
public final class FabricHost implements AutoCloseable {
    private static final long IDLE_NS = 1_000_000_000L;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Fabric fabric;
    private final Thread timers;
    private boolean closed;

    public FabricHost(Fabric fabric) {
        this.fabric = fabric;
        timers = Thread.ofPlatform().name("softrdma-fabric-timers").daemon().start(this::runTimers);
    }

    /** Time of the fabric now. */
    public static long nowNs() {
        return System.nanoTime();
    }

    /** Uses the fabric. Any thread. */
    public <T> T call(Function<Fabric, T> use) {
        lock.lock();
        try {
            long beforeNs = fabric.deadlineNs();
            T result = use.apply(fabric);
            if (Deadline.isBefore(fabric.deadlineNs(), beforeNs)) {
                changed.signalAll();
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    /** Uses the fabric. Any thread. */
    public void run(Consumer<Fabric> use) {
        call(each -> {
            use.accept(each);
            return null;
        });
    }

    private void runTimers() {
        lock.lock();
        try {
            while (!closed) {
                long remainingNs = Deadline.remainingNs(fabric.deadlineNs(), nowNs());
                if (remainingNs <= 0) {
                    fabric.onTime(nowNs());
                } else {
                    changed.awaitNanos(Math.min(remainingNs, IDLE_NS));
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            timers.join();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
