// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.linux.process.LocalSocket;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Requests to the user's daemon. */
public final class DaemonClient {
    private static final long START_NS = 20_000_000_000L;
    private static final long STOP_NS = 10_000_000_000L;
    private static final long PAUSE_NS = 10_000_000L;

    private final DaemonFiles files;

    /**
     * A client of the daemon with files in a state directory.
     *
     * @param state the user's state directory
     */
    public DaemonClient(Path state) {
        files = new DaemonFiles(state);
    }

    /** The file with the daemon's messages, which need not exist. */
    public Path log() {
        return files.log();
    }

    /** Connects; null if no daemon runs. */
    LocalSocket connect() {
        try {
            LocalSocket socket = LocalSocket.connect(files.socket());
            if (socket.peer().uid() != ProcessInfo.ownUid()) {
                socket.close();
                throw new VerbsException(Errno.EACCES, "daemon", files.socket() + " is another user's");
            }
            return socket;
        } catch (VerbsException refused) {
            if (refused.errno() == Errno.ENOENT || refused.errno() == Errno.ECONNREFUSED) {
                return null;
            }
            throw refused;
        }
    }

    /**
     * Connects, and starts the daemon if none runs, for which it does not wait.
     *
     * @param arguments    number of the arguments of this process's main method, which a daemon has not
     * @param forTheDaemon arguments for the daemon if it is started
     * @throws VerbsException EIO: the daemon cannot be started
     */
    Connecting connectOrStart(int arguments, List<String> forTheDaemon) {
        LocalSocket socket = connect();
        return new Connecting(socket, socket == null ? DaemonStart.start(files, arguments, forTheDaemon) : null);
    }

    /** A connection, or a daemon that starts. */
    final class Connecting {
        private final LocalSocket socket;
        private final Process started;

        private Connecting(LocalSocket socket, Process started) {
            this.socket = socket;
            this.started = started;
        }

        /**
         * Waits for the connection.
         *
         * @throws VerbsException EIO, ETIMEDOUT: the daemon does not start
         */
        LocalSocket await() {
            return socket == null ? connectTo(started) : socket;
        }

        /** Closes the connection, if there is one already. */
        void close() {
            if (socket != null) {
                socket.close();
            }
        }
    }

    private LocalSocket connectTo(Process started) {
        long deadline = System.nanoTime() + START_NS;
        while (System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(PAUSE_NS);
            // One that found another daemon running ends at once.
            boolean ended = !started.isAlive();
            LocalSocket socket = connect();
            if (socket != null) {
                return socket;
            }
            if (ended && started.exitValue() != 0) {
                throw new VerbsException(Errno.EIO, "daemon", "the daemon ended when it started, with status " + started.exitValue()
                    + "; its messages are in " + files.log());
            }
        }
        throw new VerbsException(Errno.ETIMEDOUT, "daemon", "the daemon does not start; its messages are in " + files.log());
    }

    /**
     * Starts the daemon if none runs.
     *
     * @param arguments    number of the arguments of this process's main method
     * @param forTheDaemon arguments for the daemon
     */
    public void start(int arguments, List<String> forTheDaemon) {
        connectOrStart(arguments, forTheDaemon).await().close();
    }

    /** Describes the daemon; null if none runs. */
    public String status() {
        try (LocalSocket socket = connect()) {
            return socket == null ? null : request(socket, DaemonMessage.STATUS);
        }
    }

    /**
     * Stops the daemon, and waits until it has ended.
     *
     * @return false if none runs
     * @throws VerbsException ETIMEDOUT
     */
    public boolean stop() {
        int daemon;
        try (LocalSocket socket = connect()) {
            if (socket == null) {
                return false;
            }
            daemon = socket.peer().pid();
            if (request(socket, DaemonMessage.STOP) == null) {
                return false;
            }
        }
        long deadline = System.nanoTime() + STOP_NS;
        while (ProcessInfo.isAlive(daemon)) {
            if (System.nanoTime() - deadline >= 0) {
                throw new VerbsException(Errno.ETIMEDOUT, "daemon", "the daemon does not end; its messages are in " + files.log());
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
        return true;
    }

    private static String request(LocalSocket socket, int kind) {
        DaemonMessage message = new DaemonMessage();
        return message.send(socket, kind, new int[0], "") && message.receive(socket) == DaemonMessage.DONE ? message.text() : null;
    }
}
