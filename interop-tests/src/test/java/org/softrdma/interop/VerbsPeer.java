// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.softrdma.interop.InteropCase.IpVersion;
import org.softrdma.interop.app.VerbsApp;

/** {@code guest/verbs-peer.py}, started once in each guest, and {@link VerbsApp} in the namespace against it. */
final class VerbsPeer {
    private static final Duration START = Duration.ofSeconds(40);
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Map<KernelLab, RunningCommand> PEERS = new IdentityHashMap<>();

    private VerbsPeer() {
    }

    /** Starts the guest's side if it does not run. */
    static synchronized void start(KernelLab lab) throws IOException {
        RunningCommand peer = PEERS.get(lab);
        if (peer == null || !peer.isRunning()) {
            String program = lab.share("/guest/verbs-peer.py");
            peer = lab.guest().start(lab.directory().resolve("verbs-peer.txt"), List.of("python3", "-u", program));
            PEERS.put(lab, peer);
            peer.awaitOutput("listening", START);
        }
    }

    /**
     * Runs our side of a case in a process of its own and returns what it printed.
     *
     * @param role requester, responder or both
     */
    static String run(KernelLab lab, Path file, String kind, String name, String role, IpVersion ip) throws IOException {
        start(lab);
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        try (RunningCommand app = lab.tool(file, Map.of("CLASSPATH", absolute(classPath)),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", VerbsApp.class.getName(), kind, name, role,
                Integer.toString(ip.gidIndex), ip.guest, Integer.toString(ip.gidIndex))) {
            if (app.awaitExit(DEADLINE) == VerbsApp.UNSUPPORTED) {
                throw new InteropCase.Unsupported(app.output().lines().filter(line -> line.contains("Exception")).findFirst().orElse("?"));
            }
            return app.awaitSuccess(DEADLINE);
        }
    }

    private static String absolute(String classPath) {
        StringBuilder absolute = new StringBuilder();
        for (String each : classPath.split(File.pathSeparator)) {
            absolute.append(absolute.isEmpty() ? "" : File.pathSeparator).append(Path.of(each).toAbsolutePath());
        }
        return absolute.toString();
    }
}
