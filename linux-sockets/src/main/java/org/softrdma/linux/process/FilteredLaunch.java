// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.lang.foreign.Arena;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.VerbsException;

/**
 * Start of a program under a {@link SeccompFilter}: a thread of its own installs the filter, waits until the listener is served, starts
 * the program, and ends. The filter holds for that thread and the program with all its descendants, not for the rest of this JVM.
 *
 * <p>While the thread is under the filter it does nothing but native calls that were made before: a class that it loaded could open a
 * file, which would be notified, while a server of the listener waits for the class.
 */
public final class FilteredLaunch implements AutoCloseable {
    private static final int WAITING = 0;
    private static final int START = 1;
    private static final int ABANDON = 2;
    private static final int UNKNOWN = Integer.MIN_VALUE;
    private static final long PAUSE_NS = 50_000;

    private final ProcessSpawn program;
    private final FilterInstallation installation;
    private final boolean killableOnly;
    private final Thread thread;
    private final SeccompListener listener;
    private volatile int decision = WAITING;
    private volatile int listenerFd = UNKNOWN;
    private volatile int pid = UNKNOWN;

    /**
     * Installs the filter in a new thread.
     *
     * @param killableOnly true: once received, a call can be cancelled by fatal signals only, so it is never executed twice, but a call
     *     that is left unanswered keeps signals from its thread; false: any signal cancels a call, also after it was received, and the
     *     program makes it again after the signal's handler. Before Linux 5.19 always false
     * @throws VerbsException EBUSY: there is a listener above this process; EPERM, EACCES, ENOSYS, EOPNOTSUPP: the kernel or the
     *     container does not allow it
     */
    public FilteredLaunch(SeccompFilter filter, ProcessSpawn program, boolean killableOnly) {
        this.program = program;
        this.killableOnly = killableOnly;
        installation = new FilterInstallation(Architecture.current(), filter, Arena.ofAuto());
        installation.check();
        thread = Thread.ofPlatform().daemon().name("launcher").start(this::launch);
        while (listenerFd == UNKNOWN) {
            LockSupport.parkNanos(PAUSE_NS);
        }
        if (listenerFd < 0) {
            throw FilterInstallation.failure(-listenerFd);
        }
        listener = new SeccompListener(listenerFd);
        try {
            listener.requireDescriptors();
            listener.preferCallersProcessor();
        } catch (VerbsException unsupported) {
            close();
            listener.close();
            throw unsupported;
        }
    }

    private void launch() {
        // Linked before the filter applies.
        CLibrary.current();
        LockSupport.parkNanos(1);
        listenerFd = installation.install(killableOnly);
        if (listenerFd < 0) {
            return;
        }
        while (decision == WAITING) {
            LockSupport.parkNanos(PAUSE_NS);
        }
        if (decision == START) {
            pid = program.run();
        }
    }

    /** The listener. It belongs to the caller, and must be served before {@link #start}. */
    public SeccompListener listener() {
        return listener;
    }

    /**
     * Starts the program. Once.
     *
     * @return its process ID; a child of this process
     * @throws VerbsException ENOENT: there is no such program; EACCES: it cannot be executed; or another errno of execve(2)
     */
    public int start() {
        decide(START);
        if (pid == UNKNOWN) {
            throw new IllegalStateException("the program was started or abandoned before");
        }
        if (pid < 0) {
            throw LinuxSockets.failure(-pid, "run", "the program was not started");
        }
        return pid;
    }

    /** Ends the thread if the program was not started. */
    @Override
    public void close() {
        if (decision == WAITING) {
            decide(ABANDON);
        }
    }

    private void decide(int what) {
        if (decision == WAITING) {
            decision = what;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
