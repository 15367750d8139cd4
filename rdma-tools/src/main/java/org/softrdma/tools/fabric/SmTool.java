// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.fabric;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.softrdma.fabric.partition.PartitionReader;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.run.ManagerOptions;
import org.softrdma.fabric.run.ManagerProcess;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Service;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.VerbsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code softrdma sm}: a subnet manager, with the options of opensm where these exist. */
@Command(name = "sm", sortOptions = false,
    description = "Manages an InfiniBand subnet: gives its ports LIDs, writes routes into its switches, activates its links, and does so "
        + "again when something changes. The subnet is a fabric of `softrdma fabric run`, or ibsim's.")
public final class SmTool extends AnnotatedTool {
    private static final int MAX_PORT = 65_535;
    private static final String LOOPBACK = "127.0.0.1";

    @Option(names = "--node", paramLabel = "NODE",
        description = "node that the manager runs at, by id or description (default: SIM_HOST, or the first of the topology)")
    private String node;

    @Option(names = "--ibsim", paramLabel = "BASE",
        description = "first part of the names of the fabric's sockets (default: IBSIM_SOCKNAME, or sim)")
    private String base;

    @Option(names = "--ibsim-udp", paramLabel = "PORT",
        description = "control port of a fabric on UDP instead (default: IBSIM_SERVER_PORT, if IBSIM_SERVER_NAME is set)")
    private Integer port;

    @Option(names = {"-g", "--guid"}, paramLabel = "GUID", description = "GUID of the port, in hexadecimal: the node's must be this one")
    private String guid;

    @Option(names = {"-p", "--priority"}, paramLabel = "PRIORITY",
        description = "priority among managers, 0 to 15 (default: ${DEFAULT-VALUE})")
    private int priority;

    @Option(names = {"-s", "--sweep"}, paramLabel = "SECONDS",
        description = "interval of sweeps for changes; 0 for none but those that traps cause (default: ${DEFAULT-VALUE})")
    private int sweep = ManagerOptions.DEFAULT_SWEEP;

    @Option(names = {"-t", "--timeout"}, paramLabel = "MILLISECONDS",
        description = "time for a response (default: ${DEFAULT-VALUE})")
    private int timeout = ManagerOptions.DEFAULT_TIMEOUT;

    @Option(names = {"-P", "--Pconfig"}, paramLabel = "FILE", description = "partitions, in the form of opensm's partitions.conf "
        + "(default: all ports are full members of the default partition)")
    private Path partitionFile;

    @Option(names = {"-o", "--once"}, description = "end after the first sweep: with 0 if the subnet is up, with 1 if something in it did "
        + "not answer")
    private boolean once;

    @Option(names = {"-v", "--verbose"}, description = "print counters at the end")
    private boolean verbose;

    @Override
    protected void check() {
        if (priority < 0 || priority > ManagerOptions.MAX_PRIORITY) {
            throw new Misused("priority " + priority + " is not in 0.." + ManagerOptions.MAX_PRIORITY);
        }
        if (sweep < 0 || timeout < 1) {
            throw new Misused("the interval of sweeps is at least 0 seconds, the time for a response at least 1 millisecond");
        }
        if (base != null && port != null) {
            throw new Misused("--ibsim and --ibsim-udp exclude each other");
        }
        if (port != null && (port < 1 || port > MAX_PORT)) {
            throw new Misused(port + " is no port");
        }
        if (guid != null && !guid.matches("(0[xX])?[0-9a-fA-F]{1,16}")) {
            throw new Misused("'" + guid + "' is no GUID");
        }
    }

    @Override
    protected int execute(String tool, List<String> arguments, Console console) {
        CountDownLatch finished = new CountDownLatch(1);
        try (ManagerProcess manager = new ManagerProcess(options(System.getenv()), line -> print(console, line))) {
            checkGuid(manager);
            Service.endAtSignal(manager::end, finished);
            print(console, String.format(Locale.ROOT, "subnet manager at node %s, port GUID 0x%016x, priority %d", manager.node(),
                manager.portGuid(), priority));
            boolean up = manager.run(once);
            if (verbose) {
                manager.counters().forEach((name, count) -> print(console, name.toLowerCase(Locale.ROOT) + " " + count));
            }
            return up || !once ? 0 : 1;
        } catch (VerbsException refused) {
            throw new ToolFailure("softrdma sm: " + refused.getMessage());
        } finally {
            finished.countDown();
        }
    }

    private static void print(Console console, String line) {
        console.println(line);
        console.out().flush();
    }

    private ManagerOptions options(Map<String, String> environment) {
        String at = node != null ? node : environment.getOrDefault("SIM_HOST", "");
        String names = base != null ? base : environment.getOrDefault("IBSIM_SOCKNAME", ManagerOptions.DEFAULT_BASE);
        String host = environment.get("IBSIM_SERVER_NAME");
        boolean byUdp = port != null || base == null && host != null;
        return new ManagerOptions(names, byUdp ? new InetSocketAddress(host == null ? LOOPBACK : host, port(environment)) : null, at,
            priority, sweep, timeout, partitions());
    }

    private Partitions partitions() {
        if (partitionFile == null) {
            return Partitions.DEFAULT;
        }
        try {
            return PartitionReader.read(TextFiles.read("softrdma sm", partitionFile));
        } catch (IllegalArgumentException wrong) {
            throw new ToolFailure("softrdma sm: " + partitionFile + ":" + wrong.getMessage());
        }
    }

    private int port(Map<String, String> environment) {
        if (port != null) {
            return port;
        }
        String chosen = environment.getOrDefault("IBSIM_SERVER_PORT", Integer.toString(ManagerOptions.DEFAULT_PORT));
        if (!chosen.matches("\\d{1,5}") || Integer.parseInt(chosen) > MAX_PORT) {
            throw new ToolFailure("softrdma sm: IBSIM_SERVER_PORT=" + chosen + " is no port");
        }
        return Integer.parseInt(chosen);
    }

    private void checkGuid(ManagerProcess manager) {
        if (guid != null && Long.parseUnsignedLong(guid.replaceFirst("^0[xX]", ""), 16) != manager.portGuid()) {
            throw new ToolFailure(String.format(Locale.ROOT, "softrdma sm: the port of node %s has GUID 0x%016x, not %s: choose the node "
                + "(--node, or SIM_HOST)", manager.node(), manager.portGuid(), guid));
        }
    }
}
