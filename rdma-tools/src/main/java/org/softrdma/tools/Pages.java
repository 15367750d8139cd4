// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.manual.Page;

/** Documentation of all tools, from their help texts. */
final class Pages {
    private Pages() {
    }

    static List<Page> ofAllTools() {
        return Tools.all().stream().map(each -> new Page(each.name(), each.summary(), usage(each.name()), Tools.isOurs(each.name())))
            .toList();
    }

    private static String usage(String tool) {
        return switch (tool) {
            case "rdma" -> Stream.of("help", "dev help", "link help", "resource help", "statistic help", "system help")
                .map(command -> output(tool, command)).collect(Collectors.joining("\n"));
            // This tool ignores its arguments, and would list devices.
            case "ibv_devices" -> "";
            case "ibstatus" -> output(tool, "-h");
            case "qperf" -> output(tool, "--help options");
            default -> output(tool, "--help");
        };
    }

    /** Output of a tool on both streams, without the message that --help is unknown, which is the case in some originals. */
    private static String output(String tool, String arguments) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(text, true, StandardCharsets.UTF_8);
        Softrdma.run(List.of((tool + " " + arguments).split(" ")), new Console(stream, stream));
        return text.toString(StandardCharsets.UTF_8).lines().filter(line -> !line.contains(" option '--help'"))
            .collect(Collectors.joining("\n", "", "\n"));
    }
}
