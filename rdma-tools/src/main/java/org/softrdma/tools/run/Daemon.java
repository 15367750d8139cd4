// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.softrdma.daemon.service.DaemonClient;
import org.softrdma.daemon.service.DaemonServer;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.inspect.ProcessName;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code softrdma daemon}: start, end and state of the process that answers the programs of all {@code run}s. */
@Command(name = "daemon", sortOptions = false,
    description = "Controls softrdmad, the process that runs the devices of all programs under `softrdma run`. The first one starts it, "
        + "and it ends some minutes after the last one.")
public final class Daemon implements Tool {
    /** Idle time unless another one is given. */
    static final int IDLE_SECONDS = 300;
    /** Exit status of init scripts for a service that does not run. */
    private static final int EXIT_NOT_RUNNING = 3;

    @Option(names = "--idle", paramLabel = "SECONDS",
        description = "with start: seconds without programs after which the daemon ends (default: 300); 0: never")
    private int idleSeconds = IDLE_SECONDS;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "show this and stop")
    private boolean help;

    @Parameters(paramLabel = "COMMAND", arity = "0..1", description = {"start    start it, unless it runs",
        "stop     end it; programs lose their devices", "status   show it and its programs; exit status 3 if it does not run",
        "log      print its messages", "serve    run in this process, for service managers"})
    private String command;

    @Override
    public int run(String name, List<String> arguments, Console console) {
        CommandSpec spec = CommandSpec.forAnnotatedObject(this).name("softrdma " + name);
        CommandLine commandLine = new CommandLine(spec).setColorScheme(
            CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        try {
            commandLine.parseArgs(arguments.toArray(String[]::new));
            if (!help && command == null) {
                throw new ParameterException(commandLine, "start, stop, status, log or serve?");
            }
            if (idleSeconds < 0) {
                throw new ParameterException(commandLine, "--idle is " + idleSeconds + "; at least 0 is needed");
            }
            if (help) {
                console.print(commandLine.getUsageMessage());
                return 0;
            }
            return execute(commandLine, arguments.size(), console);
        } catch (ParameterException wrong) {
            console.error("softrdma " + name + ": " + wrong.getMessage());
            console.error(commandLine.getUsageMessage().stripTrailing());
            return 1;
        }
    }

    private int execute(CommandLine commandLine, int arguments, Console console) {
        Path state = StateDirectory.ofUser();
        DaemonClient client = new DaemonClient(state);
        return switch (command) {
            case "start" -> {
                client.start(arguments + 1, Launching.idle(idleSeconds));
                yield 0;
            }
            case "stop" -> {
                if (!client.stop()) {
                    console.error("softrdma daemon: does not run");
                }
                yield 0;
            }
            case "status" -> status(client, console);
            case "log" -> log(client, console);
            case "serve" -> {
                System.setProperty(ProcessName.PROPERTY, "softrdmad");
                if (!DaemonServer.serve(state, Duration.ofSeconds(idleSeconds))) {
                    console.error("softrdma daemon: runs already");
                }
                yield 0;
            }
            default -> throw new ParameterException(commandLine, "unknown command '" + command + "'");
        };
    }

    private static int status(DaemonClient client, Console console) {
        String status = client.status();
        console.println(status == null ? "softrdmad does not run" : status);
        return status == null ? EXIT_NOT_RUNNING : 0;
    }

    private static int log(DaemonClient client, Console console) {
        try {
            console.print(Files.readString(client.log()));
            return 0;
        } catch (NoSuchFileException never) {
            console.error("softrdma daemon: has not run yet, there is no " + client.log());
            return EXIT_NOT_RUNNING;
        } catch (IOException unreadable) {
            throw new ToolFailure("softrdma daemon: " + unreadable);
        }
    }
}
