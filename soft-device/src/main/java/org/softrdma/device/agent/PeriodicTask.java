// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.Agent;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.verbs.VerbsException;

/**
 * Looks at something twice a second: polling is enough for what changes so rarely, and works on every platform. All tasks of the process
 * share one thread, which lives as long as there is a task; where the application drives the devices, its duty cycle runs them.
 */
public final class PeriodicTask implements Agent, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PeriodicTask.class.getName());
    private static final long INTERVAL_NS = 500_000_000;

    private static final List<PeriodicTask> TASKS = new ArrayList<>();
    private static Thread watcher;

    private final String name;
    private final Runnable look;
    private final boolean applicationDriven = DeviceThreads.isApplicationDriven();
    private boolean closed;
    /** The last look was refused by the system. */
    private boolean failing;
    private long dueNs = System.nanoTime() + INTERVAL_NS;

    /**
     * @param name for the log
     * @param look a failure of it is logged, and does not end the task
     */
    public PeriodicTask(String name, Runnable look) {
        this.name = name;
        this.look = look;
        if (applicationDriven) {
            DeviceThreads.add(this);
        } else {
            addToWatcher(this);
        }
    }

    private static void addToWatcher(PeriodicTask task) {
        synchronized (TASKS) {
            TASKS.add(task);
            if (watcher == null) {
                watcher = DeviceThreads.newThread("softrdma-watch", PeriodicTask::watch);
                watcher.start();
            }
        }
    }

    private static void watch() {
        while (true) {
            LockSupport.parkNanos(TASKS, INTERVAL_NS);
            List<PeriodicTask> now;
            synchronized (TASKS) {
                if (TASKS.isEmpty()) {
                    watcher = null;
                    return;
                }
                now = List.copyOf(TASKS);
            }
            now.forEach(PeriodicTask::run);
        }
    }

    private synchronized void run() {
        if (closed) {
            return;
        }
        try {
            look.run();
            failing = false;
        } catch (VerbsException refused) {
            // The system's refusal, such as of another file descriptor, lasts: one line says it.
            if (!failing) {
                warn(refused.getMessage(), null);
            }
            failing = true;
        } catch (RuntimeException failed) {
            warn(failed.getMessage(), failed);
        }
    }

    /** Logs. A process without file descriptors cannot load what the JDK's first message needs; then the line goes to stderr. */
    private void warn(String message, Throwable cause) {
        String line = name + ": " + message;
        try {
            LOG.log(System.Logger.Level.WARNING, line, cause);
        } catch (LinkageError notLoaded) {
            System.err.println(line);
        }
    }

    @Override
    public int doWork() {
        if (!Deadline.isDue(dueNs, System.nanoTime())) {
            return 0;
        }
        dueNs = System.nanoTime() + INTERVAL_NS;
        run();
        return 1;
    }

    @Override
    public String roleName() {
        return name;
    }

    /** Ends the task, and waits until a look that is under way has ended. */
    @Override
    public void close() {
        if (applicationDriven) {
            DeviceThreads.remove(this);
        } else {
            synchronized (TASKS) {
                TASKS.remove(this);
                if (TASKS.isEmpty()) {
                    LockSupport.unpark(watcher);
                }
            }
        }
        synchronized (this) {
            closed = true;
        }
    }
}
