// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.run;

import java.util.List;
import org.softrdma.daemon.service.ProgramRun;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Tool;

/**
 * {@code softrdma run}: a program on the stock libraries, with everything that it starts, sees the user's devices. Each program of a user
 * starts with it, so its options are read without the library that other tools of ours have for them: loading it takes 100 ms.
 */
public final class Run implements Tool {
    private static final String USAGE = """
        Usage: softrdma run [-h] [--private] [--idle=SECONDS] [COMMAND...]
        Runs a program that is linked with the stock libibverbs and librdmacm. The
        program and everything that it starts see the devices of `rdma link show`.
        Terminal, signals, streams and exit status are the program's own.
              [COMMAND...]     the program and its arguments
              --private        answer the program in this process, on devices that no
                                 other program shares
              --idle=SECONDS   if the daemon must be started: seconds without programs
                                 after which it ends (default: 300); 0: never
          -h, --help           show this and stop""";
    private static final List<GetoptLong.Long> LONG = List.of(new GetoptLong.Long("private", false, 'p'),
        new GetoptLong.Long("idle", true, 'i'), new GetoptLong.Long("help", false, 'h'));

    private boolean help;
    private boolean alone;
    private int idleSeconds = Daemon.IDLE_SECONDS;

    @Override
    public int run(String name, List<String> arguments, Console console) {
        GetoptLong reader = new GetoptLong("softrdma run", "+h", LONG, arguments, console);
        if (!read(reader, console) || !help && reader.operands().isEmpty()) {
            console.error(USAGE);
            return Launching.EXIT_FAILED;
        }
        if (help) {
            console.println(USAGE);
            return 0;
        }
        List<String> command = reader.operands();
        return Launching.run(name, command.getFirst(), ProgramRun.lastArguments(command.size()),
            () -> alone ? Launching.alone() : Launching.shared(name, arguments.size() + 1, idleSeconds, console));
    }

    /** Reads the options; false if one is wrong, which was printed. */
    private boolean read(GetoptLong reader, Console console) {
        for (int option = reader.next(); option != GetoptLong.END; option = reader.next()) {
            switch (option) {
                case 'p' -> alone = true;
                case 'i' -> {
                    idleSeconds = Launching.idleSeconds("run", reader.argument(), console);
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
        return true;
    }
}
