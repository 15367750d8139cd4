// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.softrdma.daemon.trap.DescriptorNumbers;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.OpenFileLimit;
import org.softrdma.linux.process.Architecture;
import org.softrdma.linux.process.ChildStatus;
import org.softrdma.linux.process.FilteredLaunch;
import org.softrdma.linux.process.InheritedDescriptors;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.ProcessSpawn;
import org.softrdma.linux.process.SeccompFilter;
import org.softrdma.linux.process.Signals;
import org.softrdma.verbs.VerbsException;

/**
 * One program that sees the user's devices, as a child of this process: it has this process's terminal, process group, streams, working
 * directory and environment, and this process ends as it does.
 */
public final class ProgramRun {
    /** Environment variable of programs that see the devices, with the process ID of their {@code run}. */
    public static final String VARIABLE = "SOFTRDMA_RUN";

    /** Signals that are passed on when they were sent to this process alone. The terminal sends its own to the whole group. */
    private static final Map<String, Integer> FORWARDED = Map.of("HUP", Signals.SIGHUP, "INT", Signals.SIGINT, "TERM", Signals.SIGTERM,
        "USR1", Signals.SIGUSR1);

    private volatile int pid;

    private ProgramRun() {
    }

    /** Whether this process runs under a filter already, so that a program that it starts sees the devices of the outer run. */
    public static boolean isNested() {
        return System.getenv(VARIABLE) != null && ProcessInfo.isFiltered();
    }

    /**
     * The last arguments of this process, byte for byte.
     *
     * @param count of the arguments of the main method
     */
    public static List<byte[]> lastArguments(int count) {
        return ProcessInfo.ownArguments(count);
    }

    /**
     * Runs a program under a filter, and waits for its end.
     *
     * @param command the program and its arguments, as bytes
     * @param how     makes what answers its calls; closed here
     * @return exit status of the program; if a signal has ended it, this process ends by the same signal instead
     * @throws VerbsException EBUSY, EPERM, ENOSYS, EOPNOTSUPP: a filter with a listener is not possible here
     * @throws StartFailure   the program cannot be started
     */
    public static int run(List<byte[]> command, Supplier<CallAnswering> how) {
        return endAs(runAndWait(command, how));
    }

    private static ChildStatus runAndWait(List<byte[]> command, Supplier<CallAnswering> how) {
        // Before the start of a daemon opens others.
        int[] inherited = InheritedDescriptors.find();
        try (CallAnswering answering = how.get()) {
            long limit = OpenFileLimit.files();
            DescriptorNumbers numbers = DescriptorNumbers.of(limit);
            SeccompFilter filter = new SeccompFilter(Architecture.current(), numbers.first(), numbers.calls(), numbers.netlink());
            try (FilteredLaunch launch = new FilteredLaunch(filter, ProcessSpawn.prepare(command, marked(), inherited), true)) {
                answering.answer(launch.listener(), limit);
                ProgramRun run = new ProgramRun();
                run.forwardSignals();
                run.pid = start(launch);
                return run.await();
            }
        }
    }

    /**
     * Runs a program under the filter that this process has already, and waits for its end; as {@link #run}.
     *
     * @throws StartFailure the program cannot be started
     */
    public static int runNested(List<byte[]> command) {
        ProcessSpawn program = ProcessSpawn.prepare(command, Map.of(), InheritedDescriptors.find());
        ProgramRun run = new ProgramRun();
        run.forwardSignals();
        int result = program.run();
        if (result < 0) {
            throw new StartFailure(LinuxSockets.errno(-result), null);
        }
        run.pid = result;
        return endAs(run.await());
    }

    private static int start(FilteredLaunch launch) {
        try {
            return launch.start();
        } catch (VerbsException refused) {
            throw new StartFailure(refused.errno(), refused);
        }
    }

    private static Map<String, String> marked() {
        return Map.of(VARIABLE, Long.toString(ProcessHandle.current().pid()));
    }

    private static int endAs(ChildStatus status) {
        if (status.kind() == ChildStatus.Kind.KILLED) {
            Signals.dieBySignal(status.number());
        }
        return status.number();
    }

    private void forwardSignals() {
        Signals.ignore(Signals.SIGQUIT);
        FORWARDED.forEach((name, number) -> {
            if (!Signals.wasIgnored(number)) {
                Signals.handle(name, () -> forward(number));
            }
        });
    }

    private void forward(int signal) {
        int child = pid;
        if (child > 0 && !(signal == Signals.SIGINT && Signals.isForeground())) {
            Signals.send(child, signal);
        }
    }

    private ChildStatus await() {
        while (true) {
            ChildStatus status = ChildStatus.await(pid);
            if (status.kind().isEnd()) {
                return status;
            }
            if (status.kind() == ChildStatus.Kind.STOPPED && ProcessInfo.isStopped(pid)) {
                Signals.stopSelf();
                // Continued: so is the program, unless only this process was.
                if (ProcessInfo.isStopped(pid)) {
                    Signals.send(pid, Signals.SIGCONT);
                }
            }
        }
    }
}
