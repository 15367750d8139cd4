// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Streams whose readiness is signalled by their own threads (Netty). */
public final class NettyStreams implements Streams {
    private final Semaphore wakeups = new Semaphore(0);

    @Override
    public int poll() {
        return 0;
    }

    @Override
    public void await(long timeoutNs) {
        try {
            if (wakeups.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS)) {
                wakeups.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void wakeup() {
        wakeups.release();
    }

    @Override
    public void close() {
    }
}
