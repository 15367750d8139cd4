// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Other transports for the same job, as Debian packages it: UCX, libfabric, iperf3, sockperf. Each over the loopback interface. */
final class Peers {
    /** Of ucx_perftest's columns: messages a second since the line before. */
    private static final int UCX_MESSAGE_RATE = 6;
    /** More messages than there is time for, by transport. With 10⁹ and more, UCX looks at the clock too rarely to print anything. */
    private static final Map<String, Integer> UCX_MESSAGES = Map.of("tcp", 20_000_000, "posix", 400_000_000);
    private static final Map<String, String> FABRIC = Map.of("FI_TCP_IFACE", "lo");

    private final Path directory;
    private final double seconds;
    private final Map<String, String> ucx;
    private final String ucxMessages;

    /** @param seconds to aim at for one measurement */
    Peers(Path directory, double seconds) {
        this(directory, seconds, "tcp");
    }

    private Peers(Path directory, double seconds, String transport) {
        this.directory = directory;
        this.seconds = seconds;
        ucx = Map.of("UCX_TLS", transport, "UCX_NET_DEVICES", "lo", "UCX_WARN_UNUSED_ENV_VARS", "n");
        ucxMessages = Integer.toString(UCX_MESSAGES.get(transport));
    }

    /** Peers whose UCX uses that transport instead of TCP: {@code posix}. */
    Peers through(String transport) {
        return new Peers(directory, seconds, transport);
    }

    private interface Body {
        Map<String, Double> run() throws IOException, Processes.Failed;
    }

    private record PeerRow(String name, String program, String debianPackage, Body body) implements Row {
        @Override
        public String missing() {
            return lacking(program, debianPackage);
        }

        @Override
        public Map<String, Double> run() throws IOException, Processes.Failed {
            return body.run();
        }
    }

    /** Why a program cannot be run, or null. */
    static String lacking(String program, String debianPackage) {
        for (String directory : System.getenv("PATH").split(":")) {
            if (Files.isExecutable(Path.of(directory, program))) {
                return null;
            }
        }
        return program + " is not installed (Debian: " + debianPackage + ")";
    }

    // ---- UCX ----

    /**
     * The rate while it is under way, of what the client prints every second. Neither the beginning counts nor the end: over TCP,
     * {@code ucp_put} stands still for up to a second until the connection is up to speed, and again in the flush that ends it.
     *
     * @param test as ucx_perftest names it
     */
    Row ucxBandwidth(String name, String test, int[] sizes) {
        return new PeerRow(name, "ucx_perftest", "ucx-utils", () -> {
            Map<String, Double> values = new TreeMap<>();
            for (int size : sizes) {
                double rate = ucxUnderWay(test, size);
                values.put("GBps." + size, rate * size / 1e9);
                values.put("kmsgps." + size, rate / 1e3);
            }
            return values;
        });
    }

    /** @return messages a second */
    private double ucxUnderWay(String test, int size) throws IOException, Processes.Failed {
        int lines = 1 + (int) Math.ceil(2 * seconds);
        String port = Integer.toString(Processes.freePort());
        try (Processes processes = new Processes(directory)) {
            processes.start(ucx, List.of("ucx_perftest", "-p", port));
            Processes.awaitListener("tcp", port);
            int client = processes.start(ucx, List.of("ucx_perftest", "127.0.0.1", "-p", port, "-t", test, "-s", Integer.toString(size),
                "-n", ucxMessages, "-w", "10", "-v"));
            return processes.awaitLines(client, "[thread 0]", lines, 10 * lines).stream().skip(1)
                .mapToDouble(line -> Double.parseDouble(line.split(",")[UCX_MESSAGE_RATE])).average().orElseThrow();
        }
    }

    Row ucxLatency(String name, String test, int size) {
        return new PeerRow(name, "ucx_perftest", "ucx-utils", () -> {
            Map<String, Double> values = new TreeMap<>();
            double probe = ucx(test, size, 5000, 50)[3];
            int iterations = Math.clamp((long) (seconds * 1e6 / (2 * probe) / 2), 1000, 1_000_000);
            for (String percentile : List.of("50", "90", "99", "99.9")) {
                double[] columns = ucx(test, size, iterations, Double.parseDouble(percentile));
                values.put("us.p" + percentile, columns[1]);
                if (percentile.equals("50")) {
                    values.put("us.mean", columns[3]);
                }
            }
            return values;
        });
    }

    /** @return columns: iterations, percentile, average and overall latency (µs), average and overall MiB/s, average and overall msg/s */
    private double[] ucx(String test, int size, int iterations, double percentile) throws IOException, Processes.Failed {
        String port = Integer.toString(Processes.freePort());
        try (Processes processes = new Processes(directory)) {
            processes.start(ucx, List.of("ucx_perftest", "-p", port));
            Processes.awaitListener("tcp", port);
            int client = processes.start(ucx, List.of("ucx_perftest", "127.0.0.1", "-p", port, "-t", test, "-s", Integer.toString(size),
                "-n", Integer.toString(iterations), "-w", Integer.toString(Math.max(10, iterations / 5)), "-f", "-v",
                "-R", Double.toString(percentile)));
            String output = processes.finish(client, 60);
            String[] lines = output.strip().split("\n");
            String[] fields = lines[lines.length - 1].split(",");
            if (fields.length < 8) {
                throw new Processes.Failed(Processes.tail(output));
            }
            double[] columns = new double[8];
            for (int i = 0; i < 8; i++) {
                columns[i] = Double.parseDouble(fields[i]);
            }
            return columns;
        }
    }

