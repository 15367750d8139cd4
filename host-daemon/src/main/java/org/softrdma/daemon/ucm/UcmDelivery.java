// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.util.concurrent.LinkedBlockingQueue;

/**
 * The one thread that answers GET_EVENT calls that had to wait, for all channels. Events are queued with a device's lock held, where a
 * program's memory must not be touched: writing it may wait for a page.
 */
final class UcmDelivery implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(UcmDelivery.class.getName());

    private final LinkedBlockingQueue<UcmEvents> ready = new LinkedBlockingQueue<>();
    private Thread thread;
    private boolean closed;

    /** Starts the thread; called before the first call waits. */
    synchronized void start() {
        if (thread == null && !closed) {
            thread = Thread.ofPlatform().daemon().name("softrdma-ucm-events").start(this::run);
        }
    }

    /** Lets the thread look at a channel. Never waits. */
    void schedule(UcmEvents events) {
        ready.add(events);
    }

    private void run() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                ready.take().answerWaiting();
            } catch (InterruptedException ended) {
                return;
            } catch (RuntimeException broken) {
                LOG.log(System.Logger.Level.ERROR, "an event was not delivered", broken);
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (thread != null) {
            thread.interrupt();
        }
    }
}
