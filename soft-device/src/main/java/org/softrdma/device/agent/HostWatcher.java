// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.device.threads.DeviceThreads;

/**
 * The thread that runs the {@linkplain HostTask tasks} of this process. Looks are half a second apart at least, however much changes on
 * the host. Without changes it sleeps for half a minute, which limits the harm of a notice that never comes, as of a network file
 * system.
 */
final class HostWatcher {
    /** From one look to the next; where the host does not notify, the interval of looks. */
    static final long SHORTEST_NS = 500_000_000;
    private static final long LONGEST_NS = 30_000_000_000L;

    /** Guards all mutable state of this class. */
    private static final List<HostTask> TASKS = new ArrayList<>();
    private static HostWatcher current;

    private final Thread thread = DeviceThreads.newThread("softrdma-watch", this::watch);
    /** Null before the first look, and where the host does not notify. */
    private HostChanges changes;

    private HostWatcher() {
    }

    static void add(HostTask task) {
        synchronized (TASKS) {
            TASKS.add(task);
            if (current == null) {
                current = new HostWatcher();
                current.thread.start();
            }
        }
    }

    static void remove(HostTask task) {
        synchronized (TASKS) {
            TASKS.remove(task);
            if (TASKS.isEmpty() && current != null) {
                current.wakeUp();
            }
        }
    }

    private void wakeUp() {
        LockSupport.unpark(thread);
        if (changes != null) {
            changes.wakeUp();
        }
    }

    private void watch() {
        // A short run ends before it pays for the notices.
        LockSupport.parkNanos(TASKS, SHORTEST_NS);
        HostChanges notices = HostChanges.open();
        synchronized (TASKS) {
            changes = notices;
        }
        for (List<HostTask> tasks = tasks(); !tasks.isEmpty(); tasks = tasks()) {
            // Before the looks: what changes after them wakes this thread.
            boolean notified = notices != null && notices.follow();
            boolean settled = true;
            for (HostTask each : tasks) {
                settled &= each.run();
            }
            LockSupport.parkNanos(TASKS, SHORTEST_NS);
            if (notified && settled) {
                notices.await(LONGEST_NS - SHORTEST_NS);
            }
        }
        if (notices != null) {
            notices.close();
        }
    }

    /** The tasks; without any, this thread is no longer the current one, and ends. */
    private List<HostTask> tasks() {
        synchronized (TASKS) {
            if (TASKS.isEmpty()) {
                current = null;
            }
            return List.copyOf(TASKS);
        }
    }
}