    // ---- libfabric ----

    /** @param endpoint rdm or dgram */
    Row fabricLatency(String name, String provider, String endpoint, int size) {
        return new PeerRow(name, "fi_pingpong", "libfabric-bin", () -> Map.of("us.mean", fabric(provider, endpoint, size, 2000)));
    }

    /** One transfer at a time: a ping-pong's bandwidth. */
    Row fabricBandwidth(String name, String provider, String endpoint, int[] sizes) {
        return new PeerRow(name, "fi_pingpong", "libfabric-bin", () -> {
            Map<String, Double> values = new TreeMap<>();
            for (int size : sizes) {
                values.put("GBps." + size, size / fabric(provider, endpoint, size, 50) / 1e3);
            }
            return values;
        });
    }

    /**
     * Repeats until there were enough iterations for the time: what few of them tell is the start.
     *
     * @return µs for one transfer
     */
    private double fabric(String provider, String endpoint, int size, int firstIterations) throws IOException, Processes.Failed {
        int iterations = firstIterations;
        while (true) {
            double us = fabricOnce(provider, endpoint, size, iterations);
            int enough = Math.clamp((long) (seconds * 1e6 / 2 / us), 20, 500_000);
            if (iterations >= enough / 2) {
                return us;
            }
            iterations = enough;
        }
    }

    /** @return µs for one transfer */
    private double fabricOnce(String provider, String endpoint, int size, int iterations) throws IOException, Processes.Failed {
        String port = Integer.toString(Processes.freePort());
        List<String> common = List.of("fi_pingpong", "-p", provider, "-e", endpoint, "-I", Integer.toString(iterations), "-S",
            Integer.toString(size));
        try (Processes processes = new Processes(directory)) {
            List<String> server = new ArrayList<>(common);
            server.addAll(List.of("-B", port));
            processes.start(FABRIC, server);
            Processes.awaitListener("tcp", port);
            List<String> clientCommand = new ArrayList<>(common);
            clientCommand.addAll(List.of("-P", port, "127.0.0.1"));
            int client = processes.start(FABRIC, clientCommand);
            String output = processes.finish(client, 60);
            String[] lines = output.strip().split("\n");
            String[] fields = lines[lines.length - 1].strip().split("\\s+");
            if (fields.length < 8) {
                throw new Processes.Failed(Processes.tail(output));
            }
            return Double.parseDouble(fields[6]);
        }
    }

    // ---- plain sockets ----

    Row iperf(String name, int size) {
        return new PeerRow(name, "iperf3", "iperf3", () -> {
            String port = Integer.toString(Processes.freePort());
            try (Processes processes = new Processes(directory)) {
                processes.start(Map.of(), List.of("iperf3", "-s", "-1", "-p", port, "-B", "127.0.0.1"));
                Processes.awaitListener("tcp", port);
                int client = processes.start(Map.of(), List.of("iperf3", "-c", "127.0.0.1", "-p", port, "-t",
                    Integer.toString((int) Math.ceil(seconds)), "-l", Integer.toString(size), "-J"));
                String output = processes.finish(client, 60);
                int received = output.indexOf("\"sum_received\"");
                return Map.of("GBps." + size, number("\"bits_per_second\":\\s*([0-9.e+]+)", output.substring(Math.max(received, 0))) / 8e9);
            }
        });
    }

    /** @param options such as --nonblocked */
    Row sockperfLatency(String name, int size, String... options) {
        return new PeerRow(name, "sockperf", "sockperf", () -> {
            String output = sockperf("pp", size, options);
            Map<String, Double> values = new TreeMap<>();
            for (String percentile : List.of("50", "90", "99", "99.9", "99.99")) {
                values.put("us.p" + percentile, number("percentile " + percentile + "[.0]*\\s*=\\s*([0-9.]+)", output));
            }
            values.put("us.mean", number("Summary: Latency is ([0-9.]+)", output));
            return values;
        });
    }

    private String sockperf(String mode, int size, String... options) throws IOException, Processes.Failed {
        String port = Integer.toString(Processes.freePort());
        try (Processes processes = new Processes(directory)) {
            List<String> server = new ArrayList<>(List.of("sockperf", "sr", "-i", "127.0.0.1", "-p", port));
            server.addAll(List.of(options));
            processes.start(Map.of(), server);
            Processes.awaitListener("udp", port);
            List<String> clientCommand = new ArrayList<>(List.of("sockperf", mode, "-i", "127.0.0.1", "-p", port, "-m",
                Integer.toString(size), "-t", Integer.toString((int) Math.ceil(seconds))));
            clientCommand.addAll(List.of(options));
            int client = processes.start(Map.of(), clientCommand);
            return processes.finish(client, 60);
        }
    }

    private static double number(String pattern, String text) throws Processes.Failed {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new Processes.Failed("unexpected output: " + Processes.tail(text));
        }
        return Double.parseDouble(matcher.group(1));
    }
}
