// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.host.config.LinkStore;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Start of the daemon as a process of its own, by the command that started this one. */
final class DaemonStart {
    /** Messages of earlier daemons are dropped beyond. */
    private static final long MAX_LOG_BYTES = 1 << 20;
    /** Options of tools that do not suit a long run. */
    private static final List<String> TOOL_OPTIONS = List.of("-XX:TieredStopAtLevel=1", "-XX:-MaxFDLimit");
    /**
     * Little memory, of which what is unused goes back to the host. A daemon that runs out of memory ends, so that programs see errors
     * rather than wait.
     */
    private static final List<String> OPTIONS = List.of("-XX:+UseSerialGC", "-Xms8m", "-Xmx192m", "-XX:MaxDirectMemorySize=1g",
        "-XX:MinHeapFreeRatio=10", "-XX:MaxHeapFreeRatio=30", "-XX:ReservedCodeCacheSize=48m", "-Xss512k",
        "-XX:+ExitOnOutOfMemoryError");

    private DaemonStart() {
    }

    /**
     * Starts the daemon, in a session of its own.
     *
     * @param arguments     number of the arguments of this process's main method
     * @param idleArguments arguments for the daemon
     * @throws VerbsException EIO: it cannot be started
     */
    static Process start(DaemonFiles files, int arguments, List<String> idleArguments) {
        List<String> own = ProcessInfo.commandLine((int) ProcessHandle.current().pid());
        List<String> command = new ArrayList<>();
        command.add(own.getFirst());
        command.addAll(OPTIONS);
        for (String each : own.subList(1, own.size() - arguments)) {
            if (!TOOL_OPTIONS.contains(each)) {
                command.add(each);
            }
        }
        command.addAll(List.of("daemon", "serve"));
        command.addAll(idleArguments);
        try {
            StateDirectory.create(files.state());
            if (Files.exists(files.log()) && Files.size(files.log()) > MAX_LOG_BYTES) {
                Files.delete(files.log());
            }
            ProcessBuilder daemon = new ProcessBuilder(command).directory(files.state().toFile())
                .redirectInput(new File("/dev/null")).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(files.log().toFile()));
            // In its own directory, a relative path in a variable would be another one.
            daemon.environment().put(LinkStore.DIRECTORY_VARIABLE, files.state().toAbsolutePath().toString());
            return daemon.start();
        } catch (IOException failed) {
            throw new VerbsException(Errno.EIO, "daemon", "the daemon cannot be started: " + failed, failed);
        }
    }
}
