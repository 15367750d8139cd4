// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.run;

import java.util.List;
import org.softrdma.daemon.service.ProgramRun;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code softrdma run}: a program on the stock libraries, with everything that it starts, sees the user's devices. */
@Command(name = "run", sortOptions = false,
    description = "Runs a program that is linked with the stock libibverbs and librdmacm. The program and everything that it starts see "
        + "the devices of `rdma link show`. Terminal, signals, streams and exit status are the program's own.")
public final class Run extends AnnotatedTool {
    @Option(names = "--private", description = "answer the program in this process, on devices that no other program shares")
    private boolean alone;

    @Option(names = "--idle", paramLabel = "SECONDS",
        description = "if the daemon must be started: seconds without programs after which it ends (default: 300); 0: never")
    private int idleSeconds = Daemon.IDLE_SECONDS;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "the program and its arguments")
    private List<String> command = List.of();

    /** A tool with default options. */
    public Run() {
        super(Launching.EXIT_FAILED, true);
    }

    @Override
    protected void check() {
        Daemon.checkIdle(idleSeconds);
        if (command.isEmpty()) {
            throw new Misused("which program?");
        }
    }

    @Override
    protected int execute(String name, List<String> arguments, Console console) {
        return Launching.run(name, command.getFirst(), ProgramRun.lastArguments(command.size()),
            () -> alone ? Launching.alone() : Launching.shared(name, arguments.size() + 1, idleSeconds, console));
    }
}
