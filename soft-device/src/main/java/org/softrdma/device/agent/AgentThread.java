// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.softrdma.device.threads.DeviceThreads;

/** A device's own thread: leads whenever no application's thread does. */
final class AgentThread implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AgentThread.class.getName());
    private static final long JOIN_MS = 100;

    private final DeviceAgent agent;
    private final Leadership leadership;
    private final BooleanSupplier isLeadWanted;
    private final Thread thread;
    private volatile boolean running = true;

    AgentThread(DeviceAgent agent, String name) {
        this.agent = agent;
        leadership = agent.leadership();
        isLeadWanted = leadership::isWanted;
        thread = DeviceThreads.newThread(name, this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (running) {
            long leaseNs = leadership.leaseNs();
            if (leaseNs > 0) {
                LockSupport.parkNanos(this, leaseNs);
            } else if (leadership.takeAsAgent()) {
                try {
                    lead();
                } finally {
                    leadership.giveBackAsAgent();
                }
            } else {
                leadership.awaitEndOfLead();
            }
        }
    }

    private void lead() {
        while (running && !leadership.isWanted() && leadership.leaseNs() <= 0) {
            roundOrPark();
            if (agent.lock().hasQueuedThreads()) {
                Thread.yield();
            }
        }
    }

    /**
     * Survives the error of an access to a mapped file that was cut off: the JVM throws it at the next safepoint poll, which may be outside
     * the code that guards the access.
     */
    private void roundOrPark() {
        try {
            agent.roundOrPark(isLeadWanted);
        } catch (InternalError cutOff) {
            LOG.log(System.Logger.Level.WARNING, thread.getName() + ": a file was cut off while its memory was in use", cutOff);
        }
    }

    /** Ends the thread and waits for it, unless it is the caller. */
    @Override
    public void close() {
        running = false;
        if (thread == Thread.currentThread()) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            agent.wakeup();
            LockSupport.unpark(thread);
            try {
                thread.join(JOIN_MS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
