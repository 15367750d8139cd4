// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.fabric;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.softrdma.fabric.run.FabricConnection;
import org.softrdma.fabric.run.FabricDirectory;
import org.softrdma.fabric.run.FabricProcess;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.fabric.topology.Topology;
import org.softrdma.fabric.topology.TopologyException;
import org.softrdma.fabric.topology.TopologyReader;
import org.softrdma.fabric.topology.TopologyWriter;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Service;
import org.softrdma.tools.cli.ToolFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code softrdma fabric}: runs InfiniBand fabrics, and shows and changes running ones. */
@Command(name = "fabric", sortOptions = false,
    description = "Runs an InfiniBand fabric in software: switches, adapters and cables, which a subnet manager brings up. `softrdma sm` "
        + "is one; opensm and the tools of infiniband-diags work under ibsim-run.")
public final class FabricTool extends AnnotatedTool {
    private static final String NAME = "softrdma fabric";
    private static final int MAX_SWITCHES = 1000;
    private static final int MAX_ADAPTERS = 10_000;

    @Option(names = {"-n", "--name"}, paramLabel = "NAME", description = "name of the fabric (default: ${DEFAULT-VALUE})")
    private String name = FabricDirectory.DEFAULT_NAME;

    @Option(names = "--ibsim", paramLabel = "BASE",
        description = "with run: first part of the sockets' names for ibsim's clients (default: IBSIM_SOCKNAME, or sim)")
    private String ibsimBase;

    @Option(names = "--ibsim-udp", paramLabel = "PORT",
        description = "with run: serve ibsim's clients on UDP ports of the loopback interface from PORT on, instead")
    private Integer ibsimPort;

    @Option(names = "--no-ibsim", description = "with run: do not serve ibsim's clients")
    private boolean withoutIbsim;

