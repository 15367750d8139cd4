// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A C program of {@code c-programs}, compiled here.
 *
 * @param program name of its file, without extension; its argument is the path of its source, an ordinary file
 * @param trapped under {@code ./softrdma run}; otherwise as it is
 */
record CompiledRow(String name, String program, CPrograms programs, CPrograms.Host host, boolean trapped) implements Row {
    private static final Path HEADER = Path.of("/usr/include/infiniband/verbs.h");
    private static final int COMPILE_SECONDS = 60;
    private static final int PATIENCE_SECONDS = 120;

    /** Returns what this machine lacks to compile C programs on libibverbs; null if there is everything. */
    static String lacking() {
        String lacking = Peers.lacking("gcc", "gcc");
        return lacking != null || Files.exists(HEADER) ? lacking : "there is no " + HEADER + " (Debian: libibverbs-dev)";
    }

    @Override
    public String missing() {
        return lacking();
    }

    @Override
    public Map<String, Double> run() throws IOException, Processes.Failed {
        Path source = programs.target().resolveSibling("c-programs").resolve(program + ".c");
        Path compiled = Files.createTempFile(programs.target(), program, "");
        try (Processes processes = new Processes(programs.target())) {
            processes.finish(processes.start(Map.of(), List.of("gcc", "-O2", "-o", compiled.toString(), source.toString(), "-libverbs")),
                COMPILE_SECONDS);
            List<String> line = List.of(compiled.toString(), source.toString());
            int number = trapped ? processes.start(host.environment(), host.underRun(line)) : processes.start(Map.of(), line);
            return JavaRow.values(processes.finish(number, PATIENCE_SECONDS));
        } finally {
            Files.deleteIfExists(compiled);
        }
    }
}
