// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

/** A daemon thread of a tool, whose end can be awaited. */
public final class Worker {
    private final Thread thread;

    private Worker(Thread thread) {
        this.thread = thread;
    }

    public static Worker start(String name, Runnable body) {
        return new Worker(Thread.ofPlatform().daemon().name(name).start(body));
    }

    public void interrupt() {
        thread.interrupt();
    }

    /** Waits until the thread has ended. An interrupt of the caller does not shorten the wait and is restored afterwards. */
    public void join() {
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
