// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import org.agrona.concurrent.Agent;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.verbs.VerbsException;

/**
 * Follows something of the host: interfaces, the user's configuration, other processes. It looks soon after a change where the host
 * notifies, otherwise twice a second. All tasks of the process share one thread, the {@link HostWatcher}, which lives as long as there is
 * a task; where the application drives the devices, its duty cycle runs them, twice a second.
 */
public final class HostTask implements Agent, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HostTask.class.getName());

    /** One look at the host. */
    @FunctionalInterface
    public interface Look {
        /**
         * Looks, and acts on what it finds. A failure of it is logged, and does not end the task.
         *
         * @return false if something did not work, and has to be tried again even if nothing changes
         */
        boolean look();
    }

    private final String name;
    private final Look look;
    private final boolean applicationDriven = DeviceThreads.isApplicationDriven();
    private boolean closed;
    /** The last look was refused by the system. */
    private boolean failing;
    private long dueNs = System.nanoTime() + HostWatcher.SHORTEST_NS;

    /** @param name for the log */
    public HostTask(String name, Look look) {
        this.name = name;
        this.look = look;
        if (applicationDriven) {
            DeviceThreads.add(this);
        } else {
            HostWatcher.add(this);
        }
    }

    /**
     * Looks once.
     *
     * @return whether nothing has to be tried again
     */
    synchronized boolean run() {
        if (closed) {
            return true;
        }
        try {
            boolean settled = look.look();
            failing = false;
            return settled;
        } catch (VerbsException refused) {
            // The system's refusal, such as of another file descriptor, lasts: one line says it.
            if (!failing) {
                warn(refused.getMessage(), null);
            }
            failing = true;
        } catch (RuntimeException failed) {
            warn(failed.getMessage(), failed);
        }
        return false;
    }

    /**
     * Logs. A process without file descriptors cannot load what the JDK's first message needs; then the line goes to stderr. Missing
     * classes are a LinkageError, and missing time zones a plain Error.
     */
    private void warn(String message, Throwable cause) {
        String line = name + ": " + message;
        try {
            LOG.log(System.Logger.Level.WARNING, line, cause);
        } catch (Error notLoaded) {
            System.err.println(line);
        }
    }

    @Override
    public int doWork() {
        if (!Deadline.isDue(dueNs, System.nanoTime())) {
            return 0;
        }
        dueNs = System.nanoTime() + HostWatcher.SHORTEST_NS;
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
            HostWatcher.remove(this);
        }
        synchronized (this) {
            closed = true;
        }
    }
}
