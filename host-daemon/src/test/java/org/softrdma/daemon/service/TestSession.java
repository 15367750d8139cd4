// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Sessions of tests, with a daemon whose state directory is not the user's. */
public final class TestSession {
    private static final long PAUSE_NS = 10_000_000L;

    private TestSession() {
    }

    /** Joins a daemon. */
    public static DaemonSession join(Path state) {
        return DaemonSession.join(state);
    }

    /** Joins a daemon as soon as it listens. */
    public static DaemonSession join(Path state, Process daemon, long patienceNs) {
        long untilNs = System.nanoTime() + patienceNs;
        while (true) {
            try {
                return DaemonSession.join(state);
            } catch (VerbsException refused) {
                if (refused.errno() != Errno.ENODEV || !daemon.isAlive() || System.nanoTime() - untilNs >= 0) {
                    throw refused;
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    /** Describes a daemon as {@code daemon status} does. */
    public static String status(Path state) {
        return new DaemonClient(state).status();
    }
}