    @Option(names = {"-v", "--verbose"}, description = "with run: print changes of ports and routes, and what is dropped")
    private boolean verbose;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = {
        "run TOPOLOGY       run the fabric of a file, as ibnetdiscover prints it or ibsim reads it",
        "make tree ADAPTERS SWITCHES...    print the file of a tree: switches of each level, the lowest first",
        "make ring SWITCHES ADAPTERS       print the file of a ring, ADAPTERS at each switch",
        "make torus COLUMNS ROWS ADAPTERS  print the file of a torus",
        "list               names of the fabrics that run",
        "show nodes|ports|cables|counters, show routes|groups SWITCH",
        "pull NODE PORT     pull the cable of a port",
        "plug NODE PORT     plug it in again",
        "loss NODE PORT PERCENT            let the cable lose packets",
        "reset NODE         take a node's power away for a moment"})
    private List<String> command = List.of();

    @Override
    protected void check() {
        if (command.isEmpty()) {
            throw new Misused("which command?");
        }
        if (withoutIbsim && (ibsimBase != null || ibsimPort != null) || ibsimBase != null && ibsimPort != null) {
            throw new Misused("--ibsim, --ibsim-udp and --no-ibsim exclude each other");
        }
    }

    @Override
    protected int execute(String tool, List<String> arguments, Console console) {
        FabricDirectory.checkName(name);
        List<String> rest = command.subList(1, command.size());
        switch (command.getFirst()) {
            case "run" -> run(rest, console);
            case "make" -> console.print(TopologyWriter.write(make(rest)));
            case "list" -> FabricDirectory.ofUser().running().forEach(console::println);
            default -> console.print(FabricConnection.execute(name, command.stream()
                .map(each -> each.contains(" ") ? '"' + each + '"' : each).collect(Collectors.joining(" "))));
        }
        return 0;
    }

    // ---- run ----

    private void run(List<String> files, Console console) {
        if (files.size() != 1) {
            throw new ToolFailure("softrdma fabric: run needs the file of a topology");
        }
        Topology topology = read(Path.of(files.getFirst()));
        FabricProcess.Ibsim clients = clients();
        try (FabricProcess process = new FabricProcess(topology, name, clients, new EventPrinter(verbose ? console : null))) {
            console.println("fabric " + name + ": " + topology.nodes().stream().filter(each -> each.kind() == Topology.Kind.SWITCH).count()
                + " switches, " + topology.nodes().stream().filter(each -> each.kind() != Topology.Kind.SWITCH).count() + " adapters, "
                + topology.cables().size() + " cables" + reach(clients));
            console.out().flush();
            Service.awaitEnd(process::close);
        }
    }

    private FabricProcess.Ibsim clients() {
        if (withoutIbsim) {
            return new FabricProcess.Ibsim.None();
        }
        if (ibsimPort != null) {
            return new FabricProcess.Ibsim.Udp(ibsimPort);
        }
        return new FabricProcess.Ibsim.Local(ibsimBase != null ? ibsimBase : System.getenv().getOrDefault("IBSIM_SOCKNAME", "sim"));
    }

    private static String reach(FabricProcess.Ibsim clients) {
        return switch (clients) {
            case FabricProcess.Ibsim.None none -> "";
            case FabricProcess.Ibsim.Local local -> "; tools: " + (local.base().equals("sim") ? "" : "IBSIM_SOCKNAME=" + local.base() + " ")
                + "SIM_HOST=NODE ibsim-run TOOL";
            case FabricProcess.Ibsim.Udp udp -> "; tools: IBSIM_SERVER_NAME=127.0.0.1 IBSIM_SERVER_PORT=" + udp.port()
                + " SIM_HOST=NODE ibsim-run TOOL";
        };
    }

    private static Topology read(Path file) {
        try {
            return TopologyReader.read(TextFiles.read(NAME, file), included -> TextFiles.read(NAME, file.resolveSibling(included)));
        } catch (TopologyException wrong) {
            throw new ToolFailure(NAME + ": " + file + ": " + wrong.getMessage());
        }
    }

    // ---- make ----

    private static Topology make(List<String> words) {
        String form = words.isEmpty() ? "" : words.getFirst();
        List<Integer> numbers = numbers(words.subList(Math.min(1, words.size()), words.size()));
        try {
            return switch (form + numbers.size()) {
                case "ring2" -> Topologies.ring(atLeast(2, numbers.get(0), MAX_SWITCHES), atLeast(0, numbers.get(1), MAX_ADAPTERS));
                case "torus3" -> Topologies.torus(atLeast(2, numbers.get(0), MAX_SWITCHES), atLeast(2, numbers.get(1), MAX_SWITCHES),
                    atLeast(0, numbers.get(2), MAX_ADAPTERS));
                default -> {
                    if (!form.equals("tree") || numbers.size() < 2) {
                        throw new ToolFailure("softrdma fabric: make tree ADAPTERS SWITCHES... | ring SWITCHES ADAPTERS"
                            + " | torus COLUMNS ROWS ADAPTERS");
                    }
                    yield Topologies.tree(atLeast(0, numbers.getFirst(), MAX_ADAPTERS), numbers.stream().skip(1)
                        .mapToInt(each -> atLeast(1, each, MAX_SWITCHES)).toArray());
                }
            };
        } catch (TopologyException impossible) {
            throw new ToolFailure("softrdma fabric: " + impossible.getMessage());
        }
    }

    private static List<Integer> numbers(List<String> words) {
        List<Integer> numbers = new ArrayList<>();
        for (String each : words) {
            try {
                numbers.add(Integer.parseInt(each));
            } catch (NumberFormatException other) {
                throw new ToolFailure("softrdma fabric: '" + each + "' is no number");
            }
        }
        return numbers;
    }

    private static int atLeast(int least, int number, int most) {
        if (number < least || number > most) {
            throw new ToolFailure("softrdma fabric: " + number + " is not in " + least + ".." + most);
        }
        return number;
    }
}
