// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.inspect.ProcessDirectory;
import org.softrdma.linux.process.LocalSocket;
import org.softrdma.linux.process.NativeHeap;
import org.softrdma.linux.process.Signals;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The daemon: one adapter for all programs of a user in a network namespace. It ends when it was stopped, or some time after the last
 * program has ended.
 */
public final class DaemonServer {
    private static final System.Logger LOG = System.getLogger(DaemonServer.class.getName());
    private static final int BACKLOG = 64;
    private static final long AFTER_FAILURE_NS = 100_000_000;
    /** Time without programs after which memory is returned to the system. */
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final String OWNER_ALONE = "rw-------";

    private final DaemonFiles files;
    private final Duration idle;
    private final long startedNs = System.nanoTime();
    private final Adapter adapter;
    private final LocalSocket socket;
    private final CountDownLatch stopped = new CountDownLatch(1);
    /** Guarded by this object's monitor, as is the rest. */
    private final Set<RunConnection> connections = new HashSet<>();
    /** Whether a thread waits for a moment without programs. */
    private boolean returnsMemory;
    private long lastUseNs = System.nanoTime();
    private boolean stopping;
    private boolean ended;

    private DaemonServer(DaemonFiles files, Duration idle) {
        this.files = files;
        this.idle = idle;
        adapter = new Adapter(files.state());
        try {
            Files.deleteIfExists(files.socket());
            socket = LocalSocket.listen(files.socket(), BACKLOG);
            ProcessDirectory.keepOthersOut(files.socket(), OWNER_ALONE);
        } catch (IOException failed) {
            adapter.close();
            throw new VerbsException(Errno.EIO, "daemon", "the socket cannot be created: " + failed, failed);
        } catch (RuntimeException | Error failed) {
            adapter.close();
            throw failed;
        }
    }

    /**
     * Runs the daemon in this process until it ends.
     *
     * @param idle how long it runs without programs; zero for ever
     * @return false if there is a daemon already
     * @throws VerbsException it cannot be started
     */
    public static boolean serve(Path state, Duration idle) {
        DaemonFiles files = new DaemonFiles(state);
        try {
            StateDirectory.create(files.state());
        } catch (IOException failed) {
            throw new VerbsException(Errno.EIO, "daemon", "the state directory cannot be created: " + failed, failed);
        }
        try (FileChannel channel = FileChannel.open(files.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock()) {
            if (lock == null) {
                return false;
            }
            Signals.newSession();
            DaemonServer server = new DaemonServer(files, idle);
            Thread hook = Thread.ofPlatform().name("softrdmad-exit").unstarted(server::end);
            Runtime.getRuntime().addShutdownHook(hook);
            server.run();
            Runtime.getRuntime().removeShutdownHook(hook);
            server.end();
            return true;
        } catch (IOException failed) {
            throw new VerbsException(Errno.EIO, "daemon", files.lock() + ": " + failed, failed);
        }
    }

    private void run() {
        LOG.log(System.Logger.Level.INFO, "the daemon runs as process " + ProcessHandle.current().pid());
        Thread.ofPlatform().daemon().name("softrdmad-accept").start(this::accept);
        try {
            while (!stopped.await(checkMs(), TimeUnit.MILLISECONDS)) {
                if (stopIfIdle()) {
                    LOG.log(System.Logger.Level.INFO, "no program for " + idle.toSeconds() + " s: the daemon ends");
                    return;
                }
            }
            LOG.log(System.Logger.Level.INFO, "the daemon was stopped");
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private long checkMs() {
        return idle.isZero() ? TimeUnit.HOURS.toMillis(1) : Math.max(50, idle.toMillis() / 4);
    }

    private synchronized boolean stopIfIdle() {
        if (idle.isZero() || wasUsedWithin(idle)) {
            return false;
        }
        stopping = true;
        return true;
    }

    private void accept() {
        while (true) {
            LocalSocket accepted;
            try {
                accepted = socket.accept();
            } catch (VerbsException full) {
                LOG.log(System.Logger.Level.WARNING, "a connection was not accepted: " + full.getMessage());
                LockSupport.parkNanos(AFTER_FAILURE_NS);
                continue;
            }
            if (accepted == null) {
                return;
            }
            RunConnection connection = new RunConnection(this, accepted);
            synchronized (this) {
                if (stopping) {
                    accepted.close();
                    continue;
                }
                connections.add(connection);
            }
            Thread.ofPlatform().daemon().name("softrdmad-run").start(connection::serve);
        }
    }

    Adapter adapter() {
        return adapter;
    }

    synchronized void forget(RunConnection connection) {
        connections.remove(connection);
        if (connection.hasServedPrograms()) {
            lastUseNs = System.nanoTime();
            if (!returnsMemory) {
                returnsMemory = true;
                Thread.ofPlatform().daemon().name("softrdmad-memory").start(this::returnMemory);
            }
        }
    }

    /**
     * Frees the queues of programs that have ended, as only the collector can, and returns their memory, which the C library would keep,
     * as soon as no program has run for a while. The collector's cleaner frees memory after {@code gc} has returned.
     */
    private void returnMemory() {
        try {
            do {
                if (stopped.await(QUIET.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
            } while (!beginsToReturnMemory());
            System.gc();
            if (!stopped.await(QUIET.toMillis(), TimeUnit.MILLISECONDS) && !wasUsedWithin(QUIET)) {
                NativeHeap.trim();
            }
        } catch (InterruptedException stop) {
            return;
        }
    }

    /** Programs that end after this has returned true are for another thread. */
    private synchronized boolean beginsToReturnMemory() {
        returnsMemory = wasUsedWithin(QUIET);
        return !returnsMemory;
    }

    private synchronized boolean wasUsedWithin(Duration time) {
        return !connections.isEmpty() || System.nanoTime() - lastUseNs < time.toNanos();
    }

    void stop() {
        stopped.countDown();
    }

    String status() {
        List<String> lines = new ArrayList<>();
        synchronized (this) {
            for (RunConnection each : connections) {
                String line = each.description();
                if (line != null) {
                    lines.add(line);
                }
            }
        }
        lines.sort(null);
        lines.addFirst("softrdmad runs as process " + ProcessHandle.current().pid() + " for "
            + Duration.ofNanos(System.nanoTime() - startedNs).toSeconds() + " s; programs: " + lines.size());
        return String.join("\n", lines);
    }

    /** Ends all programs' files and the devices. Once. */
    private void end() {
        List<RunConnection> all;
        synchronized (this) {
            if (ended) {
                return;
            }
            stopping = true;
            ended = true;
            all = List.copyOf(connections);
        }
        socket.close();
        try {
            Files.deleteIfExists(files.socket());
        } catch (IOException left) {
            LOG.log(System.Logger.Level.WARNING, files.socket() + " is left", left);
        }
        all.forEach(RunConnection::close);
        adapter.close();
    }
}
