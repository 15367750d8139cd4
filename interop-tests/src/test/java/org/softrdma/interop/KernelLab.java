// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The kernel lab of {@code lab/README.md}, up from its first use by a test to the end of the test run. {@code lab/up} ends with its
 * standard input, a pipe held by this JVM, so the lab ends with the JVM in every case.
 */
public final class KernelLab implements AutoCloseable {
    /** Guest variant: Debian release, and with it the kernel, and device type. */
    enum Suite {
        /** Linux 6.1 and its rdma_rxe. */
        BOOKWORM("bookworm", "rxe", "iop", "target/lab"),
        /** Linux 6.1 and its siw, in a guest of its own: with two devices on an interface, connections by address use the first one. */
        SIW("bookworm", "siw", "iop-siw", "target/lab-siw"),
        /** Linux 6.12 and its rdma_rxe. */
        TRIXIE("trixie", "rxe", "iop-trixie", "target/lab-trixie");

        private final Map<String, String> environment;
        private final String deviceType;
        private final String labName;
        private final String directory;

        Suite(String debian, String deviceType, String labName, String directory) {
            environment = Map.of(SUITE, debian, "SOFTRDMA_LAB_APPEND", deviceType.equals("rxe") ? "" : "lab.rxe=0");
            this.deviceType = deviceType;
            this.labName = labName;
            this.directory = directory;
        }
    }

    /** Environment variable with the name of the guest's Debian release. */
    private static final String SUITE = "SOFTRDMA_LAB_SUITE";
    private static final String NETDEV = "tap0";
    private static final String GUEST_NETDEV = "eth0";
    private static final Duration COMMAND_DEADLINE = Duration.ofSeconds(60);
    private static final int BUILD_MINUTES = 15;
    private static final int DOWN_SECONDS = 20;
    private static final int CONSOLE_LINES = 200;

    private final String name;
    private final Suite suite;
    private final Path directory;
    private final Path ownDirectory;
    private final Process holder;
    private final Map<String, String> facts = new LinkedHashMap<>();
    private final List<String> trouble = Collections.synchronizedList(new ArrayList<>());
    private final Guest guest;
    private final String kernel;

    private KernelLab(Suite suite) throws IOException, InterruptedException {
        this.suite = suite;
        name = suite.labName + ProcessHandle.current().pid();
        directory = module().resolve(suite.directory);
        ownDirectory = Files.createDirectories(directory.resolve(name));
        endWithMaven();
        ProcessBuilder up = new ProcessBuilder(script("up"), "--hold", "--read", GuestTools.JDK + "=" + GuestTools.JAVA_HOME, "--read",
            GuestTools.PROJECT + "=" + root(), name);
        up.environment().putAll(suite.environment);
        holder = up.start();
        Thread.ofPlatform().daemon().name("lab-stderr").start(this::listen);
        BufferedReader out = new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        while (line != null && !line.equals("ready")) {
            int equals = line.indexOf('=');
            facts.put(line.substring(0, equals), line.substring(equals + 1));
            line = out.readLine();
        }
        if (line == null) {
            holder.waitFor();
            throw new IllegalStateException("lab/up did not become ready:\n" + console());
        }
        guest = new Guest(this, Path.of(facts.get("socket1")));
        Path log = ownDirectory.resolve("lab.txt");
        Files.deleteIfExists(log);
        kernel = guest.run(log, Duration.ofSeconds(20), "uname", "-r").strip();
        // Of a lab of the same name before: for another class of this JVM, or of a JVM of this number.
        Files.deleteIfExists(ownDirectory.resolve("state/links"));
        Files.deleteIfExists(rawState().resolve("links"));
        if (suite == Suite.SIW) {
            guest.run(log, COMMAND_DEADLINE, "rdma", "link", "add", device(), "type", suite.deviceType, "netdev", GUEST_NETDEV);
        }
        tool(log, "./softrdma", "rdma", "link", "add", device(), "type", suite.deviceType, "netdev", NETDEV)
            .awaitSuccess(COMMAND_DEADLINE);
        if (suite == Suite.BOOKWORM) {
            tool(log, inRawFrames(), "./softrdma", "rdma", "link", "add", device(), "type", suite.deviceType, "netdev", NETDEV, "link",
                "raw", "roce", "v2").awaitSuccess(COMMAND_DEADLINE);
        }
    }

    private Path rawState() {
        return ownDirectory.resolve("state-raw");
    }

    /** Environment of tools whose device sends and receives whole frames, RoCE v2 only: its GIDs are those it has over UDP sockets. */
    Map<String, String> inRawFrames() {
        return Map.of(HostTool.STATE_DIRECTORY, rawState().toString());
    }

    /**
     * Builds outdated parts.
     *
     * @param suite of a later Debian release than the host's
     * @return directory of the headers of its rdma-core
     */
    static Path headers(Suite suite) throws IOException, InterruptedException {
        run(suite.environment, script("build"));
        String cache = System.getenv().getOrDefault("SOFTRDMA_LAB_DIR", "/var/tmp/softrdma-lab");
        return Path.of(cache, suite.environment.get(SUITE), "headers/usr/include");
    }

    /** Builds outdated parts, then boots the guest. */
    static KernelLab boot(Suite suite) {
        try {
            run(suite.environment, script("build"));
            // Builds the tools if they are outdated, outside the namespace, which has no network.
            run(Map.of(), root().resolve("softrdma").toString(), "ibv_devices");
            return new KernelLab(suite);
        } catch (IOException | InterruptedException refused) {
            throw new IllegalStateException("the lab failed to start", refused);
        }
    }

