// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Linux's own rxe and siw, measured by perftest. They run in a user-mode kernel that {@code benchmarks/kernel-rxe/build} makes, so they
 * are there where this machine's kernel has neither; and have one processor for both ends.
 */
final class KernelRxe {
    private static final String LARGE = Integer.toString(1 << 20);
    private static final List<String> SIZES = List.of("65536", LARGE);
    private static final String BANDWIDTH = "bandwidth/kernel-";
    /** That of C programs on our devices, whose interface is the loopback. */
    private static final int PROGRAMS_MTU = 4096;
    private static final int PATIENCE_SECONDS = 120;

    private final Path scripts;
    private final String version;
    private final String missing;

    private KernelRxe(Path scripts, String version, String missing) {
        this.scripts = scripts;
        this.version = version;
        this.missing = missing;
    }

    static KernelRxe notAsked() {
        return new KernelRxe(Path.of("kernel-rxe"), "not measured", "not asked for (--with-kernel-rxe)");
    }

    /** Builds the kernel unless that was done before. Where that cannot be, the rows say why. */
    static KernelRxe prepare(Path home) throws IOException {
        Path scripts = home.resolve("kernel-rxe");
        Process build = new ProcessBuilder(scripts.resolve("build").toString()).redirectErrorStream(true).start();
        String last = "";
        try (BufferedReader said = new BufferedReader(build.inputReader(StandardCharsets.UTF_8))) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                System.err.println(line);
                last = line;
            }
        }
        try {
            return build.waitFor() == 0 ? new KernelRxe(scripts, last + " in User-Mode Linux, one CPU for both ends", null)
                : new KernelRxe(scripts, "not measured", last);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new KernelRxe(scripts, "not measured", "interrupted");
        }
    }

    String version() {
        return version;
    }

    /** @param quick WRITEs of 1 MiB only, which is what targets speak of */
    List<Row> rows(Path directory, double seconds, boolean quick) {
        List<String> sizes = quick ? List.of(LARGE) : SIZES;
        List<Row> rows = new ArrayList<>();
        for (int mtu : List.of(1024, 4096)) {
            for (String operation : quick ? List.of("write") : List.of("write", "read", "send")) {
                rows.add(new KernelRow(BANDWIDTH + "rxe-" + operation + "-" + mtu, directory, seconds, sizes, "rxe", operation, mtu));
            }
        }
        rows.add(new KernelRow(BANDWIDTH + "siw-write", directory, seconds, sizes, "siw", "write", 4096));
        return rows;
    }

    /**
     * Perftest on the kernel's rxe with the options that C programs have on our devices, beside these.
     *
     * @param quick without the smallest messages
     */
    List<Row> programs(Path directory, double seconds, boolean quick) {
        List<Row> rows = new ArrayList<>();
        for (String tool : CPrograms.LATENCIES) {
            String[] words = tool.split("-");
            if (!quick || words[1].equals("64")) {
                rows.add(new KernelRow(CPrograms.PREFIX + tool + CPrograms.KERNEL, directory, seconds, List.of(words[1]), "rxe",
                    words[0].substring("ib_".length()), PROGRAMS_MTU));
            }
        }
        for (String tool : CPrograms.BANDWIDTHS) {
            rows.add(new KernelRow(CPrograms.PREFIX + tool + CPrograms.KERNEL, directory, seconds, SIZES, "rxe", tool.split("_")[1],
                PROGRAMS_MTU));
        }
        return rows;
    }

    private final class KernelRow implements Row {
        private final String name;
        private final Path directory;
        private final List<String> command = new ArrayList<>();

        KernelRow(String name, Path directory, double seconds, List<String> sizes, String provider, String operation, int mtu) {
            this.name = name;
            this.directory = directory;
            command.addAll(List.of(scripts.resolve("run").toString(), provider, operation));
            command.addAll(List.of(Integer.toString(mtu), Integer.toString((int) Math.ceil(seconds))));
            command.addAll(sizes);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String missing() {
            return missing;
        }

        @Override
        public Map<String, Double> run() throws IOException, Processes.Failed {
            try (Processes processes = new Processes(directory)) {
                int number = processes.start(Map.of(), command);
                return JavaRow.values(processes.finish(number, PATIENCE_SECONDS));
            }
        }
    }
}
