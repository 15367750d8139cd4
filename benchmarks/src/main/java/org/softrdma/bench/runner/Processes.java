// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts the two processes of a row, waits a bounded time and ends what is left of them. */
final class Processes implements AutoCloseable {
    private static final int LISTENER_PATIENCE_MS = 10_000;

    private final List<Process> started = new ArrayList<>();
    private final List<Path> outputs = new ArrayList<>();
    private final Path directory;

    Processes(Path directory) {
        this.directory = directory;
    }

    /** A row that could not be measured; the message says why. */
    static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;

        Failed(String why) {
            super(why);
        }
    }

    /** A TCP port of the loopback interface that was free a moment ago. */
    static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    /** Waits until somebody listens at the port, without connecting: some servers serve the first who comes and end. */
    static void awaitListener(String protocol, String port) throws Failed {
        String wanted = String.format(":%04X ", Integer.parseInt(port));
        String state = protocol.equals("tcp") ? " 0A " : " 07 ";
        for (int waitedMs = 0; waitedMs < LISTENER_PATIENCE_MS; waitedMs += 20) {
            String sockets = Machine.read("/proc/net/" + protocol) + "\n" + Machine.read("/proc/net/" + protocol + "6");
            if (sockets.lines().anyMatch(line -> line.contains(wanted) && line.contains(state))) {
                return;
            }
            pause(20);
        }
        throw new Failed("nobody listens at " + protocol + " port " + port);
    }

    /** @return its number here, for {@link #output} */
    int start(Map<String, String> environment, List<String> command) throws IOException {
        Path output = Files.createTempFile(directory, "out", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().putAll(environment);
        outputs.add(output);
        started.add(builder.start());
        return started.size() - 1;
    }

    String output(int number) throws IOException {
        return Files.readString(outputs.get(number));
    }

    /**
     * Waits until the process has printed a line that starts so.
     *
     * @return the rest of that line
     */
    String awaitLine(int number, String start, int seconds) throws IOException, Failed {
        return awaitLines(number, start, 1, seconds).getFirst();
    }

    /**
     * Waits until the process has printed so many lines that start so.
     *
     * @return what follows in each
     */
    List<String> awaitLines(int number, String start, int count, int seconds) throws IOException, Failed {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() - untilNs < 0) {
            boolean alive = started.get(number).isAlive();
            String text = output(number);
            int end = text.lastIndexOf('\n');
            List<String> found = text.substring(0, Math.max(end, 0)).lines().filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()).strip()).toList();
            if (found.size() >= count) {
                return found;
            }
            if (!alive) {
                break;
            }
            pause(20);
        }
        throw new Failed("waited for '" + start + "' and got: " + tail(output(number)));
    }

    /**
     * Waits for a process.
     *
     * @return what it printed
     */
    String finish(int number, int seconds) throws IOException, Failed {
        Process process = started.get(number);
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                throw new Failed("not done within " + seconds + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed("interrupted");
        }
        if (process.exitValue() != 0) {
            throw new Failed("exit status " + process.exitValue() + ": " + tail(output(number)));
        }
        return output(number);
    }

    static String tail(String text) {
        String shortened = text.strip().lines().filter(line -> !line.startsWith("@") && !line.startsWith("\tat ")).limit(3)
            .reduce((a, b) -> a + " / " + b).orElse("(no output)");
        return shortened.substring(0, Math.min(shortened.length(), 300));
    }

    static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends what still runs: peers' servers, or everything if the row failed. */
    @Override
    public void close() {
        for (Process process : started) {
            if (process.isAlive()) {
                process.destroy();
            }
        }
        for (Process process : started) {
            try {
                if (!process.waitFor(2, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor(2, TimeUnit.SECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                process.destroyForcibly();
            }
        }
        for (Path output : outputs) {
            try {
                Files.deleteIfExists(output);
            } catch (IOException stays) {
                // a temporary file in target/
            }
        }
    }
}
