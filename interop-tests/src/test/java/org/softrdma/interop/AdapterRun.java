// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.tools.Softrdma;
import org.softrdma.verbs.Transport;

/** Java programs on the system's libibverbs in a lab's guest, on the kernel's device. */
final class AdapterRun {
    /** Java on an emulated processor takes its time. */
    private static final Duration DEADLINE = Duration.ofMinutes(4);
    private static final String LISTENS =
        "until rdma resource show cm_id | grep -q 'LISTEN.*:%1$s' || ss -ltn | grep -q ':%1$s '; do sleep 0.2; done";

    private final KernelLab lab;
    private final Path directory;
    private int nextPort = 18_790;

    /** Mounts the JDK and the project. */
    AdapterRun(KernelLab lab) throws IOException {
        this.lab = lab;
        directory = CaseDirectory.make(lab.directory().resolve("libibverbs"));
        GuestTools.mount(lab.guest(), directory.resolve("mount.txt"));
    }

    /** Runs the program that prints the same on every device of a transport. */
    void runOneProgram(Transport transport) throws IOException {
        try (RunningCommand run = start("one-program", java(OneProgram.class, lab.device(), IpVersion.IPV4.guest))) {
            assertEquals(OneProgram.output(transport), run.awaitSuccess(DEADLINE));
        }
    }

    /** Runs the contract; the tests that fail are those that the adapter lists. */
    void keepTheContract(ContractAdapter adapter) {
        try (RunningCommand run = start("contract", java(LibibverbsContractRun.class, adapter.name()))) {
            run.awaitExit(DEADLINE);
            assertFailures(adapter, run.output());
        }
    }

    /** Asserts that exactly the tests that are known to fail have failed. */
    static void assertFailures(ContractAdapter adapter, String output) {
        assertTrue(output.contains("\ncontract: "), output);
        Set<String> failed = output.lines().filter(line -> line.startsWith("FAILED ")).map(line -> line.split(" ", 2)[1])
            .collect(Collectors.toCollection(TreeSet::new));
        assertNone("tests that fail without a reason in the list", failed, adapter.differences(), output);
        assertNone("tests that pass, though the list says that they fail", adapter.certainDifferences(), failed, output);
    }

    private static void assertNone(String what, Set<String> tests, Set<String> but, String output) {
        Set<String> left = new TreeSet<>(tests);
        left.removeAll(but);
        assertTrue(left.isEmpty(), () -> what + ": " + left + "\n" + output);
    }

    /**
     * Runs a tool of ours against the system's on the same device, each as server and as client.
     *
     * @param options of both; the server's end with the port, the client's with port and address
     */
    void runBothRoles(String tool, String serverOnly, String clientOnly, String port, String address, String... options) {
        for (boolean weServe : new boolean[] {true, false}) {
            String number = Integer.toString(nextPort++);
            List<String> server = words(tool, serverOnly, options, port, number);
            List<String> client = words(tool, clientOnly, options, port, number);
            if (address.isEmpty()) {
                client.add(IpVersion.IPV4.guest);
            } else {
                server.addAll(List.of(address, IpVersion.IPV4.guest));
                client.addAll(List.of(address, IpVersion.IPV4.guest));
            }
            try (RunningCommand serves = startTool(weServe, "server", server)) {
                lab.guest().run(directory.resolve("listens.txt"), DEADLINE, "sh", "-c", LISTENS.formatted(number));
                try (RunningCommand asks = startTool(!weServe, "client", client)) {
                    asks.awaitSuccess(DEADLINE);
                    serves.awaitSuccess(DEADLINE);
                }
            }
        }
    }

    private static List<String> words(String tool, String role, String[] options, String port, String number) {
        List<String> words = new ArrayList<>(List.of(tool));
        if (!role.isEmpty()) {
            words.add(role);
        }
        words.addAll(List.of(options));
        words.addAll(List.of(port, number));
        return words;
    }

    private RunningCommand startTool(boolean ours, String role, List<String> words) {
        List<String> command = ours ? java(Softrdma.class, words.toArray(String[]::new)) : words;
        return start(words.getFirst() + "-" + role + (ours ? "-java" : "-c"), command);
    }

    private RunningCommand start(String file, List<String> command) {
        return lab.guest().start(directory.resolve(file + ".txt"), command);
    }

    private List<String> java(Class<?> main, String... arguments) {
        return java(lab, main, arguments);
    }

    /** Returns the command line of a JVM in the guest that prefers the system's libraries. */
    static List<String> java(KernelLab lab, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(GuestTools.JAVA_HOME + "/bin/java", "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED", "-Dsoftrdma.providers=libibverbs", "-cp", classPath(lab), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The guest sees the project, but no repository of libraries: they are copied to the directory that it shares with the host. */
    private static String classPath(KernelLab lab) {
        String project = KernelLab.root() + File.separator;
        List<String> path = new ArrayList<>();
        for (String entry : LibibverbsTest.classPath().split(File.pathSeparator)) {
            Path file = Path.of(entry);
            if (entry.startsWith(project)) {
                path.add(entry);
            } else if (Files.isRegularFile(file)) {
                path.add(lab.share(file));
            }
        }
        path.add(project + "rdma-tools/target/softrdma.jar");
        return path.stream().collect(Collectors.joining(File.pathSeparator));
    }
}
