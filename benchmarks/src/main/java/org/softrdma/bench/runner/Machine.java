// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Where it was measured, and how busy others kept the machine. */
final class Machine {
    private static final int SAMPLE_MS = 300;
    private static final double QUIET = 0.15;

    private Machine() {
    }

    /** Description of the machine, for the head of every result. */
    static Map<String, String> facts(Path root) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("processor", cpuModel() + ", " + Runtime.getRuntime().availableProcessors() + " cores");
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version") + " " + System.getProperty("os.arch"));
        facts.put("JVM", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version") + " ("
            + System.getProperty("java.vendor") + ")");
        facts.put("softrdma-java", softrdma(root));
        facts.put("UCX", firstLine("ucx_info", "-v").replace("# Version ", ""));
        facts.put("libfabric", firstLine("fi_info", "--version").replace("fi_info: ", ""));
        facts.put("iperf3", firstLine("iperf3", "--version").replaceAll("iperf ([0-9.]+).*", "$1"));
        facts.put("sockperf", firstLine("sockperf", "--version").replaceAll("sockperf, version ", ""));
        facts.put("perftest", firstLine("ib_send_lat", "--version").replace("Version: ", ""));
        facts.put("socket buffers", "net.core.rmem_max " + read("/proc/sys/net/core/rmem_max"));
        return facts;
    }

    private static String softrdma(Path root) {
        String commit = firstLine("git", "-C", root.toString(), "rev-parse", "--short", "HEAD");
        String changed = firstLine("git", "-C", root.toString(), "status", "--porcelain");
        if (commit.startsWith("fatal") || commit.equals("not installed")) {
            return "commit unknown";
        }
        return commit + (changed.isEmpty() || changed.equals("not installed") ? "" : " with uncommitted changes");
    }

    private static String cpuModel() {
        return read("/proc/cpuinfo").lines().filter(line -> line.startsWith("model name")).findFirst()
            .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse("unknown");
    }

    static String read(String file) {
        // In large reads: files of /proc/sys give all at the first read and nothing after.
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            StringBuilder text = new StringBuilder();
            byte[] buffer = new byte[1 << 16];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                text.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
            }
            return text.toString().strip();
        } catch (IOException none) {
            return "";
        }
    }

    private static String firstLine(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String text = new String(process.getInputStream().readAllBytes()).strip();
            process.waitFor(5, TimeUnit.SECONDS);
            return text.lines().findFirst().orElse("");
        } catch (IOException missing) {
            return "not installed";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /**
     * Waits until the machine is nearly idle, at most so long.
     *
     * @return the part of all cores that others kept busy at the end, 0..1
     */
    static double awaitQuiet(int seconds) {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        double busy = busy();
        while (busy > QUIET && System.nanoTime() - untilNs < 0) {
            busy = busy();
        }
        return busy;
    }

    private static double busy() {
        long[] before = ticks();
        Processes.pause(SAMPLE_MS);
        long[] after = ticks();
        long all = after[0] - before[0];
        return all == 0 ? 0 : 1 - (double) (after[1] - before[1]) / all;
    }

    /** @return all ticks, idle ticks */
    private static long[] ticks() {
        List<String> first = read("/proc/stat").lines().limit(1).toList();
        if (first.isEmpty()) {
            return new long[2];
        }
        String[] fields = first.getFirst().split("\\s+");
        long all = 0;
        for (int i = 1; i < Math.min(fields.length, 9); i++) {
            all += Long.parseLong(fields[i]);
        }
        return new long[] {all, Long.parseLong(fields[4]) + Long.parseLong(fields[5])};
    }
}
