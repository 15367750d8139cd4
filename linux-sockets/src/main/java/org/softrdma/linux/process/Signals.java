// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.VerbsException;

/**
 * Signals of this process and of others, and the terminal's foreground process group. Numbers are those of x86-64 and aarch64. Source:
 * signal(7).
 *
 * <p>The JVM ends on SIGHUP, SIGINT and SIGTERM, prints its threads on SIGQUIT, and leaves SIGTSTP and its like at their defaults: the
 * terminal stops it with its process group.
 */
public final class Signals {
    public static final int SIGHUP = 1;
    public static final int SIGINT = 2;
    public static final int SIGQUIT = 3;
    public static final int SIGKILL = 9;
    public static final int SIGUSR1 = 10;
    public static final int SIGTERM = 15;
    public static final int SIGCONT = 18;
    public static final int SIGSTOP = 19;
    public static final int SIGTSTP = 20;

    private static final long DEFAULT = 0;
    private static final long IGNORE = 1;
    private static final int SIG_UNBLOCK = 1;
    private static final int RLIMIT_CORE = 4;
    private static final int PR_SET_DUMPABLE = 4;
    private static final int PR_SET_CHILD_SUBREAPER = 36;
    private static final int SHELL_SIGNAL_BASE = 128;
    private static final long DEATH_MS = 2_000;
    private static final byte[] TTY = ProcPath.ascii("/dev/tty\0");

    private static final FunctionDescriptor TWO_INTS = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle KILL = CLibrary.function("kill", TWO_INTS);
    private static final MethodHandle SIGNAL = CLibrary.function("signal", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle SIGMASK =
        CLibrary.function("pthread_sigmask", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle SETRLIMIT = CLibrary.function("setrlimit", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle PRCTL =
        CLibrary.variadic("prctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG), 1);
    private static final MethodHandle TCGETPGRP = CLibrary.function("tcgetpgrp", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle SETSID = CLibrary.function("setsid", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle GETPGRP = CLibrary.function("getpgrp", FunctionDescriptor.of(JAVA_INT));

    private Signals() {
    }

    /**
     * Sends a signal.
     *
     * @param pid    a process; with the opposite sign, a process group
     * @param signal 0 only checks
     * @return 0, or minus errno: ESRCH if there is no such process, EPERM
     */
    public static int send(int pid, int signal) {
        CLibrary library = CLibrary.current();
        try {
            return library.result((int) KILL.invokeExact(library.state, pid, signal));
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Whether this process was started to ignore a signal, as by nohup(1). */
    public static boolean wasIgnored(int signal) {
        return (InheritedSignals.IGNORED & InheritedSignals.bit(signal)) != 0;
    }

    /**
     * Makes this process ignore a signal, as a shell does while it waits: the JVM's own handler no longer runs. Programs started by
     * {@link ProcessSpawn} do not ignore it.
     */
    public static void ignore(int signal) {
        requireInherited();
        dispose(signal, IGNORE);
    }

    /**
     * Calls a handler when a signal arrives, in a thread of the JVM's.
     *
     * @param name without SIG: {@code HUP}, {@code TERM}
     * @return false if the JVM keeps the signal for itself, or there is none of that name
     */
    public static boolean handle(String name, Runnable handler) {
        requireInherited();
        try {
            // By reflection, because the compiler warns of the package's names; it is the only way to handle a signal in Java.
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(handlerType.getClassLoader(), new Class<?>[] {handlerType}, (_, method, _) -> {
                if (method.getName().equals("handle")) {
                    handler.run();
                }
                return null;
            });
            signal.getMethod("handle", signal, handlerType).invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
            return true;
        } catch (InvocationTargetException reserved) {
            return false;
        } catch (ReflectiveOperationException absent) {
            throw new AssertionError("module jdk.unsupported", absent);
        }
    }

    /** Reads the signals that were ignored at the start before any is changed. */
    private static void requireInherited() {
        InheritedSignals.defaults();
    }

    private static void dispose(int signal, long how) {
        CLibrary library = CLibrary.current();
        try {
            long before = (long) SIGNAL.invokeExact(library.state, signal, how);
            if (before < 0) {
                throw LinuxSockets.failure(CLibrary.EINVAL, "signal", "signal " + signal);
            }
        } catch (VerbsException failed) {
            throw failed;
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Stops this process, as its child was stopped; returns when it continues. */
    public static void stopSelf() {
        send((int) ProcessHandle.current().pid(), SIGSTOP);
    }

    /**
     * Ends this process by a signal, without a core file, so that its parent sees the end that a child of this process had. Shutdown hooks
     * do not run. Where the signal does not end the process, as in the first process of a container, the exit status is 128 and the
     * signal, as a shell's.
     */
    public static void dieBySignal(int signal) {
        CLibrary library = CLibrary.current();
        try (Arena arena = Arena.ofConfined()) {
            int ignored = (int) SETRLIMIT.invokeExact(library.state, RLIMIT_CORE, arena.allocate(JAVA_LONG, 2));
            // Where core files are piped to a program, the limit does not matter.
            ignored = (int) PRCTL.invokeExact(library.state, PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
            if (signal != SIGKILL) {
                dispose(signal, DEFAULT);
            }
            MemorySegment set = arena.allocate(CLibrary.SMALL_BYTES, 8);
            set.set(JAVA_LONG, 0, InheritedSignals.bit(signal));
            ignored = (int) SIGMASK.invokeExact(library.state, SIG_UNBLOCK, set, MemorySegment.NULL);
            send((int) ProcessHandle.current().pid(), signal);
            Thread.sleep(DEATH_MS);
        } catch (Throwable t) {
            // The exit status says the rest.
        }
        Runtime.getRuntime().halt(SHELL_SIGNAL_BASE + signal);
    }

    /** Makes orphans among the descendants of this process its children: prctl(2) PR_SET_CHILD_SUBREAPER. */
    public static void adoptOrphans() {
        CLibrary library = CLibrary.current();
        try {
            int ignored = (int) PRCTL.invokeExact(library.state, PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Leaves the terminal, and the process group that its signals go to: setsid(2). No effect for the leader of a group. */
    public static void newSession() {
        CLibrary library = CLibrary.current();
        try {
            int ignored = (int) SETSID.invokeExact(library.state);
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }

    /** Whether this process group is the one that the controlling terminal sends its signals to; false without a terminal. */
    public static boolean isForeground() {
        CLibrary library = CLibrary.current();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment tty = arena.allocate(TTY.length);
            tty.copyFrom(MemorySegment.ofArray(TTY));
            int fd = Descriptors.open(Descriptors.AT_FDCWD, tty, CLibrary.O_RDWR | CLibrary.O_CLOEXEC, 0);
            if (fd < 0) {
                return false;
            }
            int foreground = (int) TCGETPGRP.invokeExact(library.state, fd);
            LinuxSockets.close(fd);
            return foreground == (int) GETPGRP.invokeExact(library.state);
        } catch (Throwable t) {
            throw CLibrary.impossible(t);
        }
    }
}
