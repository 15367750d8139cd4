// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Signals for threads in calls that only fatal signals end: the errors that end such calls, and what programs then see of them. */
final class PendingSignalsTest {
    private static final String NOWHERE = "/nowhere/else";
    private static final int USR1 = 10;
    private static final int ENODATA = 61;
    private static final long SECONDS = 20;

    /** One call of a program that waits. */
    private record Parked(int tid, long id) {
    }

    private final BlockingQueue<Parked> parked = new LinkedBlockingQueue<>();

    @BeforeAll
    static void assumeLinux() {
        Commands.assumeLinux();
    }

    private Supervisor supervise(String... script) {
        return new Supervisor(true, (call, _, name) -> NOWHERE.equals(name) && parked.add(new Parked(call.tid(), call.id())),
            "python3", "-c", String.join("\n", script));
    }

    private Parked next() throws InterruptedException {
        Parked next = parked.poll(SECONDS, TimeUnit.SECONDS);
        assertTrue(next != null, "no call waits");
        return next;
    }

    private static void awaitSignal(int pid, Parked call, int errno) {
        Commands.until("errno " + errno, () -> PendingSignals.errno(pid, call.tid()) == errno);
    }

    /** As a call that sleeps in the kernel: EINTR, or again after a handler that was installed with SA_RESTART. */
    @Test
    void shouldLetTheHandlerDecideWhetherTheCallIsMadeAgain() throws InterruptedException {
        for (boolean restarts : new boolean[] {false, true}) {
            try (Supervisor supervisor = supervise("import ctypes, os, signal", "signal.signal(10, lambda *a: None)",
                "signal.siginterrupt(10, " + (restarts ? "False" : "True") + ")", "libc = ctypes.CDLL(None, use_errno=True)",
                "libc.open(b'" + NOWHERE + "', 0)", "os._exit(ctypes.get_errno())")) {
                int pid = supervisor.start();
                Parked first = next();
                assertEquals(PendingSignals.NONE, PendingSignals.errno(pid, first.tid));
                Signals.send(pid, USR1);
                awaitSignal(pid, first, PendingSignals.RESTART);
                assertTrue(supervisor.listener.fail(first.id, PendingSignals.RESTART));
                if (restarts) {
                    assertTrue(supervisor.listener.fail(next().id, ENODATA));
                }
                assertEquals(new ChildStatus(ChildStatus.Kind.EXITED, restarts ? ENODATA : CLibrary.EINTR), ChildStatus.await(pid));
            }
        }
    }

    /** A signal of the process is for the first thread; if that blocks it, for one that does not. */
    @Test
    void shouldInterruptAnotherThreadOnlyWhereTheFirstBlocksTheSignal() throws InterruptedException {
        for (boolean blocked : new boolean[] {false, true}) {
            String open = "ctypes.CDLL(None).open(b'" + NOWHERE + "', 0)";
            try (Supervisor supervisor = supervise("import ctypes, signal, threading, time", "signal.signal(10, lambda *a: None)",
                "signal.pthread_sigmask(signal.SIG_BLOCK, [10])",
                "def other():", "  signal.pthread_sigmask(signal.SIG_UNBLOCK, [10])", "  " + open,
                "threading.Thread(target=other).start()",
                blocked ? "time.sleep(1000)" : "signal.pthread_sigmask(signal.SIG_UNBLOCK, [10]); " + open)) {
                int pid = supervisor.start();
                Parked others = next();
                if (!blocked) {
                    Parked second = next();
                    others = others.tid == pid ? second : others;
                }
                Signals.send(pid, USR1);
                if (blocked) {
                    awaitSignal(pid, others, CLibrary.EINTR);
                } else {
                    awaitSignal(pid, new Parked(pid, 0), PendingSignals.RESTART);
                    assertEquals(PendingSignals.NONE, PendingSignals.errno(pid, others.tid));
                }
                Commands.kill(pid);
            }
        }
    }

    /** A process has stopped when all its threads have: a thread that waited makes its call again when the process goes on. */
    @Test
    void shouldStopTheThreadsOfAProcessThatStops() throws InterruptedException {
        try (Supervisor supervisor = supervise("import ctypes, os, threading, time",
            "threading.Thread(target=lambda: ctypes.CDLL(None).open(b'" + NOWHERE + "', 0)).start()", "time.sleep(1000)")) {
            int pid = supervisor.start();
            Parked call = next();
            Signals.send(pid, Signals.SIGSTOP);
            awaitSignal(pid, call, PendingSignals.RESTART);
            assertTrue(supervisor.listener.fail(call.id, PendingSignals.RESTART));
            assertEquals(ChildStatus.Kind.STOPPED, ChildStatus.await(pid).kind());
            Signals.send(pid, Signals.SIGCONT);
            assertEquals(call.tid, next().tid);
            Commands.kill(pid);
        }
    }

    @Test
    void shouldFindNoSignalsOfThreadsThatDoNotExist() {
        assertEquals(PendingSignals.NONE, PendingSignals.errno(Integer.MAX_VALUE, Integer.MAX_VALUE));
        assertEquals(PendingSignals.NONE, PendingSignals.errno(Integer.MAX_VALUE, Integer.MAX_VALUE - 1));
    }
}
