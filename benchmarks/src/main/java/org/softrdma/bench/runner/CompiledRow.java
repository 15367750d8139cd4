// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Costs of control calls, of which {@code run} traps most: {@code c-programs/calls.c}, compiled here.
 *
 * @param trapped under {@code ./softrdma run}; otherwise as it is
 */
record CallRow(String name, CPrograms programs, CPrograms.Host host, boolean trapped) implements Row {
    private static final Path HEADER = Path.of("/usr/include/infiniband/verbs.h");
    private static final int COMPILE_SECONDS = 60;
    private static final int PATIENCE_SECONDS = 120;

    @Override
    public String missing() {
        String lacking = Peers.lacking("gcc", "gcc");
        return lacking != null || Files.exists(HEADER) ? lacking : "there is no " + HEADER + " (Debian: libibverbs-dev)";
    }

    @Override
    public Map<String, Double> run() throws IOException, Processes.Failed {
        Path source = programs.target().resolveSibling("c-programs").resolve("calls.c");
        Path program = Files.createTempFile(programs.target(), "calls", "");
        try (Processes processes = new Processes(programs.target())) {
            processes.finish(processes.start(Map.of(), List.of("gcc", "-O2", "-o", program.toString(), source.toString(), "-libverbs")),
                COMPILE_SECONDS);
            List<String> line = List.of(program.toString(), source.toString());
            int number = trapped ? processes.start(host.environment(), host.underRun(line)) : processes.start(Map.of(), line);
            return JavaRow.values(processes.finish(number, PATIENCE_SECONDS));
        } finally {
            Files.deleteIfExists(program);
        }
    }
}
