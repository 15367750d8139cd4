// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread that ends calls because of signals. The kernel keeps all but fatal signals from a thread whose call was received, so that no
 * call is executed twice; calls that wait for events are to end nevertheless. Nothing reports such a signal, so the thread looks for them
 * as long as calls wait. All methods may be called by any thread.
 */
final class SignalWatch implements AutoCloseable {
    /** Time between two looks: how late a handler runs. */
    private static final long LOOK_NS = 50_000_000;

    private final Set<Call> waiting = ConcurrentHashMap.newKeySet();
    private final Thread thread = Thread.ofPlatform().daemon().name("softrdma-signals").unstarted(this::watch);
    /** The thread waits for calls, or was not started. */
    private volatile boolean idle = true;
    private volatile boolean closed;

    /** Lets signals end a call from now on. */
    void add(Call call) {
        waiting.add(call);
        if (idle) {
            start();
            LockSupport.unpark(thread);
        }
    }

    private synchronized void start() {
        if (thread.getState() == Thread.State.NEW && !closed) {
            thread.start();
        }
    }

    private void watch() {
        while (!closed) {
            idle = true;
            while (waiting.isEmpty() && !closed) {
                LockSupport.park(this);
            }
            idle = false;
            LockSupport.parkNanos(this, LOOK_NS);
            waiting.removeIf(Call::endBySignal);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
