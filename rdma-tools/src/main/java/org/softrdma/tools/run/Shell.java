// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.run;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;

/** {@code softrdma shell}: the user's shell, all of whose programs see the user's devices. */
public final class Shell implements Tool {
    private static final String DEFAULT = "/bin/sh";

    @Override
    public int run(String name, List<String> arguments, Console console) {
        if (!arguments.isEmpty()) {
            boolean asked = List.of("-h", "--help").contains(arguments.getFirst());
            String usage = "Usage: softrdma " + name + "\nStarts your shell ($SHELL). "
                + "All programs in it see the devices of `rdma link show`, until `exit`.";
            if (asked) {
                console.println(usage);
                return 0;
            }
            console.error(usage);
            return Launching.EXIT_FAILED;
        }
        String shell = System.getenv().getOrDefault("SHELL", DEFAULT);
        return Launching.run(name, shell, List.of(shell.getBytes(StandardCharsets.UTF_8)),
            () -> Launching.shared(name, arguments.size() + 1, Daemon.IDLE_SECONDS, console));
    }
}
