// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.linux.process.EpollSet;

/**
 * One thread that waits for the ends of processes and for the last close of files, and runs what was left for that moment. All methods
 * may be called by any thread.
 */
final class EndWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(EndWatch.class.getName());

    private final EpollSet set = new EpollSet();
    /** By descriptor; guarded by this object's monitor. */
    private final Map<Integer, List<Runnable>> waiting = new HashMap<>();
    private final Thread thread;
    private volatile boolean closed;

    EndWatch() {
        thread = Thread.ofPlatform().daemon().name("softrdma-ends").start(this::watch);
    }

    /** Runs something once when the last reader of a pipe is gone. */
    void onLastClose(int pipeWriter, Runnable then) {
        add(pipeWriter, 0, then);
    }

    /** Runs something once when a process descriptor reports the end of its process. */
    void onEnd(int pidfd, Runnable then) {
        add(pidfd, EpollSet.READABLE, then);
    }

    private synchronized void add(int fd, int wanted, Runnable then) {
        List<Runnable> others = waiting.get(fd);
        if (others != null) {
            others.add(then);
            return;
        }
        waiting.put(fd, new ArrayList<>(List.of(then)));
        set.add(fd, wanted, fd);
    }

    /** Ends the watch of a descriptor; before it is closed. */
    synchronized void forget(int fd) {
        if (waiting.remove(fd) != null) {
            set.remove(fd);
        }
    }

    private void watch() {
        while (!closed) {
            int ready = set.await(-1);
            for (int i = 0; i < ready; i++) {
                for (Runnable each : take((int) set.key(i))) {
                    run(each);
                }
            }
        }
    }

    private synchronized List<Runnable> take(int fd) {
        List<Runnable> due = waiting.remove(fd);
        if (due == null) {
            return List.of();
        }
        set.remove(fd);
        return due;
    }

    private static void run(Runnable due) {
        try {
            due.run();
        } catch (RuntimeException | Error failed) {
            LOG.log(System.Logger.Level.ERROR, "the end of a file or process was not handled completely", failed);
        }
    }

    @Override
    public void close() {
        closed = true;
        set.wakeUp();
        try {
            thread.join();
        } catch (InterruptedException later) {
            Thread.currentThread().interrupt();
        }
        set.close();
    }
}
