// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Two network namespaces with a wire between them, created for one test and deleted after it. */
final class VethPair implements AutoCloseable {
    private static final Duration SHORTLY = Duration.ofSeconds(60);
    private static final long LOOK_AGAIN_MS = 20;
    private static final int QUIET_LOOKS = 25;

    /** One end: a namespace, the interface of the wire in it, and the state directory of its tools. */
    final class End {
        final String name;
        final String ipv4;
        final String ipv6;
        private final String namespace;

        private End(String name, int host) {
            this.name = name;
            ipv4 = "10.99.0." + host;
            ipv6 = "fd99::" + host;
            namespace = "srdma-" + ProcessHandle.current().pid() + "-" + name;
        }

        String namespace() {
            return namespace;
        }

        /** Interface of the wire. */
        String netdev() {
            return "veth-" + name;
        }

        /** Runs {@code ip} with these arguments at this end; it must succeed. */
        void ip(String arguments) {
            List<String> command = new ArrayList<>(List.of("ip", "-n", namespace));
            command.addAll(List.of(arguments.split(" ")));
            run(command);
        }

        /** Starts one of our tools at this end. */
        RunningCommand start(String file, String... words) {
            return start(Map.of(), file, words);
        }

        RunningCommand start(Map<String, String> environment, String file, String... words) {
            List<String> command = new ArrayList<>(List.of("./softrdma"));
            command.addAll(List.of(words));
            return start(environment, file, command);
        }

        /** Starts any program at this end. */
        RunningCommand startAny(String file, String... command) {
            return startAny(Map.of(), file, List.of(command));
        }

        RunningCommand startAny(Map<String, String> environment, String file, List<String> command) {
            return start(environment, file, command);
        }

        private RunningCommand start(Map<String, String> environment, String file, List<String> command) {
            return HostTool.start(() -> { }, namespace, directory.resolve("state-" + name), directory.resolve(file + ".txt"),
                environment, command);
        }

        /**
         * Runs one of our tools at this end; it must succeed.
         *
         * @return its output
         */
        String tool(String... words) {
            try (RunningCommand running = start(words[0] + "-" + name, words)) {
                return running.awaitSuccess(SHORTLY);
            }
        }

        /**
         * Runs one of our tools at this end; it must fail.
         *
         * @return its output
         */
        String failingTool(String... words) {
            try (RunningCommand running = start(words[0] + "-" + name, words)) {
                if (running.awaitExit(SHORTLY) == 0) {
                    throw new AssertionError(String.join(" ", words) + " succeeded:\n" + running.output());
                }
                return running.output();
            }
        }

        /** Waits for the carrier, which the kernel finds a moment after both ends are up. */
        private void awaitCarrier() {
            long untilNs = System.nanoTime() + SHORTLY.toNanos();
            String file = "/sys/class/net/" + netdev() + "/operstate";
            while (exitCode(List.of("ip", "netns", "exec", namespace, "grep", "-qx", "up", file)) != 0) {
                if (System.nanoTime() - untilNs > 0) {
                    throw new AssertionError(netdev() + " has no carrier");
                }
                pause();
            }
        }

        /** Waits until a started server listens on a TCP port. */
        void awaitListener(RunningCommand server, int port) {
            awaitIn(server, String.format("cat /proc/net/tcp /proc/net/tcp6 | grep -q ':%04X [0-9A-F:]* 0A '", port));
        }

        /** Waits until a started server has opened its device on a raw link; it listens shortly after. */
        void awaitDevice(RunningCommand server) {
            awaitIn(server, "grep -q ' 0003 ' /proc/net/packet");
        }

        /**
         * Takes the interface down and up at once: connections survive half a second without an answer, which two separate commands on a
         * busy machine may exceed.
         */
        void cutTheWire() throws IOException {
            Path script = Files.writeString(directory.resolve("cut.txt"),
                "link set " + netdev() + " down\nlink set " + netdev() + " up\n");
            run(List.of("ip", "-n", namespace, "-batch", script.toString()));
        }

        private void awaitIn(RunningCommand server, String look) {
            long untilNs = System.nanoTime() + SHORTLY.toNanos();
            while (exitCode(List.of("ip", "netns", "exec", namespace, "sh", "-c", look)) != 0) {
                if (!server.isRunning() || System.nanoTime() - untilNs > 0) {
                    throw new AssertionError("the server does not listen:\n" + server.output());
                }
                pause();
            }
        }

        /** Records the packets on this end's interface until the recording is stopped. */
        Recording record(String netdev, String filter) {
            return new Recording(namespace, netdev, filter);
        }
    }

    final End a = new End("a", 1);
    final End b = new End("b", 2);
    private final Path directory;

