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

    /**
     * Actions for the end of a descriptor.
     *
     * @param serial tells it from watches of earlier descriptors with the same number, whose events may be late
     */
    private record Watch(int serial, List<Runnable> due) {
        long key(int fd) {
            return (long) serial << Integer.SIZE | fd;
        }
    }

    private final EpollSet set = new EpollSet();
    /** By descriptor; guarded by this object's monitor, as is the rest. */
    private final Map<Integer, Watch> waiting = new HashMap<>();
    private int lastSerial;
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
        Watch known = waiting.get(fd);
        if (known != null) {
            known.due.add(then);
            return;
        }
        Watch made = new Watch(++lastSerial, new ArrayList<>(List.of(then)));
        waiting.put(fd, made);
        set.add(fd, wanted, made.key(fd));
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
                for (Runnable each : take(set.key(i))) {
                    run(each);
                }
            }
        }
    }

    private synchronized List<Runnable> take(long key) {
        int fd = (int) key;
        Watch known = waiting.get(fd);
        if (known == null || known.key(fd) != key) {
            return List.of();
        }
        waiting.remove(fd);
        set.remove(fd);
        return known.due;
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
