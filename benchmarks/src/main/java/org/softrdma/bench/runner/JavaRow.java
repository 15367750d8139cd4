// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.softrdma.bench.load.Load;

/** Two JVMs that run one of our loads against each other. */
final class JavaRow implements Row {
    private static final int START_SECONDS = 20;
    private static final int STOP_SECONDS = 20;
    /** Loads that connect by address connect by iWARP if they are told the device siw. */
    private static final Map<String, String> BY_IWARP = Map.of("SOFTRDMA_CM_DEVICES", "iwarp");

    private final String name;
    private final Path directory;
    private final List<String> options;
    private final String kind;
    private final String[] settings;
    /** Settings of a flood at the server; empty for none. */
    private List<String> flood = List.of();
    private final int patienceSeconds;

    /** @param options further JVM options */
    JavaRow(String name, Path directory, int patienceSeconds, List<String> options, String kind, String... settings) {
        this.name = name;
        this.directory = directory;
        this.patienceSeconds = patienceSeconds;
        this.options = options;
        this.kind = kind;
        this.settings = settings;
    }

    /** Sends hostile packets to the server meanwhile. */
    JavaRow under(String... floodSettings) {
        flood = List.of(floodSettings);
        return this;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String missing() {
        return null;
    }

    @Override
    public Map<String, Double> run() throws IOException, Processes.Failed {
        try (Processes processes = new Processes(directory)) {
            Map<String, String> environment = List.of(settings).contains("device=siw") ? BY_IWARP : Map.of();
            int server = processes.start(environment, command("server", List.of()));
            String port = processes.awaitLine(server, "READY ", START_SECONDS);
            int client = processes.start(environment, command("client", List.of("port=" + port)));
            if (!flood.isEmpty()) {
                startFlood(processes, server);
            }
            return finish(processes, client, server);
        }
    }

    private void startFlood(Processes processes, int server) throws IOException, Processes.Failed {
        List<String> command = java(options);
        command.addAll(List.of(Load.class.getName(), "flood"));
        command.addAll(flood);
        command.addAll(List.of(processes.awaitLine(server, "VICTIM ", START_SECONDS).split(" ")));
        processes.start(Map.of(), command);
    }

    /** If one end fails the reason may be the other's. */
    private Map<String, Double> finish(Processes processes, int client, int server) throws IOException, Processes.Failed {
        try {
            Map<String, Double> values = values(processes.finish(client, patienceSeconds));
            values.putAll(values(processes.finish(server, STOP_SECONDS)));
            return values;
        } catch (Processes.Failed failed) {
            throw new Processes.Failed(failed.getMessage() + "; the server: " + Processes.tail(processes.output(server)));
        }
    }

    private List<String> command(String role, List<String> more) {
        List<String> command = java(options);
        command.addAll(List.of(Load.class.getName(), role, kind));
        command.addAll(more);
        command.addAll(List.of(settings));
        return command;
    }

    /** Returns the beginning of the command line of a JVM with our class path, to be continued. */
    static List<String> java(List<String> options) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-Xmx1g"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return command;
    }

    /** Of lines such as {@code @ key value}. */
    static Map<String, Double> values(String output) {
        Map<String, Double> values = new TreeMap<>();
        output.lines().filter(line -> line.startsWith("@ ")).map(line -> line.split(" "))
            .forEach(words -> values.put(words[1], Double.parseDouble(words[2])));
        return values;
    }
}
