// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;

/**
 * {@code rdma system [ show | set ]}. A user's links are the same in every network namespace, which the kernel calls shared, and registered
 * memory is never shared with a child process. As in iproute2 6.1, no option changes the output.
 */
final class SystemCommand {
    private static final String STATE = "netns shared copy-on-fork on";

    private final Console console;

    SystemCommand(Console console) {
        this.console = console;
    }

    int run(Words words) {
        if (words.isEmpty()) {
            return show(words);
        }
        return switch (words.takeCommand("show", "list", "set", "help")) {
            case null -> Rdma.unknown("system command", words, console);
            case "set" -> set(words);
            case "help" -> help("Usage: rdma system show [ netns ]\n       rdma system set netns { shared | exclusive }\n");
            default -> show(words);
        };
    }

    private int show(Words words) {
        if (!words.isEmpty() && words.takeCommand("netns") == null) {
            return Rdma.unknown("parameter", words, console);
        }
        console.println(STATE);
        return 0;
    }

    private int set(Words words) {
        if (words.isEmpty()) {
            return help("Usage: rdma system set [PARAM] value\n            system set netns { shared | exclusive }\n");
        }
        if (words.takeCommand("netns") == null) {
            return Rdma.unknown("parameter", words, console);
        }
        String mode = words.isEmpty() ? "" : words.take();
        switch (mode) {
            case "shared" -> {
                return 0;
            }
            case "exclusive" -> throw new ToolFailure("error: Operation not supported\na user's links are the same in all network "
                + "namespaces; SOFTRDMA_STATE_DIR gives processes links of their own");
            default -> throw new ToolFailure("valid options are: { shared | exclusive }");
        }
    }

    private int help(String text) {
        console.print(text);
        return 0;
    }
}
