// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A process on the host, inside a network namespace: one of our tools as a user runs it, or a test application. */
public final class HostTool extends RunningCommand {
    /** Environment variable with the directory where devices are kept. */
    static final String STATE_DIRECTORY = "SOFTRDMA_STATE_DIR";
    private static final int BUFFER_BYTES = 8192;

    private final Process process;

    private HostTool(Runnable requireAlive, Path file, List<String> shown, ProcessBuilder builder) throws IOException {
        super(requireAlive, String.join(" ", shown), file, String.join(" ", shown));
        process = builder.redirectErrorStream(true).redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile())).start();
        Thread.ofPlatform().daemon().name("host-" + shown.getFirst()).start(this::listen);
    }

    /**
     * Starts a command in a network namespace, with its own state directory.
     *
     * @param requireAlive throws when the namespace no longer exists
     * @param command      starts with {@code ./softrdma} or a link of bin/, relative to the root of the project
     */
    static HostTool start(Runnable requireAlive, String namespace, Path state, Path file, Map<String, String> environment,
                          List<String> command) {
        List<String> launched = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        launched.addAll(command);
        return start(requireAlive, KernelLab.root(), file, withState(state, environment), command, launched);
    }

    /** Environment of a tool of ours that keeps its devices in a directory of its own. */
    static Map<String, String> withState(Path state, Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(Map.of(STATE_DIRECTORY, state.toString(), "SOFTRDMA_NO_BUILD", "1"));
        all.putAll(environment);
        return all;
    }

    /**
     * Starts a command of a user of this machine, outside any lab.
     *
     * @param directory where it starts
     * @param file      where its output is kept
     */
    static HostTool startHere(Path directory, Path file, Map<String, String> environment, List<String> command) {
        return start(() -> { }, directory, file, environment, command, command);
    }

    private static HostTool start(Runnable requireAlive, Path directory, Path file, Map<String, String> environment,
                                  List<String> command, List<String> launched) {
        List<String> all = new ArrayList<>();
        if (RequirementExtension.isInstalled("setpriv")) {
            all.addAll(List.of("setpriv", "--pdeathsig", "KILL"));
        }
        all.addAll(launched);
        ProcessBuilder builder = new ProcessBuilder(all).directory(directory.toFile());
        builder.environment().putAll(environment);
        try {
            return new HostTool(requireAlive, file, command, builder);
        } catch (IOException refused) {
            throw new IllegalStateException("cannot start " + command, refused);
        }
    }

    private void listen() {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream out = process.getInputStream()) {
            for (int count = out.read(buffer); count >= 0; count = out.read(buffer)) {
                printed(Arrays.copyOf(buffer, count));
            }
            ended(process.waitFor());
        } catch (IOException | InterruptedException gone) {
            printed("harness: " + gone + "\n");
            process.destroyForcibly();
            ended(-1);
        }
    }

    /** Sends SIGTERM. */
    void terminate() {
        // Process.destroy would close the output.
        process.toHandle().destroy();
    }

    @Override
    protected void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
