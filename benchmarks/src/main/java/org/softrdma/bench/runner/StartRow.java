// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** How long a command takes from its start to its end. What it prints is looked at only if it fails. */
record StartRow(String name, Path directory, List<String> command) implements Row {
    private static final int TIMES = 10;
    private static final int PATIENCE_SECONDS = 120;

    @Override
    public String missing() {
        return Files.isExecutable(Path.of(command.getFirst())) ? null : "there is no " + command.getFirst();
    }

    /** The median: the first one may have something to build or to read from disk. */
    @Override
    public Map<String, Double> run() throws IOException, Processes.Failed {
        List<Double> milliseconds = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
            try (Processes processes = new Processes(directory)) {
                long startNs = System.nanoTime();
                processes.finish(processes.start(Map.of(), command), PATIENCE_SECONDS);
                milliseconds.add((System.nanoTime() - startNs) / 1e6);
            }
        }
        milliseconds.sort(null);
        return Map.of("ms", (milliseconds.get((TIMES - 1) / 2) + milliseconds.get(TIMES / 2)) / 2);
    }
}
