// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Unmodified C programs under {@code ./softrdma run}, both ends on one daemon's device, beside our tools of the same names with the same
 * options. Devices and daemons are those of directories of this run.
 */
final class CPrograms implements AutoCloseable {
    /** End of the names of rows that measure a C program. */
    static final String C = "-c";
    /** The same with packets that take the interface, as those between two of our tools do. */
    static final String C_UDP = "-c-udp";
    static final String JAVA = "-java";
    /** End of the names of rows that measure our tools on the system's libibverbs. */
    static final String ADAPTER = "-java-libibverbs";
    /** End of the names of rows that measure the C program on the kernel's rxe. */
    static final String KERNEL = "-kernel-rxe";
    static final List<String> LATENCIES = List.of("ib_send_lat-2", "ib_send_lat-64", "ib_write_lat-2", "ib_write_lat-64");
    static final List<String> BANDWIDTHS = List.of("ib_write_bw", "ib_read_bw");
    static final List<String> PING_PONGS = List.of("ibv_rc_pingpong", "ibv_rc_pingpong-e");
    static final List<Integer> SIZES = List.of(1 << 16, 1 << 20);
    static final String CROSSING = "crossing";
    private static final String PERFTEST = "perftest";
    static final String PREFIX = "c/";
    /** The launcher may have to build the tools first. */
    private static final int BUILD_SECONDS = 600;
    private static final int STOP_SECONDS = 20;
    /** Longer than any row that starts no C program. */
    private static final String IDLE_SECONDS = "180";

    private final Path target;
    private final String launcher;
    private final List<Host> hosts = new ArrayList<>();

    /** @param home directory of the benchmarks. @param target for temporary files */
    CPrograms(Path home, Path target) {
        this.target = target;
        launcher = home.resolve("../softrdma").normalize().toString();
    }

    /** A device {@code rxe0} on the loopback interface, and a daemon that has it. Both are there at the first use. */
    final class Host {
        private final String[] options;
        private Path state;

        private Host(String... options) {
            this.options = options;
        }

        Map<String, String> environment() throws IOException, Processes.Failed {
            if (state == null) {
                state = Files.createTempDirectory(target, "c-programs-");
                command(Stream.concat(Stream.of("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "lo"), Stream.of(options))
                    .toArray(String[]::new));
                command("daemon", "start", "--idle", IDLE_SECONDS);
            }
            return Map.of("SOFTRDMA_STATE_DIR", state.toString());
        }

        /** The command line of one of our commands. */
        List<String> ours(List<String> command) {
            return Stream.concat(Stream.of(launcher), command.stream()).toList();
        }

        /** The command line of a C program. */
        List<String> underRun(List<String> program) {
            return Stream.concat(Stream.of(launcher, "run", "--idle", IDLE_SECONDS, "--"), program.stream()).toList();
        }

        /** @return what one of our commands printed */
        String command(String... command) throws IOException, Processes.Failed {
            try (Processes processes = new Processes(target)) {
                Map<String, String> environment = environment();
                return processes.finish(processes.start(environment, ours(List.of(command))), BUILD_SECONDS);
            }
        }

        /** The process of the daemon. */
        ProcessHandle daemon() throws IOException, Processes.Failed {
            return ProcessHandle.of(ToolOutput.daemon(command("daemon", "status")))
                .orElseThrow(() -> new Processes.Failed("the daemon has ended"));
        }

        /** Stops the daemon and removes the directory once the daemon has ended. */
        void end() {
            if (state == null) {
                return;
            }
            try {
                ProcessHandle daemon = daemon();
                command("daemon", "stop");
                daemon.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
                delete(state);
            } catch (IOException | Processes.Failed | ExecutionException | TimeoutException left) {
                System.err.println(state + " is left: " + left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            state = null;
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** A host of its own, which ends with the others unless it was ended before. */
    Host host(String... options) {
        Host made = new Host(options);
        hosts.add(made);
        return made;
    }

    Path target() {
        return target;
    }

    /** @param seconds to aim at for one measurement. @param quick without the smallest messages and without {@code wire udp} */
    List<Row> rows(double seconds, boolean quick) {
        Host direct = host();
        Host udp = host("wire", "udp");
        List<Row> rows = new ArrayList<>();
        rows.add(new DaemonRow(PREFIX + "daemon", this, quick ? 3 : 10));
        rows.add(new CompiledRow(PREFIX + "calls-outside", "calls", this, direct, false));
        rows.add(new CompiledRow(PREFIX + "calls-run", "calls", this, direct, true));
        rows.add(new CompiledRow(PREFIX + CROSSING + C, CROSSING, this, direct, true));
        rows.add(new CrossingRow(PREFIX + CROSSING + JAVA, this, direct));
        for (String tool : LATENCIES) {
            String[] words = tool.split("-");
            if (quick && !words[1].equals("64")) {
                continue;
            }
            ToolRow.Body body = pair -> pair.latency(words[0], words[1], seconds);
            addSides(rows, tool, PERFTEST, direct, body);
            if (!quick) {
                rows.add(new ToolRow(PREFIX + tool + C_UDP, words[0], PERFTEST, new ToolPair(target, udp, ToolPair.Side.C), body));
            }
        }
        for (String tool : BANDWIDTHS) {
            ToolRow.Body body = pair -> pair.bandwidth(tool, SIZES, seconds);
            addSides(rows, tool, PERFTEST, direct, body);
            if (!quick) {
                rows.add(new ToolRow(PREFIX + tool + C_UDP, tool, PERFTEST, new ToolPair(target, udp, ToolPair.Side.C), body));
            }
        }
        for (String tool : PING_PONGS) {
            boolean events = tool.endsWith("-e");
            addSides(rows, tool, "ibverbs-utils", direct, pair -> pair.pingPong(events));
        }
        return rows;
    }

    private void addSides(List<Row> rows, String tool, String debianPackage, Host host, ToolRow.Body body) {
        String program = tool.split("-")[0];
        rows.add(new ToolRow(PREFIX + tool + C, program, debianPackage, new ToolPair(target, host, ToolPair.Side.C), body));
        rows.add(new ToolRow(PREFIX + tool + JAVA, program, debianPackage, new ToolPair(target, host, ToolPair.Side.JAVA), body));
        rows.add(new ToolRow(PREFIX + tool + ADAPTER, program, debianPackage, new ToolPair(target, host, ToolPair.Side.ADAPTER), body));
    }

    /** One tool on one side. Our own runs only where it has the C program beside it. */
    private record ToolRow(String name, String program, String debianPackage, ToolPair pair, Body body) implements Row {
        interface Body {
            Map<String, Double> run(ToolPair pair) throws IOException, Processes.Failed;
        }

        @Override
        public String missing() {
            return Peers.lacking(program, debianPackage);
        }

        @Override
        public Map<String, Double> run() throws IOException, Processes.Failed {
            return body.run(pair);
        }
    }

    /** Stops the daemons. */
    @Override
    public void close() {
        hosts.forEach(Host::end);
    }
}
