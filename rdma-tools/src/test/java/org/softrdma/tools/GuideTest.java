// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.NetDevice;

/**
 * Runs the transcripts of {@code docs/guide.md} as one session, and compares every line. A command that ends with an ampersand runs in the
 * background until {@code kill %N}. A command in the foreground is repeated until it prints the expected lines, since the one in the
 * background may not be ready yet; one whose output goes to a file is not repeated.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class GuideTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final String PROMPT = "$ ";
    /** Texts that differ between runs or machines, and their replacements. */
    private static final Map<String, String> VARIABLE = variable();

    @TempDir
    private Path directory;
    private final List<Process> background = new ArrayList<>();
    /** Separates the tests of builds that run at the same time. */
    private final Map<String, Integer> ports = new LinkedHashMap<>();

    private static Map<String, String> variable() {
        Map<String, String> patterns = new LinkedHashMap<>();
        patterns.put("\\b(lqpn|rqpn|rq-psn|sq-psn|pid|mrn|cm-idn|netdev_index) \\d+", "$1 N");
        patterns.put("\\b(QPN|PSN) 0x[0-9a-f]+", "$1 0xN");
        patterns.put("\\b127\\.0\\.0\\.\\d+(:\\d+)?", "127.0.0.N");
        patterns.put("0\\.0\\.0\\.0:\\d+", "0.0.0.0:N");
        patterns.put("in [0-9.]+ seconds = [0-9.]+ (Mbit/sec|usec/iter)", "in T seconds = R $1");
        // Values of qperf, whose units may differ, too.
        patterns.put("^( *[a-z_]+ +=) .*", "$1 V");
        patterns.put("icmp_seq=(\\d+) time=.*", "icmp_seq=$1 time=T");
        return patterns;
    }

    @AfterEach
    void end() {
        background.forEach(Process::destroyForcibly);
    }

    /** Line of input with the output that follows it. */
    private record Step(String command, List<String> output) {
    }

    @Test
    void shouldPrintWhatTheGuideShows() throws Exception {
        assumeTrue(NetDevice.find("lo") != null, "the guide's interface is lo");
        List<Step> steps = steps(Path.of("").toAbsolutePath().resolveSibling("docs/guide.md"));
        assertTrue(steps.size() > 10, "the guide has transcripts");

        for (Step step : steps) {
            run(step);
        }
    }

    private static List<Step> steps(Path guide) throws IOException {
        List<Step> steps = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(guide)) {
            if (line.startsWith("```")) {
                inside = line.equals("```console");
            } else if (inside && line.startsWith(PROMPT)) {
                steps.add(new Step(line.substring(PROMPT.length()), new ArrayList<>()));
            } else if (inside) {
                steps.getLast().output.add(line);
            }
        }
        return steps;
    }

    private void run(Step step) throws IOException, InterruptedException {
        if (step.command.startsWith("kill %")) {
            background.get(Integer.parseInt(step.command.substring("kill %".length())) - 1).destroy();
            return;
        }
        if (step.command.endsWith(" &")) {
            background.add(start(step.command.substring(0, step.command.length() - 2), Path.of("/dev/null")));
            return;
        }
        int file = step.command.indexOf(" > ");
        if (file > 0) {
            Process writing = start(step.command.substring(0, file), directory.resolve(step.command.substring(file + " > ".length())));
            assertEquals(0, writing.waitFor(), step.command);
            return;
        }
        String expected = masked(step.output);
        long untilNs = System.nanoTime() + PATIENCE_NS;
        String printed;
        do {
            Path out = Files.createTempFile(directory, "out", "");
            start(step.command, out).waitFor();
            printed = masked(Files.readAllLines(out));
        } while (!printed.equals(expected) && System.nanoTime() - untilNs < 0);
        assertEquals(expected, printed, "$ " + step.command + "\n" + Files.readString(errors()));
    }

    /** Removes empty lines at the end, which the guide does not have. */
    private static String masked(List<String> lines) {
        return lines.stream().map(GuideTest::masked).collect(Collectors.joining("\n")).stripTrailing();
    }

    private static String masked(String line) {
        String masked = line.stripTrailing();
        for (Map.Entry<String, String> each : VARIABLE.entrySet()) {
            masked = masked.replaceAll(each.getKey(), each.getValue());
        }
        return masked;
    }

    private Process start(String line, Path output) throws IOException {
        List<String> words = new ArrayList<>(List.of(line.replaceFirst("^\\./softrdma ", "").split(" ")));
        String tool = words.getFirst();
        if (tool.endsWith("pingpong") || tool.equals("rping") || tool.equals("qperf")) {
            words.addAll(1, List.of(tool.equals("qperf") ? "-lp" : "-p", Integer.toString(port(tool))));
        }
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
            Softrdma.class.getName()));
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(errors().toFile()));
        builder.directory(directory.toFile());
        builder.environment().put(LinkStore.DIRECTORY_VARIABLE, directory.toString());
        // Names of sockets of the host.
        builder.environment().put("IBSIM_SOCKNAME", "guide-" + ProcessHandle.current().pid());
        return builder.start();
    }

    /** Output of all commands on stderr; the transcripts show stdout. */
    private Path errors() {
        return directory.resolve("errors");
    }

    private int port(String tool) throws IOException {
        if (!ports.containsKey(tool)) {
            try (ServerSocket any = new ServerSocket(0)) {
                ports.put(tool, any.getLocalPort());
            }
        }
        return ports.get(tool);
    }
}