    /**
     * Creates the namespaces and the wire.
     *
     * @param name name of the directory below target/veth for the output of the tools and the captures
     */
    VethPair(String name, int mtu) throws IOException {
        directory = CaseDirectory.make(KernelLab.module().resolve("target/veth").resolve(name));
        boolean made = false;
        try {
            for (End each : List.of(a, b)) {
                run(List.of("ip", "netns", "add", each.namespace));
                each.ip("link set lo up");
            }
            a.ip("link add " + a.netdev() + " type veth peer name " + b.netdev() + " netns " + b.namespace);
            for (End each : List.of(a, b)) {
                // IPv6 addresses are not generated: only the addresses of the tests may exist, in the order of the GID table.
                each.ip("link set " + each.netdev() + " addrgenmode none");
                each.ip("addr add " + each.ipv4 + "/24 dev " + each.netdev());
                each.ip("addr add " + each.ipv6 + "/64 dev " + each.netdev() + " nodad");
                each.ip("link set " + each.netdev() + " mtu " + mtu + " up");
            }
            a.awaitCarrier();
            b.awaitCarrier();
            made = true;
        } finally {
            if (!made) {
                close();
            }
        }
    }

    /**
     * Adds a device rxe0 on the interface of the wire at both ends.
     *
     * @param options options of {@code rdma link add}
     */
    void addDevices(String options) throws IOException {
        for (End each : List.of(a, b)) {
            addDevice(each, each.netdev(), options);
        }
    }

    /**
     * Adds a device on the interface of the wire at both ends, with default options.
     *
     * @param type rxe or siw; the device is number 0 of it
     */
    void addDevicesOf(String type) throws IOException {
        for (End each : List.of(a, b)) {
            addDevice(each, type, each.netdev(), "");
        }
    }

    void addDevice(End end, String netdev, String options) throws IOException {
        addDevice(end, "rxe", netdev, options);
    }

    /** Writes the state that {@code rdma link add} would write: starting a tool for it takes longer than most tests. */
    private void addDevice(End end, String type, String netdev, String options) throws IOException {
        writeLinks(end, "link " + type + "0 type " + type + " netdev " + netdev + " " + options + "\n");
    }

    /** Adds devices rxe0, rxe1 and so on at one end. */
    void addDevices(End end, List<String> netdevs) throws IOException {
        StringBuilder links = new StringBuilder();
        for (String netdev : netdevs) {
            links.append("link rxe").append(netdevs.indexOf(netdev)).append(" type rxe netdev ").append(netdev).append('\n');
        }
        writeLinks(end, links);
    }

    private void writeLinks(End end, CharSequence lines) throws IOException {
        Files.writeString(Files.createDirectories(directory.resolve("state-" + end.name)).resolve("links"), lines);
    }

    /** Stops the daemons of both ends, where they run. */
    void stopDaemons() {
        for (End each : List.of(a, b)) {
            try (RunningCommand stopping = each.start("daemon-" + each.name, "daemon", "stop")) {
                stopping.awaitExit(SHORTLY);
            }
        }
    }

    Path directory() {
        return directory;
    }

    /** A run of dumpcap, from the start of its recording until its file is complete. */
    final class Recording implements AutoCloseable {
        private final Path file = directory.resolve("capture.pcapng");
        private final Process process;

        private Recording(String namespace, String netdev, String filter) {
            Path log = directory.resolve("dumpcap.txt");
            try {
                process = new ProcessBuilder("setpriv", "--pdeathsig", "TERM", "ip", "netns", "exec", namespace, "dumpcap", "-q", "-B",
                    "64", "-i", netdev, "-f", filter, "-w", file.toString()).redirectErrorStream(true)
                    .redirectOutput(log.toFile()).start();
                while (!Files.readString(log).contains("File:")) {
                    if (!process.isAlive()) {
                        throw new IllegalStateException("dumpcap: " + Files.readString(log));
                    }
                    pause();
                }
            } catch (IOException refused) {
                throw new IllegalStateException(refused);
            }
        }

        /**
         * Stops the recording once dumpcap sleeps, because then it has read everything. The kernel hands packets over in blocks, the last
         * one after 250 ms.
         */
        Path stop() throws IOException {
            for (int i = 0; i < QUIET_LOOKS; i++) {
                pause();
            }
            while (!isAsleep()) {
                pause();
            }
            close();
            return file;
        }

        private boolean isAsleep() throws IOException {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.substring(stat.lastIndexOf(')')).startsWith(") S");
        }

        @Override
        public void close() {
            process.destroy();
            try {
                process.waitFor();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
    }

    static void pause() {
        try {
            Thread.sleep(LOOK_AGAIN_MS);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static int exitCode(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            return process.waitFor();
        } catch (IOException | InterruptedException refused) {
            throw new IllegalStateException(refused);
        }
    }

    private static void run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(String.join(" ", command) + ": " + output);
            }
        } catch (IOException | InterruptedException refused) {
            throw new IllegalStateException(refused);
        }
    }

    /** Deletes the namespaces, and with them the wire. */
    @Override
    public void close() {
        for (End each : List.of(a, b)) {
            exitCode(List.of("ip", "netns", "del", each.namespace));
        }
    }
}
