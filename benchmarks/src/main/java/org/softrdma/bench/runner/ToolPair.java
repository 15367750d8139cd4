// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A server and a client of perftest or of rdma-core's examples on one host.
 *
 * @param side who they are
 */
record ToolPair(Path directory, CPrograms.Host host, Side side) {
    enum Side {
        /** The C programs, under {@code ./softrdma run}. */
        C("rxe0"),
        /** Our tools, each with a device of its own. */
        JAVA("rxe0"),
        /** Our tools on the system's libibverbs, under {@code ./softrdma run}: the device that the C programs have. */
        ADAPTER("libibverbs:rxe0");

        private final String device;

        Side(String device) {
            this.device = device;
        }
    }

    private static final int FIRST_ITERATIONS = 500;
    private static final int MOST_ITERATIONS = 200_000;
    private static final int PATIENCE_SECONDS = 120;

    /**
     * Repeats until there were enough iterations for the time; where programs wait for a processor, the first run has them.
     *
     * @param seconds to aim at
     */
    Map<String, Double> latency(String tool, String size, double seconds) throws IOException, Processes.Failed {
        int iterations = FIRST_ITERATIONS;
        while (true) {
            Map<String, Double> values = ToolOutput.latency(perftest(tool, "-s", size, "-n", Integer.toString(iterations)));
            int enough = Math.clamp((long) (seconds * 1e6 / (2 * values.get("us.mean"))), FIRST_ITERATIONS, MOST_ITERATIONS);
            if (iterations >= enough / 2) {
                return values;
            }
            iterations = enough;
        }
    }

    /** @param seconds that count, after a second and before another one */
    Map<String, Double> bandwidth(String tool, List<Integer> sizes, double seconds) throws IOException, Processes.Failed {
        String duration = Integer.toString((int) Math.ceil(seconds) + 2);
        Map<String, Double> values = new TreeMap<>();
        for (int size : sizes) {
            values.putAll(ToolOutput.bandwidth(perftest(tool, "-s", Integer.toString(size), "-D", duration, "-f", "1")));
        }
        return values;
    }

    private String perftest(String tool, String... options) throws IOException, Processes.Failed {
        List<String> line = new ArrayList<>();
        line.addAll(List.of(tool, "-F", "-d", side.device, "-x", "1"));
        line.addAll(List.of(options));
        return run(line);
    }

    /** As typed: 1,000 messages of 4 KiB each way. */
    Map<String, Double> pingPong(boolean events) throws IOException, Processes.Failed {
        List<String> line = new ArrayList<>(List.of("ibv_rc_pingpong", "-d", side.device, "-g", "1"));
        if (events) {
            line.add("-e");
        }
        return ToolOutput.pingPong(run(line));
    }

    /** @return what the client printed */
    private String run(List<String> line) throws IOException, Processes.Failed {
        Map<String, String> environment = host.environment();
        String port = Integer.toString(Processes.freePort());
        List<String> server = new ArrayList<>(line);
        server.addAll(List.of("-p", port));
        List<String> client = new ArrayList<>(server);
        client.add("127.0.0.1");
        try (Processes processes = new Processes(directory)) {
            int serverNumber = processes.start(environment, command(server));
            Processes.awaitListener("tcp", port);
            int clientNumber = processes.start(environment, command(client));
            try {
                String output = processes.finish(clientNumber, PATIENCE_SECONDS);
                processes.finish(serverNumber, PATIENCE_SECONDS);
                return output;
            } catch (Processes.Failed failed) {
                throw new Processes.Failed(failed.getMessage() + "; the server: " + Processes.tail(processes.output(serverNumber)));
            }
        }
    }

    private List<String> command(List<String> line) {
        return switch (side) {
            case C -> host.underRun(line);
            case JAVA -> host.ours(line);
            case ADAPTER -> host.underRun(host.ours(line));
        };
    }
}
