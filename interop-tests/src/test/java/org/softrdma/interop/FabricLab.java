// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An InfiniBand fabric of ours, or ibsim's, for one test: with Debian's opensm and tools as its managers, for any user. The library that
 * ibsim-run loads into them keeps files in the directory that they run in.
 */
final class FabricLab implements AutoCloseable {
    static final Duration SHORTLY = Duration.ofSeconds(60);
    private static final String THREE_HOSTS = """
        Switch 8 "s1"
        [1] "h1"[1]
        [2] "h2"[1]
        [3] "h3"[1]

        Ca 1 "h1"

        Ca 1 "h2"

        Ca 1 "h3"
        """;
    private static final String OPENSM_UP = "SUBNET UP";

    private final Path directory;
    private final String sockets;
    private final List<RunningCommand> running = new ArrayList<>();
    private int started;

    /**
     * Prepares a directory.
     *
     * @param name of the directory below target/fabric, for outputs and states
     */
    FabricLab(String name) throws IOException {
        directory = CaseDirectory.make(KernelLab.module().resolve("target/fabric").resolve(name));
        sockets = "srdma-" + ProcessHandle.current().pid() + "-" + name;
    }

    /** Writes a file of the test. */
    Path file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content);
    }

    Path directory() {
        return directory;
    }

    /** First part of the names of the sockets for ibsim's clients. */
    String sockets() {
        return sockets;
    }

    /** Starts our fabric, and waits until it serves. */
    RunningCommand runFabric(Path topology, String... options) {
        List<String> words = new ArrayList<>(List.of("fabric", "run", topology.toString(), "--ibsim", sockets));
        words.addAll(List.of(options));
        RunningCommand fabric = softrdma(words.toArray(String[]::new));
        fabric.awaitOutput(" cables", SHORTLY);
        return fabric;
    }

    /** Starts Debian's ibsim, and waits until it serves; its console needs an input that does not end. */
    RunningCommand runIbsim(Path topology) {
        RunningCommand ibsim = start(Map.of("IBSIM_SOCKNAME", sockets), List.of("sh", "-c", "sleep 600 | ibsim -s " + topology));
        ibsim.awaitOutput("Network simulator ready", SHORTLY);
        return ibsim;
    }

    /** Starts our subnet manager at a node. */
    HostTool manager(String node, String... options) {
        List<String> words = new ArrayList<>(List.of("sm", "--ibsim", sockets, "--node", node));
        words.addAll(List.of(options));
        return softrdma(words.toArray(String[]::new));
    }

    /** Starts one of our tools. */
    HostTool softrdma(String... words) {
        return softrdma(Map.of(), words);
    }

    /** Starts one of our tools with an environment. */
    HostTool softrdma(Map<String, String> environment, String... words) {
        List<String> command = new ArrayList<>(List.of(KernelLab.root().resolve("softrdma").toString()));
        command.addAll(List.of(words));
        return start(environment, command);
    }

    /** Starts one of our tools at an end of a wire, in its namespace, with the devices of this lab. */
    HostTool softrdmaAt(VethPair.End end, Map<String, String> environment, String... words) {
        List<String> command = new ArrayList<>(List.of("./softrdma"));
        command.addAll(List.of(words));
        started++;
        HostTool begun = HostTool.start(() -> { }, end.namespace(), directory.resolve("state"),
            directory.resolve(String.format("%02d-%s-%s.txt", started, words[0], end.name)), environment, command);
        running.add(begun);
        return begun;
    }

    /**
     * Starts a fabric of ours with three hosts, h3 with a manager, and makes devices ib0 and ib1 at h1 and h2.
     *
     * @param options of the manager
     */
    void runThreeHosts(String... options) throws IOException {
        runFabric(file("net", THREE_HOSTS));
        awaitSubnetUp(manager("h3", options), 1);
        execute("rdma", "link", "add", "ib0", "type", "ib", "node", "h1");
        execute("rdma", "link", "add", "ib1", "type", "ib", "node", "h2");
    }

    /** Has our fabric execute a command, which must succeed. */
    String fabric(String... words) {
        List<String> all = new ArrayList<>(List.of("fabric"));
        all.addAll(List.of(words));
        return execute(all.toArray(String[]::new));
    }

    /** Runs one of our tools, which must succeed. */
    String execute(String... words) {
        try (RunningCommand command = softrdma(words)) {
            return command.awaitSuccess(SHORTLY);
        }
    }

    /** Starts a program with the library of ibsim, at the first port of a node. */
    RunningCommand start(String node, String... command) {
        List<String> words = new ArrayList<>(List.of("ibsim-run"));
        words.addAll(List.of(command));
        Map<String, String> environment = new HashMap<>(Map.of("IBSIM_SOCKNAME", sockets, "SIM_HOST", node));
        environment.put("OSM_CACHE_DIR", directory.toString());
        environment.put("OSM_TMP_DIR", directory.toString());
        environment.put("PATH", System.getenv("PATH") + ":/usr/sbin:/sbin");
        return start(environment, words);
    }

    /** Runs a program with the library of ibsim, which must succeed. */
    String run(String node, String... command) {
        try (RunningCommand program = start(node, command)) {
            return program.awaitSuccess(SHORTLY);
        }
    }

    /**
     * Starts opensm at a node, with its log as output; it has begun to sweep when this returns. Standing by, it takes the place of a master
     * that is gone after 5 s, not after a minute.
     */
    RunningCommand opensm(String node, String... options) throws IOException {
        Path settings = file("opensm.conf", "sminfo_polling_timeout 1000\npolling_retry_number 3\n");
        List<String> words = new ArrayList<>(List.of("opensm", "-F", settings.toString(), "-d", "2", "-f", "stdout"));
        words.addAll(List.of(options));
        return start(node, words.toArray(String[]::new));
    }

    /** Waits until a manager has brought the subnet up so many times. */
    static void awaitSubnetUp(RunningCommand manager, int times) {
        long untilNs = System.nanoTime() + SHORTLY.toNanos();
        while (subnetUps(manager) < times) {
            if (!manager.isRunning() || System.nanoTime() - untilNs > 0) {
                throw new AssertionError("no " + times + " times " + OPENSM_UP + ":\n" + manager.output());
            }
            VethPair.pause();
        }
    }

    /** How many times a manager has brought the subnet up. */
    static int subnetUps(RunningCommand manager) {
        return manager.output().split(OPENSM_UP, -1).length - 1;
    }

    private HostTool start(Map<String, String> environment, List<String> command) {
        started++;
        Path output = directory.resolve(String.format("%02d-%s.txt", started, Path.of(command.get(Math.min(1, command.size() - 1)))
            .getFileName()));
        HostTool begun = HostTool.startHere(directory, output, HostTool.withState(directory.resolve("state"), environment), command);
        running.add(begun);
        return begun;
    }

    @Override
    public void close() {
        for (int i = running.size() - 1; i >= 0; i--) {
            running.get(i).close();
        }
    }
}