    /**
     * Names what this machine lacks for a lab.
     *
     * @return the missing parts, or null if there are none
     */
    static String missing() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return "the kernel lab needs Linux";
        }
        if (!"root".equals(System.getProperty("user.name"))) {
            return "the kernel lab needs root (namespaces, tap devices)";
        }
        for (String program : List.of("qemu-system-x86_64", "dumpcap", "debootstrap", "ip", "setpriv", "zstd")) {
            if (!RequirementExtension.isInstalled(program)) {
                return "the kernel lab needs " + program + "; interop-tests/lab/install installs what it needs";
            }
        }
        return Files.exists(Path.of("/dev/net/tun")) ? null : "the kernel lab needs /dev/net/tun";
    }

    private static void run(Map<String, String> environment, String... command) throws IOException, InterruptedException {
        // Output of the command goes to standard error: standard output belongs to surefire.
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                process.getInputStream().transferTo(System.err);
            } catch (IOException gone) {
                // the process ended
            }
        });
        if (!process.waitFor(BUILD_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IllegalStateException(command[0] + " took more than " + BUILD_MINUTES + " minutes");
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException(String.join(" ", command) + " failed with exit code " + process.exitValue());
        }
    }

    /** Ends this JVM when Maven ends: a Maven killed with SIGKILL leaves it behind. */
    private static void endWithMaven() {
        for (ProcessHandle each = ProcessHandle.current().parent().orElse(null); each != null; each = each.parent().orElse(null)) {
            if (each.info().command().orElse("").endsWith("/java")) {
                each.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
            }
        }
    }

    private void listen() {
        try (BufferedReader err = new BufferedReader(new InputStreamReader(holder.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line = err.readLine(); line != null; line = err.readLine()) {
                trouble.add(line);
                if (trouble.size() > CONSOLE_LINES) {
                    trouble.removeFirst();
                }
            }
        } catch (IOException gone) {
            // the pipe closed with the holder
        }
    }

    /** Tail of the holder's output, which contains the console after a guest died. */
    private String console() {
        return String.join("\n", List.copyOf(trouble));
    }

    /**
     * Checks that the guest runs.
     *
     * @throws IllegalStateException with the console, if the guest has died
     */
    void requireAlive() {
        if (!holder.isAlive()) {
            throw new IllegalStateException("the guest died (exit code of lab/up: " + holder.exitValue() + ")\n" + console());
        }
    }

    boolean isAlive() {
        return holder.isAlive();
    }

    String name() {
        return name;
    }

    String namespace() {
        return facts.get("netns");
    }

    Guest guest() {
        return guest;
    }

    /** Output of {@code uname -r} in the guest. */
    String kernel() {
        return kernel;
    }

    /** Whether the two devices are iWARP devices. */
    boolean isIwarp() {
        return suite == Suite.SIW;
    }

    /** Name of the device on either side. */
    String device() {
        return suite.deviceType + "0";
    }

    /** Human-readable name of the kernel module that is the peer, and its version. */
    String peer() {
        return (isIwarp() ? "siw" : "rdma_rxe") + " of Linux " + Matrix.shortVersion(kernel);
    }

    /** Directory for all files that are kept of a run; labs of two JVMs share it. */
    Path directory() {
        return directory;
    }

    /** Directory for the files of this lab, as long as it is up: its state, and output of what runs for more than one case. */
    Path ownDirectory() {
        return ownDirectory;
    }

    /**
     * Copies a resource into the directory shared with the guest.
     *
     * @return its path in the guest
     */
    String share(String resource) throws IOException {
        String file = resource.substring(resource.lastIndexOf('/') + 1);
        try (var in = KernelLab.class.getResourceAsStream(resource)) {
            Files.write(shared(file), in.readAllBytes());
        }
        return "/lab/" + file;
    }

    /**
     * Copies a file into the directory shared with the guest, unless it is there.
     *
     * @return its path in the guest
     */
    String share(Path file) {
        String name = file.getFileName().toString();
        try {
            if (!Files.exists(shared(name))) {
                Files.copy(file, shared(name));
            }
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
        return "/lab/" + name;
    }

    /** Host path of the guest's /lab/FILE. */
    Path shared(String file) {
        return Path.of(facts.get("share"), file);
    }

    /** Starts one of our tools in the namespace. */
    RunningCommand tool(Path file, String... command) {
        return tool(file, Map.of(), command);
    }

    RunningCommand tool(Path file, Map<String, String> environment, String... command) {
        return HostTool.start(this::requireAlive, namespace(), ownDirectory.resolve("state"), file, environment, List.of(command));
    }

    /** Root of the project. */
    static Path root() {
        return module().getParent();
    }

    /** Directory of this module: from Maven's system property, else the working directory, as in an IDE. */
    static Path module() {
        return Path.of(System.getProperty("basedir", System.getProperty("user.dir"))).toAbsolutePath();
    }

    static String script(String script) {
        return module().resolve("lab").resolve(script).toString();
    }

    /** Ends the lab; called by JUnit at the end of the test run. */
    @Override
    public void close() {
        try {
            holder.getOutputStream().close();
            if (!holder.waitFor(DOWN_SECONDS, TimeUnit.SECONDS)) {
                holder.destroy();
            }
        } catch (IOException gone) {
            holder.destroy();
        } catch (InterruptedException interrupted) {
            holder.destroy();
            Thread.currentThread().interrupt();
        }
    }
}
