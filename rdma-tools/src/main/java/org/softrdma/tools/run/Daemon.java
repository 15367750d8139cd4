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
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code softrdma daemon}: start, end and state of the process that answers the programs of all {@code run}s. */
@Command(name = "daemon", sortOptions = false,
    description = "Controls softrdmad, the process that runs the devices of all programs under `softrdma run`. The first one starts it, "
        + "and it ends some minutes after the last one.")
public final class Daemon extends AnnotatedTool {
    private static final List<String> COMMANDS = List.of("start", "stop", "status", "log", "serve");
    /** Idle time unless another one is given. */
    static final int IDLE_SECONDS = 300;
    /** Exit status of init scripts for a service that does not run. */
    private static final int EXIT_NOT_RUNNING = 3;

    @Option(names = "--idle", paramLabel = "SECONDS",
        description = "with start: seconds without programs after which the daemon ends (default: 300); 0: never")
    private int idleSeconds = IDLE_SECONDS;

    @Parameters(paramLabel = "COMMAND", arity = "0..1", description = {"start    start it, unless it runs",
        "stop     end it; programs lose their devices", "status   show it and its programs; exit status 3 if it does not run",
        "log      print its messages", "serve    run in this process, for service managers"})
    private String command;

    @Override
    protected void check() {
        if (idleSeconds < 0) {
            throw new Misused("--idle is " + idleSeconds + "; at least 0 is needed");
        }
        if (command == null) {
            throw new Misused("start, stop, status, log or serve?");
        }
        if (!COMMANDS.contains(command)) {
            throw new Misused("unknown command '" + command + "'");
        }
    }

    @Override
    protected int execute(String name, List<String> arguments, Console console) {
        Path state = StateDirectory.ofUser();
        DaemonClient client = new DaemonClient(state);
        return switch (command) {
            case "start" -> {
                client.start(arguments.size() + 1, Launching.idle(idleSeconds));
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
            default -> throw new AssertionError(command);
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
