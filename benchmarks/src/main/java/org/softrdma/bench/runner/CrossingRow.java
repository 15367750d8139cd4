// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.softrdma.bench.load.Crossing;

/** The loops of {@code c-programs/crossing.c} in Java, through the system's libibverbs. */
record CrossingRow(String name, CPrograms programs, CPrograms.Host host) implements Row {
    private static final int PATIENCE_SECONDS = 120;

    /** Runs only where it has the C program beside it. */
    @Override
    public String missing() {
        return CompiledRow.lacking();
    }

    @Override
    public Map<String, Double> run() throws IOException, Processes.Failed {
        List<String> line = JavaRow.java(List.of());
        line.addAll(List.of(Crossing.class.getName(), "libibverbs:rxe0"));
        try (Processes processes = new Processes(programs.target())) {
            return JavaRow.values(processes.finish(processes.start(host.environment(), host.underRun(line)), PATIENCE_SECONDS));
        }
    }
}
