// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.lesson;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.softrdma.lab.ladder.Arrow;
import org.softrdma.lab.world.RecordedWorld;

/**
 * The check of a lesson for a learner's own program: it is run with {@code SOFTRDMA_CAPTURE_DIR}, so that its devices write down their
 * packets, and the goals are checked against these, its output and its exit code. A goal is met if the capture of one device shows it.
 */
public final class ProgramCheck {
    private static final int MAX_OUTPUT = 1 << 20;

    private final Lesson lesson;
    private final List<String> command;
    private final Duration limit;

    /**
     * Result of a check.
     *
     * @param goals    those of the program, in their order
     * @param met      for each of them whether it was met
     * @param packets  number of packets in the captures
     * @param exitCode of the program; -1 if it did not end in time
     * @param files    the captures
     */
    public record Result(List<Goal> goals, boolean[] met, int packets, int exitCode, List<Path> files) {
        public boolean passed() {
            for (boolean each : met) {
                if (!each) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * @param command program and arguments
     * @param limit   time after which the program is stopped
     */
    public ProgramCheck(Lesson lesson, List<String> command, Duration limit) {
        this.lesson = lesson;
        this.command = command;
        this.limit = limit;
    }

    /**
     * Runs the program, and checks what it did.
     *
     * @param directory for the captures; created
     * @param output    receives each line that the program prints
     * @throws IOException if the program cannot be started
     */
    public Result run(Path directory, Consumer<String> output) throws IOException {
        Files.createDirectories(directory);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SOFTRDMA_CAPTURE_DIR", directory.toAbsolutePath().toString());
        Process process = builder.start();
        process.getOutputStream().close();
        StringBuilder text = new StringBuilder();
        Thread reader = Thread.ofVirtual().start(() -> read(process, text, output));
        int exitCode = await(process);
        join(reader);
        return judge(directory, exitCode, text.toString());
    }

    private static void read(Process process, StringBuilder text, Consumer<String> output) {
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.accept(line);
                if (text.length() < MAX_OUTPUT) {
                    text.append(line).append('\n');
                }
            }
        } catch (IOException ended) {
            // The program was stopped; what it printed before is enough.
            text.append('\n');
        }
    }

    /** Returns the exit code; -1 if the program was stopped, with everything that it has started. */
    private int await(Process process) {
        try {
            if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        return -1;
    }

    private static void join(Thread reader) {
        try {
            reader.join(Duration.ofSeconds(2));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Result judge(Path directory, int exitCode, String output) throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.list(directory)) {
            files = found.filter(file -> file.toString().endsWith(".pcapng")).sorted().toList();
        }
        List<Goal> goals = lesson.check().program();
        boolean[] met = new boolean[goals.size()];
        int packets = 0;
        List<List<Arrow>> captures = new ArrayList<>(List.of(List.of()));
        for (Path file : files) {
            try {
                List<Arrow> arrows = new RecordedWorld(file.getFileName().toString(), Files.readAllBytes(file)).ladder().arrows();
                packets += arrows.size();
                captures.add(arrows);
            } catch (IllegalArgumentException empty) {
                // A device that was opened and not used, or was killed in the middle of a packet.
                captures.add(List.of());
            }
        }
        for (List<Arrow> arrows : captures) {
            boolean[] here = new GoalChecker(goals).check(new RunEvidence(arrows, exitCode, output));
            for (int i = 0; i < met.length; i++) {
                met[i] |= here[i];
            }
        }
        return new Result(goals, met, packets, exitCode, files);
    }

    /** Evidence in the capture of one device. */
    private record RunEvidence(List<Arrow> arrows, int exitCode, String output) implements Evidence {
    }
}
