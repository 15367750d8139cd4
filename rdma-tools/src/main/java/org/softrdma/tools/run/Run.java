// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.run;

import java.util.List;
import org.softrdma.daemon.service.ProgramRun;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code softrdma run}: a program on the stock libraries, with everything that it starts, sees the user's devices. */
@Command(name = "run", sortOptions = false,
    description = "Runs a program that is linked with the stock libibverbs and librdmacm. The program and everything that it starts see "
        + "the devices of `rdma link show`. Terminal, signals, streams and exit status are the program's own.")
public final class Run implements Tool {
    @Option(names = "--private", description = "answer the program in this process, on devices that no other program shares")
    private boolean alone;

    @Option(names = "--idle", paramLabel = "SECONDS",
        description = "if the daemon must be started: seconds without programs after which it ends (default: 300); 0: never")
    private int idleSeconds = Daemon.IDLE_SECONDS;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "show this and stop")
    private boolean help;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "the program and its arguments")
    private List<String> command = List.of();

    @Override
    public int run(String name, List<String> arguments, Console console) {
        CommandSpec spec = CommandSpec.forAnnotatedObject(this).name("softrdma " + name);
        CommandLine commandLine = new CommandLine(spec).setStopAtPositional(true).setColorScheme(
            CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        try {
            commandLine.parseArgs(arguments.toArray(String[]::new));
            if (idleSeconds < 0) {
                throw new ParameterException(commandLine, "--idle is " + idleSeconds + "; at least 0 is needed");
            }
            if (!help && command.isEmpty()) {
                throw new ParameterException(commandLine, "which program?");
            }
        } catch (ParameterException wrong) {
            console.error("softrdma " + name + ": " + wrong.getMessage());
            console.error(commandLine.getUsageMessage().stripTrailing());
            return Launching.EXIT_FAILED;
        }
        if (help) {
            console.print(commandLine.getUsageMessage());
            return 0;
        }
        return Launching.run(name, command.getFirst(), ProgramRun.lastArguments(command.size()),
            () -> alone ? Launching.alone() : Launching.shared(name, arguments.size() + 1, idleSeconds, console));
    }
}
