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
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;

/**
 * {@code softrdma daemon}: start, end and state of the process that answers the programs of all {@code run}s. The first {@code run} waits
 * for its start, so that its options are read as those of {@link Run}.
 */
public final class Daemon implements Tool {
    /** Idle time unless another one is given. */
    static final int IDLE_SECONDS = 300;
    private static final String USAGE = """
        Usage: softrdma daemon [-h] [--idle=SECONDS] [COMMAND]
        Controls softrdmad, the process that runs the devices of all programs under
        `softrdma run`. The first one starts it, and it ends some minutes after the
        last one.
              [COMMAND]        start    start it, unless it runs
                               stop     end it; programs lose their devices
                               status   show it and its programs; exit status 3 if it
                                 does not run
                               log      print its messages
                               serve    run in this process, for service managers
              --idle=SECONDS   with start: seconds without programs after which the
                                 daemon ends (default: 300); 0: never
          -h, --help           show this and stop""";
    private static final List<String> COMMANDS = List.of("start", "stop", "status", "log", "serve");
    private static final List<GetoptLong.Long> LONG = List.of(new GetoptLong.Long("idle", true, 'i'),
        new GetoptLong.Long("help", false, 'h'));
    private static final int EXIT_MISUSED = 1;
    /** Exit status of init scripts for a service that does not run. */
    private static final int EXIT_NOT_RUNNING = 3;

    private boolean help;
    private int idleSeconds = IDLE_SECONDS;

    @Override
    public int run(String name, List<String> arguments, Console console) {
        GetoptLong reader = new GetoptLong("softrdma daemon", "h", LONG, arguments, console);
        if (!read(reader, console)) {
            console.error(USAGE);
            return EXIT_MISUSED;
        }
        if (help) {
            console.println(USAGE);
            return 0;
        }
        return execute(reader.operands().getFirst(), arguments, console);
    }

    /** Reads the options and the command; false if one is wrong, which was printed. */
    private boolean read(GetoptLong reader, Console console) {
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'i' -> {
                    idleSeconds = Launching.idleSeconds("daemon", reader.argument(), console);
                    if (idleSeconds < 0) {
                        return false;
                    }
                }
                case 'h' -> help = true;
                default -> {
                    return false;
                }
            }
        }
        return help || isCommand(reader.operands(), console);
    }

    private static boolean isCommand(List<String> operands, Console console) {
        if (operands.isEmpty()) {
            console.error("softrdma daemon: start, stop, status, log or serve?");
        } else if (operands.size() > 1) {
            console.error("softrdma daemon: one command, not " + String.join(" ", operands));
        } else if (!COMMANDS.contains(operands.getFirst())) {
            console.error("softrdma daemon: unknown command '" + operands.getFirst() + "'");
        } else {
            return true;
        }
        return false;
    }

    private int execute(String command, List<String> arguments, Console console) {
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
