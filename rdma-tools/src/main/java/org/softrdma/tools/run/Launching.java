// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.run;

import java.util.List;
import java.util.function.Supplier;
import org.softrdma.daemon.service.CallAnswering;
import org.softrdma.daemon.service.DaemonAnswering;
import org.softrdma.daemon.service.DaemonClient;
import org.softrdma.daemon.service.PrivateAnswering;
import org.softrdma.daemon.service.ProgramRun;
import org.softrdma.daemon.service.StartFailure;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Start of a program, with the exit codes of env(1) and timeout(1) for what goes wrong before it runs. */
final class Launching {
    /** The command itself failed. */
    static final int EXIT_FAILED = 125;
    private static final int EXIT_NOT_EXECUTABLE = 126;
    private static final int EXIT_NOT_FOUND = 127;

    private Launching() {
    }

    /**
     * Runs a program and ends as it does.
     *
     * @param name    of the tool
     * @param program for messages
     * @param command the program and its arguments
     * @param how     whose devices it sees, unless it is an outer run's
     */
    static int run(String name, String program, List<byte[]> command, Supplier<CallAnswering> how) {
        try {
            return ProgramRun.isNested() ? ProgramRun.runNested(command) : ProgramRun.run(command, how);
        } catch (StartFailure failure) {
            throw new ToolFailure(failure.errno() == Errno.ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE,
                "softrdma " + name + ": " + program + ": " + failure.errno().text());
        } catch (VerbsException refused) {
            ToolFailure failure = new ToolFailure(EXIT_FAILED, "softrdma " + name + ": " + refused.getMessage());
            failure.initCause(refused);
            throw failure;
        }
    }

    /** Devices of this process alone. */
    static CallAnswering alone() {
        return new PrivateAnswering(StateDirectory.ofUser());
    }

    /**
     * The daemon's devices.
     *
     * @param arguments   number of the arguments of this process's main method
     * @param idleSeconds for a daemon that must be started
     */
    static CallAnswering shared(String name, int arguments, int idleSeconds, Console console) {
        return new DaemonAnswering(new DaemonClient(StateDirectory.ofUser()), arguments, idle(idleSeconds),
            complaint -> console.error("softrdma " + name + ": " + complaint));
    }

    /**
     * Reads the argument of {@code --idle}.
     *
     * @return seconds, at least 0; -1 if it is wrong, which was printed
     */
    static int idleSeconds(String name, String argument, Console console) {
        int seconds;
        try {
            seconds = Integer.parseInt(argument);
        } catch (NumberFormatException wrong) {
            seconds = -1;
        }
        if (seconds < 0) {
            console.error("softrdma " + name + ": --idle is " + argument + "; a number of seconds, at least 0, is needed");
        }
        return Math.max(seconds, -1);
    }

    /** Arguments for a daemon. */
    static List<String> idle(int seconds) {
        return List.of("--idle", Integer.toString(seconds));
    }
}
