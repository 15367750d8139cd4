// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.util.concurrent.locks.LockSupport;

/** A daemon thread that looks at something twice a second: what changes so seldom needs no more, and works on every platform. */
public final class PeriodicTask implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PeriodicTask.class.getName());
    private static final long INTERVAL_NS = 500_000_000;

    private final Runnable look;
    private final Thread thread;
    private volatile boolean running = true;

    /** @param name of the thread. @param look a failure of it is logged, and does not end the rounds */
    public PeriodicTask(String name, Runnable look) {
        this.look = look;
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    private void run() {
        while (running) {
            LockSupport.parkNanos(this, INTERVAL_NS);
            if (running) {
                lookOnce();
            }
        }
    }

    private void lookOnce() {
        try {
            look.run();
        } catch (RuntimeException failed) {
            LOG.log(System.Logger.Level.WARNING, Thread.currentThread().getName() + ": " + failed.getMessage(), failed);
        }
    }

    /** Ends the thread and waits for it. */
    @Override
    public void close() {
        running = false;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
