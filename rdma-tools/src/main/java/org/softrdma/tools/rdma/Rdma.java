// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;
import org.softrdma.host.config.LinkStore;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.GetoptLong;
import org.softrdma.tools.cli.Report;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;

/** {@code rdma [ OPTIONS ] OBJECT { COMMAND | help }}. */
public final class Rdma implements Tool {
    private static final List<GetoptLong.Long> LONG_OPTIONS = List.of(
        new GetoptLong.Long("version", false, 'V'), new GetoptLong.Long("help", false, 'h'), new GetoptLong.Long("json", false, 'j'),
        new GetoptLong.Long("pretty", false, 'p'), new GetoptLong.Long("details", false, 'd'), new GetoptLong.Long("raw", false, 'r'),
        new GetoptLong.Long("force", false, 'f'), new GetoptLong.Long("batch", true, 'b'));

    private final LinkStore store;
    private final Processes processes;

    /** The command on the user's links and processes. */
    public Rdma() {
        this(LinkStore.open(), Processes.ofUser());
    }

    Rdma(LinkStore store, Processes processes) {
        this.store = store;
        this.processes = processes;
    }

    @Override
    public int run(String name, List<String> arguments, Console console) {
        boolean json = false;
        boolean pretty = false;
        boolean details = false;
        GetoptLong options = new GetoptLong(name, ":Vhdrpjfb:", LONG_OPTIONS, arguments, console);
        for (int option = options.next(); option != GetoptLong.END; option = options.next()) {
            switch (option) {
                case 'V' -> {
                    String version = Rdma.class.getPackage().getImplementationVersion();
                    console.println(name + " utility, softrdma-" + (version == null ? "unpackaged" : version));
                    return 0;
                }
                case 'h' -> {
                    return help(name, console);
                }
                case 'j' -> json = true;
                case 'p' -> pretty = true;
                case 'd' -> details = true;
                case 'r', 'f' -> {
                    // raw concerns vendors' resource data, force concerns batches
                }
                case 'b' -> throw notYet(name + " -batch", "run the commands one by one");
                case GetoptLong.MISSING -> throw new ToolFailure("-" + options.offender() + " option requires an argument");
                default -> {
                    console.error("Unknown option.");
                    help(name, console);
                    return 1;
                }
            }
        }
        try {
            return object(name, new Words(options.operands()), Report.of(json, pretty, console), details, json, console);
        } catch (VerbsException refused) {
            throw new ToolFailure("error: " + refused.errno().text(), refused);
        }
    }

    private int object(String name, Words words, Report report, boolean details, boolean json, Console console) {
        if (words.isEmpty()) {
            return help(name, console);
        }
        return switch (words.takeCommand("help", "dev", "link", "resource", "system", "statistic", "record")) {
            case null -> unknown("object", words, console);
            case "dev" -> new DevCommand(store, report, details, console).run(name, words);
            case "link" -> new LinkCommand(store, report, details, console).run(name, words);
            case "resource" -> new ResourceCommand(Link.all(store), processes, report, console).run(words);
            case "statistic" -> new StatisticCommand(Link.all(store), processes, report, details || json, console).run(words);
            case "record" -> new RecordCommand(Link.all(store), processes, console).run(words);
            case "system" -> new SystemCommand(console).run(words);
            default -> help(name, console);
        };
    }

    /** Reports an unknown word in the original's words. The original exits with 0, by which a script would miss its mistake. */
    static int unknown(String what, Words words, Console console) {
        console.error("Unknown " + what + " '" + words.peek() + "'.");
        return 1;
    }

    private static ToolFailure notYet(String what, String why) {
        return new ToolFailure("error: Operation not supported\n" + what + ": not yet in softrdma; " + why);
    }

    private static int help(String name, Console console) {
        console.print("Usage: " + name + " [ OPTIONS ] OBJECT { COMMAND | help }\n"
            + "       " + name + " [ -f[orce] ] -b[atch] filename\n"
            + "where  OBJECT := { dev | link | resource | system | statistic | record | help }\n"
            + "       OPTIONS := { -V[ersion] | -d[etails] | -j[son] | -p[retty] -r[aw]}\n");
        return 0;
    }
}
